// Players' questions for tests of EvaluateMoves, and their answers worked out the long way: every path of the leg by the
// reference's rules, every assignment of the unknown cards, coins counted one by one. Shares nothing with kernels/moves.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.h"
#include "kernels/moves/moves.h"
#include "tests/reference/camel_up_reference.h"

namespace gpusim::testing {

struct MovesCase {
  std::string name{};
  reference::Position position{};
  std::map<int, char> owners{};  // of the tile on a space
  char me = 'a';
  int coins = 10;
  std::map<char, int> tickets{};  // empty: what the held ones leave
  std::vector<std::pair<char, int>> held{};
  std::string hand{};
  // Piles of race cards, the first one first: a camel's letter, or '?'; '!' behind an own one. "Y?B!".
  std::string winners{};
  std::string losers{};
  bool no_tile = false;
  bool allow_flip = false;
  bool coin_floor = false;
};

camel_up::MovesQuestion ToQuestion(const MovesCase& moves_case);

// "ticket B5", "winner B", "loser B", "roll", "tile 6+".
std::string ActionText(camel_up::Edition edition, const camel_up::Action& action);

struct EnumeratedValue {
  double value = 0;
  double lower = 0;  // over all assignments of the unknown cards
  double upper = 0;
};
struct EnumeratedValues {
  double baseline = 0;
  std::map<std::string, EnumeratedValue> moves;  // by ActionText
};

// A race that goes on after the leg is worth what `races` says of it. Without it, and with own race cards, the race has to end
// in this leg for sure.
EnumeratedValues EnumerateMoves(const MovesCase& moves_case,
                                const reference::RaceUnits* races = nullptr);

// The races of a table, for the reference.
reference::RaceUnits UnitsOf(const camel_up::RaceTable& table);

// A question whose leg has few paths. Some of those with a race that ends for sure have race cards.
MovesCase RandomMovesCase(int edition, std::mt19937_64& random);

// Race figures by the slot, with the table that is in use; or by the reference, for races that end in this leg for sure.
enum class RacesBy : std::uint8_t { kSlot, kReference };
std::vector<camel_up::Odds> SolveMoves(Slot& slot, std::span<const camel_up::OddsQuery> queries,
                                       RacesBy races);

}  // namespace gpusim::testing
