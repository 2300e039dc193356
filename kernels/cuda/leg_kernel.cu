// Exact odds. The tree of a position's draws is cut after its first draws: every way to make
// them is a prefix, and threads take prefixes in turn and walk the rest below each in registers.
// Weights gather in a block's shared memory by finishing order, are folded into ranks and pairs
// there, and added to the answers.
//
// A race row reads the race table's row of every leaf besides. Its 64-bit sums are private to a thread: no
// atomics and, since a thread has a column of its own in shared memory, no bank conflicts.
//
//                       thread 0   thread 1         thread 127
//   winner 0, last 0   +----------+----------+- ~ -+----------+
//   winner 0, last 1   |   u64    |   u64    |     |   u64    |
//   ...                |          |          |     |          |
//   legs               +----------+----------+- ~ -+----------+
//
//   many positions   one block a position, prefixes of two draws
//   few positions    several blocks a position, prefixes of three draws, so that a lone query has
//   the device too
#include <algorithm>

#include "kernels/cuda/check.h"
#include "kernels/cuda/leg_kernel.h"
#include "kernels/cuda/order_tally.cuh"
#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_orders.h"
#include "kernels/rules/camel_up_shape.h"

namespace gpusim::cuda {
namespace {

using namespace camel_up;

constexpr unsigned kLegBlocksAMultiprocessor = 5;
constexpr unsigned kRaceBlocksAMultiprocessor = 4;  // 29 KiB of shared memory each

constexpr int kThreads = 128;  // 180 and 378 prefixes of a full leg: 2 and 3 rounds

struct Tally {
  OrderTally orders;
  std::uint32_t landing[kSpaces + 1];
  std::uint32_t race_ends[2];
  std::uint32_t unplayed[kMaxDice + 1];  // TotalWeight by dice left
};

__device__ int NthBit(std::uint32_t bits, int n) {
  for (; n > 0; --n) bits &= bits - 1;
  return leg_detail::LowestBit(bits);
}

// Counts the events of a draw that together weigh `weight`; true if the leg ends with it. Calls leaf(board,
// weight, race_over) then.
template <class Leaf>
__device__ bool CountDraw(Tally& tally, const Draw& draw, std::uint32_t weight, bool last,
                          const Leaf& leaf) {
  if (draw.landed_tile != 0) atomicAdd(&tally.landing[draw.landed_tile], weight);
  if (draw.finish != Finish::kNone) atomicAdd(&tally.race_ends[0], weight);
  if (draw.finish == Finish::kBackward) atomicAdd(&tally.race_ends[1], weight);
  if (draw.finish == Finish::kNone && !last) return false;
  atomicAdd(&tally.orders.order[OrderOf(draw.board)], weight);
  leaf(draw.board, weight, draw.finish != Finish::kNone);
  return true;
}

template <int kDraws, class Leaf>
__device__ void WalkDraws(Tally& tally, const LegQuery& leg, Board board, std::uint32_t weight,
                          const Leaf& leaf) {
  const std::uint32_t unplayed = tally.unplayed[leg_detail::CountBits(DiceLeft(board)) - 1];
  ForEachDraw(board, leg.tiles, leg.edition, [&](const Draw& draw) {
    const std::uint32_t drawn = weight * draw.weight;
    const bool ended = CountDraw(tally, draw, drawn * unplayed, kDraws == 1, leaf);
    if constexpr (kDraws > 1) {
      if (!ended) WalkDraws<kDraws - 1>(tally, leg, draw.board, drawn, leaf);
    }
  });
}

template <class Leaf>
__device__ void WalkRest(Tally& tally, const LegQuery& leg, Board board, std::uint32_t weight,
                         int draws, const Leaf& leaf) {
  if (draws == 1) WalkDraws<1>(tally, leg, board, weight, leaf);
  if (draws == 2) WalkDraws<2>(tally, leg, board, weight, leaf);
  if (draws == 3) WalkDraws<3>(tally, leg, board, weight, leaf);
}

// Follows the prefix number `prefix` and walks what is below it. A number is one digit a draw,
// mover * 3 + face - 1, in base `outcomes`; numbers that name no outcome are skipped. A draw is
// counted by the one prefix whose later digits are all 0.
template <class Leaf>
__device__ void WalkPrefix(Tally& tally, const LegQuery& leg, int prefix, int prefix_draws,
                           int outcomes, int draws, const Leaf& leaf) {
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
    if (prefix == 0) CountDraw(tally, draw, weight * unplayed, false, leaf);
    if (draw.finish != Finish::kNone) return;
    board = draw.board;
  }
  WalkRest(tally, leg, board, weight, draws - prefix_draws, leaf);
}

// This block's share of the prefixes.
template <class Leaf>
__device__ void Solve(Tally& tally, const LegQuery& leg, int most_prefix_draws, const Leaf& leaf) {
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
    WalkPrefix(tally, leg, prefix, prefix_draws, outcomes, draws, leaf);
}

__device__ void Clear(Tally& tally, const LegQuery& leg) {
  auto* words = reinterpret_cast<std::uint32_t*>(&tally);
  constexpr int kWords = offsetof(Tally, unplayed) / sizeof(std::uint32_t);
  for (int i = threadIdx.x; i < kWords; i += kThreads) words[i] = 0;
  if (threadIdx.x <= kMaxDice)
    tally.unplayed[threadIdx.x] = TotalWeight(leg.edition, static_cast<int>(threadIdx.x));
}

// Adds to the row, which was 0 before the launch. Thread 0 lists the tiles by space: they are at
// most 8.
__device__ void AddToRow(const Tally& tally, const LegQuery& leg,
                         const OddsAnswers::ViewType& answers, std::size_t row) {
  AddRanksAndPairs(tally.orders, answers, row);
  const unsigned i = threadIdx.x;
  if (i < 2) AddTo(answers.At<kRaceEndsWeight>(row, i), tally.race_ends[i]);
  if (i != 0) return;
  int tile = 0;
  for (int space = 1; space <= kSpaces; ++space)
    if (TileAt(leg.tiles, space) != kNoTile)
      AddTo(answers.At<kLandingWeight>(row, tile++), tally.landing[space]);
}

__device__ LegQuery LegOf(const ExactQueries::ViewType& queries, std::size_t row) {
  return {queries.At<kBoard>(row), queries.At<kTiles>(row), queries.At<kEdition>(row)};
}

struct NoRace {
  __device__ void operator()(Board, std::uint32_t, bool) const {}
};

// The second bound is for the compiler, which else spills registers to make room for more blocks.
__global__ void __launch_bounds__(kThreads, kLegBlocksAMultiprocessor)
    LegOdds(ExactQueries::ViewType queries, ExactRows rows, OddsAnswers::ViewType answers,
            int most_prefix_draws) {
  __shared__ Tally tally;
  for (std::size_t k = blockIdx.x; k < rows.count; k += gridDim.x) {
    const std::size_t row = rows.at(k);
    const LegQuery leg = LegOf(queries, row);
    Clear(tally, leg);
    __syncthreads();
    Solve(tally, leg, most_prefix_draws, NoRace{});
    __syncthreads();
    FoldOrders(tally.orders);
    __syncthreads();
    AddToRow(tally, leg, answers, row);
    __syncthreads();
  }
}

constexpr int kLegsSum = kRacers * kRacers;  // behind the components of kRaceJoint
constexpr int kRaceSums = kLegsSum + 1;

using RaceColumns = std::uint64_t[kRaceSums][kThreads];

// What a leaf adds to the column of its thread.
class RaceLeaf {
 public:
  __device__ RaceLeaf(RaceColumns& columns, const RaceRow* table, Edition edition)
      : mine_(&columns[0][threadIdx.x]), table_(table), edition_(edition) {}

