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

// Tiles of a board: what a warp steps in one pass (life_tile_kernel.cu). A strip is `rows` rows of the board; it takes a
// lane for each word of a row and, unless the last word has room for the halo, one more. The lanes of all strips, one
// strip behind another, are cut into warps, which overlap by a lane:
//
//   a row of 3 words, 4 lanes a strip:   0 0 0 0 1 1 1 1 2 2 ... 7 7 7|7         strip of each lane of the first warp
//                                                                   7|7 8 8 ...  and of the second
inline constexpr std::uint32_t kHalo = kMostGenerations;  // cells beside what a lane writes
inline constexpr std::uint32_t kLanes = 32;
inline constexpr std::uint32_t kWritingLanes = kLanes - 1;

struct TileGrid {
  std::uint32_t rows;   // of a strip
  std::uint32_t lanes;  // of a strip
  std::uint64_t tiles;
};

GPUSIM_HOST_DEVICE constexpr TileGrid TilesOf(std::uint32_t width, std::uint32_t height,
                                              std::uint32_t rows) {
  constexpr std::uint64_t kBits = life::kCellsPerWord;
  const auto lanes =
      static_cast<std::uint32_t>((std::uint64_t{width} + 2 * kHalo + kBits - 1) / kBits);
  const std::uint64_t strips = (std::uint64_t{height} + rows - 1) / rows;
  return {rows, lanes, (strips * lanes + kWritingLanes - 1) / kWritingLanes};
}

// Parts of a board: words that a block counts. Where that takes long, and for random cells always, a block has a slice.
inline constexpr std::uint64_t kPartWords = 4096;
inline constexpr std::uint32_t kSlicesOfPart = 8;
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

// The rows of facts that pass `pass` of boards of kTiles ends.
struct CountLaunch {
  RunRange range;
  std::uint64_t first_part = 0;
  std::uint64_t parts = 0;  // of all boards
  bool in_slices = false;
  std::uint32_t pass = 0;
};
void LaunchCounts(const CountLaunch& launch, const life::Facts::ViewType& facts,
                  cudaStream_t stream);

// Rows of facts are summed up from 0. Boxes need to be brought into their final form behind all that counts.
void LaunchFinishBoxes(const life::Facts::ViewType& facts, cudaStream_t stream);

// Makes the cells of all boards of Source::kRandom; `parts` of all boards altogether, the first number 0.
void LaunchRandomBoards(const RunRange& range, std::uint64_t parts, cudaStream_t stream);

// Random cells in the rows [y, y + rows) of a board.
void LaunchRandomRows(std::uint64_t* cells, std::uint32_t width, std::uint32_t y,
                      std::uint32_t rows, std::uint64_t seed, std::uint64_t threshold,
                      cudaStream_t stream);

}  // namespace gpusim::cuda
