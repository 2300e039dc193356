// Simulate: that its tallies are those of the named stream, when a run ends, and that it blocks nobody.
#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/support/sync_stream.h>
#include <gtest/gtest.h>

#include "server/services/simulate_convert.h"
#include "tests/integration/odds_stream.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kEndless = 10'000'000'000'000;

v1::SimulateRequest Request(std::uint64_t simulations) {
  v1::SimulateRequest request;
  request.mutable_position()->set_edition(v1::EDITION_SECOND);
  request.mutable_position()->mutable_text()->set_stacks("1:rb 2:gy 3:p 14:w 16:k");
  request.mutable_position()->mutable_text()->set_tiles("6+");
  for (const v1::Output output : {v1::OUTPUT_LEG_RANKS, v1::OUTPUT_LEG_PAIRS, v1::OUTPUT_LANDINGS,
                                  v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT})
    request.add_outputs(output);
  request.set_simulations(simulations);
  return request;
}

v1::SimulateRequest NamedRequest(std::uint64_t simulations) {
  v1::SimulateRequest request = Request(simulations);
  request.mutable_stream()->set_seed(2014);
  request.mutable_stream()->set_subsequence(77);
  request.mutable_stream()->set_offset(5);
  return request;
}

// One run from its caller's side.
class SimulateRun {
 public:
  SimulateRun(InProcessServer& server, const v1::SimulateRequest& request,
              std::chrono::system_clock::time_point deadline =
                  std::chrono::system_clock::time_point::max()) {
    context.set_deadline(deadline);
    reader_ = server.camel_up().Simulate(&context, request);
  }
  bool Read(v1::SimulateResponse& response) { return reader_->Read(&response); }
  // All that comes.
  std::vector<v1::SimulateResponse> ReadAll() {
    std::vector<v1::SimulateResponse> responses;
    for (v1::SimulateResponse response; Read(response);) responses.push_back(response);
    return responses;
  }
  // The last message of a run that ends with OK.
  v1::SimulateResponse Last() {
    const auto responses = ReadAll();
    const grpc::Status status = Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return responses.empty() ? v1::SimulateResponse() : responses.back();
  }
  grpc::Status Finish() { return reader_->Finish(); }

  grpc::ClientContext context;

 private:
  std::unique_ptr<grpc::ClientReader<v1::SimulateResponse>> reader_;
};

