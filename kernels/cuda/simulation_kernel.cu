// Monte Carlo. A thread takes a lane and plays some of its rows one after another, so that its cuRAND
// state is found once and then only steps on; threads of a warp are neighbouring lanes. Tallies gather in the block's
// shared memory, by finishing order, and go to the answers once a part.
//
//   part    what a block does of one row of the batch, cut on the host so that the parts weigh the same
//   unit    128 lanes x 32 rows of the stream, a thread a lane; a part has every so manieth unit of its row
#include <curand_kernel.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/order_tally.cuh"
#include "kernels/cuda/simulation_kernel.h"
#include "kernels/rules/camel_up_draws.h"

namespace gpusim::cuda {

using State = curandStatePhilox4_32_10_t;

const std::size_t kWarmStateBytes = camel_up::kLanes * sizeof(State);

namespace {

using namespace camel_up;

constexpr int kThreads = static_cast<int>(kLanesOfAUnit);
constexpr int kBlocksAMultiprocessor = 5;  // as many as leave each thread the registers it needs
constexpr std::uint64_t kWordsOfABlock = 4;

// As in the CPU's SimulationTally: landings[space][n] counts simulations with more than n landings there.
struct Tally {
  OrderTally legs;
  std::uint32_t finish[3];  // by Finish
  std::uint32_t landings[kSpaces + 1][kMostLandings];
  std::uint32_t joint[kRacers * kRacers];
  std::uint64_t race_legs;
  std::uint64_t race_legs_squared;
};

struct Question {
  LegQuery leg;
  std::uint64_t seed;
  std::uint64_t subsequence;
  std::uint64_t offset;
};

__device__ State StateAt(const WarmStates& warm, const Question& question,
                         const BlockPlace& place) {
  State state;
  if (question.seed == warm.stream.seed && question.subsequence == warm.stream.subsequence &&
      place.block >= warm.block) {
    state = static_cast<const State*>(warm.states)[place.subsequence - question.subsequence];
    skipahead((place.block - warm.block) * kWordsOfABlock, &state);
  } else {
    curand_init(question.seed, place.subsequence, place.block * kWordsOfABlock, &state);
  }
  // It stands at the first word of a block, as all states here do. Saying so rids curand4 of its other
  // cases.
  state.STATE = 0;
  return state;
}

template <Edition kEdition>
__device__ Finish PlayFirstLeg(Tally& tally, const Question& question, Pyramid pyramid,
                               Board& board, LegBits bits) {
  std::uint64_t landed = 0;  // three bits a space
  const Finish finish = PlayLeg(board, question.leg.tiles, kEdition, pyramid, bits, [&](int space) {
    atomicAdd(&tally.landings[space][landed >> (3 * space) & 7], 1u);
    landed += std::uint64_t{1} << (3 * space);
  });
  atomicAdd(&tally.legs.order[OrderOf(board)], 1u);
  if (finish != Finish::kNone) atomicAdd(&tally.finish[static_cast<int>(finish)], 1u);
  return finish;
}

// Plays on from the end of the first leg; the number of legs. `race` stands behind the first block.
template <Edition kEdition>
__device__ std::uint32_t PlayOn(const Question& question, const BlockPlace& start, uint4 words,
                                State race, Board& board) {
  for (std::uint32_t leg = 1;; ++leg) {
    if (leg % 2 == 0) {
      if (leg % (2 * kRaceBlocks) == 0) {
        const BlockPlace place = LegPlace(start, leg);
        curand_init(question.seed, place.subsequence, place.block * kWordsOfABlock, &race);
      }
      words = curand4(&race);
    }
    const LegBits bits = leg % 2 == 0 ? LegBits(words.x, words.y) : LegBits(words.z, words.w);
    if (PlayLeg(board, Tiles{0}, kEdition, Pyramid::Full(kEdition), bits, [](int) {}) !=
        Finish::kNone)
      return leg + 1;
  }
}

template <Edition kEdition>
__device__ void PlayLegs(Tally& tally, const Question& question, const WarmStates& warm,
                         std::uint64_t i, std::uint64_t end) {
  const Pyramid pyramid = Pyramid::Of(DiceLeft(question.leg.board));
  State state =
      StateAt(warm, question, PlaceOf(question.subsequence, question.offset, i, kLegBlocks));
  for (; i < end; i += kLanes) {
    const uint4 words = curand4(&state);
    Board board = question.leg.board;
    PlayFirstLeg<kEdition>(tally, question, pyramid, board, LegBits(words.x, words.y));
  }
}

template <Edition kEdition>
__device__ void PlayRaces(Tally& tally, const Question& question, const WarmStates& warm,
                          std::uint64_t i, std::uint64_t end) {
  const Pyramid pyramid = Pyramid::Of(DiceLeft(question.leg.board));
  BlockPlace start = PlaceOf(question.subsequence, question.offset, i, kRaceBlocks);
  State state = StateAt(warm, question, start);
  std::uint64_t legs_sum = 0;
  std::uint64_t legs_squared = 0;
  for (; i < end; i += kLanes, start.block += kRaceBlocks) {
    State race = state;
    const uint4 words = curand4(&race);
    Board board = question.leg.board;
    std::uint32_t legs = 1;
    if (PlayFirstLeg<kEdition>(tally, question, pyramid, board, LegBits(words.x, words.y)) ==
        Finish::kNone)
      legs = PlayOn<kEdition>(question, start, words, race, board);
    const RacersByRank racers(board);
    atomicAdd(&tally.joint[RaceComponent(racers.winner(), racers.last())], 1u);
    legs_sum += legs;
    legs_squared += std::uint64_t{legs} * legs;
    skipahead(kRaceBlocks * kWordsOfABlock, &state);
  }
  AddTo(tally.race_legs, legs_sum);
  AddTo(tally.race_legs_squared, legs_squared);
}

// This part's units of simulations [first, first + count). Thread t of all lanes plays simulations first + t,
// first + t + kLanes and so on, which are one lane's.
template <class Play>
__device__ void ForEachUnit(std::uint64_t first, std::uint32_t count, std::uint32_t share,
                            std::uint32_t shares, const Play& play) {
  constexpr std::uint64_t kRun = kRowsOfAUnit * kLanes;
  const std::uint32_t lanes = count < kLanes ? count : static_cast<std::uint32_t>(kLanes);
  const std::uint32_t groups = (lanes + kThreads - 1) / kThreads;
  for (std::uint32_t unit = share; unit < UnitsOf(count); unit += shares) {
    const std::uint32_t t = unit % groups * kThreads + threadIdx.x;
    const std::uint64_t begin = first + t + unit / groups * kRun;
    const std::uint64_t end = begin + kRun < first + count ? begin + kRun : first + count;
    if (t < lanes && begin < end) play(begin, end);
  }
}

__device__ void Clear(Tally& tally) {
  auto* words = reinterpret_cast<std::uint32_t*>(&tally);
  for (std::size_t i = threadIdx.x; i < sizeof(Tally) / sizeof(std::uint32_t); i += kThreads)
    words[i] = 0;
}

// Adds to the row. Thread t has the t-th tile.
__device__ void AddToRow(const Tally& tally, Tiles tiles, Scope scope,
                         const OddsAnswers::ViewType& answers, std::size_t row) {
  AddRanksAndPairs(tally.legs, answers, row);
  const unsigned t = threadIdx.x;
  const std::uint32_t backward = tally.finish[static_cast<int>(Finish::kBackward)];
  if (t == 0) {
    AddTo(answers.At<kRaceEndsWeight>(row, 0),
          tally.finish[static_cast<int>(Finish::kForward)] + backward);
    AddTo(answers.At<kRaceEndsWeight>(row, 1), backward);
  }
  if (scope == Scope::kRace) {
    if (t < kRacers * kRacers) AddTo(answers.At<kRaceJoint>(row, t), std::uint64_t{tally.joint[t]});
    if (t == 0) AddTo(answers.At<kRaceLegs>(row, 0), tally.race_legs);
    if (t == 0) AddTo(answers.At<kRaceLegs>(row, 1), tally.race_legs_squared);
  }
  unsigned tile = 0;
  for (int space = 1; space <= kSpaces; ++space) {
    if (TileAt(tiles, space) == kNoTile || tile++ != t) continue;
    std::uint32_t sum = 0;
    std::uint32_t squares = 0;
    for (std::uint32_t n = 0; n < kMostLandings; ++n) {
      sum += tally.landings[space][n];
      squares += (2 * n + 1) * tally.landings[space][n];
    }
    AddTo(answers.At<kLandingWeight>(row, t), sum);
    AddTo(answers.At<kLandingSquares>(row, t), squares);
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksAMultiprocessor)
    Simulations(SimulationQueries::ViewType queries, Parts::ViewType parts, WarmStates warm,
                OddsAnswers::ViewType answers) {
  __shared__ Tally tally;
  const std::uint32_t row = parts.At<kRow>(blockIdx.x);
  const Question question{
      {queries.At<kBoard>(row), queries.At<kTiles>(row), queries.At<kEdition>(row)},
      queries.At<kSeed>(row),
      queries.At<kSubsequence>(row),
      queries.At<kOffset>(row)};
  const Scope scope = queries.At<kScope>(row);
  Clear(tally);
  __syncthreads();
  ForEachUnit(queries.At<kFirst>(row), queries.At<kCount>(row), parts.At<kShare>(blockIdx.x),
              parts.At<kShares>(blockIdx.x), [&](std::uint64_t begin, std::uint64_t end) {
                const bool first_edition = question.leg.edition == Edition::kFirst;
                if (scope == Scope::kLeg) {
                  if (first_edition)
                    return PlayLegs<Edition::kFirst>(tally, question, warm, begin, end);
                  return PlayLegs<Edition::kSecond>(tally, question, warm, begin, end);
                }
                if (first_edition)
                  return PlayRaces<Edition::kFirst>(tally, question, warm, begin, end);
                return PlayRaces<Edition::kSecond>(tally, question, warm, begin, end);
              });
  __syncthreads();
  FoldOrders(tally.legs);
  __syncthreads();
  AddToRow(tally, question.leg.tiles, scope, answers, row);
}

__global__ void __launch_bounds__(kThreads) SeedStates(State* states, StreamBase stream) {
  const std::uint64_t lane = blockIdx.x * kThreads + threadIdx.x;
  State state;
  curand_init(stream.seed, stream.subsequence + lane, 0, &state);
  states[lane] = state;
}

__global__ void __launch_bounds__(kThreads) AdvanceStates(State* states, std::uint64_t blocks) {
  State& resident = states[blockIdx.x * kThreads + threadIdx.x];
  State state = resident;
  skipahead(blocks * kWordsOfABlock, &state);
  resident = state;
}

constexpr unsigned kBlocksOfAllLanes = static_cast<unsigned>(kLanes) / kThreads;

}  // namespace

void LaunchSeed(const WarmStates& warm, cudaStream_t stream) {
  SeedStates<<<kBlocksOfAllLanes, kThreads, 0, stream>>>(static_cast<State*>(warm.states),
                                                         warm.stream);
  CheckCuda(cudaGetLastError());
}

void LaunchAdvance(const WarmStates& warm, std::uint64_t blocks, cudaStream_t stream) {
  AdvanceStates<<<kBlocksOfAllLanes, kThreads, 0, stream>>>(static_cast<State*>(warm.states),
                                                            blocks);
  CheckCuda(cudaGetLastError());
}

void LaunchSimulations(const SimulationQueries::ViewType& queries, const Parts::ViewType& parts,
                       const WarmStates& warm, const OddsAnswers::ViewType& answers,
                       cudaStream_t stream) {
  if (parts.size() == 0) return;
  Simulations<<<static_cast<unsigned>(parts.size()), kThreads, 0, stream>>>(queries, parts, warm,
                                                                            answers);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
