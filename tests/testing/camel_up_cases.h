// Camel Up positions for tests: the truths, and random legal ones; and the one comparison that all
// engines go through.
#pragma once

#include <cstdint>
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

// Expects equal integers.
void ExpectSameOdds(const reference::LegOdds& actual, const reference::LegOdds& expected,
                    bool with_pairs, const std::string& what);

}  // namespace gpusim::testing
