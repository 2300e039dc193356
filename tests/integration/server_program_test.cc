// The gpusim-server program: flags, addresses, signals and exit statuses.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "server/batching/mutex.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/health_client.h"
#include "tests/testing/process.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using StepCall = PendingCall<v1::StepRequest, v1::StepResponse>;

// No race table is solved, which takes a sanitizer's server half a minute.
Command ServerCommand(const std::vector<std::string>& arguments,
                      std::map<std::string, std::string> environment = {}) {
  environment.emplace("GPUSIM_RACE_TABLE_SOLVING", "off");
  Command command{
      .arguments = {GPUSIM_SERVER_PROGRAM}, .environment = std::move(environment), .input = {}};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return command;
}

// The first address that it prints; empty if it ends without one.
std::string AwaitAddress(Process& server) {
  const std::string words = "listening on ";
  const auto line = server.WaitForLine(words);
  return line ? line->substr(words.size()) : std::string();
}

grpc::Status Ping(const std::string& address) {
  const auto stub =
      v1::ServerService::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::PingResponse response;
  return stub->Ping(&context, {}, &response);
}

std::uint64_t LifeRequests(v1::ServerService::Stub& stub) {
  grpc::ClientContext context;
  v1::GetStatisticsResponse response;
  EXPECT_TRUE(stub.GetStatistics(&context, {}, &response).ok());
  for (const auto& kind : response.kinds()) {
    if (kind.kind() == "life") return kind.requests();
  }
  return 0;
}

TEST(ServerProgramTest, PrintsThePortItGotAndStopsOnSigterm) {
  Process server(ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0"}));
  const std::string address = AwaitAddress(server);
  EXPECT_THAT(address, ::testing::MatchesRegex("127\\.0\\.0\\.1:[0-9]+"));
  EXPECT_NE(address, "127.0.0.1:0");
  EXPECT_TRUE(Ping(address).ok());
  server.Signal(SIGTERM);
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 0);
  EXPECT_THAT(server_ended.err, HasSubstr("kind ping: requests 1"));
}

