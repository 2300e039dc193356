// The layers of a race table on a GPU. A thread is one number of one sum of one shape; which terms
// it adds is the same for every shape, so it keeps them in registers.
//
//   block    | team 0: one shape                  | team 1: the next shape | ...
//   thread   | sum 0: 10 numbers | sum 1: 10 ...  | sum 0 ...
//
// Teams read neighbouring numbers of the rows that the moves of their shape lead to, and write theirs
// without gaps. Blocks walk over the shapes side by side, so that the rows around are in the cache.
#include "kernels/cuda/check.h"
#include "kernels/cuda/race_kernel.h"

namespace gpusim::cuda {
namespace {

using namespace camel_up;

constexpr int kThreads = 480;  // 3 teams of 150 sums' numbers, 8 of 60, 48 of 10
constexpr int kBlocksAMultiprocessor = 2;  // more would have too few registers for loads on their way
constexpr int kMostTeams = kThreads / kRaceNumbers;

struct Move {
  std::uint32_t row;          // where the row begins
  std::uint32_t permutation;
};

struct LayerMemory {
  RaceLayerPlan plan;
  Move moves[2][kMostTeams * kMostRaceMoves];  // of this turn and the next
  double sums[2][kThreads];                    // of this turn and the one before
};

// One number of the layer before, named as before the move.
template <bool kAntisymmetric>
__device__ double Read(const RaceLayerPlan& plan, const Move& move, int from, int number,
                       const double* __restrict__ in) {
  const std::uint32_t at = plan.number_at[move.permutation][number];
  const std::uint32_t offset = plan.set_at[move.permutation][from] + (at & ~RaceLayerPlan::kTurned);
  const double value = in[move.row + offset];
  return kAntisymmetric && (at & RaceLayerPlan::kTurned) ? -value : value;
}

template <bool kAntisymmetric>
__device__ double ReadFaces(const RaceLayerPlan& plan, const Move* moves, int from, int number,
                            const double* __restrict__ in) {
  return (Read<kAntisymmetric>(plan, moves[0], from, number, in) +
          Read<kAntisymmetric>(plan, moves[1], from, number, in)) +
         Read<kAntisymmetric>(plan, moves[2], from, number, in);
}

// The terms of the sum that this thread adds for every shape.
template <int kTerms>
struct Terms {
  int die[kTerms];
  int from[kTerms];

  __device__ Terms(const RaceLayerPlan& plan, int sum) {
    for (int t = 0; t < kTerms; ++t) {
      die[t] = plan.term_die[sum][t];
      from[t] = plan.term_from[sum][t];
    }
  }

