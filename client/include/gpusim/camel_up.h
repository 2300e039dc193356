// Camel Up: what is asked and what comes back. The rules about positions are the server's; a bad
// one comes back as an Error with a violation for each fault.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gpusim/provenance.h>

namespace gpusim {

enum class Edition { kFirst = 1, kSecond = 2 };  // 2014 and 2018

enum class Camel {
  kBlue = 1,
  kGreen = 2,
  kOrange = 3,  // first edition
  kYellow = 4,
  kWhite = 5,   // first edition
  kRed = 6,     // second edition
  kPurple = 7,  // second edition
  kCrazyWhite = 8,
  kCrazyBlack = 9,
};

// Named by the camel that it moves; the grey one moves the crazy camels.
enum class Die {
  kBlue = 1,
  kGreen = 2,
  kOrange = 3,
  kYellow = 4,
  kWhite = 5,
  kRed = 6,
  kPurple = 7,
  kGrey = 8,
};

enum class TileEffect {
  kOasis = 1,   // one space further, landing on top
  kMirage = 2,  // one space back, landing underneath
};

struct Stack {
  std::uint32_t space = 0;         // 1 to 16
  std::vector<Camel> camels = {};  // bottom to top
};

struct Tile {
  std::uint32_t space = 0;  // 2 to 16
  TileEffect effect = TileEffect::kOasis;
};

// A position within a leg. Every camel of the edition stands on the board exactly once.
struct Position {
  Edition edition = Edition::kFirst;
  std::vector<Stack> stacks = {};
  std::vector<Tile> tiles = {};
  std::vector<Die> dice = {};  // still in the pyramid; empty: all of the edition
};

// The same as text, in the notation of the command line.
struct PositionText {
  Edition edition = Edition::kFirst;
  std::string stacks = {};  // "1:BGO 2:Y 3:W": space:camels, bottom to top
  std::string tiles = {};   // "6+ 8-"; empty: none
  std::string dice = {};    // "BGOYW", '*' is the grey die; empty: all of the edition
};

enum class OddsOutput {
  kLegRanks = 1,  // Odds::camels
  kLegPairs = 2,  // Odds::pairs
  kLandings = 3,  // Odds::landings
};

struct OddsRequest {
  std::variant<Position, PositionText> position = {};
  std::vector<OddsOutput> outputs = {};  // empty: kLegRanks
};

struct CamelOdds {
  Camel camel = Camel::kBlue;
  std::vector<std::uint32_t> rank_weight = {};  // five, first place first
};

struct PairOdds {
  Camel first = Camel::kBlue;
  Camel second = Camel::kBlue;
  std::uint32_t weight = 0;
};

struct TileLandings {
  std::uint32_t space = 0;
  TileEffect effect = TileEffect::kOasis;
  // Over total_weight: expected landings, that is coins of the owner.
  std::uint32_t landing_weight = 0;
};

// Exact: weight / total_weight is the probability.
struct Odds {
  std::uint32_t total_weight = 0;
  // In the order of the edition's letters: B G O Y W, or r b g y p.
  std::vector<CamelOdds> camels = {};
  std::uint32_t race_ends_weight = 0;
  // The part in which a crazy camel goes back over the start.
  std::uint32_t race_ends_backward_weight = 0;
  std::vector<PairOdds> pairs = {};
  std::vector<TileLandings> landings = {};
  Provenance provenance = {};
};

}  // namespace gpusim
