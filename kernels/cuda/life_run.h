// A run of one board as the kernels see it: where its cells lie, and how its generations are cut into passes.
//
//   from --> a --> b --> a ...        buffers of the passes; b may be `from`, whose cells are then lost
//
//   facts every 11, passes of at most 8 generations:
//
//   generation 0 --> 8 --> 10 --> 11 --> 19 --> 21 --> 22 ...      a pass makes 8, 4, 2 or 1 generations
//                                 row 0                row 1       and a row of facts is about the end of one
//
// Where births and deaths are counted, the pass before a row makes one generation, so that its two buffers are the two
// generations to compare.
//
// A board is stepped by a warp, a block or a grid, by its size, from the smallest to the largest:
//
//   kWarp    up to 64 x 64: all generations in the registers of a warp
//   kBlock   up to kBlockWords: all generations in the shared memory of a block
//   kTiles   all others: pass after pass, strips of rows by many warps
#pragma once

#include <cstdint>

#include "kernels/batches.h"
#include "kernels/rules/life_step.h"

namespace gpusim::cuda {

enum class BoardSize : std::uint8_t { kWarp, kBlock, kTiles };
inline constexpr std::size_t kBoardSizes = 3;

inline constexpr std::uint32_t kWarpRows = 64;
inline constexpr std::uint64_t kBlockWords = 2048;

constexpr BoardSize SizeOf(std::uint32_t width, std::uint32_t height) {
  if (width <= life::kCellsPerWord && height <= kWarpRows) return BoardSize::kWarp;
  return life::WordsPerRow(width) * height <= kBlockWords ? BoardSize::kBlock : BoardSize::kTiles;
}

struct BoardRun {
  const std::uint64_t* from;
  std::uint64_t* a;  // null where there is nothing to run and nothing to write
  std::uint64_t* b;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t rule_masks;
  std::uint32_t generations;
  std::uint32_t facts_every;
  life::Topology topology;
  life::FactSet fact_set;
  life::Source source;  // cells of kRandom are made in b, which is `from`
  std::uint64_t first_facts;
  std::uint64_t seed;
  std::uint64_t threshold;

  // Numbers of the first of its tiles and of its parts among those of all boards (life_kernels.h).
  std::uint64_t first_tile;
  std::uint64_t first_part;

  GPUSIM_HOST_DEVICE constexpr life::RowEdges edges() const {
    return life::EdgesOf(width, topology);
  }
  GPUSIM_HOST_DEVICE constexpr std::uint64_t words() const {
    return std::uint64_t{height} * edges().words;
  }
  GPUSIM_HOST_DEVICE constexpr bool counts_changes() const {
    return (fact_set & life::kCountChanges) != 0;
  }
};

// What a pass with index i reads and writes.
GPUSIM_HOST_DEVICE constexpr const std::uint64_t* SourceOf(const BoardRun& run, std::uint32_t i) {
  return i == 0 ? run.from : i % 2 == 1 ? run.a : run.b;
}
GPUSIM_HOST_DEVICE constexpr std::uint64_t* TargetOf(const BoardRun& run, std::uint32_t i) {
  return i % 2 == 0 ? run.a : run.b;
}

inline constexpr std::uint32_t kMostGenerations = 8;         // of a pass of Conway's rule
inline constexpr std::uint32_t kMostGenerationsAnyRule = 4;  // whose rule words take registers, too

struct Pass {
  std::uint32_t generations = 0;
  bool ends_row = false;
  std::uint32_t row = 0;  // the one that it ends
};

class PassPlan {
 public:
  GPUSIM_HOST_DEVICE constexpr explicit PassPlan(const BoardRun& run)
      : most_(run.rule_masks == life::RuleMasks(life::kConway) ? kMostGenerations
                                                               : kMostGenerationsAnyRule),
        last_alone_(run.counts_changes() ? 1 : 0),
        generations_(run.generations),
        every_(run.facts_every == 0 ? run.generations : run.facts_every),
        last_row_(life::FactRows(run.generations, run.facts_every) - 1) {}

  GPUSIM_HOST_DEVICE constexpr std::uint32_t passes() const {
    if (generations_ == 0) return 0;
    return last_row_ * PassesOf(LengthOf(0)) + PassesOf(LengthOf(last_row_));
  }

  // A board with nothing to run has one pass of no generations, which ends its only row; passes behind the last are
  // of no generations and end none.
  GPUSIM_HOST_DEVICE constexpr Pass At(std::uint32_t i) const {
    if (generations_ == 0) return {0, i == 0, 0};
    const std::uint32_t passes_of_row = PassesOf(LengthOf(0));
    const std::uint32_t row = i / passes_of_row < last_row_ ? i / passes_of_row : last_row_;
    const std::uint32_t length = LengthOf(row);
    const std::uint32_t in_row = i - row * passes_of_row;
    const std::uint32_t passes = PassesOf(length);
    if (in_row >= passes) return {};
    return {GenerationsOf(length - last_alone_, in_row), in_row + 1 == passes, row};
  }

 private:
  GPUSIM_HOST_DEVICE constexpr std::uint32_t LengthOf(std::uint32_t row) const {
    return row < last_row_ ? every_ : generations_ - last_row_ * every_;
  }
  GPUSIM_HOST_DEVICE constexpr std::uint32_t PassesOf(std::uint32_t length) const {
    const std::uint32_t together = length - last_alone_;
    const std::uint32_t rest = together % most_;
    return together / most_ + (rest >> 2 & 1) + (rest >> 1 & 1) + (rest & 1) + last_alone_;
  }
  // As many full passes as there are, then one for each bit of the rest from the highest on; then the one alone.
  GPUSIM_HOST_DEVICE constexpr std::uint32_t GenerationsOf(std::uint32_t together,
                                                           std::uint32_t in_row) const {
    if (in_row < together / most_) return most_;
    std::uint32_t before = together / most_;
    for (std::uint32_t bit = most_ / 2; bit > 0; bit /= 2) {
      if ((together & bit) == 0) continue;
      if (before == in_row) return bit;
      ++before;
    }
    return 1;
  }

  std::uint32_t most_;
  std::uint32_t last_alone_;  // 1 or 0
  std::uint32_t generations_;
  std::uint32_t every_;
  std::uint32_t last_row_;
};

static_assert(kMostGenerations == 8 && kMostGenerationsAnyRule == 4, "PassesOf has their bits");

}  // namespace gpusim::cuda
