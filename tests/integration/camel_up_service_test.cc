// CamelUpService through a running server: the truths, bad positions, and many calls at once.
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

using OddsCall = PendingCall<v1::GetOddsRequest, v1::GetOddsResponse>;

const std::map<char, v1::Camel>& CamelsByLetter(int edition) {
  static const std::map<char, v1::Camel> first{{'B', v1::CAMEL_BLUE},
                                               {'G', v1::CAMEL_GREEN},
                                               {'O', v1::CAMEL_ORANGE},
                                               {'Y', v1::CAMEL_YELLOW},
                                               {'W', v1::CAMEL_WHITE}};
  static const std::map<char, v1::Camel> second{
      {'r', v1::CAMEL_RED},         {'b', v1::CAMEL_BLUE},   {'g', v1::CAMEL_GREEN},
      {'y', v1::CAMEL_YELLOW},      {'p', v1::CAMEL_PURPLE}, {'w', v1::CAMEL_CRAZY_WHITE},
      {'k', v1::CAMEL_CRAZY_BLACK},
  };
  return edition == 1 ? first : second;
}

v1::Die DieOf(int edition, char letter) {
  if (letter == '*') return v1::DIE_GREY;
  v1::Die die{};
  const std::string name = v1::Camel_Name(CamelsByLetter(edition).at(letter));
  EXPECT_TRUE(v1::Die_Parse("DIE_" + name.substr(std::string("CAMEL_").size()), &die)) << name;
  return die;
}

v1::Position StructuredPosition(const reference::Position& position) {
  v1::Position message;
  message.set_edition(position.edition == 1 ? v1::EDITION_FIRST : v1::EDITION_SECOND);
  for (const auto& [space, camels] : position.stacks) {
    v1::Stack& stack = *message.add_stacks();
    stack.set_space(static_cast<std::uint32_t>(space));
    for (const char letter : camels) stack.add_camels(CamelsByLetter(position.edition).at(letter));
  }
  for (const auto& [space, effect] : position.tiles) {
    v1::Tile& tile = *message.add_tiles();
    tile.set_space(static_cast<std::uint32_t>(space));
    tile.set_effect(effect > 0 ? v1::TILE_EFFECT_OASIS : v1::TILE_EFFECT_MIRAGE);
  }
  for (const char letter : position.dice) message.add_dice(DieOf(position.edition, letter));
  return message;
}

v1::Position TextPosition(const reference::Position& position) {
  v1::Position message;
  message.set_edition(position.edition == 1 ? v1::EDITION_FIRST : v1::EDITION_SECOND);
  message.mutable_text()->set_stacks(StacksText(position));
  message.mutable_text()->set_tiles(TilesText(position));
  message.mutable_text()->set_dice(position.dice);
  return message;
}

v1::GetOddsRequest AskForAll(v1::Position position) {
  v1::GetOddsRequest request;
  *request.mutable_position() = std::move(position);
  request.add_outputs(v1::OUTPUT_LEG_RANKS);
  request.add_outputs(v1::OUTPUT_LEG_PAIRS);
  request.add_outputs(v1::OUTPUT_LANDINGS);
  return request;
}

char LetterOf(int edition, v1::Camel camel) {
  for (const auto& [letter, number] : CamelsByLetter(edition)) {
    if (number == camel) return letter;
  }
  return '?';
}

reference::LegOdds ToOdds(int edition, const v1::GetOddsResponse& response) {
  reference::LegOdds odds;
  odds.total_weight = response.total_weight();
  odds.race_ends_weight = response.race_ends_weight();
  odds.race_ends_backward_weight = response.race_ends_backward_weight();
  for (const v1::CamelOdds& camel : response.camels()) {
    EXPECT_EQ(camel.rank_weight_size(), 5);
    std::copy(camel.rank_weight().begin(), camel.rank_weight().end(),
              odds.rank_weight[LetterOf(edition, camel.camel())].begin());
  }
  for (const v1::PairOdds& pair : response.pairs())
    odds.pair_weight[{LetterOf(edition, pair.first()), LetterOf(edition, pair.second())}] =
        pair.weight();
  for (const v1::TileLandings& landings : response.landings())
    odds.landing_weight[static_cast<int>(landings.space())] = landings.landing_weight();
  return odds;
}

