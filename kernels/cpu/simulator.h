// Monte Carlo on one core: simulations of a row, played die by die from the words that
// rules/camel_up_stream.h gives them, and counted in integers. A row may be cut anywhere and its parts
// added in any order.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/batches.h"
#include "kernels/rules/camel_up_leg.h"

namespace gpusim::camel_up {

struct SimulationQuery {
  LegQuery leg;
  Scope scope = Scope::kLeg;
  StreamBase stream;
  std::uint64_t offset = 0;
};

// What was seen in a part of a row. Every number is at most the part's count.
struct SimulationTally {
  std::array<std::uint32_t, kOrders> order{};       // in which the leg finished
  std::array<std::uint32_t, 3> finish{};            // by Finish
  std::array<std::uint32_t, kOrders> race_order{};  // in which the race finished
  // landings[space][n]: simulations with more than n landings on the tile of the space. They hold both the
  // sum of the landings and the sum of their squares, since n^2 = 1 + 3 + ... + (2 n - 1).
  std::array<std::array<std::uint32_t, kMostLandings>, kSpaces + 1> landings{};
  std::uint64_t legs = 0;
  std::uint64_t legs_squared = 0;
};

// Plays simulations [first, first + count) of the query's stream, count at most kMaxSimulations, into the
// tally. Thread-safe on different tallies.
void Simulate(const SimulationQuery& query, std::uint64_t first, std::uint32_t count,
              SimulationTally& tally);

// Sets row `row` of the answers to 0; adds a part's tally to it, thread-safe.
void ClearAnswer(const OddsAnswers::ViewType& answers, std::size_t row);
void AddTally(const SimulationQuery& query, const SimulationTally& tally,
              const OddsAnswers::ViewType& answers, std::size_t row);

}  // namespace gpusim::camel_up
