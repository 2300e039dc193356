// The columns of a batch, in structure-of-arrays layout (soa/layout.h): questions and answers of
// each simulation.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "kernels/life.h"
#include "kernels/rules/camel_up_board.h"
#include "kernels/rules/camel_up_stream.h"
#include "kernels/soa/vector.h"

namespace gpusim::camel_up {

// What a row is about: the leg under way alone, or the whole race with it.
enum class Scope : std::uint8_t { kLeg, kRace };

// A position to be solved exactly. Property numbers are the enumerators, in the order of the types.
enum ExactColumn : std::size_t { kBoard, kTiles, kEdition, kScope };
using ExactQueries = soa::Vector<Board, Tiles, Edition, Scope>;

// A position to be simulated; begins with the columns of ExactColumn. The row plays the simulations [kFirst,
// kFirst + kCount) of the stream that starts at block kOffset of the lanes of kSeed and kSubsequence
// (rules/camel_up_stream.h).
//   kOffset   such that all blocks of the row stay below kBlockLimit
//   kCount    1 to kMaxSimulations
enum SimulationColumn : std::size_t { kSeed = kScope + 1, kSubsequence, kOffset, kFirst, kCount };
using SimulationQueries = soa::Vector<Board, Tiles, Edition, Scope, std::uint64_t, std::uint64_t,
                                      std::uint64_t, std::uint64_t, std::uint32_t>;
inline constexpr std::uint32_t kMaxSimulations = std::uint32_t{1} << 27;

// A path lands on one tile kMostLandings times at the most, once a draw, so that even the squares of its
// landings, if every simulation had them all, fit 32 bits.
inline constexpr std::uint32_t kMostLandings = 5;
static_assert(std::uint64_t{kMaxSimulations} * kMostLandings * kMostLandings < std::uint64_t{1}
                                                                                   << 32);

// Of an exact row, weights out of TotalWeight(edition, dice); of a simulated one, tallies out of
// kCount. All leg columns are always filled; the race columns for Scope::kRace alone, else they are
// unspecified.
//   kRankWeight[camel][place]     the camel finishes the leg in that place, 0 is first
//   kPairWeight[first][second]    these two come in first and second; the diagonal is 0
//   kLandingWeight[tile]          landings of units on the tile, tiles counted by space
//   kLandingSquares[tile]         of a simulated row: the sum of the squares of a simulation's landings; else 0
//   kRaceEndsWeight[0], [1]       the race ends in this leg: at all, and backward through a crazy
//                                 camel
//   kRaceJoint[winner][last]      exact: weight times units of 2^-kJointUnitBits; the diagonal is 0
//   kRaceLegs[0], [1]             legs of the race, the current one counted as 1. Exact: weight times units of
//                                 2^-kLegsUnitBits, and 0; simulated: the sum over the simulations and the
//                                 sum of the squares
enum AnswerColumn : std::size_t {
  kRankWeight,
  kPairWeight,
  kLandingWeight,
  kLandingSquares,
  kRaceEndsWeight,
  kRaceJoint,
  kRaceLegs
};
using OddsAnswers =
    soa::Vector<std::uint32_t[kRacers][kRacers], std::uint32_t[kRacers][kRacers],
                std::uint32_t[kMaxTiles], std::uint32_t[kMaxTiles], std::uint32_t[2],
                std::uint64_t[kRacers][kRacers], std::uint64_t[2]>;

// Questions of both methods, and their answers row by row.
struct OddsBatch {
  // Room for `exact_rows` and `simulation_rows` at once and for good.
  OddsBatch(std::size_t exact_rows, std::size_t simulation_rows, std::pmr::memory_resource* memory)
      : exact(memory), simulations(memory), exact_answers(memory), simulation_answers(memory) {
    exact.Reserve(exact_rows);
    exact_answers.Reserve(exact_rows);
    simulations.Reserve(simulation_rows);
    simulation_answers.Reserve(simulation_rows);
  }

  void Clear() {
    exact.Clear();
    simulations.Clear();
  }

  ExactQueries exact;
  SimulationQueries simulations;
  OddsAnswers exact_answers;
  OddsAnswers simulation_answers;
};

}  // namespace gpusim::camel_up

