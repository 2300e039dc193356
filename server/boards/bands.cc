#include "server/boards/bands.h"

#include <algorithm>

namespace gpusim::boards {
namespace {

constexpr std::uint64_t DivideUp(std::uint64_t n, std::uint64_t by) { return (n + by - 1) / by; }

}  // namespace

Bands::Bands(std::uint32_t width, std::uint32_t height)
    : height_(height),
      row_words_(static_cast<std::uint32_t>(life::WordsPerRow(width))),
      rows_(static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(kBandWords / row_words_, 1, height))),
      bands_in_row_(DivideUp(row_words_, kBandWords)),
      row_bands_(DivideUp(height, rows_)) {}

life::WordBlock Bands::At(std::uint64_t band) const {
  const auto y = static_cast<std::uint32_t>(band / bands_in_row_ * rows_);
  const auto word = static_cast<std::uint32_t>(band % bands_in_row_ * kBandWords);
  const auto longest = static_cast<std::uint32_t>(kBandWords);
  return {.y = y,
          .rows = std::min(rows_, height_ - y),
          .word = word,
          .words = std::min(row_words_ - word, bands_in_row_ == 1 ? row_words_ : longest)};
}

}  // namespace gpusim::boards
