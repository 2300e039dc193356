// EvaluateMoves and EvaluateMovesMany through a running server.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/services/camel_up_names.h"
#include "server/services/moves_convert.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/moves_cases.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

v1::Camel ToProto(camel_up::Edition edition, camel_up::Camel camel) {
  return server::ProtoCamels(edition)[camel];
}

v1::TileEffect ToProto(int effect) {
  return effect > 0 ? v1::TILE_EFFECT_OASIS : v1::TILE_EFFECT_MIRAGE;
}

v1::Position ToProto(const camel_up::Position& position) {
  v1::Position message;
  message.set_edition(position.edition == camel_up::Edition::kFirst ? v1::EDITION_FIRST
                                                                    : v1::EDITION_SECOND);
  for (const camel_up::Stack& stack : position.stacks) {
    v1::Stack& added = *message.add_stacks();
    added.set_space(static_cast<std::uint32_t>(stack.space));
    for (const camel_up::Camel camel : stack.camels)
      added.add_camels(ToProto(position.edition, camel));
  }
  for (const camel_up::Tile& tile : position.tiles) {
    v1::Tile& added = *message.add_tiles();
    added.set_space(static_cast<std::uint32_t>(tile.space));
    added.set_effect(ToProto(tile.effect));
    if (tile.owner != 0) added.set_owner({tile.owner});
  }
  for (const camel_up::Die die : position.dice)
    message.add_dice(server::ProtoDice(position.edition)[die]);
  return message;
}

v1::EvaluateMovesRequest ToProto(const camel_up::MovesQuestion& question) {
  const camel_up::Edition edition = question.position.edition;
  v1::EvaluateMovesRequest request;
  *request.mutable_position() = ToProto(question.position);
  if (question.me != 0) request.set_me({question.me});
  request.set_coins(static_cast<std::uint32_t>(question.coins));
  const auto add_tickets = [&](const auto& tickets, auto& messages) {
    for (const camel_up::LegTicket& ticket : tickets) {
      v1::LegTicket& added = *messages.Add();
      added.set_camel(ToProto(edition, ticket.camel));
      added.set_face(static_cast<std::uint32_t>(ticket.face));
    }
  };
  add_tickets(question.tickets, *request.mutable_tickets());
  add_tickets(question.held_tickets, *request.mutable_held_tickets());
  for (const camel_up::Camel camel : question.hand) request.add_hand(ToProto(edition, camel));
  const auto add_pile = [&](const auto& pile, auto& messages) {
    for (const camel_up::RaceCard& card : pile) {
      v1::RaceCard& added = *messages.Add();
      if (card.camel) added.set_camel(ToProto(edition, *card.camel));
      added.set_mine(card.mine);
    }
  };
  add_pile(question.winner_cards, *request.mutable_winner_cards());
  add_pile(question.loser_cards, *request.mutable_loser_cards());
  request.set_no_tile(question.no_tile);
  request.set_allow_flip(question.allow_flip);
  request.set_coin_floor(question.coin_floor);
  return request;
}

// Questions that hang on no race table.
std::vector<camel_up::MovesQuestion> LegQuestions(int count) {
  std::mt19937_64 random(2014);
  std::vector<camel_up::MovesQuestion> questions;
  for (int i = 0; i < count; ++i) {
    MovesCase moves_case = RandomMovesCase(1 + i % 2, random);
    moves_case.hand.clear();
    std::erase(moves_case.winners, '!');
    std::erase(moves_case.losers, '!');
    questions.push_back(ToQuestion(moves_case));
  }
  return questions;
}

server::ServerOptions WithoutRaceTables() {
  server::ServerOptions options = TestOptions();
  options.race_table_solving = server::RaceTableSolving::kOff;
  return options;
}

class MovesServiceTest : public ::testing::Test {
 protected:
  grpc::Status Ask(const v1::EvaluateMovesRequest& request, v1::EvaluateMovesResponse& response) {
    grpc::ClientContext context;
    return server_.camel_up().EvaluateMoves(&context, request, &response);
  }
  grpc::Status Ask(const v1::EvaluateMovesManyRequest& request,
                   v1::EvaluateMovesManyResponse& response) {
    grpc::ClientContext context;
    return server_.camel_up().EvaluateMovesMany(&context, request, &response);
  }

