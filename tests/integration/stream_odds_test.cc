// StreamOdds: what an item gets, what one stream may have in flight, and how a stream ends.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "tests/integration/odds_stream.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

grpc::Status GetOdds(InProcessServer& server, const v1::GetOddsRequest& request,
                     v1::GetOddsResponse& response) {
  grpc::ClientContext context;
  return server.camel_up().GetOdds(&context, request, &response);
}

// Whether it was found in the cache depends on who asked first.
std::string Figures(v1::GetOddsResponse response) {
  response.mutable_provenance()->clear_cached();
  return response.ShortDebugString();
}

v1::EvaluateMovesRequest MovesQuestion() {
  v1::EvaluateMovesRequest request;
  *request.mutable_position() = OddsQuestionNumber(2000).position();
  return request;
}

TEST(StreamOddsTest, TenThousandItemsAreAnsweredOnceEachAsAUnaryCallIs) {
  constexpr std::uint32_t kItems = 10'000;
  InProcessServer server;
  OddsStream stream(server.camel_up());
  ASSERT_EQ(stream.max_in_flight(), TestOptions().max_stream_items);
  // The caller goes by the announced number to the last item, and so no item may be refused.
  std::vector<v1::StreamItem> answers(kItems);
  std::vector<int> times(kItems, 0);
  std::uint32_t asked = 0;
  for (std::uint32_t answered = 0; answered < kItems; ++answered) {
    while (asked < kItems && asked - answered < stream.max_in_flight()) {
      stream.Ask(asked, OddsQuestionNumber(asked));
      ++asked;
    }
    const auto item = stream.Read();
    ASSERT_TRUE(item.has_value());
    ASSERT_LT(item->id(), kItems);
    ASSERT_TRUE(item->has_odds()) << item->ShortDebugString();
    answers[item->id()] = *item;
    ++times[item->id()];
  }
  stream.HalfClose();
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_THAT(times, ::testing::Each(1));
  EXPECT_LT(server.Statistics("camel_up").batches(), kItems / 2);
  for (std::uint32_t id = 0; id < kItems; id += 97) {
    v1::GetOddsResponse unary;
    ASSERT_TRUE(GetOdds(server, OddsQuestionNumber(id), unary).ok());
    EXPECT_EQ(Figures(answers[id].odds()), Figures(unary)) << id;
  }
}

TEST(StreamOddsTest, MovesTravelAsItemsToo) {
  InProcessServer server;
  OddsStream stream(server.camel_up());
  v1::StreamOddsRequest request;
  request.set_id(~std::uint64_t{0});
  *request.mutable_moves() = MovesQuestion();
  stream.Ask(request);
  const auto item = stream.Read();
  ASSERT_TRUE(item.has_value());
  EXPECT_EQ(item->id(), ~std::uint64_t{0});
  ASSERT_TRUE(item->has_moves()) << item->ShortDebugString();
  grpc::ClientContext context;
  v1::EvaluateMovesResponse unary;
  ASSERT_TRUE(server.camel_up().EvaluateMoves(&context, MovesQuestion(), &unary).ok());
  EXPECT_EQ(item->moves().ShortDebugString(), unary.ShortDebugString());
}

void ExpectSameError(const google::rpc::Status& error, const grpc::Status& unary) {
  EXPECT_EQ(error.code(), unary.error_code());
  EXPECT_EQ(error.message(), unary.error_message());
  EXPECT_EQ(error.SerializeAsString(), unary.error_details());
}

