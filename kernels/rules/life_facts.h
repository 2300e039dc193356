// What is told of a board besides its population, for host and device.
//
//   digest         sum mod 2^64 of Mix64(word index, word) over the board's words (life.h), padding 0 included
//   shape digest   sum mod 2^64 of Mix64(0, neighbourhood) over the live cells. The neighbourhood of a cell is the 5 x 5
//                  square around it: bit (dy + 2) * 5 + (dx + 2) is the cell at dx, dy, literally as the topology
//                  reaches it. It does not change when the pattern moves.
//
// Both are sums, so words and cells may be taken in any order.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/life.h"
#include "kernels/rules/host_device.h"
#include "kernels/rules/life_step.h"

namespace gpusim::life {

// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014) on the word,
// told apart by its index: Mix64(i, 0) is number i of the sequence that begins with the state 0.
GPUSIM_HOST_DEVICE constexpr std::uint64_t Mix64(std::uint64_t index, std::uint64_t word) {
  std::uint64_t z = word ^ ((index + 1) * 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static_assert(Mix64(0, 0) == 0xe220a8397b1dcdaf);
static_assert(Mix64(1, 0) == 0x6e789e6aa1b965f4);

// The smallest box with all live cells seen so far; right and bottom are inside. Empty: left > right.
struct Extent {
  std::uint32_t left = ~std::uint32_t{0};
  std::uint32_t top = ~std::uint32_t{0};
  std::uint32_t right = 0;
  std::uint32_t bottom = 0;

  GPUSIM_HOST_DEVICE constexpr bool empty() const { return left > right; }
  GPUSIM_HOST_DEVICE constexpr void Add(const Extent& other) {
    left = left < other.left ? left : other.left;
    top = top < other.top ? top : other.top;
    right = right > other.right ? right : other.right;
    bottom = bottom > other.bottom ? bottom : other.bottom;
  }
};

// A row's cells around word i: bit b + 2 is the cell b of the word, and so for two cells on either side. Cells past the
// last of the row, in a word that is not full, are the row's first ones of a torus.
struct ShapeRow {
  std::uint64_t low = 0;   // bits 0 to 63
  std::uint64_t high = 0;  // bits 64 to 67

  // Bit dx + 2 is the cell dx beside cell `bit`.
  GPUSIM_HOST_DEVICE constexpr std::uint32_t Around(std::uint32_t bit) const {
    const std::uint64_t cells = bit == 0 ? low : low >> bit | high << (64 - bit);
    return static_cast<std::uint32_t>(cells & 31);
  }
};

// Cell x of a row, which may lie two beside it.
GPUSIM_HOST_DEVICE constexpr std::uint64_t CellBeside(const std::uint64_t* row, std::int64_t x,
                                                      std::uint32_t width, bool torus) {
  if (x < 0 || x >= width) {
    if (!torus) return 0;
    x = (x + 2 * std::int64_t{width}) % width;
  }
  return row[x / kCellsPerWord] >> (x % kCellsPerWord) & 1;
}

GPUSIM_HOST_DEVICE constexpr ShapeRow ShapeRowAt(const std::uint64_t* row, std::uint32_t i,
                                                 std::uint32_t width, bool torus) {
  const std::int64_t begin = std::int64_t{i} * kCellsPerWord;
  const std::int64_t end = begin + kCellsPerWord < width ? begin + kCellsPerWord : width;
  const std::uint64_t left =
      CellBeside(row, begin - 2, width, torus) | CellBeside(row, begin - 1, width, torus) << 1;
  const std::uint64_t right =
      CellBeside(row, end, width, torus) | CellBeside(row, end + 1, width, torus) << 1;
  const std::int64_t cells = end - begin;  // right belongs at the bit cells + 2
  ShapeRow around{row[i] << 2 | left, row[i] >> 62};
  if (cells < 62) around.low |= right << (cells + 2);
  if (cells == 61) around.high |= right >> 1;
  if (cells >= 62) around.high |= right << (cells - 62);
  return around;
}

// Precondition: there is one.
GPUSIM_HOST_DEVICE constexpr std::uint32_t LowestBit(std::uint64_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffsll(static_cast<long long>(word)) - 1);
#else
  return static_cast<std::uint32_t>(std::countr_zero(word));
#endif
}

// What the live cells of a word give to the shape digest; rows[dy + 2] is the row dy below, all at the word's index.
GPUSIM_HOST_DEVICE constexpr std::uint64_t ShapeDigestOfWord(std::uint64_t word,
                                                             const ShapeRow (&rows)[5]) {
  std::uint64_t sum = 0;
  for (; word != 0; word &= word - 1) {
    const std::uint32_t bit = LowestBit(word);
    std::uint32_t neighbourhood = 0;
    for (int dy = 0; dy < 5; ++dy) neighbourhood |= rows[dy].Around(bit) << (5 * dy);
    sum += Mix64(0, neighbourhood);
  }
  return sum;
}

}  // namespace gpusim::life
