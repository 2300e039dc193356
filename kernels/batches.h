// The columns of a batch, in structure-of-arrays layout (soa/layout.h): questions and answers of
// each simulation.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "kernels/life.h"
#include "kernels/rules/camel_up_board.h"
#include "kernels/soa/vector.h"

namespace gpusim::camel_up {

// Property numbers are the enumerators, in the order of the types.
enum LegQueryColumn : std::size_t { kBoard, kTiles, kEdition };
using LegQueries = soa::Vector<Board, Tiles, Edition>;

// All weights are out of TotalWeight(edition, dice). The engine always fills all of them.
//   kRankWeight[camel][place]     the camel finishes the leg in that place, 0 is first
//   kPairWeight[first][second]    these two come in first and second; the diagonal is 0
//   kLandingWeight[tile]          landings of units on the tile, tiles counted by space
//   kRaceEndsWeight[0], [1]       the race ends in this leg: at all, and backward through a crazy
//   camel
enum LegAnswerColumn : std::size_t { kRankWeight, kPairWeight, kLandingWeight, kRaceEndsWeight };
using LegAnswers = soa::Vector<std::uint32_t[kRacers][kRacers], std::uint32_t[kRacers][kRacers],
                               std::uint32_t[kMaxTiles], std::uint32_t[2]>;

struct LegBatch {
  // Room for `rows` at once and for good.
  LegBatch(std::size_t rows, std::pmr::memory_resource* memory) : queries(memory), answers(memory) {
    queries.Reserve(rows);
    answers.Reserve(rows);
  }

  LegQueries queries;
  LegAnswers answers;
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