TEST(StreamOddsTest, ABadItemFailsAloneAndAsTheUnaryCallDoes) {
  InProcessServer server;
  OddsStream stream(server.camel_up());
  v1::GetOddsRequest bad_odds = OddsQuestionNumber(0);
  bad_odds.mutable_position()->mutable_stacks(0)->set_space(17);
  bad_odds.add_outputs(static_cast<v1::Output>(99));
  v1::StreamOddsRequest bad_moves;
  bad_moves.set_id(2);
  *bad_moves.mutable_moves() = MovesQuestion();
  bad_moves.mutable_moves()->set_coins(1'000'000);
  v1::StreamOddsRequest no_question;
  no_question.set_id(3);

  stream.Ask(0, OddsQuestionNumber(0));
  stream.Ask(1, bad_odds);
  stream.Ask(bad_moves);
  stream.Ask(no_question);
  stream.Ask(4, OddsQuestionNumber(4));
  auto items = stream.Read(5);
  ASSERT_EQ(items.size(), 5u);
  EXPECT_TRUE(items[0].has_odds());
  EXPECT_TRUE(items[4].has_odds());
  v1::GetOddsResponse odds;
  ExpectSameError(items[1].error(), GetOdds(server, bad_odds, odds));
  grpc::ClientContext context;
  v1::EvaluateMovesResponse moves;
  ExpectSameError(items[2].error(),
                  server.camel_up().EvaluateMoves(&context, bad_moves.moves(), &moves));
  EXPECT_EQ(items[3].error().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(items[3].error().message(), HasSubstr("question"));
}

// A server of one slot behind a gate, without a cache, and with room for four items on a stream.
class HeldStreamTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMaxItems = 4;

  static server::ServerOptions OneSlot() {
    server::ServerOptions options = TestOptions();
    options.slots = 1;
    options.max_cache_bytes = 0;
    options.max_stream_items = kMaxItems;
    return options;
  }

  // The device is busy with a call of its own from now on, until the gate opens.
  void Occupy() {
    gate_.Close();
    running_.request = OddsQuestionNumber(0);
    running_.Start([&](auto... with) { server_.camel_up().async()->GetOdds(with...); });
    gate_.AwaitStopped(1);
    occupied_ = true;
  }
  void TearDown() override {
    gate_.Open();
    if (occupied_) running_.Await();
  }
  void AwaitRequests(std::uint64_t count) {
    AwaitKind([&](const auto& kind) { return kind.requests() == count; });
  }
  void AwaitKind(const std::function<bool(const v1::KindStatistics&)>& wanted) {
    server_.AwaitStatistics("camel_up", wanted);
  }

  DeviceGate gate_;
  PendingCall<v1::GetOddsRequest, v1::GetOddsResponse> running_;
  bool occupied_ = false;
  InProcessServer server_{OneSlot(), MakeHeldBackend(gate_)};
};

// A long item that came first is overtaken by a short one.
TEST_F(HeldStreamTest, AnswersComeInAnyOrder) {
  OddsStream stream(server_.camel_up());
  Occupy();
  // As many simulations, of five draws each, as a chunk may have draws: five chunks, on any backend.
  v1::GetOddsRequest simulation = OddsQuestionNumber(1);
  simulation.mutable_position()->clear_dice();
  simulation.mutable_monte_carlo()->set_simulations(
      MakeTestBackend()->camel_up_chunk_simulated_moves());
  stream.Ask(70, simulation);
  AwaitRequests(2);
  stream.Ask(60, OddsQuestionNumber(2));
  AwaitRequests(3);
  gate_.Open();
  EXPECT_EQ(stream.Read()->id(), 60u);
  EXPECT_EQ(stream.Read()->id(), 70u);
}