  std::vector<std::string> Faults(const v1::EvaluateMovesRequest& request) {
    v1::EvaluateMovesResponse response;
    const grpc::Status status = Ask(request, response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    return ViolationsOf(status);
  }

  // The domain's own answer, by its own slot.
  camel_up::MovesValues Expected(const camel_up::MovesQuestion& question) {
    const camel_up::MovesPlan plan = PlanMoves(question);
    return ValueMoves(plan, SolveMoves(*slot_, plan.queries, RacesBy::kSlot));
  }

  InProcessServer server_{WithoutRaceTables()};
  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ =
      backend_->MakeSlot(0, {.camel_up_rows = 64, .life_boards = 1, .life_words = 64}, {}).value();
};

void ExpectAction(const camel_up::Action& action, camel_up::Edition edition,
                  const v1::MoveValue& message) {
  if (const auto* ticket = std::get_if<camel_up::LegTicket>(&action)) {
    EXPECT_EQ(message.take_ticket().camel(), ToProto(edition, ticket->camel));
    EXPECT_EQ(message.take_ticket().face(), static_cast<std::uint32_t>(ticket->face));
  } else if (const auto* card = std::get_if<camel_up::PlaceCard>(&action)) {
    EXPECT_EQ(message.place_card().camel(), ToProto(edition, card->camel));
    EXPECT_EQ(message.place_card().winner(), card->winner);
  } else if (const auto* tile = std::get_if<camel_up::Tile>(&action)) {
    EXPECT_EQ(message.place_tile().space(), static_cast<std::uint32_t>(tile->space));
    EXPECT_EQ(message.place_tile().effect(), ToProto(tile->effect));
  } else {
    EXPECT_TRUE(message.has_roll());
  }
}

// To the bit: no tolerance.
void ExpectSame(const v1::EvaluateMovesResponse& response, const camel_up::MovesValues& values,
                const camel_up::MovesQuestion& question) {
  EXPECT_EQ(response.baseline(), values.baseline);
  ASSERT_EQ(response.moves_size(), static_cast<int>(values.moves.size()));
  for (int i = 0; i < response.moves_size(); ++i) {
    const camel_up::MoveValue& move = values.moves[static_cast<std::size_t>(i)];
    ExpectAction(move.action, question.position.edition, response.moves(i));
    EXPECT_EQ(response.moves(i).value(), move.value);
    EXPECT_EQ(response.moves(i).expected(), values.baseline + move.value);
    EXPECT_EQ(response.moves(i).lower(), move.lower);
    EXPECT_EQ(response.moves(i).upper(), move.upper);
  }
}

TEST_F(MovesServiceTest, ValuesAreTheDomainsToTheBit) {
  for (const camel_up::MovesQuestion& question : LegQuestions(60)) {
    v1::EvaluateMovesResponse response;
    const grpc::Status status = Ask(ToProto(question), response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ExpectSame(response, Expected(question), question);
    EXPECT_EQ(response.provenance().backend(), server_.info().backend());
    EXPECT_EQ(response.provenance().method(), v1::METHOD_EXACT);
    response.clear_provenance();
    EXPECT_LE(response.ByteSizeLong(), server::MaxMovesResponseBytes(PlanMoves(question)));
  }
}

TEST_F(MovesServiceTest, OwnersComeWithTheTextAsWell) {
  const MovesCase own{.position = {2,
                                   {{3, "rb"}, {5, "gw"}, {6, "y"}, {7, "p"}, {9, "k"}},
                                   {{8, 1}, {11, -1}},
                                   "rgp*"},
                      .owners = {{8, 'b'}, {11, 'c'}},
                      .me = 'b',
                      .allow_flip = true};
  v1::EvaluateMovesRequest request = ToProto(ToQuestion(own));
  request.clear_position();
  request.mutable_position()->set_edition(v1::EDITION_SECOND);
  v1::PositionText& text = *request.mutable_position()->mutable_text();
  text.set_stacks(StacksText(own.position));
  text.set_tiles("8+b 11-c");
  text.set_dice(own.position.dice);
  v1::EvaluateMovesResponse response;
  ASSERT_TRUE(Ask(request, response).ok());
  ExpectSame(response, Expected(ToQuestion(own)), ToQuestion(own));
  for (const v1::MoveValue& move : response.moves()) {
    EXPECT_EQ(move.place_tile().owner(), move.has_place_tile() ? "b" : "");
  }
}

v1::EvaluateMovesRequest Good() {
  return ToProto(ToQuestion(
      {.position = {1, {{1, "BGO"}, {2, "YW"}}, {{6, 1}}, "BGO"}, .owners = {{6, 'a'}}}));
}

TEST_F(MovesServiceTest, AllFaultsAtOnce) {
  v1::EvaluateMovesRequest request = Good();
  request.mutable_position()->mutable_stacks(0)->set_space(17);
  request.set_me("me");
  request.set_coins(4'000'000'000u);
  request.add_hand(v1::CAMEL_BLUE);
  request.add_hand(v1::CAMEL_PURPLE);
  request.add_hand(static_cast<v1::Camel>(99));
  request.add_held_tickets()->set_camel(v1::CAMEL_UNSPECIFIED);
  request.add_tickets()->set_camel(v1::CAMEL_GREEN);
  request.mutable_tickets(0)->set_face(4);
  request.add_winner_cards()->set_mine(true);
  request.add_loser_cards()->set_camel(v1::CAMEL_CRAZY_BLACK);
  request.add_loser_cards()->set_camel(v1::CAMEL_BLUE);
  request.mutable_loser_cards(1)->set_mine(true);
  EXPECT_THAT(
      Faults(request),
      UnorderedElementsAre(
          HasSubstr("position.stacks[0].space: '17'"),
          "me: 'me': a player is one lower-case letter", HasSubstr("coins: '2147483647'"),
          "hand[1]: 'CAMEL_PURPLE': no camel of the first edition", HasSubstr("hand[2]: '99'"),
          HasSubstr("held_tickets[0].camel: 'CAMEL_UNSPECIFIED'"),
          HasSubstr("held_tickets[0].face: '0'"), HasSubstr("tickets[0].face: '4'"),
          HasSubstr("winner_cards[0].camel: ''"),
          HasSubstr("loser_cards[0].camel: 'CAMEL_CRAZY_BLACK'"),
          HasSubstr("loser_cards[1].camel: 'B'")));
}

TEST_F(MovesServiceTest, FaultsThatHideOthers) {
  v1::EvaluateMovesRequest request = Good();
  request.set_coins(5000);
  request.mutable_position()->clear_edition();  // without it camels mean nothing
  EXPECT_THAT(Faults(request), ElementsAre(HasSubstr("position.edition: 'EDITION_UNSPECIFIED'")));

  request = Good();
  for (int i = 0; i < 100'000; ++i) {
    request.add_hand(v1::CAMEL_PURPLE);
    request.add_loser_cards()->set_camel(v1::CAMEL_PURPLE);
    request.add_held_tickets()->set_camel(v1::CAMEL_PURPLE);
  }
  EXPECT_THAT(Faults(request), ElementsAre(HasSubstr("held_tickets: '100000 entries'"),
                                           HasSubstr("hand: '100000 entries'"),
                                           HasSubstr("loser_cards: '100000 entries'")));

  request = Good();
  request.mutable_position()->add_tiles()->set_space(9);
  request.mutable_position()->mutable_tiles(1)->set_effect(v1::TILE_EFFECT_OASIS);
  request.mutable_position()->mutable_tiles(1)->set_owner("a");
  EXPECT_THAT(Faults(request), ElementsAre(HasSubstr("me: 'a': 2 tiles")));
  request.set_me(std::string(1, '\0'));
  EXPECT_THAT(Faults(request), ElementsAre(HasSubstr("me: '")));
}

TEST_F(MovesServiceTest, ManyAnswerEachInItsPlaceAsOneTask) {
  const std::vector<camel_up::MovesQuestion> questions = LegQuestions(256);
  v1::EvaluateMovesManyRequest request;
  for (const camel_up::MovesQuestion& question : questions)
    *request.add_questions() = ToProto(question);
  request.mutable_questions(7)->set_coins(1001);
  request.mutable_questions(255)->mutable_position()->set_edition(v1::EDITION_UNSPECIFIED);
  v1::EvaluateMovesManyResponse response;
  const grpc::Status status = Ask(request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.results_size(), 256);
  for (int i = 0; i < 256; ++i) {
    const v1::EvaluateMovesResult& result = response.results(i);
    if (i == 7 || i == 255) {
      EXPECT_EQ(result.error().code(), grpc::StatusCode::INVALID_ARGUMENT);
      google::rpc::BadRequest bad;
      ASSERT_EQ(result.error().details_size(), 1);
      ASSERT_TRUE(result.error().details(0).UnpackTo(&bad));
      ASSERT_EQ(bad.field_violations_size(), 1);
      EXPECT_EQ(bad.field_violations(0).field(),
                i == 7 ? "questions[7].coins" : "questions[255].position.edition");
      continue;
    }
    ASSERT_TRUE(result.has_moves()) << i << ": " << result.error().message();
    const camel_up::MovesQuestion& question = questions[static_cast<std::size_t>(i)];
    ExpectSame(result.moves(), Expected(question), question);
    EXPECT_EQ(result.moves().provenance().device(), server_.info().devices(0).name());
  }
  EXPECT_EQ(server_.Statistics("camel_up").requests(), 1u);
}

TEST_F(MovesServiceTest, ManyBadOnesNeedNoTask) {
  v1::EvaluateMovesManyRequest request;
  request.add_questions();
  request.add_questions();
  v1::EvaluateMovesManyResponse response;
  ASSERT_TRUE(Ask(request, response).ok());
  ASSERT_EQ(response.results_size(), 2);
  for (const v1::EvaluateMovesResult& result : response.results())
    EXPECT_EQ(result.error().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(server_.Statistics("camel_up").requests(), 0u);
}

TEST_F(MovesServiceTest, ManyAreOneTo256) {
  v1::EvaluateMovesManyRequest request;
  v1::EvaluateMovesManyResponse response;
  EXPECT_THAT(ViolationsOf(Ask(request, response)),
              ElementsAre("questions: '0 questions': 1 to 256 questions a call"));
  for (int i = 0; i < 257; ++i) request.add_questions();
  EXPECT_THAT(ViolationsOf(Ask(request, response)),
              ElementsAre("questions: '257 questions': 1 to 256 questions a call"));
}

TEST(MovesServiceLimitsTest, TheReplyIsMeasuredBeforeTheWork) {
  server::ServerOptions options = WithoutRaceTables();
  options.max_reply_bytes = 4096;
  InProcessServer server(options);
  v1::EvaluateMovesManyRequest request;
  v1::EvaluateMovesManyResponse response;
  *request.add_questions() = Good();
  {
    grpc::ClientContext context;
    EXPECT_TRUE(server.camel_up().EvaluateMovesMany(&context, request, &response).ok());
  }
  for (int i = 0; i < 3; ++i) *request.add_questions() = Good();
  grpc::ClientContext context;
  const grpc::Status status = server.camel_up().EvaluateMovesMany(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationsOf(status), ElementsAre(HasSubstr("max-reply-bytes, 4096")));
  EXPECT_EQ(server.Statistics("camel_up").requests(), 1u);
}

TEST_F(MovesServiceTest, RaceCardsNeedTheRaceTable) {
  v1::EvaluateMovesRequest request = Good();
  request.add_hand(v1::CAMEL_BLUE);
  v1::EvaluateMovesResponse response;
  EXPECT_EQ(Ask(request, response).error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  v1::EvaluateMovesManyRequest many;
  *many.add_questions() = request;
  *many.add_questions() = Good();
  v1::EvaluateMovesManyResponse responses;
  ASSERT_TRUE(Ask(many, responses).ok());
  EXPECT_EQ(responses.results(0).error().code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_TRUE(responses.results(1).has_moves());
}

TEST_F(MovesServiceTest, RaceCardsWithTheRaceTable) {
  const auto table =
      backend_->SolveRaceTable(camel_up::Edition::kFirst, 2, [](const auto&) { return true; });
  ASSERT_TRUE(table.has_value());
  ASSERT_TRUE(backend_->UseRaceTable(*table, TableMemory::kHost).has_value());
  const camel_up::MovesQuestion question =
      ToQuestion({.position = {1, {{3, "BG"}, {4, "O"}, {6, "YW"}}, {{8, -1}}, "BOW"},
                  .owners = {{8, 'a'}},
                  .held = {{'W', 5}},
                  .hand = "BW",
                  .winners = "?Y!?",
                  .losers = "O?G!"});
  InProcessServer server;  // solves the first edition's table before it is ready
  v1::EvaluateMovesResponse response;
  grpc::ClientContext context;
  const grpc::Status status =
      server.camel_up().EvaluateMoves(&context, ToProto(question), &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ExpectSame(response, Expected(question), question);
}

}  // namespace
}  // namespace gpusim::testing
