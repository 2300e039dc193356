// What is told of a board besides its population, for host and device.
//
//   digest         sum mod 2^64 of Mix64(word index, word) over the board's words (life.h), padding 0 included
//   shape digest   sum mod 2^64 of Mix64(0, neighbourhood) over the live cells. The neighbourhood of a cell is the 5 x 5
//                  square around it: bit (dy + 2) * 5 + (dx + 2) is the cell at dx, dy, literally as the topology
//                  reaches it. It does not change when the pattern moves.
//
// Both are sums, so words and cells may be taken in any order.
#pragma once

#include <cstdint>

#include "kernels/rules/host_device.h"

namespace gpusim::life {

// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) on the word,
// told apart by its index: Mix64(i, 0) is number i of the sequence that begins with the state 0.
GPUSIM_HOST_DEVICE constexpr std::uint64_t Mix64(std::uint64_t index, std::uint64_t word) {
  std::uint64_t z = word ^ ((index + 1) * 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static_assert(Mix64(0, 0) == 0xe220a8397b1dcdaf);
static_assert(Mix64(1, 0) == 0x6e789e6aa1b965f4);

}  // namespace gpusim::life
