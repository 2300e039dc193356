// Camel Up positions for tests: the truths, and random legal ones; and the one comparison that all
// engines go through.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/camel_up.h"
#include "tests/reference/camel_up_reference.h"

namespace gpusim::testing {

struct LegTruth {
  std::string name;
  reference::Position position;
  reference::LegOdds odds;  // without pairs, which the files do not have
};

// All of tests/data/camel_up/leg_*.json.
std::vector<LegTruth> LoadLegTruths();

// Every stack height, tile and set of dice that is legal, with the crowded and the far ends of the
// board overweighted.
reference::Position RandomPosition(int edition, std::mt19937_64& random);

camel_up::Position ToDomain(const reference::Position& position);
std::string Describe(const reference::Position& position);

// "1:BGO 2:Y", "6+ 8-", as the command line takes them.
std::string StacksText(const reference::Position& position);
std::string TilesText(const reference::Position& position);

// Answers of the slot for the positions, in batches of at most `batch_rows`.
std::vector<reference::LegOdds> SolveOnSlot(Slot& slot,
                                            const std::vector<reference::Position>& positions,
                                            std::size_t batch_rows);

// An exact row of the race, and of its leg.
struct RaceAnswer {
  reference::LegOdds leg;
  reference::RaceOdds race;
};

// Answers for the positions as race rows; where `with_leg_rows`, each followed in its batch by the same
// position as a leg row, which has to answer the same. The editions' tables have to be in use.
std::vector<RaceAnswer> SolveRacesOnSlot(Slot& slot,
                                         const std::vector<reference::Position>& positions,
                                         std::size_t batch_rows, bool with_leg_rows);

// A race table of numbers that mean nothing and use all bits that they may; and the same numbers as the
// reference takes them.
std::shared_ptr<const camel_up::RaceTable> MakeSyntheticTable(camel_up::Edition edition);
reference::RaceUnits SyntheticUnits(int edition);

// A row of simulations.
struct SimulationRow {
  reference::Position position;
  camel_up::Scope scope = camel_up::Scope::kLeg;
  reference::Stream stream;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

// Tallies of the slot for the rows, in batches of at most `batch_rows`.
std::vector<reference::SimulatedOdds> SimulateOnSlot(Slot& slot,
                                                     const std::vector<SimulationRow>& rows,
                                                     std::size_t batch_rows);

// A random position and stream, offsets near 2^32 and far up among them.
SimulationRow RandomSimulationRow(int edition, std::uint32_t count, std::mt19937_64& random);

// The sum of two parts' tallies.
reference::SimulatedOdds Sum(const reference::SimulatedOdds& a, const reference::SimulatedOdds& b);

std::string Describe(const SimulationRow& row);

void ExpectSameTallies(const reference::SimulatedOdds& actual,
                       const reference::SimulatedOdds& expected, const std::string& what);

// Expects equal integers.
void ExpectSameOdds(const reference::LegOdds& actual, const reference::LegOdds& expected,
                    bool with_pairs, const std::string& what);

}  // namespace gpusim::testing
