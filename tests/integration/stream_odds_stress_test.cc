// Many streams at once that are closed, cancelled, left to expire and never read, and a server that is stopped
// in the middle: every stream ends once, the counters add up, and the drain returns.
#include <chrono>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/odds_stream.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;

v1::GetOddsRequest RandomQuestion(std::mt19937& random) {
  v1::GetOddsRequest request = OddsQuestionNumber(random() % 5000);
  if (random() % 4 == 0) request.mutable_monte_carlo()->set_simulations(1 + random() % 100'000);
  if (random() % 8 == 0) request.mutable_position()->clear_edition();
  return request;
}

// One stream, from its opening to its end, with everything that callers do.
void RunStream(InProcessServer& server, unsigned seed) {
  std::mt19937 random(seed);
  const auto deadline =
      random() % 3 == 0 ? std::optional(milliseconds(1 + random() % 50)) : std::nullopt;
  OddsStream stream(server.camel_up(), deadline);
  const std::uint32_t items = random() % 300;
  std::uint32_t asked = 0;
  for (; asked < items; ++asked) {
    if (!stream.Ask(asked, RandomQuestion(random), random() % 2 == 0 ? random() % 20 : 0)) break;
    if (random() % 100 == 0) stream.context.TryCancel();
    if (random() % 2 == 0 && !stream.Read()) break;
  }
  const bool half_closed = random() % 2 == 0;
  if (half_closed) {
    stream.HalfClose();
  } else {
    stream.context.TryCancel();
  }
  while (stream.Read()) {
  }
  const grpc::Status status = stream.Finish();
  const auto code = status.error_code();
  EXPECT_TRUE(code == grpc::StatusCode::OK || code == grpc::StatusCode::CANCELLED ||
              code == grpc::StatusCode::DEADLINE_EXCEEDED || code == grpc::StatusCode::UNAVAILABLE)
      << code << " " << status.error_message();
}

std::vector<std::thread> RunStreams(InProcessServer& server, unsigned threads, unsigned each) {
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < threads; ++i) {
    callers.emplace_back([&server, i, each] {
      for (unsigned k = 0; k < each; ++k) RunStream(server, 1000 * i + k);
    });
  }
  return callers;
}

server::ServerOptions SmallStreams() {
  server::ServerOptions options = OptionsWithoutRaceTables();
  options.max_stream_items = 16;
  return options;
}

TEST(StreamOddsStressTest, EveryStreamEndsOnceAndTheCountersAddUp) {
  InProcessServer server(SmallStreams());
  for (std::thread& caller : RunStreams(server, 6, 20)) caller.join();
  const auto statistics = server.AwaitStatistics("camel_up", [](const v1::KindStatistics& kind) {
    return kind.requests() == kind.answered() + kind.failed() + kind.cancelled() + kind.expired();
  });
  EXPECT_EQ(statistics.failed(), 0u);
  EXPECT_GT(statistics.answered(), 0u);
  // Nothing is left that it would have to wait for.
  server.server().Drain(std::chrono::hours(1));
}

TEST(StreamOddsStressTest, AStopInTheMiddle) {
  for (unsigned round = 0; round < 4; ++round) {
    InProcessServer server(SmallStreams());
    std::vector<std::thread> callers = RunStreams(server, 4, 10);
    server.AwaitStatistics(
        "camel_up", [&](const v1::KindStatistics& kind) { return kind.requests() >= 100 * round; });
    server.server().Drain(milliseconds(5 * round));
    for (std::thread& caller : callers) caller.join();
  }
}

// Simulations without an end among them.
TEST(StreamOddsStressTest, SimulationsThatAreCancelledAtAllTimes) {
  InProcessServer server(OptionsWithoutRaceTables());
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 4; ++i) {
    callers.emplace_back([&server, i] {
      std::mt19937 random(i);
      for (int k = 0; k < 20; ++k) {
        v1::SimulateRequest request;
        *request.mutable_position() = OddsQuestionNumber(random() % 5000).position();
        request.set_simulations(10'000'000'000'000);
        request.set_update_interval_ms(10);
        grpc::ClientContext context;
        if (k % 4 == 0)
          context.set_deadline(std::chrono::system_clock::now() + milliseconds(random() % 30));
        auto reader = server.camel_up().Simulate(&context, request);
        v1::SimulateResponse response;
        for (unsigned reads = random() % 3; reads > 0 && reader->Read(&response); --reads) {
        }
        context.TryCancel();
        EXPECT_FALSE(reader->Finish().ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  server.AwaitStatistics("camel_up", [](const v1::KindStatistics& kind) {
    return kind.requests() == kind.cancelled() + kind.expired();
  });
}

}  // namespace
}  // namespace gpusim::testing
