#include "kernels/formats/board_region.h"

#include <algorithm>
#include <bit>

namespace gpusim::formats {
namespace {

using life::Board;
using life::kCellsPerWord;

// The first column from x on that is alive, or dead, as asked; x_end if none is.
std::uint64_t Find(const std::uint64_t* row, std::uint64_t x, std::uint64_t x_end, bool alive) {
  while (x < x_end) {
    const std::uint64_t cells = row[x / kCellsPerWord];
    const std::uint64_t wanted = (alive ? cells : ~cells) >> (x % kCellsPerWord);
    if (wanted != 0) {
      return std::min(x_end, x + static_cast<std::uint64_t>(std::countr_zero(wanted)));
    }
    x = (x / kCellsPerWord + 1) * kCellsPerWord;
  }
  return x_end;
}

std::uint64_t LastLive(const Board& board, std::uint32_t y) {
  std::uint64_t word = life::WordsPerRow(board.width);
  const std::uint64_t* row = board.words.data() + y * word;
  while (row[--word] == 0) {
  }
  return word * kCellsPerWord + kCellsPerWord - 1 -
         static_cast<std::uint64_t>(std::countl_zero(row[word]));
}

}  // namespace

Region WholeBoard(const Board& board) { return {0, 0, board.width, board.height}; }

std::optional<Region> LiveRegion(const Board& board) {
  std::uint64_t left = board.width;
  std::uint64_t right = 0;
  std::uint32_t top = board.height;
  std::uint32_t bottom = 0;
  for (std::uint32_t y = 0; y < board.height; ++y) {
    const Columns first = NextLiveRun(board, y, 0, board.width);
    if (first.Empty()) continue;
    left = std::min(left, first.begin);
    right = std::max(right, LastLive(board, y));
    top = std::min(top, y);
    bottom = y;
  }
  if (top == board.height) return std::nullopt;
  return Region{static_cast<std::uint32_t>(left), top, static_cast<std::uint32_t>(right - left + 1),
                bottom - top + 1};
}

Columns NextLiveRun(const Board& board, std::uint32_t y, std::uint64_t x, std::uint64_t x_end) {
  const std::uint64_t* row = board.words.data() + y * life::WordsPerRow(board.width);
  const std::uint64_t begin = Find(row, x, x_end, true);
  return {begin, Find(row, begin, x_end, false)};
}

}  // namespace gpusim::formats
