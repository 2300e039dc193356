// What the server promises under load, of the server program as a process of its own, whose memory can be watched. Short by default;
// GPUSIM_TEST_LOAD=full takes the numbers of the promises: a minute of overload, a million calls.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/call_loop.h"
#include "tests/testing/load_questions.h"
#include "tests/testing/sanitized.h"
#include "tests/testing/server_program.h"

namespace gpusim::testing {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

bool Full() {
  const char* load = std::getenv("GPUSIM_TEST_LOAD");
  return load != nullptr && std::string_view(load) == "full";
}

// Which takes the better part of a millisecond of a core.
constexpr v1::Edition kEdition = v1::EDITION_SECOND;

double QuantileOf(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return Quantile(values, q);
}

// Calls that start at a rate, whatever becomes of those before them.
class OpenLoop {
 public:
  struct Ended {
    std::map<grpc::StatusCode, std::uint64_t> by_code;
    std::vector<double> refused_after_ms;
    std::vector<double> answered_after_ms;
  };

  explicit OpenLoop(std::shared_ptr<grpc::Channel> channel) : stub_(std::move(channel)) {}

  Ended Run(double calls_per_second, duration<double> time, milliseconds deadline) {
    std::thread ends([this] { TakeEnds(); });
    const auto start = steady_clock::now();
    std::uint64_t sent = 0;
    while (steady_clock::now() - start < time) {
      const duration<double> so_far = steady_clock::now() - start;
      const auto due = static_cast<std::uint64_t>(so_far.count() * calls_per_second);
      for (; sent < due; ++sent) Send(deadline);
      std::this_thread::sleep_until(
          start + duration<double>(static_cast<double>(sent + 1) / calls_per_second));
    }
    sent_ = sent;
    Send(deadline);  // so that the other thread looks once more
    ends.join();
    return std::move(ended_);
  }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::GetOddsRequest request;
    v1::GetOddsResponse response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::GetOddsResponse>> reader;
    steady_clock::time_point sent;
  };

  void Send(milliseconds deadline) {
    auto* call = new Call;
    FillOdds(kEdition, random_, call->request);
    call->context.set_deadline(system_clock::now() + deadline);
    call->sent = steady_clock::now();
    call->reader = stub_.PrepareAsyncGetOdds(&call->context, call->request, &queue_);
    call->reader->StartCall();
    SeeWhatCameBefore();
    call->reader->Finish(&call->response, &call->status, call);
  }

  // The completion queue orders what a call's start and its end do, by locks that ThreadSanitizer does not see. This one it does.
  void SeeWhatCameBefore() { const std::lock_guard lock(order_); }

  void TakeEnds() {
    void* tag = nullptr;
    bool ok = false;
    std::uint64_t ends = 0;
    while (ends <= sent_ && queue_.Next(&tag, &ok)) {
      SeeWhatCameBefore();
      const std::unique_ptr<Call> call(static_cast<Call*>(tag));
      const double ms = duration<double, std::milli>(steady_clock::now() - call->sent).count();
      ++ended_.by_code[call->status.error_code()];
      if (call->status.ok()) ended_.answered_after_ms.push_back(ms);
      if (call->status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED)
        ended_.refused_after_ms.push_back(ms);
      ++ends;
    }
  }

  grpc::CompletionQueue queue_;
  v1::CamelUpService::Stub stub_;
  std::mt19937 random_{1};
  std::mutex order_;
  std::atomic<std::uint64_t> sent_ = ~std::uint64_t{0} - 1;
  Ended ended_;
};