namespace gpusim::life {

// Where the cells of a board come from. kRandom makes them on the device: cell y * width + x lives iff that
// 32-bit word of subsequence 0 of the Philox stream of kSeed is below kThreshold (rules/life_random.h).
enum class Source : std::uint8_t { kCells, kRandom };

// What is counted besides the population, which is free.
enum FactBit : std::uint8_t {
  kCountChanges = 1,  // births and deaths
  kFindBox = 2,
  kMakeDigest = 4,
  kMakeShapeDigest = 8
};
using FactSet = std::uint8_t;  // of FactBit

// The words of all boards together, questions and facts of a batch of boards that come and go with it.
//   kFirstWord     where the board's words begin in `cells` and in `next`
//   kRuleMasks     birth | survive << 16
//   kGenerations   to run in this batch
//   kFactsEvery    a row of facts at each multiple of so many generations, and one at the last. 0: at the last alone
//   kFirstFacts    the first of its FactRows rows of facts, which follow one another
enum BoardColumn : std::size_t {
  kFirstWord,
  kWidth,
  kHeight,
  kRuleMasks,
  kTopology,
  kGenerations,
  kFactsEvery,
  kFirstFacts,
  kFactSet,
  kSource,
  kSeed,
  kThreshold
};
using Boards =
    soa::Vector<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, Topology, std::uint32_t,
                std::uint32_t, std::uint64_t, FactSet, Source, std::uint64_t, std::uint64_t>;

using Cells = soa::Vector<std::uint64_t>;

// Of one generation of a board; those that were not asked for are unspecified. Digests: rules/life_facts.h.
//   kChanges[0], [1]   births and deaths since the generation before; 0 where no generation was run
//   kBox               left, top, width, height of the smallest box of literal coordinates with all live
//                      cells; 0, 0, 0, 0 if there are none
enum FactColumn : std::size_t { kPopulation, kChanges, kBox, kDigest, kShapeDigest };
using Facts =
    soa::Vector<std::uint64_t, std::uint64_t[2], std::uint32_t[4], std::uint64_t, std::uint64_t>;

// Row j is about generation min((j + 1) * every, generations).
GPUSIM_HOST_DEVICE constexpr std::uint32_t FactRows(std::uint32_t generations,
                                                    std::uint32_t every) {
  return every == 0 || generations == 0 ? 1 : (generations - 1) / every + 1;
}

GPUSIM_HOST_DEVICE constexpr std::uint32_t RuleMasks(Rule rule) {
  return rule.birth | static_cast<std::uint32_t>(rule.survive) << 16;
}

// Boards lie one behind another in `cells`; their next cells come back at the same words of `next`.
// The words in `cells` of a board from Source::kRandom are not read.
struct StepBatch {
  // Room for `board_count` boards with `fact_rows` rows of facts and of `words` words together, at once
  // and for good.
  StepBatch(std::size_t board_count, std::size_t fact_rows, std::size_t words,
            std::pmr::memory_resource* memory)
      : boards(memory), cells(memory), next(memory), facts(memory) {
    boards.Reserve(board_count);
    facts.Reserve(fact_rows);
    cells.Reserve(words);
    next.Reserve(words);
  }

  // The caller sizes `facts` by the rows that its boards need; Run sizes `next`.
  void Clear() {
    boards.Clear();
    cells.Clear();
    facts.Clear();
  }

  Boards boards;
  Cells cells;
  Cells next;
  Facts facts;
};

class DeviceCells;

// Generations of a board that stays on its device. The passes of the run go from buffer to buffer:
//
//   from --> work[0] --> work[1] --> work[0] --> ...
//
// All have one size and lie on the slot's device. work[1] may be `from`, whose cells are then lost; otherwise
// `from` is only read. With no generations nothing is written, and work may be null.
struct ResidentStep {
  const DeviceCells* from = nullptr;
  DeviceCells* work[2] = {nullptr, nullptr};
  Rule rule;
  Topology topology = Topology::kTorus;
  std::uint32_t generations = 0;
  std::uint32_t facts_every = 0;  // as kFactsEvery
  FactSet fact_set = 0;
  std::uint64_t first_facts = 0;  // as kFirstFacts

  const DeviceCells* result = nullptr;  // answer: where the last generation lies, one of the above
};

struct ResidentBatch {
  ResidentBatch(std::size_t board_count, std::size_t fact_rows, std::pmr::memory_resource* memory)
      : facts(memory) {
    steps.reserve(board_count);
    facts.Reserve(fact_rows);
  }

  // The caller sizes `facts` by the rows that its boards need.
  void Clear() {
    steps.clear();
    facts.Clear();
  }

  std::vector<ResidentStep> steps;
  Facts facts;
};

}  // namespace gpusim::life
