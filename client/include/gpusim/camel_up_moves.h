// What every legal action of a player is worth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gpusim/camel_up.h>
#include <gpusim/provenance.h>

namespace gpusim {

struct LegTicket {
  Camel camel = Camel::kBlue;
  std::uint32_t face = 0;  // 5, 3 or 2
};

struct RaceCard {
  std::optional<Camel> camel = {};  // unset: face down and not known
  bool mine = false;                // the asking player's, who knows it
};

// A player's view of the game.
struct MovesRequest {
  AnyPosition position = {};  // tiles with their owners
  std::string me = {};        // one lower-case letter; empty: no tile on the board is one's own
  std::uint32_t coins = 0;    // at most 1,000; matters for the coin floor alone
  // The highest leg ticket still to be had of each camel. Empty: all of them, less the held ones.
  std::vector<LegTicket> tickets = {};
  std::vector<LegTicket> held_tickets = {};  // from this leg
  std::vector<Camel> hand = {};              // race cards not yet placed
  // Both piles, from the first card placed to the last.
  std::vector<RaceCard> winner_cards = {};
  std::vector<RaceCard> loser_cards = {};
  bool no_tile = false;     // none to place
  bool allow_flip = false;  // the own tile may be turned over where it lies
  bool coin_floor = false;  // coins never fall below 0 when the leg is scored
};

struct PlaceRaceCard {
  Camel camel = Camel::kBlue;
  bool winner = false;  // on the winner's pile, else on the loser's
};

struct RollDie {};

// Nothing: an action that this client does not know. LegTicket: take it; Tile: place it.
using MoveAction = std::variant<std::monostate, LegTicket, PlaceRaceCard, RollDie, Tile>;

struct MoveValue {
  MoveAction action = {};
  double value = 0;     // expected coins that the action adds
  double expected = 0;  // expected coins of the player from now on
  // Of `value`, over what the unknown cards may be.
  double lower = 0;
  double upper = 0;
};

struct Moves {
  std::vector<MoveValue> moves = {};  // best first
  double baseline = 0;                // what the player can expect without any action
  Provenance provenance = {};
};

}  // namespace gpusim