// At five times what the server can do, what it takes on it answers in time, and the rest it refuses at once, with the memory that it
// had after the first second.
TEST(LoadTest, FiveTimesTheCapacity) {
  ServerProgram server({"--slots", "1", "--max-queued-calls", "64", "--max-cache-bytes", "0"});
  const auto connect = [&] { return server.NewChannel(); };
  const double capacity =
      RunLoops(connect, RandomOdds(kEdition), 2, 64, std::chrono::seconds(1)).calls_per_second;
  OpenLoop(server.NewChannel()).Run(5 * capacity, std::chrono::seconds(1), milliseconds(5'000));
  const std::uint64_t before = server.StatusKilobytes("VmRSS");
  const v1::KindStatistics start = server.Statistics("camel_up");
  const auto ended =
      OpenLoop(server.NewChannel())
          .Run(5 * capacity, std::chrono::seconds(Full() ? 60 : 4), milliseconds(5'000));
  const v1::KindStatistics end = server.Statistics("camel_up");

  std::uint64_t calls = 0;
  for (const auto& [code, count] : ended.by_code) {
    EXPECT_TRUE(code == grpc::StatusCode::OK || code == grpc::StatusCode::RESOURCE_EXHAUSTED)
        << code << ": " << count;
    calls += count;
  }
  EXPECT_GT(ended.by_code.at(grpc::StatusCode::OK), 0u);
  EXPECT_GT(ended.by_code.at(grpc::StatusCode::RESOURCE_EXHAUSTED), calls / 4);
  EXPECT_EQ(end.answered() - start.answered(), ended.by_code.at(grpc::StatusCode::OK));
  EXPECT_EQ(end.expired(), 0u);
  // With at most 64 calls before them, and refused ones with none.
  EXPECT_LT(QuantileOf(ended.answered_after_ms, 0.99), 3'000);
  EXPECT_LT(QuantileOf(ended.refused_after_ms, 0.5), 500);
  if (!kSanitized) {
    EXPECT_LT(server.StatusKilobytes("VmRSS"), before + (32u << 10));
  }
  std::printf(
      "capacity %.0f/s, sent %.0f/s: answered p50 %.1f ms p99 %.1f ms, refused p50 %.1f ms p99 "
      "%.1f ms\n",
      capacity, 5 * capacity, QuantileOf(ended.answered_after_ms, 0.5),
      QuantileOf(ended.answered_after_ms, 0.99), QuantileOf(ended.refused_after_ms, 0.5),
      QuantileOf(ended.refused_after_ms, 0.99));
}

// A connection with calls of which some are cancelled, some expire, and all are left behind when it closes. Returns how many.
std::uint64_t RunRudeConnection(const std::shared_ptr<grpc::Channel>& channel,
                                std::mt19937& random) {
  struct Call {
    grpc::ClientContext context;
    v1::GetOddsRequest request;
    v1::GetOddsResponse response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<v1::GetOddsResponse>> reader;
  };
  v1::CamelUpService::Stub stub(channel);
  grpc::CompletionQueue queue;
  std::vector<std::unique_ptr<Call>> calls(1 + random() % 400);
  for (auto& call : calls) {
    call = std::make_unique<Call>();
    FillOdds(kEdition, random, call->request);
    if (random() % 4 == 0)
      call->context.set_deadline(system_clock::now() + milliseconds(random() % 20));
    call->reader = stub.PrepareAsyncGetOdds(&call->context, call->request, &queue);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call.get());
    if (random() % 4 == 0) calls[random() % (1 + (&call - calls.data()))]->context.TryCancel();
  }
  // Half of the rest are cancelled together.
  if (random() % 2 == 0) {
    for (auto& call : calls) call->context.TryCancel();
  }
  void* tag = nullptr;
  bool ok = false;
  for (std::size_t i = 0; i < calls.size(); ++i) queue.Next(&tag, &ok);
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  return calls.size();
}

TEST(LoadTest, CancelsAndReconnectsLeaveNothingBehind) {
  ServerProgram server({"--max-cache-bytes", "0"});
  const auto connect = [&] { return server.NewChannel(); };
  const std::uint64_t calls_wanted = Full() ? 1'000'000 : kSanitized ? 4'000 : 20'000;
  const auto speed = [&] {
    return RunLoops(connect, EmptyPings(), 2, 32, std::chrono::seconds(1)).calls_per_second;
  };
  const auto be_rude = [&](std::uint64_t calls) {
    std::atomic<std::uint64_t> done = 0;
    std::vector<std::thread> clients;
    for (unsigned i = 0; i < 4; ++i) {
      clients.emplace_back([&, i] {
        std::mt19937 random(i);
        while (done < calls) done += RunRudeConnection(connect(), random);
      });
    }
    for (std::thread& client : clients) client.join();
  };
  const double speed_before = speed();
  be_rude(calls_wanted / 4);
  const std::uint64_t before = server.StatusKilobytes("VmRSS");
  be_rude(calls_wanted);

  const auto patience = steady_clock::now() + std::chrono::seconds(30);
  const auto busy = [&] {
    const v1::GetStatisticsResponse now = server.Statistics();
    const v1::KindStatistics odds = server.Statistics("camel_up");
    const std::uint64_t ended = odds.answered() + odds.failed() + odds.cancelled() + odds.expired();
    return now.calls_under_way() != 1 || ended != odds.requests();
  };
  while (busy() && steady_clock::now() < patience) {
  }
  EXPECT_FALSE(busy());
  const v1::KindStatistics odds = server.Statistics("camel_up");
  EXPECT_GT(odds.cancelled(), 0u);
  EXPECT_GT(odds.expired(), 0u);
  EXPECT_GT(odds.answered(), 0u);
  EXPECT_EQ(odds.failed(), 0u);
  EXPECT_GT(speed(), speed_before / 3);  // the machine is shared, and leaks would slow it far more
  const std::uint64_t after = server.StatusKilobytes("VmRSS");
  if (!kSanitized) {
    EXPECT_LT(after, before + (32u << 10));
  }
  std::printf("%lu KiB before, %lu KiB after\n", static_cast<unsigned long>(before),
              static_cast<unsigned long>(after));
}

// A server that went on with the calls of a client that is gone, or waited for it, would not serve the next one.
TEST(LoadTest, AClientThatDiesWith256CallsUnderWay) {
  ServerProgram server({"--slots", "1", "--max-cache-bytes", "0"});
  const v1::KindStatistics before = server.Statistics("camel_up");
  {
    Process client({.arguments = {GPUSIM_RUDE_CLIENT, server.address(), "256"},
                    .environment = {},
                    .input = {}});
    ASSERT_TRUE(client.WaitForLine("256 calls under way").has_value());
    client.Signal(SIGKILL);
    client.Wait();
  }
  const auto stub = v1::CamelUpService::NewStub(server.NewChannel());
  grpc::ClientContext context;
  context.set_deadline(system_clock::now() + std::chrono::seconds(30));
  v1::GetOddsRequest request;
  std::mt19937 random(7);
  FillOdds(kEdition, random, request);
  v1::GetOddsResponse response;
  EXPECT_TRUE(stub->GetOdds(&context, request, &response).ok());
  const auto patience = steady_clock::now() + std::chrono::seconds(30);
  v1::KindStatistics odds;
  do {
    odds = server.Statistics("camel_up");
  } while (odds.cancelled() + odds.answered() < odds.requests() && steady_clock::now() < patience);
  EXPECT_EQ(odds.cancelled() + odds.answered(), odds.requests());
  EXPECT_EQ(odds.requests() - before.requests(), 257u);
  EXPECT_GT(odds.cancelled(), 0u);
}

// An idle server waits for the network and for nothing else.
TEST(LoadTest, AnIdleServerUsesLittleOfACore) {
  ServerProgram server;
  const auto cpu_seconds = [&] {
    std::ifstream stat("/proc/" + std::to_string(server.process().pid()) + "/stat");
    std::string text;
    std::getline(stat, text);
    // After the name in brackets: state is the first, utime the twelfth, stime the one after.
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) rest >> skipped;
    double user = 0;
    double system = 0;
    rest >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  };
  const std::shared_ptr<grpc::Channel> open = server.NewChannel();
  open->WaitForConnected(system_clock::now() + std::chrono::seconds(10));
  const double before = cpu_seconds();
  constexpr double kSeconds = 3;
  std::this_thread::sleep_for(duration<double>(kSeconds));
  EXPECT_LT((cpu_seconds() - before) / kSeconds, 0.02);
}

}  // namespace
}  // namespace gpusim::testing
