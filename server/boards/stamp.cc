#include "server/boards/stamp.h"

#include <algorithm>

#include "server/boards/bands.h"

namespace gpusim::boards {
namespace {

using life::kCellsPerWord;

// A run of cells along one side that crosses no seam.
struct Part {
  std::uint32_t board = 0;
  std::uint32_t stamp = 0;
  std::uint32_t length = 0;
};

std::vector<Part> PartsOf(std::uint32_t board, std::uint32_t stamp, std::int64_t at) {
  const std::int64_t side = board;
  const auto first = static_cast<std::uint32_t>((at % side + side) % side);
  const std::uint32_t before_seam = std::min(stamp, board - first);
  std::vector<Part> parts{{first, 0, before_seam}};
  if (before_seam < stamp) parts.push_back({0, before_seam, stamp - before_seam});
  return parts;
}

// Cells [x, x + 64) of a row of `words` words as one word; what is outside is dead. x may be negative.
std::uint64_t CellsFrom(std::span<const std::uint64_t> row, std::int64_t x) {
  const auto word_of = [&](std::int64_t word) {
    return word >= 0 && word < static_cast<std::int64_t>(row.size())
               ? row[static_cast<std::size_t>(word)]
               : std::uint64_t{0};
  };
  constexpr auto kCells = static_cast<std::int64_t>(kCellsPerWord);
  const std::int64_t word = x >= 0 ? x / kCells : -((kCells - 1 - x) / kCells);
  const auto shift = static_cast<unsigned>(x - word * kCells);
  if (shift == 0) return word_of(word);
  return word_of(word) >> shift | word_of(word + 1) << (kCellsPerWord - shift);
}

// The bits of a word that starts at cell `word_x` that lie in [x, x + width).
std::uint64_t MaskOf(std::int64_t word_x, std::int64_t x, std::int64_t width) {
  const std::int64_t low = std::clamp<std::int64_t>(x - word_x, 0, kCellsPerWord);
  const std::int64_t high = std::clamp<std::int64_t>(x + width - word_x, 0, kCellsPerWord);
  const auto below = [](std::int64_t bit) {
    return bit == kCellsPerWord ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1;
  };
  return below(high) & ~below(low);
}

std::uint64_t Combined(WriteMode mode, std::uint64_t board, std::uint64_t stamp,
                       std::uint64_t mask) {
  switch (mode) {
    case WriteMode::kOr:
      return board | (stamp & mask);
    case WriteMode::kXor:
      return board ^ (stamp & mask);
    case WriteMode::kCopy:
      break;
  }
  return (board & ~mask) | (stamp & mask);
}

}  // namespace

std::vector<StampPiece> PiecesOf(std::uint32_t board_width, std::uint32_t board_height,
                                 std::uint32_t stamp_width, std::uint32_t stamp_height,
                                 std::int64_t x, std::int64_t y) {
  std::vector<StampPiece> pieces;
  for (const Part& across : PartsOf(board_width, stamp_width, x)) {
    const std::uint32_t first_word = across.board / kCellsPerWord;
    const std::uint32_t last_word = (across.board + across.length - 1) / kCellsPerWord;
    const std::uint32_t words = last_word - first_word + 1;
    const std::uint64_t widest = std::max<std::uint64_t>(words, life::WordsPerRow(stamp_width));
    const auto rows = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(kBandWords / widest, stamp_height)));
    for (const Part& down : PartsOf(board_height, stamp_height, y)) {
      for (std::uint32_t row = 0; row < down.length; row += rows) {
        pieces.push_back({.block = {.y = down.board + row,
                                    .rows = std::min(rows, down.length - row),
                                    .word = first_word,
                                    .words = words},
                          .board_x = across.board,
                          .stamp_x = across.stamp,
                          .stamp_y = down.stamp + row,
                          .width = across.length});
      }
    }
  }
  return pieces;
}

void Combine(const StampPiece& piece, WriteMode mode, std::uint64_t stamp_words,
             std::span<const std::uint64_t> stamp, std::span<std::uint64_t> board) {
  const life::WordBlock& block = piece.block;
  const std::int64_t shift = std::int64_t{piece.stamp_x} - std::int64_t{piece.board_x};
  for (std::size_t row = 0; row < block.rows; ++row) {
    const auto from = stamp.subspan(row * stamp_words, stamp_words);
    const auto to = board.subspan(row * block.words, block.words);
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto word_x = static_cast<std::int64_t>((block.word + i) * kCellsPerWord);
      to[i] = Combined(mode, to[i], CellsFrom(from, word_x + shift),
                       MaskOf(word_x, piece.board_x, piece.width));
    }
  }
}

}  // namespace gpusim::boards
