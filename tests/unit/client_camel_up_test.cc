// Camel Up through the client library against a server in this process: questions and answers of
// the calls for one position or one table.
#include <atomic>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gtest/gtest.h>

#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::SizeIs;

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

TEST(ClientOdds, AsksForMonteCarloAndReadsErrorsTalliesAndTheStream) {
  v1::GetOddsRequest seen;
  FakeServer server({.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest& request,
                                     v1::GetOddsResponse& response) {
    seen = request;
    response.set_simulations(1000);
    v1::CamelOdds& camel = *response.add_camels();
    v1::Estimate& rank = *camel.add_ranks();
    rank.set_value(0.25);
    rank.set_standard_error(0.01);
    rank.set_tally(250);
    v1::TicketValue& ticket = *camel.add_tickets();
    ticket.set_face(5);
    ticket.set_value(1.5);
    ticket.set_standard_error(0.02);
    camel.set_race_win(0.5);
    camel.set_race_win_standard_error(0.03);
    camel.set_race_win_tally(500);
    camel.set_race_last(0.125);
    response.mutable_expected_legs()->set_value(4.5);
    response.mutable_race_ends()->set_tally(7);
    v1::RacePairOdds& pair = *response.add_race_pairs();
    pair.set_winner(v1::CAMEL_RED);
    pair.set_last(v1::CAMEL_BLUE);
    pair.mutable_probability()->set_value(0.0625);
    v1::Provenance& provenance = *response.mutable_provenance();
    provenance.set_method(v1::METHOD_MONTE_CARLO);
    provenance.mutable_stream()->set_seed(7);
    provenance.mutable_stream()->set_stream_version(1);
    provenance.set_cached(true);
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto odds = client.GetOdds(
      {.position = PositionText{.edition = Edition::kSecond, .stacks = "1:rbgypwk"},
       .outputs = {OddsOutput::kLegValues, OddsOutput::kRace, OddsOutput::kRaceJoint},
       .monte_carlo = MonteCarlo{.simulations = 1000, .stream = RandomStream{.seed = 7}}});
  ASSERT_TRUE(odds) << odds.error().message;
  EXPECT_EQ(seen.ShortDebugString(),
            "position { edition: EDITION_SECOND text { stacks: \"1:rbgypwk\" } } outputs: "
            "OUTPUT_LEG_VALUES outputs: OUTPUT_RACE outputs: OUTPUT_RACE_JOINT monte_carlo { "
            "simulations: 1000 stream { seed: 7 } }");
  EXPECT_EQ(odds->simulations, 1000u);
  ASSERT_THAT(odds->camels, SizeIs(1));
  const CamelOdds& camel = odds->camels[0];
  ASSERT_THAT(camel.ranks, SizeIs(1));
  EXPECT_EQ(camel.ranks[0].value, 0.25);
  EXPECT_EQ(camel.ranks[0].standard_error, 0.01);
  EXPECT_EQ(camel.ranks[0].tally, 250u);
  ASSERT_THAT(camel.tickets, SizeIs(1));
  EXPECT_EQ(camel.tickets[0].value, 1.5);
  EXPECT_EQ(camel.tickets[0].standard_error, 0.02);
  EXPECT_EQ(camel.race_win->value, 0.5);
  EXPECT_EQ(camel.race_win->standard_error, 0.03);
  EXPECT_EQ(camel.race_win->tally, 500u);
  EXPECT_EQ(camel.race_last->value, 0.125);
  EXPECT_EQ(camel.race_last->standard_error, std::nullopt);
  EXPECT_EQ(odds->expected_legs->value, 4.5);
  EXPECT_EQ(odds->race_ends.tally, 7u);
  ASSERT_THAT(odds->race_pairs, SizeIs(1));
  EXPECT_EQ(odds->race_pairs[0].last, Camel::kBlue);
  EXPECT_EQ(odds->race_pairs[0].probability.value, 0.0625);
  EXPECT_EQ(odds->provenance.method, AnswerMethod::kMonteCarlo);
  EXPECT_EQ(odds->provenance.stream, (RandomStream{.seed = 7, .stream_version = 1}));
  EXPECT_TRUE(odds->provenance.cached);
}

TEST(ClientOdds, WhatWasNotAskedForIsAbsent) {
  FakeServer server(
      {.get_odds = [](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse& reply) {
        reply.add_camels();
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  const auto odds = client.GetOdds({});
  ASSERT_TRUE(odds);
  EXPECT_FALSE(odds->camels.at(0).race_win);
  EXPECT_FALSE(odds->camels.at(0).race_last);
  EXPECT_FALSE(odds->expected_legs);
  EXPECT_FALSE(odds->provenance.stream);
}

// A table that the server solves in the background is there after a while.
TEST(ClientOdds, WaitsForARaceTable) {
  std::atomic<int> calls{0};
  // gRPC itself sends the call five times, and knows nothing of the time that the server names.
  FakeServer server(
      {.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse&) {
        return calls++ < 2 ? testing::TableBeingSolved(milliseconds(5)) : grpc::Status::OK;
      }});
  Client client = Connect(server, {.max_attempts = 1});
  EXPECT_TRUE(client.GetOdds({}));
  EXPECT_EQ(calls, 3);
}

TEST(ClientOdds, ARaceTableThatTakesTooLongIsToldAtOnce) {
  FakeServer server(
      {.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse&) {
        return testing::TableBeingSolved(std::chrono::minutes(4));
      }});
  Client client = Connect(server, {.max_attempts = 1});
  const auto odds = client.GetOdds({});
  ASSERT_FALSE(odds);
  EXPECT_EQ(odds.error().code, StatusCode::kUnavailable);
  EXPECT_EQ(odds.error().retry_after, std::chrono::minutes(4));
}

MovesRequest AQuestion() {
  return {.position =
              PositionText{
                  .edition = Edition::kSecond, .stacks = "1:rb 2:gy 3:p 14:w 16:k", .tiles = "6+a"},
          .me = "a",
          .coins = 7,
          .tickets = {{Camel::kBlue, 5}},
          .held_tickets = {{Camel::kYellow, 5}},
          .hand = {Camel::kGreen},
          .winner_cards = {{.camel = Camel::kBlue, .mine = true}, {}},
          .loser_cards = {{.camel = Camel::kRed}},
          .no_tile = true,
          .allow_flip = true,
          .coin_floor = true};
}

void FillMoves(v1::EvaluateMovesResponse& response) {
  v1::MoveValue& ticket = *response.add_moves();
  ticket.mutable_take_ticket()->set_camel(v1::CAMEL_BLUE);
  ticket.mutable_take_ticket()->set_face(5);
  ticket.set_value(1.25);
  ticket.set_expected(3.5);
  ticket.set_lower(1.0);
  ticket.set_upper(1.5);
  response.add_moves()->mutable_place_card()->set_winner(true);
  response.add_moves()->mutable_roll();
  v1::Tile& tile = *response.add_moves()->mutable_place_tile();
  tile.set_space(9);
  tile.set_effect(v1::TILE_EFFECT_MIRAGE);
  response.add_moves();  // an action of a newer server
  response.set_baseline(2.25);
}

TEST(ClientMoves, SendsTheWholeViewAndReadsEveryKindOfAction) {
  v1::EvaluateMovesRequest seen;
  FakeServer server(
      {.evaluate_moves = [&](grpc::ServerContext&, const v1::EvaluateMovesRequest& request,
                             v1::EvaluateMovesResponse& response) {
        seen = request;
        FillMoves(response);
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  for (const bool async : {false, true}) {
    const auto moves =
        async ? client.EvaluateMovesFuture(AQuestion()).get() : client.EvaluateMoves(AQuestion());
    ASSERT_TRUE(moves) << moves.error().message;
    EXPECT_EQ(seen.ShortDebugString(),
              "position { edition: EDITION_SECOND text { stacks: \"1:rb 2:gy 3:p 14:w 16:k\" "
              "tiles: \"6+a\" } } me: \"a\" coins: 7 tickets { camel: CAMEL_BLUE face: 5 } "
              "held_tickets { camel: CAMEL_YELLOW face: 5 } hand: CAMEL_GREEN winner_cards { "
              "camel: CAMEL_BLUE mine: true } winner_cards { } loser_cards { camel: CAMEL_RED } "
              "no_tile: true allow_flip: true coin_floor: true");
    EXPECT_EQ(moves->baseline, 2.25);
    ASSERT_THAT(moves->moves, SizeIs(5));
    EXPECT_EQ(std::get<LegTicket>(moves->moves[0].action).camel, Camel::kBlue);
    EXPECT_EQ(moves->moves[0].value, 1.25);
    EXPECT_EQ(moves->moves[0].expected, 3.5);
    EXPECT_EQ(moves->moves[0].lower, 1.0);
    EXPECT_EQ(moves->moves[0].upper, 1.5);
    EXPECT_TRUE(std::get<PlaceRaceCard>(moves->moves[1].action).winner);
    EXPECT_TRUE(std::holds_alternative<RollDie>(moves->moves[2].action));
    EXPECT_EQ(std::get<Tile>(moves->moves[3].action).effect, TileEffect::kMirage);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(moves->moves[4].action));
  }
}

TEST(ClientMoves, ManyQuestionsFailOneByOne) {
  FakeServer server(
      {.evaluate_moves_many = [&](grpc::ServerContext&, const v1::EvaluateMovesManyRequest& request,
                                  v1::EvaluateMovesManyResponse& response) {
        EXPECT_EQ(request.questions_size(), 2);
        FillMoves(*response.add_results()->mutable_moves());
        response.add_results()->mutable_error()->ParseFromString(
            testing::BadFields("bad", {{"questions[1].me", "'AB': one letter"}}).error_details());
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  const auto results = client.EvaluateMovesMany({AQuestion(), AQuestion()});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_THAT(*results, SizeIs(2));
  EXPECT_EQ((*results)[0]->baseline, 2.25);
  ASSERT_FALSE((*results)[1]);
  EXPECT_EQ((*results)[1].error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT((*results)[1].error().violations,
              ElementsAre(FieldViolation{"questions[1].me", "'AB': one letter"}));
}

// Such texts stand deep in lists.
TEST(ClientMoves, TextThatIsNotUtf8IsNamed) {
  FakeServer server(testing::FakeHandlers{});
  Client client = Connect(server);
  MovesRequest bad = AQuestion();
  bad.position = Position{.stacks = {}, .tiles = {{}, {.space = 3, .owner = "\xff"}}, .dice = {}};
  const auto results = client.EvaluateMovesMany({AQuestion(), bad});
  ASSERT_FALSE(results);
  ASSERT_THAT(results.error().violations, SizeIs(1));
  EXPECT_EQ(results.error().violations[0].field, "questions[1].position.tiles[1].owner");
}

TEST(ClientServerInfo, ReadsRaceTablesTheWarmStreamAndTheCache) {
  FakeServer server(
      {.get_info =
           [](grpc::ServerContext&, const v1::GetInfoRequest&, v1::GetInfoResponse& response) {
             v1::RaceTable& table = *response.add_race_tables();
             table.set_edition(2);
             table.set_state(v1::RACE_TABLE_STATE_SOLVING);
             table.set_progress(0.5);
             table.set_remaining_ms(1500);
             table.set_memory(v1::TABLE_MEMORY_DEVICE);
             table.set_reason("because");
             response.mutable_warm_stream()->set_offset(64);
             return grpc::Status::OK;
           },
       .get_statistics =
           [](grpc::ServerContext&, const v1::GetStatisticsRequest&,
              v1::GetStatisticsResponse& response) {
             response.mutable_cache()->set_hits(3);
             response.mutable_cache()->set_max_bytes(5);
             return grpc::Status::OK;
           }});
  Client client = Connect(server);
  const auto info = client.GetInfo();
  ASSERT_TRUE(info);
  const RaceTable& table = info->race_tables.at(0);
  EXPECT_EQ(table.edition, 2u);
  EXPECT_EQ(table.state, RaceTableState::kSolving);
  EXPECT_EQ(table.progress, 0.5);
  EXPECT_EQ(table.remaining, milliseconds(1500));
  EXPECT_EQ(table.memory, TableMemory::kDevice);
  EXPECT_EQ(table.reason, "because");
  EXPECT_EQ(info->warm_stream->offset, 64u);
  const auto statistics = client.GetStatistics();
  EXPECT_EQ(statistics->cache.hits, 3u);
  EXPECT_EQ(statistics->cache.max_bytes, 5u);
}

}  // namespace
}  // namespace gpusim
