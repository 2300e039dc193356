#include "server/config/config_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace gpusim::server {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

tl::expected<std::vector<ConfigLine>, std::string> ReadConfigFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  std::vector<ConfigLine> lines;
  std::string text;
  for (std::size_t number = 1; std::getline(file, text); ++number) {
    const std::string_view line = Trimmed(text);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return tl::unexpected(path + ":" + std::to_string(number) + ": a line is FLAG = VALUE");
    lines.push_back({.number = number,
                     .flag = std::string(Trimmed(line.substr(0, equals))),
                     .value = std::string(Trimmed(line.substr(equals + 1)))});
  }
  if (!file.is_open() || file.bad())
    return tl::unexpected(path + ": " + (errno == 0 ? "cannot be read" : std::strerror(errno)));
  return lines;
}

}  // namespace gpusim::server