// By GetOdds, in one piece.
v1::GetOddsResponse Reference(InProcessServer& server, const v1::SimulateRequest& request) {
  v1::GetOddsRequest odds;
  *odds.mutable_position() = request.position();
  *odds.mutable_outputs() = request.outputs();
  odds.mutable_monte_carlo()->set_simulations(request.simulations());
  *odds.mutable_monte_carlo()->mutable_stream() = request.stream();
  grpc::ClientContext context;
  v1::GetOddsResponse response;
  const grpc::Status status = server.camel_up().GetOdds(&context, odds, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

// All tallies, one after the other.
std::vector<std::uint64_t> Tallies(const v1::GetOddsResponse& odds) {
  std::vector<std::uint64_t> tallies{odds.simulations(), odds.race_ends().tally(),
                                     odds.race_ends_backward().tally(),
                                     odds.expected_legs().tally()};
  for (const v1::CamelOdds& camel : odds.camels()) {
    for (const v1::Estimate& rank : camel.ranks()) tallies.push_back(rank.tally());
    tallies.push_back(camel.race_win_tally());
    tallies.push_back(camel.race_last_tally());
  }
  for (const v1::PairOdds& pair : odds.pairs()) tallies.push_back(pair.probability().tally());
  for (const v1::RacePairOdds& pair : odds.race_pairs())
    tallies.push_back(pair.probability().tally());
  for (const v1::TileLandings& tile : odds.landings()) tallies.push_back(tile.expected().tally());
  return tallies;
}

std::vector<std::uint64_t> Sum(std::vector<std::uint64_t> sum,
                               const std::vector<std::uint64_t>& more) {
  EXPECT_EQ(sum.size(), more.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return sum;
}

grpc::Status Refusal(InProcessServer& server, const v1::SimulateRequest& request) {
  SimulateRun run(server, request);
  EXPECT_TRUE(run.ReadAll().empty());
  return run.Finish();
}

TEST(SimulateTest, AllFaultsAreNamedAtOnce) {
  InProcessServer server;
  v1::SimulateRequest request = Request(0);
  request.mutable_position()->mutable_text()->set_tiles("1+");
  request.add_outputs(static_cast<v1::Output>(99));
  request.mutable_stream()->set_stream_version(2);
  request.mutable_stream()->set_subsequence(std::uint64_t{1} << 48);
  request.mutable_stream()->set_offset(std::uint64_t{1} << 56);
  request.set_target_error(-1);
  request.set_update_interval_ms(9);
  const grpc::Status status = Refusal(server, request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(
      ViolationsOf(status),
      UnorderedElementsAre(HasSubstr("position.text.tiles"), HasSubstr("outputs[5]: '99'"),
                           HasSubstr("simulations: '0': 1 to 10000000000000"),
                           HasSubstr("stream.stream_version: '2'"),
                           HasSubstr("stream.subsequence: '281474976710656'"),
                           HasSubstr("stream.offset: '72057594037927936'"),
                           HasSubstr("target_error: '-1"), HasSubstr("update_interval_ms: '9'")));
}

TEST(SimulateTest, ARunThatWouldLeaveItsStreamIsRefused) {
  InProcessServer server;
  v1::SimulateRequest over = NamedRequest(2);
  over.set_first_simulation(std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_THAT(ViolationsOf(Refusal(server, over)),
              UnorderedElementsAre(HasSubstr("first_simulation: '18446744073709551614'")));
  v1::SimulateRequest beyond = NamedRequest(1);
  beyond.mutable_stream()->set_offset((std::uint64_t{1} << 56) - 1);
  EXPECT_THAT(ViolationsOf(Refusal(server, beyond)),
              UnorderedElementsAre(HasSubstr("would go beyond 2^56")));
  v1::SimulateRequest unnamed = Request(1);
  unnamed.set_first_simulation(1);
  EXPECT_THAT(ViolationsOf(Refusal(server, unnamed)),
              UnorderedElementsAre(HasSubstr("first_simulation: '1'")));
  v1::SimulateRequest no_number = NamedRequest(1);
  no_number.set_target_error(std::numeric_limits<double>::quiet_NaN());
  no_number.set_update_interval_ms(60'001);
  EXPECT_THAT(ViolationsOf(Refusal(server, no_number)),
              UnorderedElementsAre(HasSubstr("target_error"), HasSubstr("'60001'")));
  // The last simulation that there is.
  v1::SimulateRequest last = NamedRequest(1);
  last.set_first_simulation(std::numeric_limits<std::uint64_t>::max() - 1);
  EXPECT_EQ(SimulateRun(server, last).Last().next_simulation(),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(SimulateTest, ARunOfANamedStreamIsThatOfGetOdds) {
  InProcessServer server;
  const v1::SimulateRequest request = NamedRequest(200'001);
  const v1::SimulateResponse last = SimulateRun(server, request).Last();
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_DONE);
  EXPECT_EQ(last.next_simulation(), 200'001u);
  EXPECT_EQ(last.estimate().simulations(), 200'001u);
  EXPECT_EQ(last.estimate().ShortDebugString(), Reference(server, request).ShortDebugString());
}

TEST(SimulateTest, TwoHalvesAreTheWhole) {
  InProcessServer server;
  v1::SimulateRequest first = NamedRequest(70'001);
  v1::SimulateRequest second = NamedRequest(130'000);
  second.set_first_simulation(70'001);
  const v1::SimulateResponse second_last = SimulateRun(server, second).Last();
  EXPECT_EQ(second_last.next_simulation(), 200'001u);
  EXPECT_EQ(
      Sum(Tallies(SimulateRun(server, first).Last().estimate()), Tallies(second_last.estimate())),
      Tallies(Reference(server, NamedRequest(200'001))));
}

TEST(SimulateTest, AWarmStreamIsNamedNeverUsedTwiceAndCanBeReplayed) {
  InProcessServer server;
  const v1::SimulateRequest request = Request(70'000);
  const v1::GetOddsResponse first = SimulateRun(server, request).Last().estimate();
  const v1::RandomStream& stream = first.provenance().stream();
  EXPECT_EQ(first.provenance().method(), v1::METHOD_MONTE_CARLO);
  EXPECT_EQ(stream.stream_version(), 1u);
  v1::SimulateRequest replay = request;
  *replay.mutable_stream() = stream;
  EXPECT_EQ(Tallies(Reference(server, replay)), Tallies(first));
  const v1::GetOddsResponse second = SimulateRun(server, request).Last().estimate();
  // Two rows of a race's 8 blocks.
  EXPECT_GE(second.provenance().stream().offset(), stream.offset() + 16);
}

TEST(SimulateTest, EstimatesGrowAndACancelEndsTheRun) {
  InProcessServer server;
  v1::SimulateRequest request = Request(kEndless);
  request.set_update_interval_ms(10);
  SimulateRun run(server, request);
  std::uint64_t played = 0;
  std::uint64_t elapsed_ms = 0;
  for (int i = 0; i < 5; ++i) {
    v1::SimulateResponse update;
    ASSERT_TRUE(run.Read(update));
    EXPECT_EQ(update.state(), v1::SIMULATE_STATE_RUNNING);
    EXPECT_GT(update.estimate().simulations(), played);
    EXPECT_EQ(update.next_simulation(), update.estimate().simulations());
    EXPECT_GE(update.elapsed_ms(), elapsed_ms + (i == 0 ? 10 : 0));
    played = update.estimate().simulations();
    elapsed_ms = update.elapsed_ms();
  }
  run.context.TryCancel();
  run.ReadAll();
  EXPECT_EQ(run.Finish().error_code(), grpc::StatusCode::CANCELLED);
  server.AwaitStatistics("camel_up", [](const auto& kind) { return kind.cancelled() == 1; });
}

// Whoever reads late gets fewer estimates, and the last one is the whole.
TEST(SimulateTest, TheLastMessageIsTheTotalHoweverManyCameBefore) {
  InProcessServer server;
  v1::SimulateRequest request = NamedRequest(400'000);
  request.set_update_interval_ms(10);
  SimulateRun run(server, request);
  server.AwaitStatistics("camel_up", [](const auto& kind) { return kind.answered() == 1; });
  const auto responses = run.ReadAll();
  EXPECT_TRUE(run.Finish().ok());
  ASSERT_FALSE(responses.empty());
  for (std::size_t i = 0; i + 1 < responses.size(); ++i) {
    EXPECT_EQ(responses[i].state(), v1::SIMULATE_STATE_RUNNING);
    EXPECT_LT(responses[i].next_simulation(), responses[i + 1].next_simulation());
  }
  EXPECT_EQ(responses.back().state(), v1::SIMULATE_STATE_DONE);
  EXPECT_EQ(Tallies(responses.back().estimate()), Tallies(Reference(server, request)));
}

TEST(SimulateTest, ARunEndsAtItsTargetError) {
  constexpr double kTarget = 0.002;
  InProcessServer server;
  v1::SimulateRequest request = Request(kEndless);
  request.set_target_error(kTarget);
  const v1::SimulateResponse last = SimulateRun(server, request).Last();
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_TARGET_REACHED);
  double largest = 0;
  for (const v1::CamelOdds& camel : last.estimate().camels()) {
    for (const v1::Estimate& rank : camel.ranks())
      largest = std::max(largest, rank.standard_error());
    largest =
        std::max({largest, camel.race_win_standard_error(), camel.race_last_standard_error()});
  }
  EXPECT_LE(largest, kTarget);
  // No probability needs more than 1 / (4 target^2) simulations, the landings a few times that. The last chunk
  // may go beyond: it has a simulation for each of its moves at the most.
  EXPECT_LT(last.estimate().simulations(),
            1'000'000u + MakeTestBackend()->camel_up_chunk_simulated_moves());
  // Nothing that has five places is as exact as this after one simulation.
  EXPECT_GT(last.estimate().simulations(), 1'000u);
}

// What never happened in 100 simulations may well happen in one of 1,000.
TEST(SimulateTest, WhatWasNeverSeenIsNotExact) {
  camel_up::Odds odds;
  odds.exact = false;
  odds.total = 100;
  for (std::size_t camel = 0; camel < camel_up::kRacers; ++camel) odds.rank[camel][camel] = 100;
  server::OddsOutputs ranks;
  ranks.leg_ranks = true;
  // 1 of 102: sqrt(1/102 * 101/102 / 102)
  EXPECT_NEAR(server::LargestError(ranks, odds), 0.0097554, 1e-6);
  // A probability of a half, and one more simulation on either side.
  odds.rank[0] = {50, 50, 0, 0, 0};
  EXPECT_NEAR(server::LargestError(ranks, odds), 0.0495074, 1e-6);
}

TEST(SimulateTest, ARunEndsWhenItsTimeIsUp) {
  InProcessServer server;
  v1::SimulateRequest request = Request(kEndless);
  request.set_max_duration_ms(40);
  const v1::SimulateResponse last = SimulateRun(server, request).Last();
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_TIME_IS_UP);
  EXPECT_GE(last.elapsed_ms(), 40u);
  EXPECT_GT(last.estimate().simulations(), 0u);
  EXPECT_EQ(last.estimate().simulations(), last.next_simulation());
}

TEST(SimulateTest, ADeadlineEndsTheRunAndTheDefaultOneDoesNot) {
  server::ServerOptions options = TestOptions();
  options.default_deadline = milliseconds(20);
  InProcessServer server(options);
  SimulateRun late(server, Request(kEndless), std::chrono::system_clock::now() + milliseconds(50));
  late.ReadAll();
  EXPECT_EQ(late.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  // The caller's own clock may be first, and cancel.
  server.AwaitStatistics("camel_up",
                         [](const auto& kind) { return kind.expired() + kind.cancelled() == 1; });

  v1::SimulateRequest request = Request(kEndless);
  request.set_max_duration_ms(100);
  EXPECT_EQ(SimulateRun(server, request).Last().state(), v1::SIMULATE_STATE_TIME_IS_UP);
}

TEST(SimulateTest, ADrainEndsTheRunWhereItCanGoOnToTheSameBits) {
  v1::SimulateRequest request = NamedRequest(kEndless);
  request.set_update_interval_ms(10);
  v1::SimulateResponse last;
  {
    InProcessServer server;
    SimulateRun run(server, request);
    ASSERT_TRUE(run.Read(last));
    // It returns long before its time.
    auto drained =
        std::async(std::launch::async, [&] { server.server().Drain(std::chrono::hours(1)); });
    last = run.Last();
    drained.get();
  }
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_DRAINING);
  ASSERT_GT(last.estimate().simulations(), 0u);
  EXPECT_EQ(last.next_simulation(), last.estimate().simulations());

  // A GPU plays more than a thousand million of them before the drain begins.
  server::ServerOptions options = TestOptions();
  options.max_call_simulations = 1'000'000'000'000;
  InProcessServer elsewhere(options);
  request.set_first_simulation(last.next_simulation());
  request.set_simulations(100'000);
  const v1::SimulateResponse rest = SimulateRun(elsewhere, request).Last();
  EXPECT_EQ(rest.state(), v1::SIMULATE_STATE_DONE);
  EXPECT_EQ(Sum(Tallies(last.estimate()), Tallies(rest.estimate())),
            Tallies(Reference(elsewhere, NamedRequest(rest.next_simulation()))));
}

// A server of one slot behind a gate.
class HeldSimulateTest : public ::testing::Test {
 protected:
  static server::ServerOptions OneSlot() {
    server::ServerOptions options = TestOptions();
    options.slots = 1;
    options.max_cache_bytes = 0;
    options.max_queued_calls = 6;
    return options;
  }
  void AwaitRequests(std::uint64_t count) {
    server_.AwaitStatistics("camel_up", [&](const auto& kind) { return kind.requests() == count; });
  }

  DeviceGate gate_;
  InProcessServer server_{OneSlot(), MakeHeldBackend(gate_)};
};

TEST_F(HeldSimulateTest, ACallWaitsForOneChunkOfEachRunAtTheMost) {
  constexpr int kRuns = 4;
  gate_.Close();
  std::deque<SimulateRun> runs;
  for (int i = 0; i < kRuns; ++i) runs.emplace_back(server_, Request(kEndless));
  AwaitRequests(kRuns);
  gate_.AwaitStopped(1);
  // They are well under way.
  for (int i = 0; i < 3 * kRuns; ++i) {
    gate_.LetPass(1);
    gate_.AwaitStopped(1);
  }
  PendingCall<v1::GetOddsRequest, v1::GetOddsResponse> call;
  call.request = OddsQuestionNumber(3);
  call.Start([&](auto... with) { server_.camel_up().async()->GetOdds(with...); });
  AwaitRequests(kRuns + 1);
  for (int i = 0; i < kRuns + 1; ++i) {
    gate_.LetPass(1);
    gate_.AwaitStopped(1);
  }
  EXPECT_EQ(server_.Statistics("camel_up").answered(), 1u);
  for (SimulateRun& run : runs) run.context.TryCancel();
  gate_.Open();
  EXPECT_TRUE(call.Await().ok());
  for (SimulateRun& run : runs) {
    run.ReadAll();
    EXPECT_EQ(run.Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
}

TEST_F(HeldSimulateTest, ACancelledRunThatWaitsIsNeverRun) {
  gate_.Close();
  SimulateRun running(server_, Request(1));
  gate_.AwaitStopped(1);
  SimulateRun cancelled(server_, Request(kEndless));
  AwaitRequests(2);
  cancelled.context.TryCancel();
  EXPECT_EQ(cancelled.Finish().error_code(), grpc::StatusCode::CANCELLED);
  server_.AwaitStatistics("camel_up", [](const auto& kind) { return kind.cancelled() == 1; });
  gate_.Open();
  EXPECT_EQ(running.Last().state(), v1::SIMULATE_STATE_DONE);
  EXPECT_EQ(server_.Statistics("camel_up").batched(), 1u);
}

TEST_F(HeldSimulateTest, AFullQueueRefusesTheRun) {
  gate_.Close();
  std::deque<SimulateRun> runs;
  for (int i = 0; i < 6; ++i) runs.emplace_back(server_, Request(1));
  AwaitRequests(6);
  const grpc::Status status = Refusal(server_, Request(1));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(DetailOf<google::rpc::RetryInfo>(status).has_value());
  gate_.Open();
  for (SimulateRun& run : runs) EXPECT_EQ(run.Last().state(), v1::SIMULATE_STATE_DONE);
}

TEST_F(HeldSimulateTest, ADeviceFaultEndsTheRun) {
  gate_.Break("the fan is on fire");
  const grpc::Status status = Refusal(server_, Request(1));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("the fan is on fire"));
}

// The server stops before the first chunk: nothing was played, and that is where to go on.
TEST_F(HeldSimulateTest, ARunThatNeverBeganCanBeBegunElsewhere) {
  gate_.Close();
  SimulateRun running(server_, Request(1));
  gate_.AwaitStopped(1);
  v1::SimulateRequest request = NamedRequest(kEndless);
  request.set_first_simulation(42);
  SimulateRun waiting(server_, request);
  AwaitRequests(2);
  auto drained = std::async(std::launch::async, [&] { server_.server().Drain(milliseconds(0)); });
  const v1::SimulateResponse last = waiting.Last();
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_DRAINING);
  EXPECT_EQ(last.next_simulation(), 42u);
  EXPECT_EQ(last.estimate().simulations(), 0u);
  EXPECT_EQ(last.estimate().provenance().stream().seed(), 2014u);
  EXPECT_EQ(last.estimate().camels_size(), 0);
  gate_.Open();
  EXPECT_EQ(running.Last().state(), v1::SIMULATE_STATE_DONE);
  drained.get();
}

}  // namespace
}  // namespace gpusim::testing
