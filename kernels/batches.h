// The columns of a batch, in structure-of-arrays layout (soa/layout.h): questions and answers of
// each simulation.
#pragma once

#include <cstdint>
#include <memory_resource>

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

//   kFirstWord     where the board's words begin in the cell column
//   kRuleMasks     birth | survive << 16
//   kGenerations   to run in this batch
enum BoardColumn : std::size_t { kFirstWord, kWidth, kHeight, kRuleMasks, kTopology, kGenerations };
using Boards = soa::Vector<std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, Topology,
                           std::uint32_t>;

using Cells = soa::Vector<std::uint64_t>;

enum FactColumn : std::size_t { kPopulation };
using Facts = soa::Vector<std::uint64_t>;

GPUSIM_HOST_DEVICE constexpr std::uint32_t RuleMasks(Rule rule) {
  return rule.birth | static_cast<std::uint32_t>(rule.survive) << 16;
}

// Boards lie one behind another in `cells`; their next cells come back at the same words of `next`.
struct StepBatch {
  // Room for `board_count` boards of `words` words together, at once and for good.
  StepBatch(std::size_t board_count, std::size_t words, std::pmr::memory_resource* memory)
      : boards(memory), cells(memory), next(memory), facts(memory) {
    boards.Reserve(board_count);
    facts.Reserve(board_count);
    cells.Reserve(words);
    next.Reserve(words);
  }

  Boards boards;
  Cells cells;
  Cells next;
  Facts facts;
};

}  // namespace gpusim::life
