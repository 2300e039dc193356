// Facts of a board by all threads of a warp, block or grid: each counts some words, a warp adds up, one lane adds to the
// row of facts, which begins with 0.
//
// While it is summed up a box holds greatest values, so that 0 says that there was no cell:
//   ~left, ~top, right + 1, bottom + 1
#pragma once

#include <cstdint>

#include "kernels/cuda/life_run.h"
#include "kernels/rules/life_facts.h"

namespace gpusim::cuda {

struct Counts {
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::uint64_t digest = 0;
  std::uint64_t shape_digest = 0;
  life::Extent extent;
};

__device__ inline std::uint64_t CountBits(std::uint64_t word) {
  return static_cast<std::uint64_t>(__popcll(word));
}

// Its cells seen from word i of row y.
__device__ inline std::uint64_t ShapeDigestAt(const std::uint64_t* cells, const BoardRun& run,
                                              std::uint32_t y, std::uint32_t i) {
  const life::RowEdges edges = run.edges();
  life::ShapeRow rows[5];
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    std::int64_t row = std::int64_t{y} + k - 2;
    if (row < 0 || row >= run.height) {
      if (!edges.torus) continue;
      row = (row + 2 * std::int64_t{run.height}) % run.height;
    }
    rows[k] = life::ShapeRowAt(cells + static_cast<std::uint64_t>(row) * edges.words, i, run.width,
                               edges.torus);
  }
  return life::ShapeDigestOfWord(cells[std::uint64_t{y} * edges.words + i], rows);
}

__device__ inline void CountPlace(const std::uint64_t* cells, const BoardRun& run,
                                  std::uint64_t word, Counts& counts) {
  const std::uint32_t row_words = run.edges().words;
  const auto y = static_cast<std::uint32_t>(word / row_words);
  const auto i = static_cast<std::uint32_t>(word - std::uint64_t{y} * row_words);
  if ((run.fact_set & life::kFindBox) != 0) {
    const std::uint32_t x = i * life::kCellsPerWord;
    const auto first = static_cast<std::uint32_t>(__ffsll(static_cast<long long>(cells[word])) - 1);
    const auto last = static_cast<std::uint32_t>(63 - __clzll(static_cast<long long>(cells[word])));
    counts.extent.Add({x + first, y, x + last, y});
  }
  if ((run.fact_set & life::kMakeShapeDigest) != 0)
    counts.shape_digest += ShapeDigestAt(cells, run, y, i);
}

// Words begin, begin + stride, ... up to `end`. `before` has the generation before, and is read where there is one and
// changes are counted.
__device__ inline Counts CountWords(const std::uint64_t* cells, const std::uint64_t* before,
                                    const BoardRun& run, std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t stride) {
  const bool changes = run.counts_changes() && run.generations > 0;
  const bool places = (run.fact_set & (life::kFindBox | life::kMakeShapeDigest)) != 0;
  Counts counts;
  for (std::uint64_t word = begin; word < end; word += stride) {
    const std::uint64_t now = cells[word];
    counts.population += CountBits(now);
    if (changes) {
      counts.births += CountBits(now & ~before[word]);
      counts.deaths += CountBits(before[word] & ~now);
    }
    if ((run.fact_set & life::kMakeDigest) != 0) counts.digest += life::Mix64(word, now);
    if (places && now != 0) CountPlace(cells, run, word, counts);
  }
  return counts;
}

__device__ inline void AddToSum(std::uint64_t& sum, std::uint64_t of_lane) {
  for (int offset = 16; offset > 0; offset /= 2)
    of_lane += __shfl_down_sync(0xffffffff, of_lane, offset);
  if (threadIdx.x % 32 == 0 && of_lane != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum), of_lane);
}

__device__ inline void RaiseTo(std::uint32_t& most, std::uint32_t of_lane) {
  for (int offset = 16; offset > 0; offset /= 2)
    of_lane = max(of_lane, __shfl_down_sync(0xffffffff, of_lane, offset));
  if (threadIdx.x % 32 == 0 && of_lane != 0) atomicMax(&most, of_lane);
}

// All lanes of a warp call it.
__device__ inline void AddFacts(const Counts& counts, life::FactSet fact_set,
                                const life::Facts::ViewType& facts, std::uint64_t row) {
  AddToSum(facts.At<life::kPopulation>(row), counts.population);
  if ((fact_set & life::kCountChanges) != 0) {
    AddToSum(facts.At<life::kChanges>(row, 0), counts.births);
    AddToSum(facts.At<life::kChanges>(row, 1), counts.deaths);
  }
  if ((fact_set & life::kMakeDigest) != 0) AddToSum(facts.At<life::kDigest>(row), counts.digest);
  if ((fact_set & life::kMakeShapeDigest) != 0)
    AddToSum(facts.At<life::kShapeDigest>(row), counts.shape_digest);
  if ((fact_set & life::kFindBox) != 0) {
    const life::Extent& extent = counts.extent;
    RaiseTo(facts.At<life::kBox>(row, 0), extent.empty() ? 0 : ~extent.left);
    RaiseTo(facts.At<life::kBox>(row, 1), extent.empty() ? 0 : ~extent.top);
    RaiseTo(facts.At<life::kBox>(row, 2), extent.empty() ? 0 : extent.right + 1);
    RaiseTo(facts.At<life::kBox>(row, 3), extent.empty() ? 0 : extent.bottom + 1);
  }
}

}  // namespace gpusim::cuda
