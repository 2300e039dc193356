// The cells of a pinned board as they travel: bands of rows, hashes and pictures.
//
// All functions are thread-safe and block for the copy from the device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device_cells.h"
#include "kernels/formats/board_region.h"
#include "kernels/life.h"
#include "server/boards/board_store.h"
#include "server/services/conversion_pool.h"

namespace gpusim::server {

// A message of cells is not larger than this, and a piece of work not much.
inline constexpr std::uint64_t kBandBytes = 1u << 20;

// Whole rows of `row_bytes` that fit a band; at least 1.
constexpr std::uint32_t RowsOfBand(std::uint64_t row_bytes) {
  const std::uint64_t rows = kBandBytes / row_bytes;
  return rows == 0 ? 1 : static_cast<std::uint32_t>(rows);
}

// Does work that is too long for one job of the pool: `piece` is called again, others' jobs in between, until it
// returns false.
void PostPieces(ConversionPool& pool, std::function<bool()> piece);

// The region as a board of its own. Precondition: it lies within the cells.
boards::Result<life::Board> ReadCells(const life::DeviceCells& cells,
                                      const formats::Region& region);

// life::Hash of all cells, made on the pool.
void HashCells(ConversionPool& pool, std::shared_ptr<const life::DeviceCells> cells,
               std::function<void(boards::Result<std::uint64_t>)> done);

// DensityFrame.density of the region, a band of cells after another: the next call does the next one.
class DensityPicture {
 public:
  DensityPicture(const formats::Region& region, std::uint32_t cell);
  std::uint32_t columns() const { return columns_; }
  std::uint32_t rows() const { return rows_; }

  // False once all is done.
  boards::Result<bool> MakeBand(const life::DeviceCells& cells);
  std::string Take() { return std::move(density_); }

 private:
  void EndRow(std::uint64_t square_height);

  const formats::Region region_;
  const std::uint32_t cell_;
  const std::uint32_t columns_;
  const std::uint32_t rows_;
  std::uint32_t y_ = 0;              // of the region, done so far
  std::vector<std::uint64_t> live_;  // by column, of the row of squares that y_ is in
  std::string density_;
};

// A board and the facts of its very generation.
struct PinnedFacts {
  boards::PinnedBoard board;
  boards::BoardFacts facts;
};
// Never waits for a run.
void PinWithFacts(boards::BoardStore& store, const std::string& name, life::FactSet set,
                  boards::BoardStore::Done<PinnedFacts> done);

}  // namespace gpusim::server
