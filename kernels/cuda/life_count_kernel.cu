// Rows of facts of large boards, a block for each part of each board.
#include "kernels/cuda/check.h"
#include "kernels/cuda/life_count.cuh"
#include "kernels/cuda/life_kernels.h"
#include "kernels/cuda/life_owner.cuh"

namespace gpusim::cuda {
namespace {

constexpr int kThreads = 256;

// Several words are on their way at a time.
__device__ Counts CountPopulation(const std::uint64_t* cells, std::uint64_t begin,
                                  std::uint64_t end) {
  Counts counts;
#pragma unroll 8
  for (std::uint64_t word = begin; word < end; word += kThreads)
    counts.population += CountBits(cells[word]);
  return counts;
}

// Blocks of one part have `block_words` of its words each.
__global__ void __launch_bounds__(kThreads)
    CountParts(RunRange range, std::uint64_t first_part, std::uint64_t block_words,
               std::uint32_t pass_index, life::Facts::ViewType facts) {
  const std::uint64_t part = first_part + blockIdx.x;
  const BoardRun& run = OwnerOf(range, &BoardRun::first_part, part);
  const Pass pass = PassPlan(run).At(pass_index);
  if (!pass.ends_row) return;
  const std::uint64_t* before = SourceOf(run, pass_index);
  const std::uint64_t* cells = pass.generations == 0 ? before : TargetOf(run, pass_index);
  const std::uint64_t begin = (part - run.first_part) * kPartWords + blockIdx.y * block_words;
  const std::uint64_t end = min(run.words(), begin + block_words);
  const Counts counts = run.fact_set == 0
                            ? CountPopulation(cells, begin + threadIdx.x, end)
                            : CountWords(cells, before, run, begin + threadIdx.x, end, kThreads);
  AddFacts(counts, run.fact_set, facts, run.first_facts + pass.row);
}

__global__ void __launch_bounds__(kThreads) FinishBoxes(life::Facts::ViewType facts) {
  const std::size_t row = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= facts.size()) return;
  const std::uint32_t end_x = facts.At<life::kBox>(row, 2);
  const std::uint32_t end_y = facts.At<life::kBox>(row, 3);
  if (end_x == 0) return;
  const std::uint32_t left = ~facts.At<life::kBox>(row, 0);
  const std::uint32_t top = ~facts.At<life::kBox>(row, 1);
  facts.At<life::kBox>(row, 0) = left;
  facts.At<life::kBox>(row, 1) = top;
  facts.At<life::kBox>(row, 2) = end_x - left;
  facts.At<life::kBox>(row, 3) = end_y - top;
}

}  // namespace

void LaunchCounts(const CountLaunch& launch, const life::Facts::ViewType& facts,
                  cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(launch.parts), launch.in_slices ? kSlicesOfPart : 1);
  CountParts<<<blocks, kThreads, 0, stream>>>(launch.range, launch.first_part,
                                              launch.in_slices ? kSliceWords : kPartWords,
                                              launch.pass, facts);
  CheckCuda(cudaGetLastError());
}

void LaunchFinishBoxes(const life::Facts::ViewType& facts, cudaStream_t stream) {
  const std::size_t blocks = (facts.size() + kThreads - 1) / kThreads;
  FinishBoxes<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(facts);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
