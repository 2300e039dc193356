// What is wrong with a question of moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/moves/moves.h"
#include "tests/testing/moves_cases.h"

namespace gpusim {
namespace {

using camel_up::kCrazyBlack;
using camel_up::kCrazyWhite;
using camel_up::LegTicket;
using camel_up::MovesQuestion;
using camel_up::RaceCard;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MovesQuestion Good(int edition) {
  MovesQuestion question = testing::ToQuestion(
      {.position = edition == 1
                       ? reference::Position{1, {{1, "BGOYW"}}, {{4, 1}, {6, 1}}, "BGOYW"}
                       : reference::Position{2, {{1, "rbgyp"}, {15, "wk"}}, {{4, 1}}, "rbgyp*"}});
  question.position.tiles[0].owner = 'a';
  return question;
}

std::vector<std::string> Faults(const MovesQuestion& question) {
  std::vector<std::string> texts;
  for (const Violation& violation : Validate(question, ""))
    texts.push_back(violation.field + " '" + violation.value + "' " + violation.rule);
  return texts;
}

TEST(MovesCheckTest, GoodOnes) {
  for (const int edition : {1, 2}) {
    MovesQuestion question = Good(edition);
    EXPECT_THAT(Faults(question), IsEmpty());
    question.coins = 1000;
    question.held_tickets = {{0, 5}, {0, 2}, {1, 5}, {1, 3}, {1, 2}};
    question.tickets = {{0, 0}, {2, 5}, {3, 2}};
    question.hand = {0, 1};
    question.winner_cards = {RaceCard{2, true}, RaceCard{}, RaceCard{2, false}};
    question.loser_cards.assign(64, RaceCard{});
    EXPECT_THAT(Faults(question), IsEmpty());
    question.me = 0;
    EXPECT_THAT(Faults(question), IsEmpty());
  }
}

TEST(MovesCheckTest, Player) {
  MovesQuestion question = Good(1);
  question.me = 'A';
  question.coins = 1001;
  EXPECT_THAT(Faults(question), ElementsAre("me 'A' a player is one lower-case letter",
                                            "coins '1001' coins run from 0 to 1000"));
  question.me = 'a';
  question.coins = -1;
  question.position.tiles[1].owner = 'a';
  EXPECT_THAT(Faults(question),
              ElementsAre("me 'a' 2 tiles on the board are this player's, who has one",
                          "coins '-1' coins run from 0 to 1000"));
}

TEST(MovesCheckTest, TicketsToBeHad) {
  MovesQuestion question = Good(1);
  question.tickets = {{0, 4}, {0, 3}, {5, 5}, {2, -1}};
  EXPECT_THAT(Faults(question),
              ElementsAre("tickets[0].face '4' leg tickets have the face values 5, 3 and 2",
                          "tickets[1].camel 'B' the camel's highest ticket is listed already",
                          "tickets[2].camel '5' one of the racing camels B G O Y W",
                          "tickets[3].face '-1' leg tickets have the face values 5, 3 and 2"));
  question.tickets = {{0, 5}, {1, 2}, {2, 3}, {3, 0}};
  question.held_tickets = {{0, 3}, {1, 2}, {2, 5}};
  EXPECT_THAT(
      Faults(question),
      ElementsAre("tickets[0].face '5' the player holds a lower one of the camel: 2 may be left",
                  "tickets[1].face '2' the player holds the camel's last ticket"));
  // The second edition has two tickets of 2.
  question = Good(2);
  question.tickets = {{1, 2}, {2, 2}, {3, 5}, {4, 3}, {kCrazyBlack, 5}};
  question.held_tickets = {{1, 2}, {2, 2}, {2, 2}, {3, 5}};
  EXPECT_THAT(
      Faults(question),
      ElementsAre(
          "tickets[1].face '2' the player holds the camel's last ticket",
          "tickets[2].face '5' the player holds a lower one of the camel: 3, 2, 2 may be left",
          "tickets[4].camel 'k' one of the racing camels r b g y p"));
}

TEST(MovesCheckTest, TicketsHeld) {
  MovesQuestion question = Good(1);
  question.held_tickets = {{0, 2}, {0, 2}, {9, 5}, {1, 0}};
  EXPECT_THAT(Faults(question),
              ElementsAre("held_tickets[1].face '2' a camel has 1 such ticket",
                          "held_tickets[2].camel '9' one of the racing camels B G O Y W",
                          "held_tickets[3].face '0' leg tickets have the face values 5, 3 and 2"));
  question = Good(2);
  question.held_tickets = {{0, 2}, {0, 2}, {0, 2}, {kCrazyWhite, 2}};
  EXPECT_THAT(Faults(question),
              ElementsAre("held_tickets[2].face '2' a camel has 2 such tickets",
                          "held_tickets[3].camel 'w' one of the racing camels r b g y p"));
}

TEST(MovesCheckTest, RaceCards) {
  MovesQuestion question = Good(2);
  question.hand = {0, 1, 0, kCrazyWhite};
  question.winner_cards = {RaceCard{1, true}, RaceCard{1, false}, RaceCard{{}, true}};
  question.loser_cards = {RaceCard{2, true}, RaceCard{2, true}, RaceCard{7, false}};
  const std::string twice =
      "the player has one race card of a camel, and this one is in the hand or placed already";
  EXPECT_THAT(Faults(question),
              ElementsAre("hand[2] 'r' " + twice, "hand[3] 'w' one of the racing camels r b g y p",
                          "winner_cards[0].camel 'b' " + twice,
                          "winner_cards[2].camel '' the player knows the own cards",
                          "loser_cards[1].camel 'g' " + twice,
                          "loser_cards[2].camel '7' one of the racing camels r b g y p"));
}

TEST(MovesCheckTest, LongListsAreOneFaultEach) {
  MovesQuestion question = Good(1);
  question.tickets.assign(6, LegTicket{9, 9});
  question.held_tickets.assign(16, LegTicket{9, 9});
  question.hand.assign(6, 9);
  question.winner_cards.assign(65, RaceCard{9, true});
  question.loser_cards.assign(100, RaceCard{9, true});
  EXPECT_THAT(Faults(question),
              ElementsAre("tickets '6 entries' no question needs more than 5",
                          "held_tickets '16 entries' no question needs more than 15",
                          "hand '6 entries' no question needs more than 5",
                          "winner_cards '65 entries' no question needs more than 64",
                          "loser_cards '100 entries' no question needs more than 64"));
  question = Good(2);
  question.held_tickets.assign(21, LegTicket{0, 2});
  EXPECT_THAT(Faults(question),
              ElementsAre("held_tickets '21 entries' no question needs more than 20"));
}

TEST(MovesCheckTest, FieldsStandBehindThePrefix) {
  MovesQuestion question = Good(1);
  question.coins = 2000;
  question.held_tickets = {{0, 4}};
  const Violations violations = Validate(question, "questions[7].");
  ASSERT_EQ(violations.size(), 2u);
  EXPECT_EQ(violations[0].field, "questions[7].coins");
  EXPECT_EQ(violations[1].field, "questions[7].held_tickets[0].face");
}

}  // namespace
}  // namespace gpusim
