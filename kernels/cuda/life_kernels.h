// What is launched for boards, and how their work is dealt to the device. All launches are asynchronous on the stream
// and throw CudaError.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/batches.h"
#include "kernels/cuda/life_run.h"

namespace gpusim::cuda {

// Runs on the device, in ascending order of their tiles and parts.
struct RunRange {
  const BoardRun* runs = nullptr;
  std::uint32_t count = 0;
};

// Tiles of a board: what a warp steps in one pass (life_tile_kernel.cu). A strip is `rows` rows of some lanes' words.
// Narrow boards put several strips, one below another, side by side into a warp; of wide ones a strip is a column of
// 31 words, which needs 32 lanes with its halo.
inline constexpr std::uint32_t kHalo = kMostGenerations;  // cells beside a strip
inline constexpr std::uint32_t kLanes = 32;

struct TileGrid {
  std::uint32_t rows;   // of a strip
  std::uint32_t lanes;  // of a strip
  std::uint32_t words;  // that a strip writes
  std::uint32_t strips_of_tile;
  std::uint32_t columns;    // strips beside one another
  std::uint32_t tile_rows;  // tiles one below another
  GPUSIM_HOST_DEVICE constexpr std::uint64_t tiles() const {
    return std::uint64_t{columns} * tile_rows;
  }
};

GPUSIM_HOST_DEVICE constexpr TileGrid TilesOf(std::uint32_t width, std::uint32_t height,
                                              std::uint32_t rows) {
  constexpr std::uint64_t kBits = life::kCellsPerWord;
  const std::uint32_t words = life::EdgesOf(width, life::Topology::kPlane).words;
  const std::uint64_t with_halo = std::uint64_t{width} + 2 * kHalo;
  TileGrid grid{rows, kLanes, kLanes - 1, 1, 1, 0};
  if (with_halo <= kLanes * kBits) {
    grid.lanes = static_cast<std::uint32_t>((with_halo + kBits - 1) / kBits);
    grid.words = words;
    grid.strips_of_tile = kLanes / grid.lanes;
  } else {
    grid.columns = (words + grid.words - 1) / grid.words;
  }
  const std::uint64_t rows_of_tile = std::uint64_t{rows} * grid.strips_of_tile;
  grid.tile_rows = static_cast<std::uint32_t>((height + rows_of_tile - 1) / rows_of_tile);
  return grid;
}

// Parts of a board: words that a block counts, or that kSlicesOfPart blocks fill, which takes far longer.
inline constexpr std::uint64_t kPartWords = 8192;
inline constexpr std::uint32_t kSlicesOfPart = 16;
inline constexpr std::uint64_t kSliceWords = kPartWords / kSlicesOfPart;

GPUSIM_HOST_DEVICE constexpr std::uint64_t PartsOf(std::uint64_t words) {
  return (words + kPartWords - 1) / kPartWords;
}

// All generations of boards of BoardSize::kWarp and kBlock, with all their rows of facts. The last generation goes to
// `a`. `most_words`: of any of the boards.
void LaunchWarpBoards(const RunRange& range, const life::Facts::ViewType& facts,
                      cudaStream_t stream);
void LaunchBlockBoards(const RunRange& range, std::uint64_t most_words,
                       const life::Facts::ViewType& facts, cudaStream_t stream);

// Pass `pass` of boards of kTiles, of those of them for which it makes so many generations: 1, 2, 4 or 8.
struct TileLaunch {
  RunRange range;
  std::uint32_t rows = 0;   // of a strip
  std::uint64_t tiles = 0;  // of all boards, whose first has number 0
  std::uint32_t pass = 0;
};
void LaunchTiles(const TileLaunch& launch, std::uint32_t generations, cudaStream_t stream);

// The rows of facts that pass `pass` of boards of kTiles ends. `parts` of them altogether, from `first_part` on.
void LaunchCounts(const RunRange& range, std::uint64_t first_part, std::uint64_t parts,
                  std::uint32_t pass, const life::Facts::ViewType& facts, cudaStream_t stream);

// Rows of facts are summed up from 0. Boxes need to be brought into their final form behind all that counts.
void LaunchFinishBoxes(const life::Facts::ViewType& facts, cudaStream_t stream);

// Makes the cells of all boards of Source::kRandom; `parts` of all boards altogether, the first number 0.
void LaunchRandomBoards(const RunRange& range, std::uint64_t parts, cudaStream_t stream);

// Random cells in the rows [y, y + rows) of a board.
void LaunchRandomRows(std::uint64_t* cells, std::uint32_t width, std::uint32_t y,
                      std::uint32_t rows, std::uint64_t seed, std::uint64_t threshold,
                      cudaStream_t stream);

}  // namespace gpusim::cuda
