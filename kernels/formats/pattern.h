// A pattern of the Game of Life as a text describes it, before it lies on any board.
//
// Live cells are kept as runs, so that memory follows the bytes of the text and never a number in
// it: a run of four billion cells and a header that claims a width of four billion cost nothing.
// Every token of a text makes one run of 24 bytes at most.
//
// Invariant R: runs are not empty, are sorted by y and then x, and neither overlap nor touch.
// Invariant B: every run lies within `box`, whose sides are at most kMaxExtent.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/formats/topology_string.h"
#include "kernels/life.h"

namespace gpusim::formats {

// Width and height of a pattern, and the distance of a coordinate from 0, at most: no board is
// larger.
inline constexpr std::int64_t kMaxExtent = std::numeric_limits<std::uint32_t>::max();

enum class Format : std::uint8_t { kRle, kCells, kLife105, kLife106 };

// Live cells from x_begin up to, not including, x_end.
struct CellRun {
  std::int64_t y = 0;
  std::int64_t x_begin = 0;
  std::int64_t x_end = 0;

  friend bool operator==(const CellRun&, const CellRun&) = default;
};

struct Cell {
  std::int64_t x = 0;
  std::int64_t y = 0;

  friend bool operator==(const Cell&, const Cell&) = default;
};

struct Box {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  bool Empty() const { return width == 0 || height == 0; }
  friend bool operator==(const Box&, const Box&) = default;
};

struct Pattern {
  Format format = Format::kRle;
  std::vector<CellRun> runs;

  // What the text spans: the size that its header claims, grown by every cell it names, alive or
  // dead. Its corner is 0,0, but in Life 1.05 and 1.06, where coordinates are the file's own and
  // may be negative.
  Box box;

  std::optional<life::Rule> rule;
  std::optional<BoundedGrid> grid;  // from a rule such as B3/S23:T100,200
  std::optional<Cell>
      golly_position;  // #CXRLE Pos=: the corner of the box, from the middle of the grid
  std::optional<std::uint64_t> generation;  // #CXRLE Gen=

  // Coordinates are the file's own (Life 1.05 and 1.06), not counted from the corner of the box.
  bool HasOwnCoordinates() const {
    return format == Format::kLife105 || format == Format::kLife106;
  }

  // Cannot overflow: by R and B, it is below 2^64.
  std::uint64_t LiveCells() const;

  // The smallest box around the live cells; empty, at the corner of `box`, if there is none.
  Box LiveBox() const;
};

// What a caller is ready to hold. Readers refuse the text at the run or cell that passes the limit.
struct ReadLimits {
  std::uint64_t max_live_cells = std::numeric_limits<std::uint64_t>::max();
};

// Building blocks of the readers.
//
// Appends `run`; joined to the last one if it goes on from there.
inline void AppendRun(std::vector<CellRun>& runs, const CellRun& run) {
  if (!runs.empty() && runs.back().y == run.y && runs.back().x_end == run.x_begin) {
    runs.back().x_end = run.x_end;
  } else {
    runs.push_back(run);
  }
}
// Brings runs in any order, also overlapping ones, to invariant R.
void SortAndJoin(std::vector<CellRun>& runs);
// Grows the box to hold the cells from `x_begin` to `x_end` of row y. Every coordinate is within
// three times kMaxExtent of 0. False if a side would then pass kMaxExtent.
bool Grow(Box& box, const CellRun& run);
// The rules that a pattern breaks which passes kMaxExtent, or the limits.
std::string ExtentRule();
std::string LiveCellsRule(const ReadLimits& limits);

}  // namespace gpusim::formats
