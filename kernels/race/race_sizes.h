// What a solve takes of memory, on the CPU as on a GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "kernels/race/race_layers.h"

namespace gpusim::camel_up {

// Bytes of each array. Rows of 'race over' included.
struct RaceSizes {
  explicit RaceSizes(Edition edition)
      : shapes(ShapesOf(edition)),
        moves(shapes * static_cast<std::size_t>(RaceMovesOf(edition)) * sizeof(RaceMove)),
        values((shapes + 1) * kRaceNumbers * sizeof(double)),
        lesser(values * static_cast<std::size_t>(LesserBufferSets(edition))),
        greater(values * static_cast<std::size_t>(GreaterBufferSets(edition))),
        legs(shapes * sizeof(double)) {}

  std::size_t total() const { return moves + lesser + greater + 2 * values + legs; }

  std::size_t shapes;
  std::size_t moves;
  std::size_t values;  // V of one part
  std::size_t lesser;
  std::size_t greater;
  std::size_t legs;
};

// "10.18 GiB"
inline std::string InGib(std::uint64_t bytes) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text.data();
}

// The beginning of a fault's text, to be followed by what there is.
inline std::string RaceMemoryNeed(const RaceSizes& sizes, const std::string& memory) {
  return "the race table takes " + InGib(sizes.total()) + " of " + memory + " to solve, ";
}

}  // namespace gpusim::camel_up
