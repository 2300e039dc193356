// Long runs with running estimates, against a server in this process.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gtest/gtest.h>

#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeServer;

using Writer = grpc::ServerWriterInterface<v1::SimulateResponse>;

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

void Write(Writer& writer, std::uint64_t next, v1::SimulateState state) {
  v1::SimulateResponse update;
  update.set_next_simulation(next);
  update.set_state(state);
  update.set_elapsed_ms(next * 2);
  update.mutable_estimate()->set_simulations(next);
  writer.Write(update);
}

const auto kGoOn = [](const SimulateUpdate&) { return true; };

TEST(ClientSimulate, GivesEveryUpdateAndTheLastOneAsTheResult) {
  v1::SimulateRequest seen;
  FakeServer server(
      {.simulate = [&](grpc::ServerContext&, const v1::SimulateRequest& request, Writer& writer) {
        seen = request;
        Write(writer, 10, v1::SIMULATE_STATE_RUNNING);
        Write(writer, 20, v1::SIMULATE_STATE_TARGET_REACHED);
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  std::vector<std::uint64_t> updates;
  const auto last = client.Simulate({.position = PositionText{.stacks = "1:BGOYW"},
                                     .outputs = {OddsOutput::kRace},
                                     .simulations = 1'000'000'000'000,
                                     .stream = RandomStream{.seed = 3, .subsequence = 4},
                                     .first_simulation = 5,
                                     .target_error = 1e-6,
                                     .max_duration = seconds(600),
                                     .update_interval = milliseconds(250)},
                                    [&](const SimulateUpdate& update) {
                                      updates.push_back(update.estimate.simulations);
                                      return true;
                                    });
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_THAT(updates, ElementsAre(10, 20));
  EXPECT_EQ(last->state, SimulateState::kTargetReached);
  EXPECT_EQ(last->next_simulation, 20u);
  EXPECT_EQ(last->elapsed, milliseconds(40));
  EXPECT_EQ(seen.ShortDebugString(),
            "position { edition: EDITION_FIRST text { stacks: \"1:BGOYW\" } } outputs: OUTPUT_RACE "
            "simulations: 1000000000000 stream { seed: 3 subsequence: 4 } first_simulation: 5 "
            "target_error: 1e-06 max_duration_ms: 600000 update_interval_ms: 250");
}

// Writes until the caller has gone.
struct Endless {
  std::atomic<bool> cancelled{false};
  FakeServer server{{.simulate = [this](grpc::ServerContext& context, const v1::SimulateRequest&,
                                        Writer& writer) {
    Write(writer, 1, v1::SIMULATE_STATE_RUNNING);
    testing::AwaitCancel(context);
    cancelled = true;
    return grpc::Status::CANCELLED;
  }}};

  void AwaitCancelled() const {
    while (!cancelled) std::this_thread::yield();
  }
};

TEST(ClientSimulate, TheCallbackStopsTheRunOnTheServerToo) {
  Endless endless;
  Client client = Connect(endless.server);
  const auto last = client.Simulate({}, [](const SimulateUpdate&) { return false; });
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->state, SimulateState::kRunning);
  EXPECT_EQ(last->next_simulation, 1u);
  endless.AwaitCancelled();
}

TEST(ClientSimulate, ACancellationStopsTheRunAndIsAnError) {
  Endless endless;
  Client client = Connect(endless.server);
  Cancellation cancellation;
  const auto last = client.Simulate({},
                                    [&](const SimulateUpdate&) {
                                      cancellation.Cancel();
                                      return true;
                                    },
                                    {.cancellation = cancellation});
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, StatusCode::kCancelled);
  endless.AwaitCancelled();
}

TEST(ClientSimulate, TheDeadlineIsTheDurationAndTheClientsTimeout) {
  std::atomic<std::int64_t> left_ms{0};
  FakeServer server(
      {.simulate = [&](grpc::ServerContext& context, const v1::SimulateRequest&, Writer& writer) {
        const auto left = context.deadline() - std::chrono::system_clock::now();
        left_ms = std::chrono::duration_cast<milliseconds>(left).count();
        Write(writer, 1, v1::SIMULATE_STATE_DONE);
        return grpc::Status::OK;
      }});
  Client client = Connect(server, {.timeout = seconds(20)});
  ASSERT_TRUE(client.Simulate({.max_duration = seconds(100)}, kGoOn));
  // gRPC rounds up a little.
  EXPECT_GT(left_ms, 110'000);
  EXPECT_LE(left_ms, 125'000);
  ASSERT_TRUE(client.Simulate({}, kGoOn));
  EXPECT_GT(left_ms, 1'000'000'000);
  ASSERT_TRUE(client.Simulate({.max_duration = seconds(100)}, kGoOn, {.timeout = seconds(5)}));
  EXPECT_LE(left_ms, 10'000);
}

TEST(ClientSimulate, IsSentAgainOnlyBeforeTheFirstEstimate) {
  std::atomic<int> calls{0};
  std::atomic<int> updates_before_failure{0};
  FakeServer server(
      {.simulate = [&](grpc::ServerContext&, const v1::SimulateRequest&, Writer& writer) {
        if (calls++ > 1) {
          Write(writer, 1, v1::SIMULATE_STATE_DONE);
          return grpc::Status::OK;
        }
        for (int i = 0; i < updates_before_failure; ++i)
          Write(writer, 1, v1::SIMULATE_STATE_RUNNING);
        return testing::QueueFull(milliseconds(1));
      }});
  Client client = Connect(server);
  EXPECT_TRUE(client.Simulate({}, kGoOn));
  EXPECT_EQ(calls, 3);
  calls = 0;
  updates_before_failure = 1;
  const auto last = client.Simulate({}, kGoOn);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, StatusCode::kResourceExhausted);
  EXPECT_EQ(calls, 1);
}

TEST(ClientSimulate, AnEndWithoutAnAnswerIsAnError) {
  FakeServer server(testing::FakeHandlers{});
  Client client = Connect(server);
  const auto last = client.Simulate({}, kGoOn);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, StatusCode::kInternal);
}

}  // namespace
}  // namespace gpusim
