// Many calls that are cancelled, expire and are answered at the same time, and a server that is
// stopped in the middle: every call ends once, the counters add up, and the drain returns.
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

class StepCall : public PendingCall<v1::StepRequest, v1::StepResponse> {
 public:
  // A board small enough to be converted on the spot, or one that goes through the pool.
  StepCall(InProcessServer& server, bool large, std::uint64_t generations) {
    request.set_pattern("bo$2bo$3o!");
    request.set_topology(large ? "torus:512x512" : "torus:64x64");
    request.set_generations(generations);
    request.set_output_format(v1::OUTPUT_FORMAT_RLE);
    if (large) request.mutable_pattern()->append(10'000, '\n');
    stub_ = v1::LifeService::NewStub(server.channel());
  }
  void Send() {
    Start([&](auto... with) { stub_->async()->Step(with...); });
  }

 private:
  std::unique_ptr<v1::LifeService::Stub> stub_;
};

// A call ends as what it asked for, or as what happened to it.
void ExpectHonestEnd(const grpc::Status& status, const v1::StepResponse& response) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      EXPECT_EQ(response.population(), 5u);
      break;
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::UNAVAILABLE:
      break;
    default:
      ADD_FAILURE() << status.error_code() << " " << status.error_message();
  }
}

// Sends calls of all sorts, and cancels every third.
std::deque<StepCall> SendStorm(InProcessServer& server, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::deque<StepCall> calls;
  for (int i = 0; i < count; ++i) {
    calls.emplace_back(server, random() % 4 == 0, random() % 2000);
    if (i % 3 == 1) {
      calls.back().context.set_deadline(std::chrono::system_clock::now() +
                                        microseconds(random() % 20'000));
    }
    calls.back().Send();
    if (i % 3 == 2) calls[random() % calls.size()].context.TryCancel();
  }
  return calls;
}

TEST(ServingStressTest, EveryCallEndsOnceAndTheCountersAddUp) {
  InProcessServer server;
  std::deque<StepCall> calls = SendStorm(server, 600, 1);
  for (StepCall& call : calls) ExpectHonestEnd(call.Await(), call.response);
  const auto statistics = server.AwaitStatistics("life", [](const v1::KindStatistics& kind) {
    return kind.requests() == kind.answered() + kind.failed() + kind.cancelled() + kind.expired();
  });
  EXPECT_EQ(statistics.failed(), 0u);
  server.server().Drain(milliseconds(0));
}

TEST(ServingStressTest, AStopInTheMiddleOfAStorm) {
  for (unsigned round = 0; round < 5; ++round) {
    InProcessServer server;
    std::promise<void> started;
    std::thread stopper([&] {
      started.get_future().wait();
      server.server().Drain(milliseconds(5 * round));
    });
    std::deque<StepCall> before = SendStorm(server, 100, round);
    started.set_value();
    std::deque<StepCall> after = SendStorm(server, 100, round + 100);
    for (StepCall& call : before) ExpectHonestEnd(call.Await(), call.response);
    for (StepCall& call : after) ExpectHonestEnd(call.Await(), call.response);
    stopper.join();
  }
}

// A client that goes away with calls in flight leaves nothing behind.
TEST(ServingStressTest, AClientThatVanishes) {
  InProcessServer server;
  for (int round = 0; round < 5; ++round) {
    auto channel = server.NewChannel();
    const auto stub = v1::LifeService::NewStub(channel);
    std::deque<PendingCall<v1::StepRequest, v1::StepResponse>> calls(64);
    for (auto& call : calls) {
      call.request.set_pattern("bo$2bo$3o!");
      call.request.set_topology("torus:64x64");
      call.request.set_generations(~std::uint64_t{0});
      call.Start([&](auto... with) { stub->async()->Step(with...); });
    }
    for (auto& call : calls) call.context.TryCancel();
    for (auto& call : calls) EXPECT_FALSE(call.Await().ok());
  }
  server.AwaitStatistics(
      "life", [](const v1::KindStatistics& kind) { return kind.requests() == kind.cancelled(); });
}

}  // namespace
}  // namespace gpusim::testing
