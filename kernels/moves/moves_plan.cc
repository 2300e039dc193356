#include <algorithm>
#include <utility>

#include "kernels/moves/moves.h"
#include "kernels/moves/ticket_piles.h"

namespace gpusim::camel_up {
namespace {

// The position without the player's tile, which is lifted before it is placed anew.
struct LiftedTile {
  Position position;
  std::optional<Tile> tile;
};

LiftedTile LiftOwnTile(const MovesQuestion& question) {
  LiftedTile lifted{question.position, {}};
  auto& tiles = lifted.position.tiles;
  const auto own = std::find_if(tiles.begin(), tiles.end(),
                                [&](const Tile& tile) { return tile.owner == question.me; });
  if (question.me == 0 || own == tiles.end()) return lifted;
  lifted.tile = *own;
  tiles.erase(own);
  return lifted;
}

bool IsFree(const Position& position, int space) {
  const bool camels = std::any_of(position.stacks.begin(), position.stacks.end(),
                                  [&](const Stack& stack) { return stack.space == space; });
  const bool tiles = std::any_of(
      position.tiles.begin(), position.tiles.end(),
      [&](const Tile& tile) { return tile.space >= space - 1 && tile.space <= space + 1; });
  return !camels && !tiles;
}

std::vector<Tile> LegalPlacements(const LiftedTile& lifted, const MovesQuestion& question) {
  std::vector<Tile> placements;
  for (int space = 2; space <= kSpaces; ++space) {
    if (!IsFree(lifted.position, space)) continue;
    const bool lay_here = lifted.tile && lifted.tile->space == space;
    for (const int effect : {+1, -1}) {
      if (!lay_here || (question.allow_flip && effect != lifted.tile->effect))
        placements.push_back({space, effect, question.me});
    }
  }
  return placements;
}

bool HasOwn(const std::vector<RaceCard>& pile) {
  return std::any_of(pile.begin(), pile.end(), [](const RaceCard& card) { return card.mine; });
}

OddsQuery Query(const Position& position, bool race) {
  return {Encode(position), race ? Scope::kRace : Scope::kLeg};
}

}  // namespace

MovesPlan PlanMoves(MovesQuestion question) {
  MovesPlan plan;
  LiftedTile lifted = LiftOwnTile(question);
  // A tile changes what placed cards are worth; cards in the hand are placed as things stand.
  const bool placed = HasOwn(question.winner_cards) || HasOwn(question.loser_cards);
  plan.queries.push_back(Query(question.position, placed || !question.hand.empty()));
  if (!question.no_tile) plan.placements = LegalPlacements(lifted, question);
  for (const Tile& tile : plan.placements) {
    lifted.position.tiles.push_back(tile);
    plan.queries.push_back(Query(lifted.position, placed));
    lifted.position.tiles.pop_back();
  }
  plan.own_tile = lifted.tile;
  plan.question = std::move(question);
  return plan;
}

std::size_t CountMoves(const MovesPlan& plan) {
  const auto faces = TicketsToTake(plan.question);
  const auto none = static_cast<std::size_t>(std::count(faces.begin(), faces.end(), 0));
  return faces.size() - none + 2 * plan.question.hand.size() + 1 + plan.placements.size();
}

}  // namespace gpusim::camel_up