  // The grey die, if there, is the last: six faces count as much as three of another die.
  template <bool kAntisymmetric>
  __device__ double Sum(const RaceLayerPlan& plan, const Move* moves, int number,
                        const double* __restrict__ in) const {
    double sum = 0;
#pragma unroll
    for (int t = 0; t < kTerms; ++t) {
      double faces =
          ReadFaces<kAntisymmetric>(plan, moves + die[t] * kFaces, from[t], number, in);
      if (t == kTerms - 1 && die[t] == kGreyDie) {
        faces = 0.5 * (faces + ReadFaces<kAntisymmetric>(plan, moves + (die[t] + 1) * kFaces,
                                                         from[t], number, in));
      }
      sum += faces;
    }
    return sum;
  }
};

struct Shapes {
  std::uint32_t count;
  int moves;  // of each
};

__device__ void LoadMoves(Move* to, const RaceMove* moves, const Shapes& shapes,
                          std::uint32_t first, int teams, std::uint32_t row_size) {
  const std::size_t begin = std::size_t{first} * shapes.moves;
  const std::size_t end = std::size_t{shapes.count} * shapes.moves;
  for (int i = threadIdx.x; i < teams * shapes.moves; i += kThreads) {
    if (begin + i >= end) return;
    const RaceMove move = moves[begin + i];
    to[i] = {move.shape() * row_size, move.permutation()};
  }
}

// Folds the sums of this turn's shapes and writes the rows.
__device__ void WriteFolded(const RaceLayerPlan& plan, const double* sums_of_shapes, double* rows,
                            int shapes) {
  const int row_size = plan.to_sets * kRaceNumbers;
  for (int i = threadIdx.x; i < shapes * row_size; i += kThreads) {
    const int set = i % row_size / kRaceNumbers;
    const double* sums =
        sums_of_shapes + i / row_size * (plan.sums * kRaceNumbers) + i % kRaceNumbers;
    const double a = sums[plan.folded[set][0] * kRaceNumbers];
    const double b = sums[plan.folded[set][1] * kRaceNumbers];
    const double c = sums[plan.folded[set][2] * kRaceNumbers];
    rows[i] = ((a + b) + c) * plan.factor;
  }
}

template <int kTerms, bool kAntisymmetric>
__global__ void __launch_bounds__(kThreads, kBlocksAMultiprocessor)
    SumLayer(const RaceLayerPlan* __restrict__ plan_of_layer, Shapes shapes,
             const RaceMove* __restrict__ moves, const double* __restrict__ in,
             double* __restrict__ out) {
  __shared__ LayerMemory memory;
  auto* words = reinterpret_cast<std::uint32_t*>(&memory.plan);
  constexpr int kWords = sizeof(RaceLayerPlan) / sizeof(std::uint32_t);
  for (int i = threadIdx.x; i < kWords; i += kThreads)
    words[i] = reinterpret_cast<const std::uint32_t*>(plan_of_layer)[i];
  __syncthreads();

  const RaceLayerPlan& plan = memory.plan;
  const int team_size = plan.sums * kRaceNumbers;
  const int teams = kThreads / team_size;
  const int team = static_cast<int>(threadIdx.x) / team_size;
  const int in_team = static_cast<int>(threadIdx.x) % team_size;
  const int number = in_team % kRaceNumbers;
  const Terms<kTerms> terms(plan, in_team / kRaceNumbers);
  const auto from_row = static_cast<std::uint32_t>(plan.from_sets * kRaceNumbers);
  const auto to_row = static_cast<std::uint32_t>(plan.to_sets * kRaceNumbers);

  // One barrier a turn: before it this turn's sums and the next one's moves are written, behind it
  // they are read.
  std::uint32_t first = blockIdx.x * teams;
  LoadMoves(memory.moves[0], moves, shapes, first, teams, from_row);
  __syncthreads();
  for (int turn = 0; first < shapes.count; turn ^= 1) {
    const auto here = static_cast<int>(min(static_cast<std::uint32_t>(teams), shapes.count - first));
    double* rows = out + std::size_t{first} * to_row;
    if (team < here) {
      const double sum = terms.template Sum<kAntisymmetric>(
          plan, memory.moves[turn] + team * shapes.moves, number, in);
      if (plan.folds)
        memory.sums[turn][threadIdx.x] = sum;
      else
        rows[threadIdx.x] = sum * plan.factor;
    }
    first += gridDim.x * teams;
    LoadMoves(memory.moves[turn ^ 1], moves, shapes, first, teams, from_row);
    __syncthreads();
    if (plan.folds) WriteFolded(plan, memory.sums[turn], rows, here);
  }

  if (blockIdx.x == 0) {
    constexpr RacePart kPart = kAntisymmetric ? RacePart::kAntisymmetric : RacePart::kSymmetric;
    for (int i = threadIdx.x; i < static_cast<int>(to_row); i += kThreads)
      out[std::size_t{shapes.count} * to_row + i] = RaceOverValue(kPart, i % kRaceNumbers);
  }
}

constexpr unsigned kPlainThreads = 128;

__device__ std::uint32_t PlainIndex() { return blockIdx.x * kPlainThreads + threadIdx.x; }

// One thread a shape for what is done once.
unsigned PlainBlocks(std::uint32_t shapes) { return (shapes + kPlainThreads - 1) / kPlainThreads; }

__global__ void __launch_bounds__(kPlainThreads) MakeMoves(Edition edition, RaceMove* moves) {
  const std::uint32_t shape = PlainIndex();
  if (shape >= ShapesOf(edition)) return;
  MakeRaceMoves(shape, edition, moves + std::size_t{shape} * RaceMovesOf(edition));
}

__global__ void __launch_bounds__(kPlainThreads)
    AddMissing(std::uint32_t shapes, const double* symmetric, double* legs,
               long long* most_missing) {
  const std::uint32_t shape = PlainIndex();
  if (shape >= shapes) return;
  const double missing = MissingOf(symmetric + std::size_t{shape} * kRaceNumbers);
  legs[shape] += missing;
  // Doubles of one sign are in the order of their bits, and negative ones below all others.
  const long long bits = __double_as_longlong(missing);
  if (bits > *most_missing) atomicMax(most_missing, bits);
}

__global__ void __launch_bounds__(kPlainThreads)
    MakeRows(std::uint32_t shapes, const double* symmetric, const double* antisymmetric,
             const double* legs, RaceRow* rows) {
  const std::uint32_t shape = PlainIndex();
  if (shape >= shapes) return;
  const std::size_t at = std::size_t{shape} * kRaceNumbers;
  rows[shape] = MakeRaceRow(symmetric + at, antisymmetric + at, legs[shape]);
}

template <int kTerms>
auto SumLayerOf(RacePart part) {
  return part == RacePart::kSymmetric ? SumLayer<kTerms, false> : SumLayer<kTerms, true>;
}

auto SumLayerOf(int terms, RacePart part) {
  switch (terms) {
    case 1: return SumLayerOf<1>(part);
    case 2: return SumLayerOf<2>(part);
    case 3: return SumLayerOf<3>(part);
    case 4: return SumLayerOf<4>(part);
    case 5: return SumLayerOf<5>(part);
    default: return SumLayerOf<6>(part);
  }
}

}  // namespace

void LaunchRaceMoves(Edition edition, RaceMove* moves, cudaStream_t stream) {
  MakeMoves<<<PlainBlocks(ShapesOf(edition)), kPlainThreads, 0, stream>>>(edition, moves);
  CheckCuda(cudaGetLastError());
}

void LaunchRaceLayer(Edition edition, RacePart part, int terms, const RaceLayerPlan* plan,
                     const RaceMove* moves, const double* in, double* out, int multiprocessors,
                     cudaStream_t stream) {
  const Shapes shapes{ShapesOf(edition), RaceMovesOf(edition)};
  SumLayerOf(terms, part)<<<static_cast<unsigned>(multiprocessors * kBlocksAMultiprocessor),
                            kThreads, 0, stream>>>(plan, shapes, moves, in, out);
  CheckCuda(cudaGetLastError());
}

void LaunchRaceMissing(std::uint32_t shapes, const double* symmetric, double* legs,
                       double* most_missing, cudaStream_t stream) {
  AddMissing<<<PlainBlocks(shapes), kPlainThreads, 0, stream>>>(
      shapes, symmetric, legs, reinterpret_cast<long long*>(most_missing));
  CheckCuda(cudaGetLastError());
}

void LaunchRaceRows(std::uint32_t shapes, const double* symmetric, const double* antisymmetric,
                    const double* legs, RaceRow* rows, cudaStream_t stream) {
  MakeRows<<<PlainBlocks(shapes), kPlainThreads, 0, stream>>>(shapes, symmetric, antisymmetric,
                                                              legs, rows);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