grpc::Status GetOdds(InProcessServer& server, const v1::GetOddsRequest& request,
                     v1::GetOddsResponse& response) {
  grpc::ClientContext context;
  return server.camel_up().GetOdds(&context, request, &response);
}

grpc::Status Refusal(InProcessServer& server, const v1::Position& position) {
  v1::GetOddsResponse response;
  grpc::Status status = GetOdds(server, AskForAll(position), response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
  return status;
}

v1::Position LegalFirst() {
  return StructuredPosition({.edition = 1,
                             .stacks = {{1, "BGO"}, {2, "Y"}, {3, "W"}},
                             .tiles = {{6, 1}},
                             .dice = "BGOYW"});
}

TEST(CamelUpServiceTest, TruthsStructuredAndAsText) {
  InProcessServer server;
  for (const LegTruth& truth : LoadLegTruths()) {
    for (const bool as_text : {false, true}) {
      v1::GetOddsResponse response;
      const auto request =
          AskForAll(as_text ? TextPosition(truth.position) : StructuredPosition(truth.position));
      const grpc::Status status = GetOdds(server, request, response);
      ASSERT_TRUE(status.ok()) << truth.name << ": " << status.error_message();
      ExpectSameOdds(ToOdds(truth.position.edition, response), truth.odds, /*with_pairs=*/false,
                     truth.name);
      EXPECT_EQ(response.pairs_size(), 20);
      EXPECT_EQ(response.provenance().backend(), server.info().backend());
      EXPECT_EQ(response.provenance().method(), v1::METHOD_EXACT);
      EXPECT_EQ(response.provenance().device(), server.info().devices(0).name());
    }
  }
}

TEST(CamelUpServiceTest, CamelsComeInTheOrderOfTheLettersAndOutputsAsAsked) {
  InProcessServer server;
  v1::GetOddsRequest request;
  request.mutable_position()->set_edition(v1::EDITION_SECOND);
  request.mutable_position()->mutable_text()->set_stacks("1:rb 2:gy 3:p 14:w 16:k");
  v1::GetOddsResponse response;
  ASSERT_TRUE(GetOdds(server, request, response).ok());
  std::string letters;
  for (const v1::CamelOdds& camel : response.camels()) letters += LetterOf(2, camel.camel());
  EXPECT_EQ(letters, "rbgyp");
  EXPECT_EQ(response.total_weight(), 5'598'720u);
  EXPECT_EQ(response.pairs_size(), 0);
  EXPECT_EQ(response.landings_size(), 0);

  request.add_outputs(v1::OUTPUT_LEG_PAIRS);
  ASSERT_TRUE(GetOdds(server, request, response).ok());
  EXPECT_EQ(response.camels_size(), 0);
  EXPECT_EQ(response.pairs_size(), 20);
}

TEST(CamelUpServiceTest, EmptyDiceAreAllOfTheEdition) {
  InProcessServer server;
  v1::GetOddsRequest request = AskForAll(LegalFirst());
  request.mutable_position()->clear_dice();
  v1::GetOddsResponse response;
  ASSERT_TRUE(GetOdds(server, request, response).ok());
  EXPECT_EQ(response.total_weight(), 29'160u);
}

TEST(CamelUpServiceTest, AllFaultsOfAPositionAtOnce) {
  InProcessServer server;
  v1::Position position = LegalFirst();
  position.mutable_stacks(0)->set_space(17);
  position.mutable_stacks(1)->set_camels(0, v1::CAMEL_PURPLE);
  position.mutable_tiles(0)->set_effect(v1::TILE_EFFECT_UNSPECIFIED);
  position.set_dice(4, v1::DIE_BLUE);
  position.add_dice(static_cast<v1::Die>(77));
  const grpc::Status status = Refusal(server, position);
  EXPECT_THAT(
      ViolationsOf(status),
      IsSupersetOf({HasSubstr("position.stacks[0].space: '17'"),
                    HasSubstr("position.stacks[1].camels[0]: 'CAMEL_PURPLE'"),
                    HasSubstr("position.stacks: 'Y'"),
                    HasSubstr("position.tiles[0].effect: 'TILE_EFFECT_UNSPECIFIED'"),
                    HasSubstr("position.dice[4]: 'B'"), HasSubstr("position.dice[5]: '77'")}));
  EXPECT_THAT(ViolationsOf(status), SizeIs(6));
  EXPECT_THAT(status.error_message(), HasSubstr("(and 5 more)"));
}

TEST(CamelUpServiceTest, BadRequestsNameFieldValueAndRule) {
  InProcessServer server;
  v1::Position no_edition = LegalFirst();
  no_edition.clear_edition();
  EXPECT_THAT(
      ViolationsOf(Refusal(server, no_edition)),
      ElementsAre("position.edition: 'EDITION_UNSPECIFIED': EDITION_FIRST or EDITION_SECOND"));

  v1::Position both = LegalFirst();
  both.mutable_text()->set_stacks("1:BGOYW");
  EXPECT_THAT(ViolationsOf(Refusal(server, both)),
              ElementsAre(HasSubstr("position.text: '1:BGOYW'")));

  v1::Position huge = LegalFirst();
  for (int i = 0; i < 100'000; ++i) huge.add_tiles()->set_space(40);
  EXPECT_THAT(ViolationsOf(Refusal(server, huge)),
              ElementsAre(HasSubstr("position.tiles: '100001 entries'")));

  v1::Position text;
  text.set_edition(v1::EDITION_FIRST);
  text.mutable_text()->set_stacks("1:BGOY\n17:W");
  EXPECT_THAT(ViolationsOf(Refusal(server, text)),
              ElementsAre(HasSubstr("position.text.stacks[1].space: '17'")));

  v1::GetOddsRequest outputs = AskForAll(LegalFirst());
  outputs.add_outputs(static_cast<v1::Output>(99));
  v1::GetOddsResponse response;
  const grpc::Status status = GetOdds(server, outputs, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationsOf(status), ElementsAre(HasSubstr("outputs[3]: '99'")));
}

TEST(CamelUpServiceTest, AtMost32FaultsTravelAndTrailersStaySmall) {
  InProcessServer server;
  v1::Position position = LegalFirst();
  while (position.tiles_size() < 32) {
    position.add_tiles()->set_space(4'000'000'000u);
  }
  for (int i = 0; i < 20; ++i) position.add_dice(v1::DIE_BLUE);
  const grpc::Status status = Refusal(server, position);
  EXPECT_THAT(ViolationsOf(status), SizeIs(32));
  EXPECT_LT(status.error_details().size() * 4 / 3 + status.error_message().size(), 8192u);
}

// The point of the scheduler: what comes while the device is busy goes to it together.
TEST(CamelUpServiceTest, ManyCallsAtOnceAreAnsweredRightInFewBatches) {
  constexpr std::size_t kCalls = 1000;
  DeviceGate gate;
  InProcessServer server(TestOptions(), MakeHeldBackend(gate));
  const std::vector<LegTruth> truths = LoadLegTruths();
  gate.Close();
  std::deque<OddsCall> calls(kCalls);
  for (std::size_t i = 0; i < kCalls; ++i) {
    calls[i].request = AskForAll(StructuredPosition(truths[i % truths.size()].position));
    calls[i].Start([&](auto... with) { server.camel_up().async()->GetOdds(with...); });
  }
  server.AwaitStatistics("camel_up", [](const auto& kind) { return kind.requests() == kCalls; });
  gate.Open();
  for (std::size_t i = 0; i < kCalls; ++i) {
    const LegTruth& truth = truths[i % truths.size()];
    const grpc::Status status = calls[i].Await();
    ASSERT_TRUE(status.ok()) << status.error_message();
    ExpectSameOdds(ToOdds(truth.position.edition, calls[i].response), truth.odds,
                   /*with_pairs=*/false, truth.name);
  }
  const v1::KindStatistics statistics = server.Statistics("camel_up");
  EXPECT_EQ(statistics.answered(), kCalls);
  EXPECT_EQ(statistics.batched(), kCalls);
  EXPECT_LT(statistics.batches(), kCalls / 5);
  EXPECT_GT(statistics.largest_batch(), 10u);
}

}  // namespace
}  // namespace gpusim::testing