TEST(ServerProgramTest, PrintsWhereItsMetricsAre) {
  Process server(ServerCommand(
      {"--backend", "cpu", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"}));
  const auto line = server.WaitForLine("metrics on ");
  ASSERT_TRUE(line.has_value());
  const std::string address = line->substr(std::string("metrics on ").size());
  EXPECT_THAT(address, ::testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]+"));

  Process second(
      ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0", "--metrics-listen", address}));
  const Ending second_ended = second.Wait();
  EXPECT_EQ(second_ended.status, 1);
  EXPECT_EQ(second_ended.out, "") << "it does not serve before it knows that it can";
  EXPECT_THAT(second_ended.err,
              HasSubstr("cannot serve metrics on " + address + ": Address already in use"));

  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait().status, 0);
}

TEST(ServerProgramTest, SigintStopsItToo) {
  Process server(
      ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0", "--log-format", "json"}));
  ASSERT_NE(AwaitAddress(server), "");
  server.Signal(SIGINT);
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 0);
  EXPECT_THAT(server_ended.err, HasSubstr(R"("level":"info","message":"serving"})"));
}

TEST(ServerProgramTest, ListensOnSeveralAddressesAndUnixSockets) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("gpusim_test_" + std::to_string(getpid())))
          .string();
  Process server(
      ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0", "--listen", "unix:" + path}));
  ASSERT_NE(AwaitAddress(server), "");
  EXPECT_TRUE(Ping("unix:" + path).ok());

  Process second(ServerCommand({"--backend", "cpu", "--listen", "unix:" + path}));
  EXPECT_EQ(AwaitAddress(second), "");
  const Ending second_ended = second.Wait();
  EXPECT_EQ(second_ended.status, 1);
  EXPECT_THAT(second_ended.err, HasSubstr("cannot listen on unix:" + path));

  server.Signal(SIGTERM);
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 0);
  EXPECT_THAT(server_ended.out, HasSubstr("\nlistening on unix:" + path + "\n"));
}

// With SO_REUSEPORT, gRPC's default, both would start and share the calls.
TEST(ServerProgramTest, TwoServersCannotShareAPort) {
  Process first(ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0"}));
  const std::string address = AwaitAddress(first);
  Process second(ServerCommand({"--backend", "cpu", "--listen", address}));
  EXPECT_EQ(AwaitAddress(second), "");
  const Ending second_ended = second.Wait();
  EXPECT_EQ(second_ended.status, 1);
  EXPECT_THAT(second_ended.err,
              HasSubstr("cannot listen on " + address + ": Address already in use"));
  EXPECT_TRUE(Ping(address).ok());
}

TEST(ServerProgramTest, SigtermUnderLoadFailsNoAcceptedCall) {
  constexpr std::size_t kCalls = 20;
  Process server(
      ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0", "--drain-time", "5m"}));
  const auto channel =
      grpc::CreateChannel(AwaitAddress(server), grpc::InsecureChannelCredentials());
  const auto life = v1::LifeService::NewStub(channel);
  const auto service = v1::ServerService::NewStub(channel);
  std::deque<StepCall> calls(kCalls);
  for (StepCall& call : calls) {
    call.request.set_pattern("bo$2bo$3o!");
    call.request.set_topology("torus:64x64");
    call.request.set_generations(256 * 400);
    call.Start([&](auto... with) { life->async()->Step(with...); });
  }
  while (LifeRequests(*service) < kCalls) {
  }
  server.Signal(SIGTERM);
  for (StepCall& call : calls) {
    const grpc::Status status = call.Await();
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(call.response.population(), 5u);
  }
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 0);
  EXPECT_THAT(server_ended.err, HasSubstr("kind life: requests 20, answered 20, failed 0"));
}

// A client that calls as fast as it is answered, until it is told to stop or a call fails.
class LoopingClient {
 public:
  LoopingClient(const std::string& address, const std::atomic<bool>& stop)
      : thread_([this, address, &stop] { Loop(address, stop); }) {}
  ~LoopingClient() { thread_.join(); }
  LoopingClient(const LoopingClient&) = delete;
  LoopingClient& operator=(const LoopingClient&) = delete;

  int answered() const { return answered_; }
  // What a call that had started before the stop failed with.
  std::string failure() const {
    const batching::MutexLock lock(mutex_);
    return failure_;
  }

 private:
  void Loop(const std::string& address, const std::atomic<bool>& stop) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto life = v1::LifeService::NewStub(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
    while (!stop) {
      v1::StepRequest request;
      request.set_pattern("bo$2bo$3o!");
      request.set_topology("torus:64x64");
      request.set_generations(1000);
      grpc::ClientContext context;
      v1::StepResponse response;
      const grpc::Status status = life->Step(&context, request, &response);
      if (!status.ok()) {
        const batching::MutexLock lock(mutex_);
        failure_ = status.error_message();
        return;
      }
      ++answered_;
    }
  }

  mutable batching::Mutex mutex_;
  std::string failure_ GPUSIM_GUARDED_BY(mutex_);
  std::atomic<int> answered_ = 0;
  std::thread thread_;  // last, so that it finds everything else made
};

// Who goes elsewhere once the server says NOT_SERVING loses no call.
TEST(ServerProgramTest, ClientsThatHeedTheHealthLoseNoCallAtASigterm) {
  constexpr int kCalls = 50;
  Process server(ServerCommand({"--backend", "cpu", "--listen", "127.0.0.1:0"}));
  const std::string address = AwaitAddress(server);
  HealthWatch health(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()), "");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  std::atomic<bool> stop = false;
  std::deque<LoopingClient> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(address, stop);
  for (const LoopingClient& client : clients) {
    while (client.answered() < kCalls && client.failure().empty()) std::this_thread::yield();
  }
  server.Signal(SIGTERM);
  EXPECT_EQ(health.Next(), HealthCheckResponse::NOT_SERVING);
  stop = true;
  EXPECT_EQ(server.Wait().status, 0);
  for (const LoopingClient& client : clients) {
    EXPECT_EQ(client.failure(), "");
    EXPECT_GE(client.answered(), kCalls);
  }
}

// A server that has accepted one Step of generations without end.
struct BusyServer {
  explicit BusyServer(const std::string& drain_time)
      : process(ServerCommand(
            {"--backend", "cpu", "--listen", "127.0.0.1:0", "--drain-time", drain_time})),
        channel(grpc::CreateChannel(AwaitAddress(process), grpc::InsecureChannelCredentials())),
        life(v1::LifeService::NewStub(channel)) {
    call.request.set_pattern("bo$2bo$3o!");
    call.request.set_topology("torus:64x64");
    call.request.set_generations(~std::uint64_t{0});
    call.Start([&](auto... with) { life->async()->Step(with...); });
    const auto service = v1::ServerService::NewStub(channel);
    while (LifeRequests(*service) < 1) {
    }
  }

  Process process;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::LifeService::Stub> life;
  StepCall call;
};

TEST(ServerProgramTest, DrainTimeBoundsTheStop) {
  BusyServer server("1ms");
  server.process.Signal(SIGTERM);
  const grpc::Status status = server.call.Await();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("the server stopped"));
  EXPECT_EQ(server.process.Wait().status, 0);
}

