// Camel Up: what is asked and what comes back. The rules about positions are the server's; a bad
// one comes back as an Error with a violation for each fault.
#pragma once

#include <cstdint>
#include <optional>
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
  std::string owner = {};  // a player's name of one lower-case letter, or empty
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
  std::string tiles = {};   // "6+ 8-", or with owners "6+a 8-b"; empty: none
  std::string dice = {};    // "BGOYW", '*' is the grey die; empty: all of the edition
};

using AnyPosition = std::variant<Position, PositionText>;

enum class OddsOutput {
  kLegRanks = 1,   // CamelOdds::rank_weight and ranks
  kLegPairs = 2,   // Odds::pairs
  kLandings = 3,   // Odds::landings
  kLegValues = 4,  // CamelOdds::tickets
  kRace = 5,       // CamelOdds::race_win and race_last, Odds::expected_legs
  kRaceJoint = 6,  // Odds::race_pairs
};

struct MonteCarlo {
  std::uint64_t simulations = 0;            // 1 to the server's limit
  std::optional<RandomStream> stream = {};  // unset: the server's own; the answer names the part
};

struct OddsRequest {
  AnyPosition position = {};
  std::vector<OddsOutput> outputs = {};        // empty: kLegRanks
  std::optional<MonteCarlo> monte_carlo = {};  // unset: exact
};

// A probability or an expectation.
struct Estimate {
  double value = 0;
  // Monte Carlo alone.
  std::optional<double> standard_error = {};
  std::optional<std::uint64_t> tally = {};  // the sum over all simulations
};

// What a leg ticket is worth, in coins.
struct TicketValue {
  std::uint32_t face = 0;
  double value = 0;
  std::int64_t value_weight = 0;  // exact: value * total_weight
  std::optional<double> standard_error = {};
};

struct CamelOdds {
  Camel camel = Camel::kBlue;
  // Exact; five, first place first.
  std::vector<std::uint32_t> rank_weight = {};
  std::vector<Estimate> ranks = {};       // five probabilities
  std::vector<TicketValue> tickets = {};  // by face value, highest first
  std::optional<Estimate> race_win = {};
  std::optional<Estimate> race_last = {};
};

struct PairOdds {
  Camel first = Camel::kBlue;
  Camel second = Camel::kBlue;
  std::uint32_t weight = 0;  // exact
  Estimate probability = {};
};

struct TileLandings {
  std::uint32_t space = 0;
  TileEffect effect = TileEffect::kOasis;
  std::uint32_t landing_weight = 0;  // exact
  Estimate expected = {};            // landings, that is coins of the owner
};

struct RacePairOdds {
  Camel winner = Camel::kBlue;
  Camel last = Camel::kBlue;
  Estimate probability = {};
};

// Exact answers hold weights: weight / total_weight is the probability. Monte Carlo answers hold
// tallies out of `simulations`, and standard errors. What was not asked for is empty.
struct Odds {
  std::uint32_t total_weight = 0;  // 0 for Monte Carlo
  std::uint64_t simulations = 0;   // 0 for an exact answer
  // In the order of the edition's letters: B G O Y W, or r b g y p.
  std::vector<CamelOdds> camels = {};
  std::uint32_t race_ends_weight = 0;
  // The part in which a crazy camel goes back over the start.
  std::uint32_t race_ends_backward_weight = 0;
  Estimate race_ends = {};
  Estimate race_ends_backward = {};
  std::vector<PairOdds> pairs = {};
  std::vector<TileLandings> landings = {};
  std::optional<Estimate> expected_legs = {};  // until the race is over, the current one included
  std::vector<RacePairOdds> race_pairs = {};
  Provenance provenance = {};
};

}  // namespace gpusim
