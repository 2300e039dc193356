// What gpusim-server does when a device is lost, hangs or fails once: faults that --inject-fault makes.
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "tests/integration/board_client.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/health_client.h"
#include "tests/testing/process.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using std::chrono::steady_clock;
using ::testing::HasSubstr;
using StepCall = PendingCall<v1::StepRequest, v1::StepResponse>;

// Within which a server that lost its device has ended.
constexpr std::chrono::seconds kEnd{5};

class FaultyServer {
 public:
  explicit FaultyServer(const std::vector<std::string>& more) : process_(CommandOf(more)) {
    const std::string words = "listening on ";
    const auto line = process_.WaitForLine(words);
    EXPECT_TRUE(line.has_value());
    channel_ = grpc::CreateChannel(line ? line->substr(words.size()) : "",
                                   grpc::InsecureChannelCredentials());
    life_ = v1::LifeService::NewStub(channel_);
  }

  Process& process() { return process_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }
  BoardClient boards() { return BoardClient(*life_); }

  // One batch.
  grpc::Status Step() {
    StepCall call;
    Start(call);
    return call.Await();
  }
  void Start(StepCall& call) {
    call.request.set_pattern("bo$2bo$3o!");
    call.request.set_topology("torus:64x64");
    call.request.set_generations(1);
    call.Start([&](auto... with) { life_->async()->Step(with...); });
  }

  // Until one has started.
  void AwaitBatch() {
    const auto service = v1::ServerService::NewStub(channel_);
    while (true) {
      grpc::ClientContext context;
      v1::GetStatisticsResponse response;
      ASSERT_TRUE(service->GetStatistics(&context, {}, &response).ok());
      for (const auto& kind : response.kinds())
        if (kind.kind() == "life" && kind.batches() > 0) return;
    }
  }

  // The program ends so; meanwhile no call is answered.
  Ending AwaitEnd(steady_clock::time_point lost) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(Step().error_code(), grpc::StatusCode::UNAVAILABLE);
    Ending ended = process_.Wait();
    EXPECT_LT(steady_clock::now() - lost, kEnd);
    return ended;
  }

 private:
  static Command CommandOf(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        GPUSIM_SERVER_PROGRAM,  "--backend", "cpu",         "--listen", "127.0.0.1:0",
        "--race-table-solving", "off",       "--server-id", "here"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {.arguments = std::move(arguments), .environment = {}, .input = {}};
  }

  Process process_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::LifeService::Stub> life_;
};

TEST(FaultProgramTest, ALostDeviceEndsTheServer) {
  FaultyServer server({"--inject-fault", "sticky@3"});
  HealthWatch health(server.channel(), "");
  HealthWatch device(server.channel(), "device");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(device.Next(), HealthCheckResponse::SERVING);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(server.Step().ok());

  const auto lost = steady_clock::now();
  const grpc::Status failed = server.Step();
  EXPECT_EQ(failed.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(failed.error_message(), HasSubstr("injected sticky fault"));
  EXPECT_EQ(health.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(device.Next(), HealthCheckResponse::NOT_SERVING);
  const Ending ended = server.AwaitEnd(lost);
  EXPECT_EQ(ended.status, 3);
  EXPECT_THAT(ended.err, HasSubstr("a device is lost: device 0 (CPU"));
}

TEST(FaultProgramTest, AHungDeviceEndsTheServer) {
  FaultyServer server({"--inject-fault", "hang@2", "--device-timeout", "1s", "--slots", "1"});
  HealthWatch health(server.channel(), "ready");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(server.Step().ok());

  StepCall hung;
  StepCall queued;
  server.Start(hung);
  server.Start(queued);
  EXPECT_EQ(health.Next(), HealthCheckResponse::NOT_SERVING);
  const auto lost = steady_clock::now();
  EXPECT_EQ(hung.Await().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(queued.Await().error_code(), grpc::StatusCode::UNAVAILABLE);
  const Ending ended = server.AwaitEnd(lost);
  EXPECT_EQ(ended.status, 4);
  EXPECT_THAT(ended.err, HasSubstr("a batch has run for more than 1s"));
}

// A stop waits for what was accepted, and so for a device that hangs.
TEST(FaultProgramTest, ADeviceThatHangsDuringTheDrainEndsItToo) {
  FaultyServer server({"--inject-fault", "hang@0", "--device-timeout", "2s", "--drain-time", "1h"});
  HealthWatch health(server.channel(), "ready");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  StepCall hung;
  server.Start(hung);
  server.AwaitBatch();
  server.process().Signal(SIGTERM);
  EXPECT_EQ(health.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(hung.Await().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server.process().Wait().status, 4);
}

TEST(FaultProgramTest, TheWatchdogEndsAStopThatNothingElseDoes) {
  FaultyServer server({"--inject-fault", "hang@0", "--drain-time", "1ms"});
  HealthWatch health(server.channel(), "ready");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  StepCall hung;
  server.Start(hung);
  server.AwaitBatch();
  server.process().Signal(SIGTERM);
  const Ending ended = server.process().Wait();
  EXPECT_EQ(ended.status, 5);
  EXPECT_THAT(ended.err, HasSubstr("not stopped within 5001ms: 1 call(s) under way"));
}

TEST(FaultProgramTest, AFaultThatPassesCostsItsBatchAlone) {
  FaultyServer server({"--inject-fault", "recoverable@1"});
  EXPECT_TRUE(server.Step().ok());
  const grpc::Status failed = server.Step();
  EXPECT_EQ(failed.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(failed.error_message(), HasSubstr("injected recoverable fault"));
  EXPECT_TRUE(server.Step().ok());
  EXPECT_EQ(CheckHealth(server.channel(), ""), "SERVING");
  server.process().Signal(SIGTERM);
  EXPECT_EQ(server.process().Wait().status, 0);
}

TEST(FaultProgramTest, ASlowDeviceIsNoneThatHangs) {
  FaultyServer server({"--inject-fault", "slow@0"});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(server.Step().ok());
  EXPECT_EQ(CheckHealth(server.channel(), "device"), "SERVING");
}

}  // namespace
}  // namespace gpusim::testing
