// The values of options, from text. An error is a phrase that follows the option and the value:
// "--generations '1.5'" + " " + "is not a whole number".
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <gpusim/life.h>
#include <tl/expected.hpp>

namespace gpusim::cli {

// "1000", "1e9", "2.5e3": any decimal number that is whole and fits 64 bits.
tl::expected<std::uint64_t, std::string> ParseCount(std::string_view text);

// A positive number with a unit: "500ms", "10s", "1.5m", "2h", "250us", "10ns".
tl::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text);

// "1e-6", "0.001": more than 0.
tl::expected<double, std::string> ParsePositive(std::string_view text);

// "X,Y", both may be negative.
tl::expected<CellOffset, std::string> ParseOffset(std::string_view text);

}  // namespace gpusim::cli
