// A block's counters of finishing orders in shared memory, and how they become ranks and pairs.
#pragma once

#include <cstdint>

#include "kernels/batches.h"
#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_orders.h"

namespace gpusim::cuda {

struct OrderTally {
  std::uint32_t order[camel_up::kOrders];
  std::uint32_t rank[camel_up::kRacers * camel_up::kRacers];
  std::uint32_t pair[camel_up::kRacers * camel_up::kRacers];
};

// All threads of the block: ranks and pairs, 0 before, from the orders. Needs a barrier before and behind.
__device__ inline void FoldOrders(OrderTally& tally) {
  using namespace camel_up;
  for (int order = static_cast<int>(threadIdx.x); order < kOrders;
       order += static_cast<int>(blockDim.x)) {
    const std::uint32_t weight = tally.order[order];
    if (weight == 0) continue;
    const FinishingOrder finish = DecodeOrder(order);
    for (int place = 0; place < kRacers; ++place)
      atomicAdd(&tally.rank[RankComponent(finish.camel[place], place)], weight);
    atomicAdd(&tally.pair[PairComponent(finish.camel[0], finish.camel[1])], weight);
  }
}

__device__ inline void AddTo(std::uint32_t& sum, std::uint32_t value) {
  if (value != 0) atomicAdd(&sum, value);
}
__device__ inline void AddTo(std::uint64_t& sum, std::uint64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&sum), value);
}

// Thread i of the block adds component i of both to the row.
__device__ inline void AddRanksAndPairs(const OrderTally& tally,
                                        const camel_up::OddsAnswers::ViewType& answers,
                                        std::size_t row) {
  const unsigned i = threadIdx.x;
  if (i >= camel_up::kRacers * camel_up::kRacers) return;
  AddTo(answers.At<camel_up::kRankWeight>(row, i), tally.rank[i]);
  AddTo(answers.At<camel_up::kPairWeight>(row, i), tally.pair[i]);
}

__device__ inline std::uint64_t SumOverWarp(std::uint64_t value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(0xFFFF'FFFF, static_cast<unsigned long long>(value), step);
  return value;  // whole in lane 0
}

}  // namespace gpusim::cuda
