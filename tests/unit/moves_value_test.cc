// What moves are worth: against values counted by hand, and against every path and every assignment of unknown cards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/testing/moves_cases.h"

namespace gpusim {
namespace {

using camel_up::Edition;
using camel_up::MovesPlan;
using camel_up::MovesValues;
using camel_up::MoveValue;
using testing::MovesCase;

class MovesValueTest : public ::testing::Test {
 protected:
  MovesValues Answer(const MovesCase& moves_case) {
    const camel_up::MovesQuestion question = testing::ToQuestion(moves_case);
    EXPECT_EQ(Validate(question.position, ""), Violations{}) << moves_case.name;
    EXPECT_EQ(Validate(question, ""), Violations{}) << moves_case.name;
    const MovesPlan plan = PlanMoves(question);
    MovesValues values = ValueMoves(plan, testing::SolveMoves(*slot_, plan.queries, races_by_));
    EXPECT_EQ(values.moves.size(), CountMoves(plan));
    return values;
  }

  // The answer as "ACTION VALUE", in its order.
  std::vector<std::string> Texts(const MovesCase& moves_case) {
    std::vector<std::string> texts;
    for (const MoveValue& move : Answer(moves_case).moves) {
      std::array<char, 64> value{};
      std::snprintf(value.data(), value.size(), " %.4g", move.value);
      texts.push_back(testing::ActionText(Edition(moves_case.position.edition), move.action) +
                      value.data());
    }
    return texts;
  }

  MoveValue Find(const MovesCase& moves_case, const std::string& action) {
    for (const MoveValue& move : Answer(moves_case).moves) {
      if (testing::ActionText(Edition(moves_case.position.edition), move.action) == action)
        return move;
    }
    ADD_FAILURE() << "no " << action;
    return {};
  }

  void ExpectAsEnumerated(const MovesCase& moves_case,
                          const reference::RaceUnits* races = nullptr) {
    SCOPED_TRACE(moves_case.name);
    constexpr double kNear = 1e-9;
    const testing::EnumeratedValues expected = testing::EnumerateMoves(moves_case, races);
    const MovesValues actual = Answer(moves_case);
    EXPECT_NEAR(actual.baseline, expected.baseline, kNear);
    EXPECT_EQ(actual.moves.size(), expected.moves.size());
    const auto own = std::count(moves_case.winners.begin(), moves_case.winners.end(), '!') +
                     std::count(moves_case.losers.begin(), moves_case.losers.end(), '!');
    for (const MoveValue& move : actual.moves) {
      const std::string text =
          testing::ActionText(Edition(moves_case.position.edition), move.action);
      SCOPED_TRACE(text);
      ASSERT_TRUE(expected.moves.count(text));
      const testing::EnumeratedValue& enumerated = expected.moves.at(text);
      EXPECT_NEAR(move.value, enumerated.value, kNear);
      if (own > 1 && std::holds_alternative<camel_up::Tile>(move.action)) {
        // Each own card has bounds by itself; together they need not be reached.
        EXPECT_LE(move.lower, enumerated.lower + kNear);
        EXPECT_GE(move.upper, enumerated.upper - kNear);
      } else {
        EXPECT_NEAR(move.lower, enumerated.lower, kNear);
        EXPECT_NEAR(move.upper, enumerated.upper, kNear);
      }
    }
    EXPECT_TRUE(
        std::is_sorted(actual.moves.begin(), actual.moves.end(),
                       [](const MoveValue& a, const MoveValue& b) { return a.value > b.value; }));
  }

