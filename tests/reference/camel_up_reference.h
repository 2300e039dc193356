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

// Camels by their letters: BGOYW, or rbgyp and the crazy w, k. Dice likewise, '*' is the grey one.
struct Position {
  int edition = 1;
  std::map<int, std::string> stacks;  // space -> bottom to top
  std::map<int, int> tiles;           // space -> +1 or -1
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
  std::string order{};            // racing camels, first place first
  std::map<int, int> landings{};  // by space of the tile; none where there were none
  bool race_ends = false;
  bool backward = false;
};

// Calls visit for every path.
void WalkPaths(const Position& position, const std::function<void(const LegPath&)>& visit);

}  // namespace gpusim::reference
