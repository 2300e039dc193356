// Where the words of a stamp meet those of a board.
//
// On a torus a stamp may lie over the seams; it is no larger than the board, so it falls into at most four rectangles that do
// not:
//
//   +--board--+
//   |44    333|    1: the stamp's top left part, 2: what is over the right seam,
//   |         |    3: below the bottom one, 4: over both
//   |22    111|
//   +---------+
//
// Each rectangle is worked on in pieces of at most a band of board words, and of one row at least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device_cells.h"
#include "server/boards/board_store.h"

namespace gpusim::boards {

// Columns [board_x, board_x + width) of some rows of the board take the stamp's columns from stamp_x on.
struct StampPiece {
  life::WordBlock block;  // of the board, what is read and written
  std::uint32_t board_x = 0;
  std::uint32_t stamp_x = 0;
  std::uint32_t stamp_y = 0;
  std::uint32_t width = 0;
};

// All pieces of a stamp at x, y (taken modulo the board's sides) that is no larger than the board.
std::vector<StampPiece> PiecesOf(std::uint32_t board_width, std::uint32_t board_height,
                                 std::uint32_t stamp_width, std::uint32_t stamp_height,
                                 std::int64_t x, std::int64_t y);

// `board`: the words of the piece's block; `stamp`: whole rows of the stamp from stamp_y on, `stamp_words` words each.
void Combine(const StampPiece& piece, WriteMode mode, std::uint64_t stamp_words,
             std::span<const std::uint64_t> stamp, std::span<std::uint64_t> board);

}  // namespace gpusim::boards