  testing::RacesBy races_by_ = testing::RacesBy::kReference;
  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ =
      backend_->MakeSlot(0, {.camel_up_rows = 64, .life_boards = 1, .life_words = 64}, {}).value();
};

// One die, which changes no rank: yellow is second and white first, for sure. Green comes to 7, 8 or 9.
MovesCase Settled() {
  return {.name = "settled",
          .position = {1, {{5, "B"}, {6, "G"}, {10, "O"}, {12, "Y"}, {14, "W"}}, {}, "G"}};
}

TEST_F(MovesValueTest, ByHandInTheOrderOfTies) {
  EXPECT_THAT(
      Texts(Settled()),
      ::testing::ElementsAre("ticket W5 5", "ticket Y5 1", "roll 1",  // equal: tickets come first
                             "tile 7+ 0.3333", "tile 7- 0.3333", "tile 8+ 0.3333", "tile 8- 0.3333",
                             "tile 9+ 0.3333", "tile 9- 0.3333",  //
                             "tile 2+ 0", "tile 2- 0", "tile 3+ 0", "tile 3- 0", "tile 4+ 0",
                             "tile 4- 0", "tile 11+ 0", "tile 11- 0", "tile 13+ 0", "tile 13- 0",
                             "tile 15+ 0", "tile 15- 0", "tile 16+ 0", "tile 16- 0",  //
                             "ticket B5 -1", "ticket G5 -1", "ticket O5 -1"));
}

TEST_F(MovesValueTest, TheBaselineIsWhatIsHeld) {
  MovesCase held = Settled();
  held.held = {{'W', 5}, {'Y', 3}, {'B', 2}};
  EXPECT_DOUBLE_EQ(Answer(held).baseline, 5 + 1 - 1);
  held.position.tiles = {{8, 1}};
  held.owners = {{8, 'a'}};
  EXPECT_DOUBLE_EQ(Answer(held).baseline, 5 + 1 - 1 + 1.0 / 3);
  held.me = 'b';
  EXPECT_DOUBLE_EQ(Answer(held).baseline, 5 + 1 - 1);
  held.me = 0;  // unknown: nobody's tile, also where the owner is not known either
  held.owners.clear();
  EXPECT_DOUBLE_EQ(Answer(held).baseline, 5 + 1 - 1);
}

TEST_F(MovesValueTest, TicketsAreTheHighestLeft) {
  MovesCase some = Settled();
  some.no_tile = true;
  some.tickets = {{'W', 2}, {'Y', 3}, {'B', 0}};
  EXPECT_THAT(Texts(some), ::testing::ElementsAre("ticket W2 2", "ticket Y3 1", "roll 1"));
  some.tickets.clear();
  some.held = {{'W', 5}, {'Y', 3}, {'B', 2}, {'O', 5}, {'O', 3}, {'O', 2}};
  EXPECT_THAT(Texts(some),
              ::testing::ElementsAre("ticket W3 3", "ticket Y2 1", "roll 1", "ticket G5 -1"));
  some.position = {2, {{4, "wk"}, {5, "r"}, {6, "b"}, {10, "g"}, {12, "y"}, {14, "p"}}, {}, "br"};
  some.held = {{'p', 2}, {'y', 2}, {'y', 2}, {'r', 5}, {'b', 3}};
  EXPECT_THAT(Texts(some), ::testing::ElementsAre("ticket p2 2", "roll 1", "ticket r3 -1",
                                                  "ticket b2 -1", "ticket g5 -1"));
}

TEST_F(MovesValueTest, NothingLeftButTheRoll) {
  MovesCase empty = Settled();
  empty.tickets = {{'B', 0}};
  empty.no_tile = true;
  EXPECT_THAT(Texts(empty), ::testing::ElementsAre("roll 1"));
  EXPECT_EQ(Answer(empty).baseline, 0);
  // No space is free: tiles of rivals forbid what camels leave.
  empty.no_tile = false;
  empty.position = {1,
                    {{3, "B"}, {6, "G"}, {9, "O"}, {12, "Y"}, {15, "W"}},
                    {{2, 1}, {4, 1}, {7, 1}, {10, 1}, {13, 1}, {16, 1}},
                    "B"};
  EXPECT_THAT(Texts(empty), ::testing::ElementsAre("roll 1"));
}

// White is in front on 16 and has its die: it wins. Nobody passes anybody else, blue is last.
MovesCase WhiteWins() {
  return {.name = "white wins",
          .position = {1, {{3, "B"}, {5, "G"}, {7, "O"}, {9, "Y"}, {16, "W"}}, {}, "W"},
          .no_tile = true};
}

TEST_F(MovesValueTest, RaceCardsByHand) {
  MovesCase cards = WhiteWins();
  cards.hand = "WB";
  EXPECT_THAT(Texts(cards),
              ::testing::IsSupersetOf({"winner W 8", "loser W -1", "winner B -1", "loser B 8"}));
  cards.winners = "GWOYWB";  // wrong ones take no place
  cards.losers = "BBBBB";
  EXPECT_THAT(Texts(cards), ::testing::IsSupersetOf({"winner W 3", "loser B 1"}));

  cards.hand = "BG";
  cards.winners = "WYWW!WW";
  EXPECT_DOUBLE_EQ(Answer(cards).baseline, 3);
  cards.losers = "YY!GB";
  EXPECT_DOUBLE_EQ(Answer(cards).baseline, 3 - 1);
  EXPECT_THAT(Texts(cards), ::testing::IsSupersetOf({"winner G -1", "loser G -1", "loser B 5"}));
}

TEST_F(MovesValueTest, UnknownCardsByHand) {
  MovesCase cards = WhiteWins();
  cards.hand = "W";
  cards.winners = "??";
  MoveValue move = Find(cards, "winner W");
  EXPECT_NEAR(move.value, 8 * 0.64 + 5 * 0.32 + 3 * 0.04, 1e-12);
  EXPECT_EQ(move.lower, 3);
  EXPECT_EQ(move.upper, 8);

  cards.winners = "?WY?";
  move = Find(cards, "winner W");
  EXPECT_NEAR(move.value, 5 * 0.64 + 3 * 0.32 + 2 * 0.04, 1e-12);
  EXPECT_EQ(move.lower, 2);
  EXPECT_EQ(move.upper, 5);

  // Behind four known ones nothing is unknown any more.
  cards.winners = "WWWW?";
  move = Find(cards, "winner W");
  EXPECT_EQ(move.value, 1);
  EXPECT_EQ(move.lower, 1);
  EXPECT_EQ(move.upper, 1);

  // The whole pile unknown: the first four places are as good as gone, the bounds are not.
  cards.winners = std::string(64, '?');
  move = Find(cards, "winner W");
  EXPECT_GT(move.value, 1);
  EXPECT_LT(move.value, 1.01);
  EXPECT_EQ(move.lower, 1);
  EXPECT_EQ(move.upper, 8);
}

TEST_F(MovesValueTest, TheFloorByHand) {
  MovesCase poor = Settled();
  poor.no_tile = true;
  poor.coins = 0;
  poor.held = {{'B', 5}};
  EXPECT_DOUBLE_EQ(Answer(poor).baseline, -1);
  EXPECT_EQ(Find(poor, "roll").value, 1);
  poor.coin_floor = true;
  EXPECT_EQ(Answer(poor).baseline, 0);
  EXPECT_EQ(Find(poor, "roll").value, 0);       // the coin is lost again
  EXPECT_EQ(Find(poor, "ticket G5").value, 0);  // there is nothing to lose
  EXPECT_EQ(Find(poor, "ticket W5").value, 4);  // one sum: 5 less the 1 that blue costs
  poor.coins = 1;
  EXPECT_EQ(Answer(poor).baseline, -1);
  EXPECT_EQ(Find(poor, "ticket G5").value, 0);
  EXPECT_EQ(Find(poor, "roll").value, 1);
  poor.coins = 2;
  EXPECT_EQ(Find(poor, "ticket G5").value, -1);
}

// The floor bounds the leg alone: a wrong race card costs its coin also where there is none.
TEST_F(MovesValueTest, TheFloorDoesNotBoundTheRaceCards) {
  MovesCase poor = WhiteWins();
  poor.coins = 0;
  poor.coin_floor = true;
  poor.hand = "G";
  EXPECT_EQ(Find(poor, "winner G").value, -1);
}

std::vector<MovesCase> HardCases() {
  const reference::Position first{1, {{3, "BG"}, {4, "O"}, {6, "YW"}}, {}, "BOW"};
  const reference::Position second{
      2, {{3, "rb"}, {5, "gw"}, {6, "y"}, {7, "p"}, {9, "k"}}, {}, "rgp*"};
  const reference::Position first_end{1, {{13, "O"}, {14, "BG"}, {15, "Y"}, {16, "W"}}, {}, "BYW"};
  const reference::Position second_end{
      2, {{12, "gk"}, {13, "w"}, {14, "y"}, {15, "b"}, {16, "pr"}}, {}, "rpb*"};
  auto with = [](reference::Position position, std::map<int, int> tiles) {
    position.tiles = std::move(tiles);
    return position;
  };
  return {
      {.name = "first, plain", .position = first},
      {.name = "second, plain", .position = second},
      {.name = "first, tickets held", .position = first, .held = {{'W', 5}, {'Y', 5}, {'B', 3}}},
      {.name = "second, tickets held", .position = second, .held = {{'p', 2}, {'p', 2}, {'y', 5}}},
      {.name = "own tile moved",
       .position = with(first, {{5, 1}}),
       .owners = {{5, 'a'}},
       .held = {{'W', 5}}},
      {.name = "own tile turned",
       .position = with(first, {{5, 1}}),
       .owners = {{5, 'a'}},
       .allow_flip = true},
      {.name = "own mirage turned, second",
       .position = with(second, {{8, -1}}),
       .owners = {{8, 'a'}},
       .held = {{'g', 5}},
       .allow_flip = true},
      {.name = "own tile between rivals",
       .position = with(first, {{5, -1}, {8, 1}, {10, -1}}),
       .owners = {{5, 'b'}, {8, 'a'}, {10, 'c'}},
       .held = {{'O', 5}}},
      {.name = "rival's tile, mine off the board",
       .position = with(second, {{8, 1}}),
       .owners = {{8, 'b'}},
       .held = {{'b', 5}}},
      {.name = "tile of nobody known", .position = with(first, {{7, -1}})},
      {.name = "floor, first",
       .position = first,
       .coins = 0,
       .held = {{'W', 5}, {'B', 5}, {'G', 5}},
       .coin_floor = true},
      {.name = "floor, second, own tile",
       .position = with(second, {{8, 1}}),
       .owners = {{8, 'a'}},
       .coins = 1,
       .held = {{'r', 5}, {'b', 5}, {'p', 5}},
       .coin_floor = true},
      {.name = "cards, first",
       .position = first_end,
       .hand = "WB",
       .winners = "G?Y!W?",
       .losers = "?O"},
      {.name = "cards, second",
       .position = second_end,
       .held = {{'r', 3}},
       .hand = "rg",
       .winners = "??r",
       .losers = "gy!?"},
      {.name = "one own card and tiles",
       .position = with(first_end, {{11, 1}}),
       .owners = {{11, 'a'}},
       .winners = "?Y?W!",
       .losers = "O",
       .allow_flip = true},
      {.name = "own cards on both piles, floor",
       .position = first_end,
       .coins = 0,
       .held = {{'Y', 5}},
       .winners = "W?G!W!?Y!",
       .losers = "?B!",
       .coin_floor = true},
  };
}

class HardMovesCases : public MovesValueTest, public ::testing::WithParamInterface<MovesCase> {};
TEST_P(HardMovesCases, AreAsEnumerated) { ExpectAsEnumerated(GetParam()); }
INSTANTIATE_TEST_SUITE_P(, HardMovesCases, ::testing::ValuesIn(HardCases()),
                         [](const auto& info) { return std::to_string(info.index); });

class RandomMovesCases : public MovesValueTest, public ::testing::WithParamInterface<int> {};
TEST_P(RandomMovesCases, AreAsEnumerated) {
  std::mt19937_64 random(2018);
  int with_own_cards = 0;
  int with_own_tile = 0;
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    const MovesCase moves_case = testing::RandomMovesCase(GetParam(), random);
    ExpectAsEnumerated(moves_case);
    with_own_cards += (moves_case.winners + moves_case.losers).find('!') != std::string::npos;
    with_own_tile += std::any_of(moves_case.owners.begin(), moves_case.owners.end(),
                                 [&](const auto& at) { return at.second == moves_case.me; });
  }
  EXPECT_GT(with_own_cards, 20);
  EXPECT_GT(with_own_tile, 10);
}
INSTANTIATE_TEST_SUITE_P(BothEditions, RandomMovesCases, ::testing::Values(1, 2));

// Races that go on after the leg, with the real table of the first edition.
TEST_F(MovesValueTest, RacesThatGoOn) {
  const auto table = backend_->SolveRaceTable(Edition::kFirst, 2, [](const auto&) { return true; });
  ASSERT_TRUE(table.has_value()) << table.error().what;
  ASSERT_TRUE(backend_->UseRaceTable(*table, TableMemory::kHost).has_value());
  const reference::RaceUnits races = testing::UnitsOf(**table);
  races_by_ = testing::RacesBy::kSlot;
  const reference::Position early{1, {{1, "BG"}, {2, "OYW"}}, {{4, -1}}, "BOW"};
  const reference::Position late{1, {{12, "B"}, {13, "WG"}, {15, "OY"}}, {}, "BGY"};
  ExpectAsEnumerated({.name = "early",
                      .position = early,
                      .owners = {{4, 'a'}},
                      .held = {{'W', 5}},
                      .hand = "BW",
                      .winners = "?G!Y",
                      .losers = "W?",
                      .allow_flip = true},
                     &races);
  ExpectAsEnumerated({.name = "late",
                      .position = late,
                      .coins = 1,
                      .held = {{'Y', 5}, {'B', 3}},
                      .hand = "Y",
                      .winners = "?O!",
                      .losers = "?B!W!",
                      .coin_floor = true},
                     &races);
}

}  // namespace
}  // namespace gpusim
