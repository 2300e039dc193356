// What every Life engine has to pass, written once and run on each backend's slot.
#pragma once

#include "kernels/backend.h"

namespace gpusim::testing {

// Columns large enough for the suite.
inline constexpr SlotCapacity kLifeSuiteCapacity{
    .camel_up_rows = 4096, .life_boards = 4096, .life_words = 1u << 19, .life_facts = 1u << 14};

void ExpectLifeTruths(Slot& slot);

// Soups of 1, 2, 3, 31, 32, 33, 63, 64, 65, 127 (and a few larger) in both directions, both
// topologies, ten rules with B0 and B0...8 among them, 0 to 7 generations: equal cells and
// populations to the reference.
void ExpectSmallBoardsLikeReference(Slot& slot);

// Large boards (up to 4096 in one direction), few generations.
void ExpectLargeBoardsLikeReference(Slot& slot);

}  // namespace gpusim::testing
