// Exact leg odds. The tree of a position's draws is cut after its first draws: every way to make
// them is a prefix, and threads take prefixes in turn and walk the rest below each in registers.
// Weights gather in a block's shared memory by finishing order, are folded into ranks and pairs
// there, and added to the answers.
//
//   many positions   one block a position, prefixes of two draws
//   few positions    several blocks a position, prefixes of three draws, so that a lone query has
//   the device too
#include <algorithm>

#include "kernels/cuda/check.h"
#include "kernels/cuda/leg_kernel.h"
#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_orders.h"

namespace gpusim::cuda {
namespace {

using namespace camel_up;

constexpr int kThreads = 128;  // 180 and 378 prefixes of a full leg: 2 and 3 rounds

struct Tally {
  std::uint32_t order[kOrders];
  std::uint32_t rank[kRacers * kRacers];
  std::uint32_t pair[kRacers * kRacers];
  std::uint32_t landing[kSpaces + 1];
  std::uint32_t race_ends[2];
  std::uint32_t unplayed[kMaxDice + 1];  // TotalWeight by dice left
};

__device__ int NthBit(std::uint32_t bits, int n) {
  for (; n > 0; --n) bits &= bits - 1;
  return leg_detail::LowestBit(bits);
}

// Counts the events of a draw that together weigh `weight`; true if the leg ends with it.
__device__ bool CountDraw(Tally& tally, const Draw& draw, std::uint32_t weight, bool last) {
  if (draw.landed_tile != 0) atomicAdd(&tally.landing[draw.landed_tile], weight);
  if (draw.finish != Finish::kNone) atomicAdd(&tally.race_ends[0], weight);
  if (draw.finish == Finish::kBackward) atomicAdd(&tally.race_ends[1], weight);
  if (draw.finish == Finish::kNone && !last) return false;
  atomicAdd(&tally.order[OrderOf(draw.board)], weight);
  return true;
}

template <int kDraws>
__device__ void WalkDraws(Tally& tally, const LegQuery& leg, Board board, std::uint32_t weight) {
  const std::uint32_t unplayed = tally.unplayed[leg_detail::CountBits(DiceLeft(board)) - 1];
  ForEachDraw(board, leg.tiles, leg.edition, [&](const Draw& draw) {
    const std::uint32_t drawn = weight * draw.weight;
    const bool ended = CountDraw(tally, draw, drawn * unplayed, kDraws == 1);
    if constexpr (kDraws > 1) {
      if (!ended) WalkDraws<kDraws - 1>(tally, leg, draw.board, drawn);
    }
  });
}

__device__ void WalkRest(Tally& tally, const LegQuery& leg, Board board, std::uint32_t weight,
                         int draws) {
  if (draws == 1) WalkDraws<1>(tally, leg, board, weight);
  if (draws == 2) WalkDraws<2>(tally, leg, board, weight);
  if (draws == 3) WalkDraws<3>(tally, leg, board, weight);
}

// Follows the prefix number `prefix` and walks what is below it. A number is one digit a draw,
// mover * 3 + face - 1, in base `outcomes`; numbers that name no outcome are skipped. A draw is
// counted by the one prefix whose later digits are all 0.
__device__ void WalkPrefix(Tally& tally, const LegQuery& leg, int prefix, int prefix_draws,
                           int outcomes, int draws) {
  Board board = leg.board;
  std::uint32_t weight = 1;
  int scale = 1;
  for (int drawn = 1; drawn < prefix_draws; ++drawn) scale *= outcomes;
  for (int drawn = 0; drawn < prefix_draws; ++drawn, scale /= outcomes) {
    const int digit = prefix / scale;
    prefix -= digit * scale;
    const std::uint32_t movers = Movers(board);
    if (digit >= 3 * leg_detail::CountBits(movers)) return;
    const Draw draw = Play(board, leg.tiles, leg.edition, movers,
                           static_cast<Camel>(NthBit(movers, digit / 3)), digit % 3 + 1);
    const std::uint32_t unplayed = tally.unplayed[leg_detail::CountBits(DiceLeft(board)) - 1];
    weight *= draw.weight;
    if (prefix == 0) CountDraw(tally, draw, weight * unplayed, false);
    if (draw.finish != Finish::kNone) return;
    board = draw.board;
  }
  WalkRest(tally, leg, board, weight, draws - prefix_draws);
}

// This block's share of the prefixes.
__device__ void Solve(Tally& tally, const LegQuery& leg, int most_prefix_draws) {
  const int dice = leg_detail::CountBits(DiceLeft(leg.board));
  const int draws = DrawsLeft(leg.edition, dice);
  const int prefix_draws = draws > most_prefix_draws ? most_prefix_draws : draws - 1;
  // No draw has more outcomes: three a die, and three more for the second colour of a grey one.
  const int outcomes = 3 * (leg.edition == Edition::kFirst ? dice : dice + 1);
  int prefixes = 1;
  for (int drawn = 0; drawn < prefix_draws; ++drawn) prefixes *= outcomes;
  const int stride = static_cast<int>(gridDim.y) * kThreads;
  for (int prefix = static_cast<int>(blockIdx.y) * kThreads + threadIdx.x; prefix < prefixes;
       prefix += stride)
    WalkPrefix(tally, leg, prefix, prefix_draws, outcomes, draws);
}

__device__ void Clear(Tally& tally, const LegQuery& leg) {
  auto* words = reinterpret_cast<std::uint32_t*>(&tally);
  constexpr int kWords = offsetof(Tally, unplayed) / sizeof(std::uint32_t);
  for (int i = threadIdx.x; i < kWords; i += kThreads) words[i] = 0;
  if (threadIdx.x <= kMaxDice)
    tally.unplayed[threadIdx.x] = TotalWeight(leg.edition, static_cast<int>(threadIdx.x));
}

__device__ void FoldOrders(Tally& tally) {
  for (int order = threadIdx.x; order < kOrders; order += kThreads) {
    const std::uint32_t weight = tally.order[order];
    if (weight == 0) continue;
    const FinishingOrder finish = DecodeOrder(order);
    for (int place = 0; place < kRacers; ++place)
      atomicAdd(&tally.rank[RankComponent(finish.camel[place], place)], weight);
    atomicAdd(&tally.pair[PairComponent(finish.camel[0], finish.camel[1])], weight);
  }
}

// Adds to the row, which was 0 before the launch. Thread 0 lists the tiles by space: they are at
// most 8.
__device__ void AddToRow(const Tally& tally, const LegQuery& leg,
                         const OddsAnswers::ViewType& answers, std::size_t row) {
  const int i = threadIdx.x;
  auto add = [](std::uint32_t& sum, std::uint32_t weight) {
    if (weight != 0) atomicAdd(&sum, weight);
  };
  if (i < kRacers * kRacers) {
    add(answers.At<kRankWeight>(row, i), tally.rank[i]);
    add(answers.At<kPairWeight>(row, i), tally.pair[i]);
  }
  if (i < 2) add(answers.At<kRaceEndsWeight>(row, i), tally.race_ends[i]);
  if (i != 0) return;
  int tile = 0;
  for (int space = 1; space <= kSpaces; ++space)
    if (TileAt(leg.tiles, space) != kNoTile)
      add(answers.At<kLandingWeight>(row, tile++), tally.landing[space]);
}

__global__ void __launch_bounds__(kThreads)
    LegOdds(ExactQueries::ViewType queries, OddsAnswers::ViewType answers, int most_prefix_draws) {
  __shared__ Tally tally;
  for (std::size_t row = blockIdx.x; row < queries.size(); row += gridDim.x) {
    const LegQuery leg{queries.At<kBoard>(row), queries.At<kTiles>(row), queries.At<kEdition>(row)};
    Clear(tally, leg);
    __syncthreads();
    Solve(tally, leg, most_prefix_draws);
    __syncthreads();
    FoldOrders(tally);
    __syncthreads();
    AddToRow(tally, leg, answers, row);
    __syncthreads();
  }
}

}  // namespace

void LaunchLegOdds(const ExactQueries::ViewType& queries, const OddsAnswers::ViewType& answers,
                   int multiprocessors, cudaStream_t stream) {
  if (queries.size() == 0) return;
  constexpr unsigned kBlocksAMultiprocessor = 4;  // 119 registers a thread
  constexpr unsigned kMostBlocksAPosition = 32;   // of 128 prefixes of 9261
  const unsigned resident = static_cast<unsigned>(multiprocessors) * kBlocksAMultiprocessor;
  const bool few = queries.size() < resident / 2;
  dim3 blocks(few ? static_cast<unsigned>(queries.size()) : resident, 1);
  if (few) blocks.y = std::min(kMostBlocksAPosition, resident / blocks.x);
  LegOdds<<<blocks, kThreads, 0, stream>>>(queries, answers, few ? 3 : 2);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
