// A rectangle of a board, and the runs of live cells in it: what the writers walk over.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/life.h"

namespace gpusim::formats {

// Lies within its board: x + width and y + height are at most the board's.
struct Region {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

Region WholeBoard(const life::Board& board);

// The smallest region around the live cells; nullopt if there is none.
std::optional<Region> LiveRegion(const life::Board& board);

// Live cells from `begin` up to, not including, `end`, in columns of the board.
struct Columns {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool Empty() const { return begin == end; }
};

// The first run of live cells of row y within columns x to x_end (exclusive); empty if there is
// none. Sixty-four cells a step. Preconditions: y is a row, x <= x_end <= width.
Columns NextLiveRun(const life::Board& board, std::uint32_t y, std::uint64_t x,
                    std::uint64_t x_end);

// A writer's answer when the text would pass the size that its caller allows.
struct OutputTooLarge {
  std::uint64_t max_bytes = 0;
};

}  // namespace gpusim::formats
