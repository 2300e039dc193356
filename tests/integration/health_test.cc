// grpc.health.v1 of a server in the test's own process.
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/health_client.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/sanitized.h"

namespace gpusim::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kReadyNames[] = {"", "ready", "gpusim.v1.CamelUpService",
                                       "gpusim.v1.LifeService", "gpusim.v1.ServerService"};

grpc::Status StepOnce(InProcessServer& server) {
  grpc::ClientContext context;
  v1::StepRequest request;
  request.set_pattern("bo$2bo$3o!");
  request.set_topology("torus:64x64");
  request.set_generations(1);
  v1::StepResponse response;
  return server.life().Step(&context, request, &response);
}

TEST(HealthTest, ServesEveryNameAndNoOther) {
  InProcessServer server;
  for (const char* name : kReadyNames) EXPECT_EQ(CheckHealth(server.channel(), name), "SERVING");
  EXPECT_EQ(CheckHealth(server.channel(), "warm"), "SERVING");
  EXPECT_EQ(CheckHealth(server.channel(), "device"), "SERVING");
  const std::string not_found = "code " + std::to_string(grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(CheckHealth(server.channel(), "nobody"), not_found);
  EXPECT_EQ(CheckHealth(server.channel(), "gpusim.v1.Life"), not_found);
}

TEST(HealthTest, AWatchOfAnUnknownNameSaysSoAndStaysOpen) {
  InProcessServer server;
  HealthWatch watch(server.channel(), "nobody");
  EXPECT_EQ(watch.Next(), HealthCheckResponse::SERVICE_UNKNOWN);
}

// A client that watches the health keeps a stream open for ever. A drain waited for it until its
// time was up, although no call was left.
TEST(HealthTest, AWatchHearsOfADrainAndDoesNotHoldItUp) {
  InProcessServer server;
  HealthWatch ready(server.channel(), "");
  HealthWatch warm(server.channel(), "warm");
  EXPECT_EQ(ready.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(warm.Next(), HealthCheckResponse::SERVING);
  const auto start = std::chrono::steady_clock::now();
  auto drained =
      std::async(std::launch::async, [&] { server.server().Drain(std::chrono::minutes(10)); });
  EXPECT_EQ(ready.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(ready.End().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(warm.Next(), std::nullopt) << "a server that drains is warm still";
  drained.get();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1));
}

TEST(HealthTest, ADeviceThatIsLostIsNeverUsedAgain) {
  DeviceGate gate;
  InProcessServer server(TestOptions(), MakeHeldBackend(gate));
  HealthWatch ready(server.channel(), "");
  HealthWatch device(server.channel(), "device");
  EXPECT_EQ(ready.Next(), HealthCheckResponse::SERVING);
  EXPECT_EQ(device.Next(), HealthCheckResponse::SERVING);
  EXPECT_TRUE(StepOnce(server).ok());

  gate.Break("the fan is on fire", true);
  const grpc::Status failed = StepOnce(server);
  EXPECT_EQ(failed.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(failed.error_message(), HasSubstr("device 0 ("));
  EXPECT_THAT(failed.error_message(), HasSubstr("the fan is on fire"));
  EXPECT_EQ(ready.Next(), HealthCheckResponse::NOT_SERVING);
  EXPECT_EQ(device.Next(), HealthCheckResponse::NOT_SERVING);
  for (const char* name : kReadyNames)
    EXPECT_EQ(CheckHealth(server.channel(), name), "NOT_SERVING");
  EXPECT_EQ(CheckHealth(server.channel(), "warm"), "SERVING");

  gate.Mend();
  EXPECT_EQ(StepOnce(server).error_code(), grpc::StatusCode::UNAVAILABLE)
      << "what a lost device says is not trusted, even if it sounds right";
  grpc::ClientContext context;
  v1::GetInfoResponse info;
  EXPECT_EQ(server.server_service().GetInfo(&context, {}, &info).error_code(),
            grpc::StatusCode::UNAVAILABLE)
      << "nor does the server answer what needs no device";
}

// Batches of other slots that were under way when a device was lost have been answered by it, but not asked whether by then it
// still worked.
TEST(HealthTest, ABatchThatWasUnderWayThenIsNotTrusted) {
  DeviceGate gate;
  server::ServerOptions options = TestOptions();
  options.slots = 2;
  InProcessServer server(options, MakeHeldBackend(gate));
  gate.Close();
  PendingCall<v1::StepRequest, v1::StepResponse> calls[2];
  int started = 0;
  for (auto& call : calls) {
    call.request.set_pattern("bo$2bo$3o!");
    call.request.set_topology("torus:64x64");
    call.request.set_generations(1);
    call.Start([&](auto... with) { server.life().async()->Step(with...); });
    gate.AwaitStopped(++started);
  }
  HealthWatch device(server.channel(), "device");
  EXPECT_EQ(device.Next(), HealthCheckResponse::SERVING);
  gate.BreakNext("the fan is on fire", true);
  gate.LetPass(1);
  EXPECT_EQ(device.Next(), HealthCheckResponse::NOT_SERVING);
  gate.Open();
  for (auto& call : calls) EXPECT_EQ(call.Await().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(HealthTest, TwoServersSpeakOfOneState) {
  InProcessServer server;
  server::HealthService service(server.server().health());
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const auto probes = builder.BuildAndStart();
  ASSERT_NE(probes, nullptr);
  const auto channel =
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials());
  EXPECT_EQ(CheckHealth(channel, "ready"), "SERVING");
  server.server().Drain(std::chrono::milliseconds(0));
  EXPECT_EQ(CheckHealth(channel, "ready"), "NOT_SERVING");
  EXPECT_EQ(CheckHealth(channel, "device"), "SERVING");
  probes->Shutdown();
}

// Connections that say no more than hello. Each takes two descriptors of this process.
class IdleConnections {
 public:
  IdleConnections(int port, std::size_t count) {
    const std::string hello = std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") +
                              std::string("\0\0\0\4\0\0\0\0\0", 9);  // and empty settings
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (std::size_t i = 0; i < count; ++i) {
      const int one = socket(AF_INET, SOCK_STREAM, 0);
      if (one < 0) break;
      sockets_.push_back(one);
      if (connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
          send(one, hello.data(), hello.size(), MSG_NOSIGNAL) < 0)
        break;
      ++open_;
    }
  }
  ~IdleConnections() {
    for (const int one : sockets_) close(one);
  }
  IdleConnections(const IdleConnections&) = delete;
  IdleConnections& operator=(const IdleConnections&) = delete;

  std::size_t open() const { return open_; }

 private:
  std::vector<int> sockets_;
  std::size_t open_ = 0;
};

// As many as this process may have, up to `wanted`.
std::size_t AllowConnections(std::size_t wanted) {
  constexpr rlim_t kRest = 200;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 2 * wanted + kRest);
  setrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>((limit.rlim_cur - kRest) / 2);
}

TEST(HealthTest, AnswersBesideThousandsOfIdleConnections) {
  InProcessServer server;
  const std::size_t count = AllowConnections(kSanitized ? 200 : 2000);
  const IdleConnections idle(server.server().ports().front(), count);
  EXPECT_EQ(idle.open(), count);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(CheckHealth(server.NewChannel(), ""), "SERVING");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace gpusim::testing
