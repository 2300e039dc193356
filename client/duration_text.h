// Durations as people write them.
#pragma once

#include <chrono>
#include <string>

namespace gpusim {

// "30s", "500ms", "1.5s": the largest unit that needs at most three decimals. Negative ones are
// "0s".
std::string DurationText(std::chrono::nanoseconds duration);

}  // namespace gpusim
