// One question of Camel Up and its answer, outside of the columns of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/batches.h"
#include "kernels/rules/camel_up_board.h"

namespace gpusim::camel_up {

struct OddsQuery {
  LegQuery leg;
  Scope scope = Scope::kLeg;

  friend bool operator==(const OddsQuery&, const OddsQuery&) = default;
};

// A row of OddsAnswers, or the sum of several rows of one simulation; the columns say what the figures are.
struct Odds {
  template <class T>
  using Square = std::array<std::array<T, kRacers>, kRacers>;

  // What leg figures are out of: TotalWeight(edition, dice), or the number of simulations.
  std::uint64_t total = 0;
  bool exact = true;
  Square<std::uint64_t> rank{};                            // [camel][place]
  Square<std::uint64_t> pair{};                            // [first][second]
  std::array<std::uint64_t, kMaxTiles> landing{};          // tiles by space
  std::array<std::uint64_t, kMaxTiles> landing_squares{};  // simulated alone
  std::uint64_t race_ends = 0;
  std::uint64_t race_ends_backward = 0;
  // Of Scope::kRace, else 0. Exact: out of total * 2^kJointUnitBits and total * 2^kLegsUnitBits.
  Square<std::uint64_t> race_joint{};  // [winner][last]
  std::uint64_t race_legs = 0;
  std::uint64_t race_legs_squares = 0;  // simulated alone

  friend bool operator==(const Odds&, const Odds&) = default;
};

// The answer in row `row` to an exact question, and to a simulated one of `simulations`.
Odds ReadExact(const OddsAnswers& answers, std::size_t row, const OddsQuery& query);
Odds ReadSimulated(const OddsAnswers& answers, std::size_t row, Scope scope,
                   std::uint64_t simulations);

// Adds the tallies of more simulations of the same question.
void AddSimulated(const Odds& more, Odds& sum);

}  // namespace gpusim::camel_up