TEST(ServerProgramTest, ASecondSignalEndsItAtOnce) {
  BusyServer server("1h");
  server.process.Signal(SIGINT);
  // Signals of one kind that wait are one signal, so two of different kinds.
  server.process.Signal(SIGTERM);
  EXPECT_EQ(server.process.Wait().signal, SIGTERM);
  EXPECT_FALSE(server.call.Await().ok());
}

// Two of one kind that wait are one signal, so the second is sent when the first has been heard.
TEST(ServerProgramTest, ASecondSigtermEndsItAtOnceToo) {
  BusyServer server("1h");
  HealthWatch health(server.channel, "");
  EXPECT_EQ(health.Next(), HealthCheckResponse::SERVING);
  server.process.Signal(SIGTERM);
  EXPECT_EQ(health.Next(), HealthCheckResponse::NOT_SERVING);
  server.process.Signal(SIGTERM);
  const Ending server_ended = server.process.Wait();
  EXPECT_EQ(server_ended.signal, SIGTERM);
  EXPECT_THAT(server_ended.err, AllOf(HasSubstr("draining: 1 call(s) under way"),
                                      HasSubstr("stopping at once: got signal 15")));
}

struct BadFlag {
  std::vector<std::string> arguments;
  std::string names;
};

TEST(ServerProgramTest, BadFlagsExitWith2AndNameFlagValueAndRule) {
  const BadFlag cases[] = {
      {{"--slots", "0"}, "--slots: '0': it has to be a whole number from 1 to 16"},
      {{"--slots", "two"}, "--slots: 'two'"},
      {{"--drain-time", "10"}, "--drain-time: '10': it has to be a duration with its unit"},
      {{"--backend", "tpu"}, "--backend: 'tpu': it has to be one of auto cuda cpu"},
      {{"--listen", "nowhere"}, "--listen: 'nowhere': it has to be HOST:PORT"},
      {{"--listen", "127.0.0.1:65536"}, "--listen: '127.0.0.1:65536'"},
      {{"--listen", "0.0.0.0:0"}, "--listen: '0.0.0.0:0': plaintext on more than loopback"},
      {{"--max-step-cells", "18446744073709551616"}, "--max-step-cells: '18446744073709551616'"},
      {{"--device-timeout", "2h"}, "--device-timeout: '2h'"},
      {{"--inject-fault", "loud@1"}, "--inject-fault: 'loud@1': it has to be KIND@N"},
      {{"--no-such-flag"}, "--no-such-flag"},
      {{"stray"}, "stray"},
  };
  for (const BadFlag& bad : cases) {
    Process server(ServerCommand(bad.arguments));
    const Ending server_ended = server.Wait();
    EXPECT_EQ(server_ended.status, 2) << bad.names;
    EXPECT_THAT(server_ended.err, HasSubstr(bad.names));
    EXPECT_EQ(server_ended.out, "");
  }
  Process server(ServerCommand({}, {{"GPUSIM_MAX_QUEUED_CALLS", "none"}}));
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 2);
  EXPECT_THAT(server_ended.err, HasSubstr("--max-queued-calls: 'none'"));
}

TEST(ServerProgramTest, PrintsItsConfigurationAndVersion) {
  Process config(ServerCommand(
      {"--print-config", "--listen", "127.0.0.1:1", "--drain-time", "1500ms"},
      {{"GPUSIM_SLOTS", "3"}, {"GPUSIM_DRAIN_TIME", "9s"}, {"GPUSIM_DEFAULT_DEADLINE", "2m"}}));
  const Ending config_ended = config.Wait();
  EXPECT_EQ(config_ended.status, 0);
  EXPECT_THAT(config_ended.out,
              AllOf(HasSubstr("listen = 127.0.0.1:1\n"), HasSubstr("slots = 3\n"),
                    HasSubstr("drain-time = 1500ms\n"), HasSubstr("default-deadline = 2m\n")));
  Process version(ServerCommand({"--version"}));
  const Ending version_ended = version.Wait();
  EXPECT_EQ(version_ended.status, 0);
  EXPECT_THAT(version_ended.out, ::testing::MatchesRegex("gpusim-server [0-9.]+\n"));
}

TEST(ServerProgramTest, BackendCudaWithoutAGpuRefusesToStart) {
  if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is a GPU here";
  Process server(ServerCommand({"--backend", "cuda", "--listen", "127.0.0.1:0"}));
  EXPECT_EQ(AwaitAddress(server), "");
  const Ending server_ended = server.Wait();
  EXPECT_EQ(server_ended.status, 1);
  EXPECT_THAT(server_ended.err, HasSubstr("--backend cuda: "));
}

}  // namespace
}  // namespace gpusim::testing
