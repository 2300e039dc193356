#include "client/duration_text.h"

#include <algorithm>
#include <cstdint>

namespace gpusim {

std::string DurationText(std::chrono::nanoseconds duration) {
  struct Unit {
    std::int64_t ns;
    const char* name;
  };
  constexpr Unit kUnits[] = {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}};
  const std::int64_t ns = std::max<std::int64_t>(duration.count(), 0);
  for (const Unit& unit : kUnits) {
    const std::int64_t thousandths = std::max<std::int64_t>(unit.ns / 1000, 1);
    if (ns < unit.ns || ns % thousandths != 0) continue;
    std::string text = std::to_string(ns / unit.ns);
    std::string decimals = std::to_string(1000 + ns % unit.ns / thousandths).substr(1);
    while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
    if (unit.ns > 1 && !decimals.empty()) text += "." + decimals;
    return text + unit.name;
  }
  return "0s";
}

}  // namespace gpusim