  __device__ void operator()(Board board, std::uint32_t weight, bool race_over) const {
    const RacersByRank racers(board);
    const std::uint64_t w = weight;
    if (race_over) {
      Add(RaceComponent(racers.winner(), racers.last()), w << kJointUnitBits);
      Add(kLegsSum, w << kLegsUnitBits);
      return;
    }
    const RaceRow* row = table_ + ShapeOf(board, edition_);
#pragma unroll
    for (int winner = 0; winner < kRacers; ++winner) {
#pragma unroll
      for (int last = 0; last < kRacers; ++last)
        if (last != winner)
          Add(RaceComponent(racers.at(winner), racers.at(last)),
              w * __ldg(&row->joint[JointComponent(winner, last)]));
    }
    Add(kLegsSum, w * ((std::uint64_t{1} << kLegsUnitBits) + __ldg(&row->legs)));
  }

 private:
  __device__ void Add(int sum, std::uint64_t value) const { mine_[sum * kThreads] += value; }

  std::uint64_t* mine_;
  const RaceRow* table_;
  Edition edition_;
};

// Adds all columns to the row: a warp takes a sum in turn.
__device__ void AddRaceToRow(const RaceColumns& columns, const OddsAnswers::ViewType& answers,
                             std::size_t row) {
  constexpr int kWarp = 32;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (int sum = static_cast<int>(threadIdx.x) / kWarp; sum < kRaceSums; sum += kThreads / kWarp) {
    std::uint64_t total = 0;
    for (int thread = lane; thread < kThreads; thread += kWarp) total += columns[sum][thread];
    total = SumOverWarp(total);
    if (lane == 0)
      AddTo(sum == kLegsSum ? answers.At<kRaceLegs>(row, 0) : answers.At<kRaceJoint>(row, sum),
            total);
  }
}

__global__ void __launch_bounds__(kThreads, kRaceBlocksAMultiprocessor)
    RaceOdds(ExactQueries::ViewType queries, ExactRows rows, RaceRowsOfDevice tables,
             OddsAnswers::ViewType answers, int most_prefix_draws) {
  __shared__ Tally tally;
  __shared__ RaceColumns columns;
  for (std::size_t k = blockIdx.x; k < rows.count; k += gridDim.x) {
    const std::size_t row = rows.at(k);
    const LegQuery leg = LegOf(queries, row);
    Clear(tally, leg);
    for (int sum = 0; sum < kRaceSums; ++sum) columns[sum][threadIdx.x] = 0;
    __syncthreads();
    const RaceRow* table = leg.edition == Edition::kFirst ? tables.first : tables.second;
    Solve(tally, leg, most_prefix_draws, RaceLeaf(columns, table, leg.edition));
    __syncthreads();
    FoldOrders(tally.orders);
    AddRaceToRow(columns, answers, row);
    __syncthreads();
    AddToRow(tally, leg, answers, row);
    __syncthreads();
  }
}

struct Launch {
  dim3 blocks;
  int most_prefix_draws;
};

Launch LaunchOf(std::size_t rows, int multiprocessors, unsigned blocks_a_multiprocessor) {
  constexpr unsigned kMostBlocksAPosition = 32;  // of 128 prefixes of 9261
  const unsigned resident = static_cast<unsigned>(multiprocessors) * blocks_a_multiprocessor;
  const bool few = rows < resident / 2;
  dim3 blocks(few ? static_cast<unsigned>(rows) : resident, 1);
  if (few) blocks.y = std::min(kMostBlocksAPosition, resident / blocks.x);
  return {blocks, few ? 3 : 2};
}

}  // namespace

void LaunchLegOdds(const ExactQueries::ViewType& queries, const ExactRows& rows,
                   const OddsAnswers::ViewType& answers, int multiprocessors, cudaStream_t stream) {
  if (rows.count == 0) return;
  const Launch launch = LaunchOf(rows.count, multiprocessors, kLegBlocksAMultiprocessor);
  LegOdds<<<launch.blocks, kThreads, 0, stream>>>(queries, rows, answers, launch.most_prefix_draws);
  CheckCuda(cudaGetLastError());
}

void LaunchRaceOdds(const ExactQueries::ViewType& queries, const ExactRows& rows,
                    const RaceRowsOfDevice& tables, const OddsAnswers::ViewType& answers,
                    int multiprocessors, cudaStream_t stream) {
  if (rows.count == 0) return;
  const Launch launch = LaunchOf(rows.count, multiprocessors, kRaceBlocksAMultiprocessor);
  RaceOdds<<<launch.blocks, kThreads, 0, stream>>>(queries, rows, tables, answers,
                                                   launch.most_prefix_draws);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
