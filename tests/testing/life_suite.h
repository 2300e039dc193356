// What every Life engine has to pass, written once and run on each backend's slot.
#pragma once

#include "kernels/backend.h"

namespace gpusim::testing {

// Columns large enough for the suite.
inline constexpr SlotCapacity kLifeSuiteCapacity{.camel_up_rows = 4096,
                                                 .life_boards = 4096,
                                                 .life_words = 1u << 19,
                                                 .life_facts = 1u << 14,
                                                 .resident_boards = 1024};

void ExpectLifeTruths(Slot& slot);

// Soups of 1, 2, 3, 31, 32, 33, 63, 64, 65, 127 and 1000 in both directions, both topologies, ten rules with B0 and
// B0...8 among them, up to 40 generations: equal cells and populations to the reference.
void ExpectSmallBoardsLikeReference(Slot& slot);

// The same sizes paired with 4096, and 4096 x 4096, few generations and rules.
void ExpectLargeBoardsLikeReference(Slot& slot);

// Every fact of rows at each generation, each second, third and seventh.
void ExpectFactsLikeReference(Slot& slot);

// Boards made on the device, of all kinds of widths, seeds and thresholds, 0 generations among them.
void ExpectRandomBoardsLikeReference(Slot& slot);

// Resident boards in all arrangements of their buffers, small and large, with and without facts.
void ExpectResidentBoardsLikeReference(Backend& backend, Slot& slot);

// Blocks of words and filled rows of resident boards.
void ExpectCellsReadAndWrite(Backend& backend);

}  // namespace gpusim::testing
