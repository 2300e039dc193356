#include "kernels/cpu/life_tally.h"

#include <bit>

namespace gpusim::life {
namespace {

// Looks from both ends no further than could widen the box.
void AddExtent(const std::uint64_t* row, std::uint32_t row_words, std::uint32_t y, Extent& extent) {
  std::uint32_t first = 0;
  while (first < row_words && row[first] == 0) ++first;
  if (first == row_words) return;
  std::uint32_t last = row_words - 1;
  while (row[last] == 0) --last;
  extent.Add({first * kCellsPerWord + static_cast<std::uint32_t>(std::countr_zero(row[first])), y,
              last * kCellsPerWord + 63 - static_cast<std::uint32_t>(std::countl_zero(row[last])),
              y});
}

std::uint64_t DigestOfRow(const std::uint64_t* row, std::uint32_t row_words, std::uint64_t index) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < row_words; ++i) sum += Mix64(index + i, row[i]);
  return sum;
}

// The row dy beside row y; nullptr where all is dead.
const std::uint64_t* RowBeside(const std::uint64_t* cells, const Grid& grid, std::uint32_t y,
                               int dy) {
  std::int64_t row = std::int64_t{y} + dy;
  if (row < 0 || row >= grid.height) {
    if (grid.topology == Topology::kPlane) return nullptr;
    row = (row + 2 * std::int64_t{grid.height}) % grid.height;
  }
  return cells + static_cast<std::uint64_t>(row) * WordsPerRow(grid.width);
}

std::uint64_t ShapeDigestOfRow(const std::uint64_t* cells, const Grid& grid, std::uint32_t y) {
  const std::uint64_t* around[5];
  for (int dy = -2; dy <= 2; ++dy) around[dy + 2] = RowBeside(cells, grid, y, dy);
  const auto row_words = static_cast<std::uint32_t>(WordsPerRow(grid.width));
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < row_words; ++i) {
    if (around[2][i] == 0) continue;
    ShapeRow rows[5];
    for (int k = 0; k < 5; ++k) {
      if (around[k] != nullptr)
        rows[k] = ShapeRowAt(around[k], i, grid.width, grid.topology == Topology::kTorus);
    }
    sum += ShapeDigestOfWord(around[2][i], rows);
  }
  return sum;
}

}  // namespace

void Tally::Add(const Tally& part) {
  population += part.population;
  births += part.births;
  deaths += part.deaths;
  extent.Add(part.extent);
  digest += part.digest;
  shape_digest += part.shape_digest;
}

void TallyRows(const std::uint64_t* cells, const Grid& grid, FactSet facts, std::uint32_t begin,
               std::uint32_t end, Tally& tally) {
  const auto row_words = static_cast<std::uint32_t>(WordsPerRow(grid.width));
  for (std::uint32_t y = begin; y < end; ++y) {
    const std::uint64_t index = std::uint64_t{y} * row_words;
    if ((facts & kFindBox) != 0) AddExtent(cells + index, row_words, y, tally.extent);
    if ((facts & kMakeDigest) != 0) tally.digest += DigestOfRow(cells + index, row_words, index);
    if ((facts & kMakeShapeDigest) != 0) tally.shape_digest += ShapeDigestOfRow(cells, grid, y);
  }
}

void WriteFacts(const Tally& tally, FactSet facts, const Facts::ViewType& rows, std::size_t row) {
  rows.At<kPopulation>(row) = tally.population;
  if ((facts & kCountChanges) != 0) {
    rows.At<kChanges>(row, 0) = tally.births;
    rows.At<kChanges>(row, 1) = tally.deaths;
  }
  if ((facts & kFindBox) != 0) {
    const Extent& extent = tally.extent;
    rows.At<kBox>(row, 0) = extent.empty() ? 0 : extent.left;
    rows.At<kBox>(row, 1) = extent.empty() ? 0 : extent.top;
    rows.At<kBox>(row, 2) = extent.empty() ? 0 : extent.right - extent.left + 1;
    rows.At<kBox>(row, 3) = extent.empty() ? 0 : extent.bottom - extent.top + 1;
  }
  if ((facts & kMakeDigest) != 0) rows.At<kDigest>(row) = tally.digest;
  if ((facts & kMakeShapeDigest) != 0) rows.At<kShapeDigest>(row) = tally.shape_digest;
}

}  // namespace gpusim::life
