#include "kernels/life.h"

#include <bit>

namespace gpusim::life {
namespace {

// Feeds bytes of cells to FNV-1a; cells arrive in pieces that need not end on a byte.
class CellHash {
 public:
  void Add(std::uint64_t cells, std::uint32_t count) {
    // At most 7 bits wait, so that a piece of 56 always fits.
    while (count > 0) {
      const std::uint32_t take = count < 56 ? count : 56;
      waiting_ |= (cells & ((std::uint64_t{1} << take) - 1)) << waiting_count_;
      waiting_count_ += take;
      for (; waiting_count_ >= 8; waiting_count_ -= 8, waiting_ >>= 8) Byte(waiting_ & 0xff);
      cells >>= take;
      count -= take;
    }
  }
  std::uint64_t Result() {
    if (waiting_count_ > 0) Byte(waiting_);
    return hash_;
  }

 private:
  void Byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x00000100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::uint64_t waiting_ = 0;
  std::uint32_t waiting_count_ = 0;
};

}  // namespace

std::uint64_t Population(const Board& board) {
  std::uint64_t population = 0;
  for (const std::uint64_t word : board.words)
    population += static_cast<std::uint64_t>(std::popcount(word));
  return population;
}

std::uint64_t Hash(const Board& board) {
  CellHash hash;
  const std::uint64_t row_words = WordsPerRow(board.width);
  for (std::uint32_t y = 0; y < board.height; ++y) {
    std::uint32_t left = board.width;
    for (std::uint64_t i = 0; i < row_words; ++i) {
      const std::uint32_t cells = left < kCellsPerWord ? left : kCellsPerWord;
      hash.Add(board.words[y * row_words + i], cells);
      left -= cells;
    }
  }
  return hash.Result();
}

}  // namespace gpusim::life
