// A board cut into bands of at most 1 MiB, in the order of its words: what moves between device, host and file at a time, so
// that host memory stays flat however large the board.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device_cells.h"

namespace gpusim::boards {

inline constexpr std::uint64_t kBandWords = std::uint64_t{1} << 17;

class Bands {
 public:
  Bands(std::uint32_t width, std::uint32_t height);

  std::uint64_t count() const { return bands_in_row_ * row_bands_; }
  // Whole rows, or a part of one where rows are longer than a band.
  life::WordBlock At(std::uint64_t band) const;

 private:
  const std::uint32_t height_;
  const std::uint32_t row_words_;
  const std::uint32_t rows_;          // of a band of whole rows, else 1
  const std::uint64_t bands_in_row_;  // 1, unless rows are longer than a band
  const std::uint64_t row_bands_;
};

constexpr std::uint64_t BoardWords(std::uint32_t width, std::uint32_t height) {
  return life::WordsPerRow(width) * height;
}
constexpr std::uint64_t BoardBytes(std::uint32_t width, std::uint32_t height) {
  return BoardWords(width, height) * sizeof(std::uint64_t);
}

}  // namespace gpusim::boards
