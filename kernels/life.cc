#include "kernels/life.h"

#include <bit>

namespace gpusim::life {
namespace {

constexpr std::uint64_t AddByte(std::uint64_t hash, std::uint64_t byte) {
  return (hash ^ byte) * 0x00000100000001b3;
}

}  // namespace

std::uint64_t Population(const Board& board) {
  std::uint64_t population = 0;
  for (const std::uint64_t word : board.words)
    population += static_cast<std::uint64_t>(std::popcount(word));
  return population;
}

void Hasher::AddRows(std::span<const std::uint64_t> words) {
  std::uint32_t left = width_;
  for (const std::uint64_t word : words) {
    const std::uint32_t cells = left < kCellsPerWord ? left : kCellsPerWord;
    Add(word, cells);
    left -= cells;
    if (left == 0) left = width_;
  }
}

// Cells come in pieces that need not end on a byte.
void Hasher::Add(std::uint64_t cells, std::uint32_t count) {
  // At most 7 bits wait, so that a piece of 56 always fits.
  while (count > 0) {
    const std::uint32_t take = count < 56 ? count : 56;
    waiting_ |= (cells & ((std::uint64_t{1} << take) - 1)) << waiting_count_;
    waiting_count_ += take;
    for (; waiting_count_ >= 8; waiting_count_ -= 8, waiting_ >>= 8)
      hash_ = AddByte(hash_, waiting_ & 0xff);
    cells >>= take;
    count -= take;
  }
}

std::uint64_t Hasher::Result() const {
  return waiting_count_ > 0 ? AddByte(hash_, waiting_) : hash_;
}

std::uint64_t Hash(const Board& board) {
  Hasher hasher(board.width);
  hasher.AddRows(board.words);
  return hasher.Result();
}

}  // namespace gpusim::life
