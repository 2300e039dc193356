// The figures of an answer: integers from the sums of Odds, and doubles from those, each rounded
// once. The same integers give the same bits everywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/odds.h"

namespace gpusim::server {

// Of both editions, highest first.
inline constexpr std::array<std::uint32_t, 3> kTicketFaces{5, 3, 2};

// Sums over all outcomes of what a ticket of the face brings: the face if its camel is first, 1 if it is
// second, otherwise -1.
struct TicketSums {
  std::int64_t sum = 0;
  std::uint64_t squares = 0;
};
constexpr TicketSums TicketOf(std::uint32_t face, std::uint64_t first, std::uint64_t second,
                              std::uint64_t total) {
  const std::uint64_t gains = face * first + second;
  const std::uint64_t losses = total - first - second;
  return {static_cast<std::int64_t>(gains) - static_cast<std::int64_t>(losses),
          face * face * first + second + losses};
}

using RaceJoint = camel_up::Odds::Square<std::uint64_t>;

constexpr std::uint64_t WinOf(const RaceJoint& joint, std::size_t camel) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : joint[camel]) sum += count;
  return sum;
}
constexpr std::uint64_t LastOf(const RaceJoint& joint, std::size_t camel) {
  std::uint64_t sum = 0;
  for (const auto& of_winner : joint) sum += of_winner[camel];
  return sum;
}

// sum / (total * 2^unit_bits), the nearest double. Precondition: sum is below 2^53, or total from 1 to below 2^24
// and sum below 2^63.
double Ratio(std::uint64_t sum, std::uint64_t total, int unit_bits = 0);

// Standard error of the mean of `count` simulations whose figures sum up to `sum` and their squares to `squares`:
// sqrt((squares / count - mean^2) / count). For a tally, whose figures are 0 and 1, that is sqrt(p (1 - p) / count).
// Precondition: all below 2^60, count at least 1.
double StandardError(std::uint64_t sum, std::uint64_t squares, std::uint64_t count);
double StandardError(std::int64_t sum, std::uint64_t squares, std::uint64_t count);

}  // namespace gpusim::server
