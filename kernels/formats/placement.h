// Where a pattern comes to lie, and laying it there.
//
// All functions are pure and thread-safe; the board is the caller's. "The corner" of a pattern is
// where the top left of its box comes to lie on the board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/life.h"
#include "kernels/violation.h"

namespace gpusim::formats {

// The corner on a board of this size if the caller names none: centred, floor((W - w) / 2) from the
// left and likewise from the top; but where the file has a bounded grid and says `#CXRLE Pos=`,
// there, counted from Golly's origin, which is the cell floor(W / 2), floor(H / 2).
Cell DefaultCorner(const Pattern& pattern, std::uint32_t width, std::uint32_t height);

// Nullopt if the pattern can be laid on such a board, else a violation that names the first cell
// that does not fit. On a torus, coordinates wrap, and a pattern fits if no two of its cells can
// meet: its live box must not be larger than the board. `field` names the pattern in the violation.
std::optional<Violation> CheckPlacement(const Pattern& pattern, life::Topology topology,
                                        std::uint32_t width, std::uint32_t height, Cell corner,
                                        const std::string& field);

// Brings the pattern's live cells to life; other cells stay as they are. A row of 64 cells is one
// step. On failure the board is as it was, and the violation is that of CheckPlacement.
tl::expected<void, Violation> Place(const Pattern& pattern, life::Topology topology, Cell corner,
                                    const std::string& field, life::Board& board);

// A plane on which the pattern cannot reach the border in `generations` steps of any rule without
// B0: the box of its live cells and so many cells more on every side. A pattern without live cells
// gets one cell.
struct PlaneFrame {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Cell corner;  // of the pattern's box; with its width or height it may reach over the border, live
                // cells do not
};
// Over `max_cells`, or over the largest side, the violation suggests a torus or a plane of a fixed
// size.
tl::expected<PlaneFrame, Violation> FramePattern(const Pattern& pattern, std::uint64_t generations,
                                                 std::uint64_t max_cells, const std::string& field);

}  // namespace gpusim::formats