TEST_F(HeldStreamTest, OneItemMoreThanMayBeInFlightIsRefusedAtOnce) {
  OddsStream stream(server_.camel_up());
  ASSERT_EQ(stream.max_in_flight(), kMaxItems);
  Occupy();
  for (std::uint32_t id = 0; id < kMaxItems + 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  const auto refused = stream.Read(3);
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused.begin()->first, kMaxItems);  // the first of them: 4, 5 and 6
  for (const auto& [id, item] : refused) {
    EXPECT_EQ(item.error().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_THAT(item.error().message(), HasSubstr("max-stream-items is 4"));
    google::rpc::RetryInfo retry;
    ASSERT_EQ(item.error().details_size(), 1);
    ASSERT_TRUE(item.error().details(0).UnpackTo(&retry));
    EXPECT_GT(retry.retry_delay().nanos(), 0);
  }
  gate_.Open();
  const auto answered = stream.Read(kMaxItems);
  ASSERT_EQ(answered.size(), kMaxItems);
  EXPECT_EQ(answered.rbegin()->first, kMaxItems - 1);
  // There is room again.
  for (std::uint32_t id = 0; id < kMaxItems; ++id) stream.Ask(id, OddsQuestionNumber(id));
  for (const auto& [id, item] : stream.Read(kMaxItems)) EXPECT_TRUE(item.has_odds());
  stream.HalfClose();
  EXPECT_TRUE(stream.Finish().ok());
}

TEST_F(HeldStreamTest, AnItemExpiresInTheQueueAndIsNeverRun) {
  OddsStream stream(server_.camel_up());
  Occupy();
  stream.Ask(1, OddsQuestionNumber(1), /*timeout_ms=*/20);
  stream.Ask(2, OddsQuestionNumber(2), /*timeout_ms=*/600'000);
  const auto late = stream.Read();
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->id(), 1u);
  EXPECT_EQ(late->error().code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  AwaitRequests(3);
  gate_.Open();
  EXPECT_TRUE(stream.Read()->has_odds());
  EXPECT_TRUE(running_.Await().ok());
  const v1::KindStatistics statistics = server_.Statistics("camel_up");
  EXPECT_EQ(statistics.expired(), 1u);
  EXPECT_EQ(statistics.batched(), 2u);
}

TEST(StreamOddsDefaultsTest, AnItemWithoutATimeoutHasTheDefaultDeadlineAndItsStreamNone) {
  server::ServerOptions options = TestOptions();
  options.default_deadline = milliseconds(20);
  options.slots = 1;
  options.max_cache_bytes = 0;
  DeviceGate gate;
  InProcessServer server(options, MakeHeldBackend(gate));
  gate.Close();
  OddsStream stream(server.camel_up());
  stream.Ask(0, OddsQuestionNumber(0), /*timeout_ms=*/600'000);
  gate.AwaitStopped(1);
  // One after the other, so that the stream gets older than the default.
  for (std::uint32_t id = 1; id < 4; ++id) {
    stream.Ask(id, OddsQuestionNumber(id));
    const auto item = stream.Read();
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(item->id(), id);
    EXPECT_EQ(item->error().code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
  gate.Open();
  EXPECT_TRUE(stream.Read()->has_odds());
}

TEST_F(HeldStreamTest, TheStreamsOwnDeadlineHoldsForItsItems) {
  OddsStream idle(server_.camel_up(), milliseconds(100));
  OddsStream stream(server_.camel_up(), milliseconds(100));
  Occupy();
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id), 600'000);
  // An item's end may still get through.
  while (const auto item = stream.Read())
    EXPECT_EQ(item->error().code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_FALSE(idle.Read().has_value());
  EXPECT_EQ(idle.Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  // Those that were read in time. The caller's own clock may be first, and cancel.
  AwaitKind(
      [](const auto& kind) { return kind.expired() + kind.cancelled() == kind.requests() - 1; });
  gate_.Open();
  EXPECT_TRUE(running_.Await().ok());
  EXPECT_EQ(server_.Statistics("camel_up").batched(), 1u);
}

TEST_F(HeldStreamTest, AfterTheHalfCloseTheRestIsAnswered) {
  OddsStream stream(server_.camel_up());
  Occupy();
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  stream.HalfClose();
  AwaitRequests(4);
  gate_.Open();
  EXPECT_EQ(stream.Read(3).size(), 3u);
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_FALSE(stream.asks_to_reopen());
}

TEST_F(HeldStreamTest, ACancelledStreamLeavesNothingBehind) {
  OddsStream stream(server_.camel_up());
  Occupy();
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  AwaitRequests(4);
  stream.context.TryCancel();
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  AwaitKind([](const auto& kind) { return kind.cancelled() == 3; });
  gate_.Open();
  EXPECT_TRUE(running_.Await().ok());
  EXPECT_EQ(server_.Statistics("camel_up").batched(), 1u);
}

TEST_F(HeldStreamTest, ACancelledItemThatRunsEndsWithItsBatch) {
  gate_.Close();
  OddsStream stream(server_.camel_up());
  stream.Ask(0, OddsQuestionNumber(0));
  gate_.AwaitStopped(1);
  stream.context.TryCancel();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  gate_.Open();
  AwaitKind([](const auto& kind) { return kind.cancelled() + kind.answered() == 1; });
}

TEST_F(HeldStreamTest, AFullQueueRefusesItemsAsItDoesCalls) {
  server::ServerOptions options = OneSlot();
  options.max_queued_calls = 2;
  DeviceGate gate;
  InProcessServer server(options, MakeHeldBackend(gate));
  gate.Close();
  OddsStream stream(server.camel_up());
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  const auto refused = stream.Read();
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->id(), 2u);
  EXPECT_EQ(refused->error().code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused->error().message(), HasSubstr("max-queued-calls of camel_up is 2"));
  gate.Open();
  EXPECT_EQ(stream.Read(2).size(), 2u);
}

TEST_F(HeldStreamTest, ADeviceFaultIsTheItemsAndTheStreamGoesOn) {
  gate_.Break("the fan is on fire");
  OddsStream stream(server_.camel_up());
  stream.Ask(1, OddsQuestionNumber(1));
  const auto failed = stream.Read();
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(failed->error().code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(failed->error().message(), HasSubstr("the fan is on fire"));
  stream.HalfClose();
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(stream.Finish().ok());
}

// What the server holds for a caller that only ever asks is bounded: it stops reading, and so the caller's
// writes stop getting through.
TEST(StreamOddsLimitsTest, ACallerThatNeverReadsIsNotReadFor) {
  constexpr std::uint32_t kItems = 400'000;
  server::ServerOptions options = TestOptions();
  options.max_stream_items = 8;
  InProcessServer server(options);
  OddsStream stream(server.camel_up());
  std::atomic<std::uint32_t> asked = 0;
  std::thread caller([&] {
    while (asked < kItems && stream.Ask(asked, OddsQuestionNumber(7))) ++asked;
  });
  // Still for so long: the caller is stuck. Should this look too early, nothing is found that is not
  // there.
  constexpr std::chrono::seconds kStillFor{1};
  std::uint32_t before = 0;
  auto moved = std::chrono::steady_clock::now();
  while (asked < kItems && std::chrono::steady_clock::now() < moved + kStillFor) {
    server.Statistics("camel_up");
    if (std::exchange(before, asked.load()) != asked) moved = std::chrono::steady_clock::now();
  }
  EXPECT_LT(asked, kItems);
  // Another caller does not notice.
  v1::GetOddsResponse response;
  EXPECT_TRUE(GetOdds(server, OddsQuestionNumber(8), response).ok());
  stream.context.TryCancel();
  caller.join();
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::CANCELLED);
  server.AwaitStatistics("camel_up", [](const auto& kind) {
    return kind.requests() == kind.answered() + kind.cancelled();
  });
}

TEST_F(HeldStreamTest, DrainAnswersWhatWasAcceptedAndEndsIdleStreams) {
  OddsStream idle(server_.camel_up());
  OddsStream stream(server_.camel_up());
  Occupy();
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  AwaitRequests(4);
  // It returns long before its time: streams do not have to be waited for.
  auto drained =
      std::async(std::launch::async, [&] { server_.server().Drain(std::chrono::hours(1)); });
  EXPECT_FALSE(idle.Read().has_value());
  EXPECT_TRUE(idle.Finish().ok());
  EXPECT_TRUE(idle.asks_to_reopen());

  gate_.Open();
  for (const auto& [id, item] : stream.Read(3)) EXPECT_TRUE(item.has_odds()) << id;
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_TRUE(stream.asks_to_reopen());
  EXPECT_TRUE(running_.Await().ok());
  drained.get();
}

// With no time left, what is in flight gets the unary calls' UNAVAILABLE, item by item.
TEST_F(HeldStreamTest, ADrainWithoutTimeEndsItemsAsUnavailable) {
  OddsStream stream(server_.camel_up());
  Occupy();
  for (std::uint32_t id = 0; id < 3; ++id) stream.Ask(id, OddsQuestionNumber(id));
  AwaitRequests(4);
  auto drained = std::async(std::launch::async, [&] { server_.server().Drain(milliseconds(0)); });
  for (const auto& [id, item] : stream.Read(3))
    EXPECT_EQ(item.error().code(), grpc::StatusCode::UNAVAILABLE) << id;
  EXPECT_FALSE(stream.Read().has_value());
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_TRUE(stream.asks_to_reopen());
  gate_.Open();
  drained.get();
}

}  // namespace
}  // namespace gpusim::testing
