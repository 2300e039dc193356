#include <algorithm>
#include <array>

#include <unistd.h>

#include "server/config/server_options.h"

namespace gpusim::server {
namespace {

constexpr std::size_t kMostBytes = 63;

// By ASCII: no locale has a say.
constexpr bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr bool IsIdByte(char c) { return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; }

}  // namespace

bool IsServerId(std::string_view text) {
  return !text.empty() && text.size() <= kMostBytes && IsLetterOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(), IsIdByte);
}

std::string HostId() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "server";
  std::string id = std::string(name.data()).substr(0, kMostBytes);
  for (char& c : id) c = IsIdByte(c) ? c : '-';
  return IsServerId(id) ? id : "server";
}

}  // namespace gpusim::server
