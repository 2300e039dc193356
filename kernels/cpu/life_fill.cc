// Vectors make the stream of all cells in whole words, wherever rows begin; the rows are then cut out of it.
#include "kernels/cpu/life_fill.h"

#include <algorithm>

#include "kernels/life.h"

namespace gpusim::life {
namespace {

// A stretch of the stream, read from front to back.
class Stream {
 public:
  Stream(const Lanes& lanes, std::uint64_t seed, std::uint64_t threshold)
      : lanes_(lanes), seed_(seed), threshold_(threshold) {}

  // Cells [cell, cell + 64).
  std::uint64_t At(std::uint64_t cell) {
    const std::uint64_t word = cell / kCellsPerWord;
    const std::uint64_t bit = cell % kCellsPerWord;
    if (word < first_ || word + 1 >= first_ + kWords) {
      first_ = word;
      lanes_.random(seed_, threshold_, first_, kWords, words_);
    }
    const std::uint64_t* at = words_ + (word - first_);
    return bit == 0 ? at[0] : at[0] >> bit | at[1] << (kCellsPerWord - bit);
  }

 private:
  static constexpr std::uint64_t kWords = 128;

  const Lanes& lanes_;
  std::uint64_t seed_;
  std::uint64_t threshold_;
  std::uint64_t first_ = ~std::uint64_t{0};  // none yet
  std::uint64_t words_[kWords];
};

}  // namespace

void FillRows(const Lanes& lanes, std::uint32_t width, std::uint32_t y, std::uint32_t rows,
              std::uint64_t seed, std::uint64_t threshold, std::uint64_t* out) {
  const std::uint64_t row_words = WordsPerRow(width);
  if (threshold == 0) {
    std::fill_n(out, rows * row_words, 0);
    return;
  }
  if (width % kCellsPerWord == 0)
    return lanes.random(seed, threshold, y * row_words, rows * row_words, out);
  Stream stream(lanes, seed, threshold);
  const std::uint64_t last_mask = ~std::uint64_t{0} >> (kCellsPerWord - width % kCellsPerWord);
  for (std::uint64_t row = y; row < std::uint64_t{y} + rows; ++row, out += row_words) {
    for (std::uint64_t i = 0; i < row_words; ++i)
      out[i] = stream.At(row * width + i * kCellsPerWord);
    out[row_words - 1] &= last_mask;
  }
}

}  // namespace gpusim::life
