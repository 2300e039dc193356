// What every legal action of a player of Camel Up is worth in coins.
//
//   MovesQuestion -- Validate --> PlanMoves --> MovesPlan::queries -- a backend --> Odds --> ValueMoves
//
// The rows of a plan are solved as one batch: first the position as it is, then one row for each legal place and side of the
// player's tile. Everything else follows from the first row.
//
// The baseline is what the player can expect from now on without any further action: coins of the tickets held, of the own race
// cards on the piles, and of the own tile until the leg ends. Coins in hand are not part of it. The value of an action is
// what it adds to the baseline. Rules, and where they come from: (both) the rule books of 2014 and 2018, (2018) the second
// alone, (choice) our reading where the books are silent or the question is too wide.
//
// Tickets. Taking means the highest one still there of that camel (both). It pays its face value if the camel is first at the end of
//   the leg, 1 if it is second, and costs 1 otherwise (both). When the race ends, its last leg is scored too (both).
// Race cards. One more card goes on top of the winners' or the losers' pile (both). At the end of the race the correct cards of a pile
//   earn 8, 5, 3, 2, then 1 each, in the order in which they were placed, whoever placed them; a wrong one costs 1 and
//   takes no place (both). If a card is correct, then so is every earlier card of that pile that names the same camel, and no other
//   one. A card that the player does not know names each of the five camels with chance 1/5, by itself, whatever the race
//   comes to and whatever is known of other cards (choice). So the number of earlier correct cards is that of the known ones of
//   the camel plus a binomial one. Cards that are placed later take no place before this one, and do not count.
// Roll. One coin (both). What the dice then do is in the baseline already, which is an expectation over all of them.
// Tile. The own tile is lifted first, then placed on a space from 2 to 16 without camels or tile, with no tile on a neighbouring
//   space (both); crazy camels are camels (2018). Back as it lay is no action, and turning it over where it lies is one only with
//   allow_flip (choice). It earns a coin for every unit that lands on it until the leg ends (both). The value: what the new place is
//   expected to earn, less what the old one was, plus what the changed odds do to tickets held and own race cards.
// Coin floor, if asked for. Coins never fall below 0 (2018; in the first edition as well if asked for): once, when the leg is
//   scored, for the sum of the coins in hand, the roll's coin, the tile's coins, and all tickets together (choice). The race cards come
//   after it and are not bounded (choice). The odds do not tell how the tile's landings go with the finish, so the sum takes their
//   expectation (choice). A player with as many coins as tickets, the taken one counted, is never touched by the floor.
//
// Not modelled: what the others, or the player later on, will do. Their tiles lie as they lie until the leg ends, the legs after it have no
// tiles, and the next roller may be anybody. Playing for time, or to deny a ticket to a rival, has no value here.
//
// Arithmetic. The part of the leg is an integer out of total^2, rounded once, when it is divided; the part of the race is a sum of doubles in
// the order of the piles, never contracted to fused operations. So the same integers give the same bits everywhere.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/camel_up.h"
#include "kernels/odds.h"
#include "kernels/violation.h"

namespace gpusim::camel_up {

inline constexpr int kMaxCoins = 1000;
inline constexpr std::size_t kMaxPile = 64;  // race cards

struct LegTicket {
  Camel camel = 0;  // a racing one
  int face = 0;     // 5, 3 or 2; of a ticket to be had also 0: none

  friend bool operator==(const LegTicket&, const LegTicket&) = default;
};

struct RaceCard {
  std::optional<Camel> camel;  // a racing one; nothing: the player does not know
  bool mine = false;
};

// Fields are those of gpusim.v1.EvaluateMovesRequest, which says more about each.
struct MovesQuestion {
  Position position;
  char me = 0;  // a lower-case letter; 0: no tile on the board is the player's
  int coins = 0;
  // The highest one left of each camel, none of those that are not named. Empty: of each camel the one below the lowest
  // that the player holds, else the top one.
  std::vector<LegTicket> tickets;
  std::vector<LegTicket> held_tickets;
  std::vector<Camel> hand;
  std::vector<RaceCard> winner_cards;  // the first one placed comes first
  std::vector<RaceCard> loser_cards;
  bool no_tile = false;
  bool allow_flip = false;
  bool coin_floor = false;
};

// All faults of a question but those of its position, which is Validate(Position)'s to judge: here the edition and the owners of its
// tiles count. Fields are named "held_tickets[0].face" and so on, behind `prefix`. Lists that are longer than any legal one are
// one fault each, and their entries are not looked at.
Violations Validate(const MovesQuestion& question, const std::string& prefix);

struct MovesPlan {
  MovesQuestion question;
  std::optional<Tile> own_tile;    // where it lies now
  std::vector<Tile> placements;    // legal ones, by space, the oasis first
  std::vector<OddsQuery> queries;  // exact: the position as it is, then one for each placement
};

// Precondition: neither Validate found anything.
MovesPlan PlanMoves(MovesQuestion question);

struct PlaceCard {
  Camel camel = 0;
  bool winner = false;  // else on the losers' pile

  friend bool operator==(const PlaceCard&, const PlaceCard&) = default;
};
struct Roll {
  friend bool operator==(const Roll&, const Roll&) = default;
};
using Action = std::variant<LegTicket, PlaceCard, Roll, Tile>;

struct MoveValue {
  Action action;
  double value = 0;  // coins that the action adds to the baseline
  // `value` if the unknown cards were, for each own card by itself, as bad or as good as can be: all earlier ones match it, or
  // none. Bounds, then, though not always reached at once. Equal to `value` where they do not matter.
  double lower = 0;
  double upper = 0;
};

struct MovesValues {
  double baseline = 0;
  // Best first; equal values in this order: tickets by camel, cards by camel (the winners' pile first), the roll, tiles by space (the
  // oasis first).
  std::vector<MoveValue> moves;
};

// Precondition: odds[i] is the exact answer to plan.queries[i], and there is one for each.
MovesValues ValueMoves(const MovesPlan& plan, std::span<const Odds> odds);

// How many moves ValueMoves gives.
std::size_t CountMoves(const MovesPlan& plan);

}  // namespace gpusim::camel_up
