#include "server/services/odds_figures.h"

#include <bit>
#include <cmath>

namespace gpusim::server {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

double Ratio(std::uint64_t sum, std::uint64_t total, int unit_bits) {
  constexpr int kDoubleBits = 53;
  if (sum >> kDoubleBits == 0)
    return std::ldexp(static_cast<double>(sum) / static_cast<double>(total), -unit_bits);
  // Long division to 64 bits of quotient. A remainder makes the last bit odd, far below what a double
  // keeps, so that the one rounding knows on which side of a half the quotient lies.
  const std::uint64_t whole = sum / total;
  const std::uint64_t rest = sum % total;
  const int shift = std::countl_zero(whole);
  const std::uint64_t quotient = whole << shift | (rest << shift) / total;
  const std::uint64_t inexact = (rest << shift) % total != 0;
  return std::ldexp(static_cast<double>(quotient | inexact), -shift - unit_bits);
}

double StandardError(std::uint64_t sum, std::uint64_t squares, std::uint64_t count) {
  const Wide spread = Wide{count} * squares - Wide{sum} * sum;
  const auto n = static_cast<double>(count);
  return std::sqrt(static_cast<double>(spread) / n) / n;
}

double StandardError(std::int64_t sum, std::uint64_t squares, std::uint64_t count) {
  return StandardError(static_cast<std::uint64_t>(sum < 0 ? -sum : sum), squares, count);
}

}  // namespace gpusim::server
