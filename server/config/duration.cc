#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "server/config/server_options.h"

namespace gpusim::server {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
// Largest first, as FormatDuration tries them.
constexpr std::array<Unit, 4> kUnits{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

}  // namespace

std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  std::int64_t count = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, count);
  if (error != std::errc() || count < 0) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (std::string_view(end, static_cast<std::size_t>(text_end - end)) != unit.name) continue;
    if (count > std::numeric_limits<std::int64_t>::max() / unit.milliseconds) return std::nullopt;
    return std::chrono::milliseconds(count * unit.milliseconds);
  }
  return std::nullopt;
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  for (const Unit& unit : kUnits) {
    if (duration.count() != 0 && duration.count() % unit.milliseconds == 0)
      return std::to_string(duration.count() / unit.milliseconds) + std::string(unit.name);
  }
  return "0ms";
}

}  // namespace gpusim::server
