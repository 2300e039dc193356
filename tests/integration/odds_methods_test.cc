// GetOdds by both methods, its values, and the cache, through a running server.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/odds_request.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const std::vector<v1::Output> kLegOutputs{v1::OUTPUT_LEG_RANKS, v1::OUTPUT_LEG_PAIRS,
                                          v1::OUTPUT_LANDINGS, v1::OUTPUT_LEG_VALUES};

grpc::Status GetOdds(InProcessServer& server, const v1::GetOddsRequest& request,
                     v1::GetOddsResponse& response) {
  grpc::ClientContext context;
  return server.camel_up().GetOdds(&context, request, &response);
}

v1::GetOddsResponse Answer(InProcessServer& server, const v1::GetOddsRequest& request) {
  v1::GetOddsResponse response;
  const grpc::Status status = GetOdds(server, request, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

v1::CacheStatistics CacheOf(InProcessServer& server) {
  grpc::ClientContext context;
  v1::GetStatisticsResponse response;
  EXPECT_TRUE(server.server_service().GetStatistics(&context, {}, &response).ok());
  return response.cache();
}

reference::Position Crowded() {
  return {.edition = 2,
          .stacks = {{7, "rb"}, {8, "gwy"}, {9, "p"}, {12, "k"}},
          .tiles = {{10, 1}, {13, -1}},
          .dice = "rbgyp*"};
}

TEST(OddsValuesTest, FollowFromTheIntegersOfTheTruths) {
  InProcessServer server;
  for (const LegTruth& truth : LoadLegTruths()) {
    SCOPED_TRACE(truth.name);
    const v1::GetOddsResponse response = Answer(server, Ask(truth.position, kLegOutputs));
    const auto total = static_cast<double>(truth.odds.total_weight);
    const std::string letters = truth.position.edition == 1 ? "BGOYW" : "rbgyp";
    ASSERT_EQ(response.camels_size(), 5);
    for (int camel = 0; camel < 5; ++camel) {
      const auto& weights = truth.odds.rank_weight.at(letters[static_cast<std::size_t>(camel)]);
      const v1::CamelOdds& odds = response.camels(camel);
      for (int place = 0; place < 5; ++place)
        ASSERT_EQ(odds.ranks(place).value(),
                  static_cast<double>(weights[static_cast<std::size_t>(place)]) / total);
      ASSERT_EQ(odds.tickets_size(), 3);
      for (const v1::TicketValue& ticket : odds.tickets()) {
        std::int64_t coins = 0;
        for (std::size_t place = 0; place < 5; ++place) {
          const std::int64_t paid = place == 0 ? std::int64_t{ticket.face()} : place == 1 ? 1 : -1;
          coins += static_cast<std::int64_t>(weights[place]) * paid;
        }
        ASSERT_EQ(ticket.value_weight(), coins);
        ASSERT_EQ(ticket.value(), static_cast<double>(coins) / total);
      }
    }
    for (const v1::TileLandings& landings : response.landings())
      ASSERT_EQ(landings.expected().value(), landings.landing_weight() / total);
    ASSERT_EQ(response.race_ends().value(),
              static_cast<double>(truth.odds.race_ends_weight) / total);
  }
}

// Every estimate of a simulated answer with the exact figure.
class Closeness {
 public:
  void Check(const v1::Estimate& estimate, double exact) {
    Check(estimate.value(), estimate.standard_error(), exact);
  }
  void Check(double value, double error, double exact) {
    ++figures_;
    if (error == 0) {
      EXPECT_EQ(value, exact);
    } else {
      EXPECT_LT(std::abs(value - exact), 5 * error);
      beyond_one_ += std::abs(value - exact) > error;
    }
    with_error_ += error > 0;
  }
  // A third of the figures are expected beyond one standard error; far fewer would mean that it is too large.
  void ExpectHonestErrors() const {
    EXPECT_GT(beyond_one_, with_error_ / 8) << figures_ << " figures";
    EXPECT_LT(beyond_one_, with_error_ * 2 / 3);
  }

 private:
  int figures_ = 0;
  int with_error_ = 0;
  int beyond_one_ = 0;
};

TEST(MonteCarloTest, EveryFigureIsWithinItsStandardErrorOfTheExactOne) {
  InProcessServer server;
  Closeness closeness;
  reference::Position late = Crowded();
  late.stacks = {{13, "rb"}, {14, "gwy"}, {15, "p"}, {16, "k"}};
  late.tiles = {{12, 1}};
  late.dice = "rgp*";
  const reference::Position first{.edition = 1,
                                  .stacks = {{1, "BGO"}, {2, "Y"}, {3, "W"}},
                                  .tiles = {{4, 1}, {6, -1}},
                                  .dice = "BGOYW"};
  for (const reference::Position& position : {first, Crowded(), late}) {
    SCOPED_TRACE(Describe(position));
    v1::GetOddsRequest request = Ask(position, kLegOutputs);
    const v1::GetOddsResponse exact = Answer(server, request);
    request.mutable_monte_carlo()->set_simulations(100'000);
    request.mutable_monte_carlo()->mutable_stream()->set_seed(42);
    const v1::GetOddsResponse simulated = Answer(server, request);
    EXPECT_EQ(simulated.simulations(), 100'000u);
    EXPECT_EQ(simulated.total_weight(), 0u);
    EXPECT_EQ(simulated.provenance().method(), v1::METHOD_MONTE_CARLO);
    closeness.Check(simulated.race_ends(), exact.race_ends().value());
    closeness.Check(simulated.race_ends_backward(), exact.race_ends_backward().value());
    ASSERT_EQ(simulated.camels_size(), 5);
    for (int camel = 0; camel < 5; ++camel) {
      std::uint64_t tallies = 0;
      for (int place = 0; place < 5; ++place) {
        closeness.Check(simulated.camels(camel).ranks(place),
                        exact.camels(camel).ranks(place).value());
        tallies += simulated.camels(camel).ranks(place).tally();
      }
      EXPECT_EQ(tallies, 100'000u);
      for (int face = 0; face < 3; ++face) {
        const v1::TicketValue& ticket = simulated.camels(camel).tickets(face);
        closeness.Check(ticket.value(), ticket.standard_error(),
                        exact.camels(camel).tickets(face).value());
      }
    }
    for (int pair = 0; pair < 20; ++pair)
      closeness.Check(simulated.pairs(pair).probability(), exact.pairs(pair).probability().value());
    ASSERT_EQ(simulated.landings_size(), static_cast<int>(position.tiles.size()));
    for (int tile = 0; tile < simulated.landings_size(); ++tile)
      closeness.Check(simulated.landings(tile).expected(), exact.landings(tile).expected().value());
  }
  closeness.ExpectHonestErrors();
}

TEST(MonteCarloTest, AnAnswerNamesItsStreamAndTheStreamGivesItAgain) {
  server::ServerOptions options = TestOptions();
  options.rng_seed = 77;
  InProcessServer server(options);
  for (const bool race : {false, true}) {
    v1::GetOddsRequest request = Ask(Crowded(), kLegOutputs);
    if (race) {
      request.add_outputs(v1::OUTPUT_RACE);
      request.add_outputs(v1::OUTPUT_RACE_JOINT);
    }
    const std::uint64_t rows = 2;  // 65,536 simulations are one
    request.mutable_monte_carlo()->set_simulations(70'000);
    const v1::GetOddsResponse unseeded = Answer(server, request);
    const v1::GetOddsResponse next = Answer(server, request);
    const v1::RandomStream& stream = unseeded.provenance().stream();
    EXPECT_EQ(stream.seed(), 77u);
    EXPECT_EQ(stream.stream_version(), 1u);
    // No two requests use the same words.
    EXPECT_EQ(next.provenance().stream().subsequence(), stream.subsequence());
    EXPECT_EQ(next.provenance().stream().offset(), stream.offset() + rows * (race ? 8 : 1));
    EXPECT_NE(next.camels(0).ranks(0).tally(), unseeded.camels(0).ranks(0).tally());
    EXPECT_FALSE(unseeded.provenance().cached());

    *request.mutable_monte_carlo()->mutable_stream() = stream;
    EXPECT_TRUE(MessageDifferencer::Equals(Answer(server, request), unseeded));
    if (race) {
      std::uint64_t wins = 0;
      std::uint64_t pairs = 0;
      for (const v1::CamelOdds& camel : unseeded.camels()) wins += camel.race_win_tally();
      for (const v1::RacePairOdds& pair : unseeded.race_pairs())
        pairs += pair.probability().tally();
      EXPECT_EQ(wins, 70'000u);
      EXPECT_EQ(pairs, 70'000u);
      EXPECT_GT(unseeded.expected_legs().value(), 1.0);
    }
  }
  grpc::ClientContext context;
  v1::GetInfoResponse info;
  ASSERT_TRUE(server.server_service().GetInfo(&context, {}, &info).ok());
  EXPECT_EQ(info.warm_stream().seed(), 77u);
  EXPECT_EQ(info.warm_stream().offset(), 2 * 2 + 2 * 2 * 8u);
}

TEST(MonteCarloTest, AllFaultsOfTheMethodAtOnce) {
  InProcessServer server;
  v1::GetOddsRequest request = Ask(Crowded(), {});
  request.mutable_monte_carlo()->set_simulations(1'000'000'001);
  v1::RandomStream& stream = *request.mutable_monte_carlo()->mutable_stream();
  stream.set_subsequence(std::uint64_t{1} << 48);
  stream.set_offset(std::uint64_t{1} << 56);
  stream.set_stream_version(2);
  v1::GetOddsResponse response;
  grpc::Status status = GetOdds(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationsOf(status),
              UnorderedElementsAre(HasSubstr("monte_carlo.simulations: '1000000001'"),
                                   HasSubstr("monte_carlo.stream.subsequence: '281474976710656'"),
                                   HasSubstr("monte_carlo.stream.offset: '72057594037927936'"),
                                   HasSubstr("monte_carlo.stream.stream_version: '2'")));

  // The last rows are there to be used, but not to be passed.
  request.mutable_monte_carlo()->set_simulations(65'537);
  stream.set_subsequence((std::uint64_t{1} << 48) - 1);
  stream.set_stream_version(0);
  stream.set_offset((std::uint64_t{1} << 56) - 2);
  EXPECT_EQ(Answer(server, request).provenance().stream().offset(), stream.offset());
  stream.set_offset((std::uint64_t{1} << 56) - 1);
  status = GetOdds(server, request, response);
  EXPECT_THAT(ViolationsOf(status), SizeIs(1));
  EXPECT_THAT(status.error_message(), HasSubstr("2 blocks"));

  request.mutable_monte_carlo()->set_simulations(0);
  status = GetOdds(server, request, response);
  EXPECT_THAT(status.error_message(), HasSubstr("monte_carlo.simulations '0': 1 to "));
}

TEST(PositionOwnersTest, AreOneLowerCaseLetterOrNone) {
  InProcessServer server;
  v1::GetOddsRequest request;
  request.mutable_position()->set_edition(v1::EDITION_FIRST);
  v1::Stack& stack = *request.mutable_position()->add_stacks();
  stack.set_space(1);
  for (const v1::Camel camel :
       {v1::CAMEL_BLUE, v1::CAMEL_GREEN, v1::CAMEL_ORANGE, v1::CAMEL_YELLOW, v1::CAMEL_WHITE})
    stack.add_camels(camel);
  v1::Tile& tile = *request.mutable_position()->add_tiles();
  tile.set_space(4);
  tile.set_effect(v1::TILE_EFFECT_OASIS);
  tile.set_owner("a");
  EXPECT_GT(Answer(server, request).total_weight(), 0u);
  for (const std::string owner : {"A", "ab", "1"}) {
    tile.set_owner(owner);
    v1::GetOddsResponse response;
    EXPECT_THAT(ViolationsOf(GetOdds(server, request, response)),
                UnorderedElementsAre(HasSubstr("position.tiles[0].owner: '" + owner + "'")));
  }
}

TEST(OddsCacheServiceTest, AnswersInOtherColoursWithoutTheDevice) {
  InProcessServer server;
  server::ServerOptions off = TestOptions();
  off.max_cache_bytes = 0;
  InProcessServer uncached(off);
  const v1::GetOddsResponse first = Answer(server, Ask(Crowded(), kLegOutputs));
  EXPECT_FALSE(first.provenance().cached());
  const std::uint64_t requests = server.Statistics("camel_up").requests();

  v1::GetOddsResponse again = Answer(server, Ask(Crowded(), kLegOutputs));
  EXPECT_TRUE(again.provenance().cached());
  again.mutable_provenance()->clear_cached();
  EXPECT_TRUE(MessageDifferencer::Equals(again, first));

  reference::Position recoloured = Crowded();
  recoloured.stacks = {{7, "pg"}, {8, "rkb"}, {9, "y"}, {12, "w"}};
  v1::GetOddsResponse other = Answer(server, Ask(recoloured, kLegOutputs));
  EXPECT_TRUE(other.provenance().cached());
  other.mutable_provenance()->clear_cached();
  const v1::GetOddsResponse worked_out = Answer(uncached, Ask(recoloured, kLegOutputs));
  EXPECT_TRUE(MessageDifferencer::Equals(other, worked_out));
  EXPECT_FALSE(Answer(uncached, Ask(recoloured, kLegOutputs)).provenance().cached());

  EXPECT_EQ(server.Statistics("camel_up").requests(), requests) << "a hit asks no scheduler";
  const v1::CacheStatistics cache = CacheOf(server);
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 1u);
  EXPECT_EQ(cache.entries(), 1u);
  EXPECT_EQ(cache.max_bytes(), TestOptions().max_cache_bytes);
  EXPECT_GT(cache.bytes(), 0u);
  EXPECT_EQ(CacheOf(uncached).misses(), 0u);
  EXPECT_EQ(CacheOf(uncached).max_bytes(), 0u);

  grpc::ClientContext context;
  v1::GetInfoResponse info;
  ASSERT_TRUE(server.server_service().GetInfo(&context, {}, &info).ok());
  for (const v1::Limit& limit : info.limits()) {
    if (limit.flag() == "max-cache-bytes") {
      EXPECT_EQ(limit.used(), cache.bytes());
    }
  }
}

// Races from the start of a leg, no tiles: the numbers of tests/data, which belong to ranks.
TEST(RaceTest, FirstEditionTruths) {
  InProcessServer server(RaceOptions());
  ASSERT_EQ(server.info().race_tables(0).state(), v1::RACE_TABLE_STATE_READY);
  std::ifstream file(TestData() + "/camel_up/race_first_edition.csv");
  std::string line;
  std::getline(file, line);  // names of the columns
  int rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    // Rank 0, the rearmost, is blue.
    reference::Position position{.edition = 1, .stacks = {}, .tiles = {}, .dice = "BGOYW"};
    int space = 0;
    for (const char camel : position.dice) {
      numbers >> space;
      position.stacks[space] += camel;
    }
    SCOPED_TRACE(Describe(position));
    const v1::GetOddsResponse response =
        Answer(server, Ask(position, {v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT}));
    double expected = 0;
    for (int camel = 0; camel < 5; ++camel) {
      numbers >> expected;
      EXPECT_NEAR(response.camels(camel).race_win(), expected, 1e-10);
    }
    for (int camel = 0; camel < 5; ++camel) {
      numbers >> expected;
      EXPECT_NEAR(response.camels(camel).race_last(), expected, 1e-10);
    }
    numbers >> expected;
    EXPECT_NEAR(response.expected_legs().value(), expected, 1e-9);
    double sum = 0;
    for (const v1::RacePairOdds& pair : response.race_pairs()) sum += pair.probability().value();
    EXPECT_NEAR(sum, 1, 1e-10);
  }
  EXPECT_GT(rows, 100);
}

// In the middle of a leg, with tiles. The second edition's table is solved at the start on a GPU alone.
TEST(RaceTest, SecondEditionTruthsOfTheMiddleOfALeg) {
  InProcessServer server(RaceOptions());
  if (server.info().backend() != v1::BACKEND_CUDA) {
    EXPECT_NE(server.info().race_tables(1).state(), v1::RACE_TABLE_STATE_READY);
    return;
  }
  ASSERT_EQ(server.info().race_tables(1).state(), v1::RACE_TABLE_STATE_READY);
  std::ifstream file(TestData() + "/camel_up/race_second_edition_mid_leg.json");
  for (const auto& truth : nlohmann::json::parse(file)) {
    reference::Position position{.edition = 2, .stacks = {}, .tiles = {}, .dice = truth.at("dice")};
    for (const auto& [space, camels] : truth.at("stacks").items())
      position.stacks[std::stoi(space)] = camels;
    for (const auto& [space, effect] : truth.at("tiles").items())
      position.tiles[std::stoi(space)] = effect;
    SCOPED_TRACE(truth.at("name"));
    const v1::GetOddsResponse response =
        Answer(server, Ask(position, {v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT}));
    const std::string letters = "rbgyp";
    int pair = 0;
    for (std::size_t camel = 0; camel < 5; ++camel) {
      const std::string name(1, letters[camel]);
      const v1::CamelOdds& odds = response.camels(static_cast<int>(camel));
      EXPECT_NEAR(odds.race_win(), truth.at("race_win").at(name), 1e-10);
      EXPECT_NEAR(odds.race_last(), truth.at("race_last").at(name), 1e-10);
      for (std::size_t last = 0; last < 5; ++last) {
        if (last == camel) continue;
        EXPECT_NEAR(response.race_pairs(pair++).probability().value(),
                    truth.at("race_joint").at(name + letters[last]), 1e-10);
      }
    }
    EXPECT_NEAR(response.expected_legs().value(), truth.at("expected_legs"), 1e-9);
  }
}

TEST(RaceTest, SimulatedRacesAgreeWithTheTableAndTheCacheKeepsThem) {
  InProcessServer server(RaceOptions());
  reference::Position position{
      .edition = 1, .stacks = {{3, "BG"}, {5, "OY"}, {6, "W"}}, .tiles = {{8, -1}}, .dice = "BOW"};
  v1::GetOddsRequest request = Ask(position, {v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT});
  const v1::GetOddsResponse exact = Answer(server, request);
  EXPECT_FALSE(exact.provenance().cached());
  EXPECT_TRUE(Answer(server, request).provenance().cached());
  EXPECT_FALSE(Answer(server, Ask(position, {})).provenance().cached()) << "a leg is another scope";

  request.mutable_monte_carlo()->set_simulations(50'000);
  request.mutable_monte_carlo()->mutable_stream()->set_seed(5);
  const v1::GetOddsResponse simulated = Answer(server, request);
  Closeness closeness;
  for (int camel = 0; camel < 5; ++camel) {
    const v1::CamelOdds& odds = simulated.camels(camel);
    closeness.Check(odds.race_win(), odds.race_win_standard_error(),
                    exact.camels(camel).race_win());
    closeness.Check(odds.race_last(), odds.race_last_standard_error(),
                    exact.camels(camel).race_last());
  }
  for (int pair = 0; pair < 20; ++pair)
    closeness.Check(simulated.race_pairs(pair).probability(),
                    exact.race_pairs(pair).probability().value());
  closeness.Check(simulated.expected_legs(), exact.expected_legs().value());
  closeness.ExpectHonestErrors();
}

TEST(RaceTableTest, WithoutOneARaceIsRefusedAndALegIsNot) {
  InProcessServer server;
  v1::GetOddsResponse response;
  for (const v1::Output output : {v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT}) {
    const grpc::Status status = GetOdds(server, Ask(Crowded(), {output}), response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(), HasSubstr("the race table of the second edition"));
  }
  Answer(server, Ask(Crowded(), kLegOutputs));
  ASSERT_EQ(server.info().race_tables_size(), 2);
  EXPECT_EQ(server.info().race_tables(1).edition(), 2u);
  EXPECT_EQ(server.info().race_tables(1).state(), v1::RACE_TABLE_STATE_OFF);
}

}  // namespace
}  // namespace gpusim::testing
