// Random boards, a thread for each word: the 16 or 17 Philox blocks of its 64 cells.
#include <curand_philox4x32_x.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/life_kernels.h"
#include "kernels/cuda/life_owner.cuh"
#include "kernels/rules/life_random.h"

namespace gpusim::cuda {
namespace {

constexpr int kThreads = 256;

// Which of the four cells of a block live, as its low bits.
__device__ std::uint64_t RandomBlock(std::uint64_t block, std::uint64_t seed,
                                     std::uint64_t threshold) {
  const uint4 counter{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0,
                      0};
  const uint2 key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const uint4 words = curand_Philox4x32_10(counter, key);
  return (words.x < threshold ? 1 : 0) | (words.y < threshold ? 2 : 0) |
         (words.z < threshold ? 4 : 0) | (words.w < threshold ? 8 : 0);
}

// Word number `word` of a board. Its first cell may be any of the four of a block.
__device__ std::uint64_t RandomWord(std::uint64_t word, std::uint32_t width, std::uint64_t seed,
                                    std::uint64_t threshold) {
  const life::RowEdges edges = life::EdgesOf(width, life::Topology::kPlane);
  const std::uint64_t y = word / edges.words;
  const auto i = static_cast<std::uint32_t>(word - y * edges.words);
  const bool last = i + 1 == edges.words;
  const std::uint64_t first = y * width + std::uint64_t{i} * life::kCellsPerWord;
  const std::uint64_t block = life::BlockOfCell(first);
  const auto skipped = static_cast<std::uint32_t>(first % 4);
  const std::uint32_t needed = skipped + (last ? edges.last_bits : life::kCellsPerWord);
  std::uint64_t cells = RandomBlock(block, seed, threshold) >> skipped;
  for (std::uint32_t k = 4; k < needed; k += 4)
    cells |= RandomBlock(block + k / 4, seed, threshold) << (k - skipped);
  return last ? cells & life::LastWordMask(edges) : cells;
}

__global__ void __launch_bounds__(kThreads) FillBoards(RunRange range) {
  const std::uint64_t part = blockIdx.x;
  const BoardRun& run = OwnerOf(range, &BoardRun::first_part, part);
  if (run.source != life::Source::kRandom) return;
  const std::uint64_t begin =
      (part - run.first_part) * kPartWords + std::uint64_t{blockIdx.y} * kSliceWords;
  const std::uint64_t end = min(run.words(), begin + kSliceWords);
  for (std::uint64_t word = begin + threadIdx.x; word < end; word += kThreads)
    run.b[word] = RandomWord(word, run.width, run.seed, run.threshold);
}

__global__ void __launch_bounds__(kThreads)
    FillWords(std::uint64_t* cells, std::uint32_t width, std::uint64_t first, std::uint64_t end,
              std::uint64_t seed, std::uint64_t threshold) {
  const std::uint64_t begin = first + std::uint64_t{blockIdx.x} * kSliceWords;
  const std::uint64_t slice_end = min(end, begin + kSliceWords);
  for (std::uint64_t word = begin + threadIdx.x; word < slice_end; word += kThreads)
    cells[word] = RandomWord(word, width, seed, threshold);
}

}  // namespace

void LaunchRandomBoards(const RunRange& range, std::uint64_t parts, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(parts), kSlicesOfPart);
  FillBoards<<<blocks, kThreads, 0, stream>>>(range);
  CheckCuda(cudaGetLastError());
}

void LaunchRandomRows(std::uint64_t* cells, std::uint32_t width, std::uint32_t y,
                      std::uint32_t rows, std::uint64_t seed, std::uint64_t threshold,
                      cudaStream_t stream) {
  const std::uint64_t row_words = life::WordsPerRow(width);
  const std::uint64_t first = y * row_words;
  const std::uint64_t words = rows * row_words;
  if (words == 0) return;
  const std::uint64_t slices = (words + kSliceWords - 1) / kSliceWords;
  FillWords<<<static_cast<unsigned>(slices), kThreads, 0, stream>>>(cells, width, first,
                                                                    first + words, seed, threshold);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
