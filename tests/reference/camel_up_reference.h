// The rules of Camel Up once more, slow and obvious: stacks as lists, every path walked on its own,
// nothing packed, nothing merged. Shares no code with the engines; tests compare the two.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpusim::reference {

using Stacks = std::map<int, std::string>;  // space -> bottom to top

// Camels by their letters: BGOYW, or rbgyp and the crazy w, k. Dice likewise, '*' is the grey one.
struct Position {
  int edition = 1;
  Stacks stacks;
  std::map<int, int> tiles;  // space -> +1 or -1
  std::string dice;
};

struct LegOdds {
  std::uint64_t total_weight = 0;
  std::map<char, std::array<std::uint64_t, 5>> rank_weight;
  std::map<std::string, std::uint64_t> pair_weight;  // "BG": B first, G second
  std::uint64_t race_ends_weight = 0;
  std::uint64_t race_ends_backward_weight = 0;
  std::map<int, std::uint64_t> landing_weight;  // by space of the tile
};

LegOdds SolveLeg(const Position& position);

// One way in which a leg can go.
struct LegPath {
  std::uint64_t weight = 0;       // out of total_weight
  Stacks stacks{};                // at its end
  std::string order{};            // racing camels, first place first
  std::map<int, int> landings{};  // by space of the tile; none where there were none
  bool race_ends = false;
  bool backward = false;
};

// Calls visit for every path.
void WalkPaths(const Position& position, const std::function<void(const LegPath&)>& visit);

// Odds of a race, in whatever unit.
struct RaceOdds {
  std::map<std::string, std::uint64_t> joint;  // "BG": B wins, G is last
  std::uint64_t legs = 0;

  friend bool operator==(const RaceOdds&, const RaceOdds&) = default;
};

// Of a race that goes on after the leg, no tiles, all dice in. Certainty and one leg are these many units.
struct RaceUnits {
  std::function<RaceOdds(const Stacks&)> at_leg_boundary;
  std::uint64_t certain = 1;
  std::uint64_t one_leg = 1;
};

// Sums of weight times units; legs count the current one.
RaceOdds SolveRace(const Position& position, const RaceUnits& units);

// The number of a leg boundary's shape, counted up to in the order that kernels/rules/camel_up_shape.h
// defines: multisets of spaces by their greatest space, then the next, and so on; pairs of places of the
// crazy camels by the further one.
std::uint32_t ShapeNumber(int edition, const Stacks& stacks);

struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t subsequence = 0;
  std::uint64_t offset = 0;
};

// Tallies of simulations; leg.total_weight is their number, race is empty where only legs were played.
struct SimulatedOdds {
  LegOdds leg;
  std::map<int, std::uint64_t> landing_squares;
  RaceOdds race;
  std::uint64_t legs_squared = 0;
};

// Plays simulations [first, first + count) of the stream.
SimulatedOdds Simulate(const Position& position, const Stream& stream, bool whole_race,
                       std::uint64_t first, std::uint64_t count);

}  // namespace gpusim::reference
