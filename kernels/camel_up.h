// Camel Up: a position as a caller states it, and how it is checked and packed for a backend.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/rules/camel_up_board.h"
#include "kernels/violation.h"

namespace gpusim::camel_up {

struct Stack {
  int space = 0;              // 1 to 16
  std::vector<Camel> camels;  // bottom to top
};

struct Tile {
  int space = 0;   // 2 to 16
  int effect = 0;  // +1: oasis, cheering; -1: mirage, booing
  char owner = 0;  // a player's lower-case letter, 0: not known; no odds depend on it
};

// A position within a leg. Order of stacks, tiles and dice does not matter; empty stacks are
// faults.
struct Position {
  Edition edition = Edition::kFirst;
  std::vector<Stack> stacks;
  std::vector<Tile> tiles;
  std::vector<Die> dice;  // still in the pyramid, each at most once
};

// All faults of a position, none if it is legal: every camel of the edition exactly once, on spaces
// 1 to 16; tiles on 2 to 16, not on a camel, not next to each other; at least one die left in the
// first edition and two in the second (a leg is five of its six dice). Fields are named
// "stacks[0].space" and so on, behind `prefix`.
Violations Validate(const Position& position, const std::string& prefix);

// Precondition: Validate found nothing.
LegQuery Encode(const Position& position);

// Letters of the notation, upper case in the first edition, lower case in the second: B G O Y W,
// and r b g y p w k ('*' for the grey die). '?' for what the edition does not have.
char CamelLetter(Edition edition, Camel camel);
char DieLetter(Edition edition, Die die);

}  // namespace gpusim::camel_up
