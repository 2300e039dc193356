// Which rows a question of moves needs, and which actions it has.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/testing/moves_cases.h"

namespace gpusim {
namespace {

using camel_up::MovesPlan;
using camel_up::Scope;
using testing::MovesCase;

MovesPlan Plan(const MovesCase& moves_case) { return PlanMoves(testing::ToQuestion(moves_case)); }

std::string Placements(const MovesCase& moves_case) {
  std::string text;
  for (const camel_up::Tile& tile : Plan(moves_case).placements)
    text += (text.empty() ? "" : " ") + std::to_string(tile.space) + (tile.effect > 0 ? "+" : "-");
  return text;
}

MovesCase Crowded() {
  return {.position = {1, {{1, "B"}, {4, "G"}, {9, "O"}, {11, "Y"}, {16, "W"}}, {{6, 1}}, "BG"},
          .owners = {{6, 'b'}}};
}

TEST(MovesPlanTest, TilesGoWhereNeitherCamelNorTileNorNeighbourIs) {
  EXPECT_EQ(Placements(Crowded()), "2+ 2- 3+ 3- 8+ 8- 10+ 10- 12+ 12- 13+ 13- 14+ 14- 15+ 15-");
}

TEST(MovesPlanTest, TheOwnTileIsLiftedFirst) {
  MovesCase own = Crowded();
  own.owners = {{6, 'a'}};
  EXPECT_EQ(Placements(own),
            "2+ 2- 3+ 3- 5+ 5- 7+ 7- 8+ 8- 10+ 10- 12+ 12- 13+ 13- 14+ 14- 15+ 15-");
  own.allow_flip = true;
  EXPECT_EQ(Placements(own),
            "2+ 2- 3+ 3- 5+ 5- 6- 7+ 7- 8+ 8- 10+ 10- 12+ 12- 13+ 13- 14+ 14- 15+ 15-");
  own.position.tiles[8] = -1;
  own.owners[8] = 'b';
  EXPECT_EQ(Placements(own), "2+ 2- 3+ 3- 5+ 5- 6- 10+ 10- 12+ 12- 13+ 13- 14+ 14- 15+ 15-");
  own.no_tile = true;
  EXPECT_EQ(Placements(own), "");
}

TEST(MovesPlanTest, CrazyCamelsAreCamelsAndTheEndsOfTheTrackAreTiledFrom2To16) {
  const MovesCase crazy{
      .position = {2, {{3, "w"}, {5, "rbgyp"}, {14, "k"}}, {{7, 1}, {11, -1}}, "rb"},
      .owners = {{7, 'b'}, {11, 'c'}}};
  EXPECT_EQ(Placements(crazy), "2+ 2- 4+ 4- 9+ 9- 13+ 13- 15+ 15- 16+ 16-");
}

TEST(MovesPlanTest, RowsAreThePositionAndItsPlacements) {
  MovesCase own = Crowded();
  own.position.tiles = {{6, 1}, {13, -1}};
  own.owners = {{6, 'b'}, {13, 'a'}};
  const MovesPlan plan = Plan(own);
  ASSERT_EQ(plan.queries.size(), plan.placements.size() + 1);
  EXPECT_EQ(plan.queries[0].leg, Encode(testing::ToQuestion(own).position));
  for (std::size_t i = 0; i < plan.placements.size(); ++i) {
    own.position.tiles = {{6, 1}, {plan.placements[i].space, plan.placements[i].effect}};
    EXPECT_EQ(plan.queries[i + 1].leg, Encode(testing::ToQuestion(own).position));
  }
  EXPECT_EQ(plan.own_tile->space, 13);
}

// Race rows cost more, and need a table that may not be there.
TEST(MovesPlanTest, RaceRowsOnlyWhereRaceCardsMatter) {
  const auto race_rows = [](const MovesPlan& plan) {
    return std::count_if(plan.queries.begin(), plan.queries.end(),
                         [](const auto& query) { return query.scope == Scope::kRace; });
  };
  MovesCase cards = Crowded();
  cards.winners = "?B";  // of others: nothing of the player's hangs on the race
  EXPECT_EQ(race_rows(Plan(cards)), 0);
  cards.hand = "G";  // placed as things stand
  EXPECT_EQ(race_rows(Plan(cards)), 1);
  EXPECT_EQ(Plan(cards).queries[0].scope, Scope::kRace);
  cards.losers = "O!";  // tiles change what it is worth
  EXPECT_EQ(race_rows(Plan(cards)), 17);
  cards.hand = "";
  EXPECT_EQ(race_rows(Plan(cards)), 17);
}

TEST(MovesPlanTest, CountsTheMoves) {
  MovesCase all = Crowded();
  EXPECT_EQ(CountMoves(Plan(all)), 5u + 1 + 16);
  all.hand = "BG";
  all.tickets = {{'B', 5}, {'G', 0}};
  EXPECT_EQ(CountMoves(Plan(all)), 1u + 4 + 1 + 16);
}

}  // namespace
}  // namespace gpusim
