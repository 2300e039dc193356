#include "kernels/cpu/life_fill.h"

#include <algorithm>

#include <Random123/philox.h>

#include "kernels/life.h"
#include "kernels/rules/life_random.h"

namespace gpusim::life {
namespace {

using Philox = r123::Philox4x32;  // ten rounds

std::uint32_t Low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t High(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

void FillRows(std::uint32_t width, std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
              std::uint64_t threshold, std::uint64_t* out) {
  const std::uint64_t row_words = WordsPerRow(width);
  if (threshold == 0) {
    std::fill_n(out, rows * row_words, 0);
    return;
  }
  const Philox::key_type key{{Low(seed), High(seed)}};
  const auto block_of = [&key](std::uint64_t block) {
    return Philox()(Philox::ctr_type{{Low(block), High(block), 0, 0}}, key);
  };
  for (std::uint64_t row = y; row < std::uint64_t{y} + rows; ++row) {
    for (std::uint32_t x = 0; x < width;) {
      const std::uint32_t count = std::min(width - x, kCellsPerWord);
      *out++ = RandomCells(row * width + x, count, threshold, block_of);
      x += count;
    }
  }
}

}  // namespace gpusim::life
