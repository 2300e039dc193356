// Health on a port of its own, in plaintext, whatever the others ask for.
#include <chrono>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "gpusim/v1/server.grpc.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/integration/access_server.h"
#include "tests/testing/certificates.h"

namespace gpusim::testing {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

std::shared_ptr<grpc::Channel> ProbeChannel(AccessServer& server) {
  return grpc::CreateChannel(server.server().probe_address(), grpc::InsecureChannelCredentials());
}

TEST(ProbeTest, HealthIsToldInPlaintextBesideTlsAndTokensAndNothingElseIs) {
  Certificates files;
  files.Sign("server");
  const TemporaryDirectory directory;
  server::ServerOptions options = TestOptions();
  options.tls_certificate = files.Pem("server");
  options.tls_key = files.Key("server");
  options.tls_client_ca = files.Pem("ca");
  options.token_file = directory.path() + "/tokens";
  std::ofstream(options.token_file) << "alice use 0123456789abcdef\n";
  options.probe_listen = "127.0.0.1:0";
  AccessServer server(options);
  const auto channel = ProbeChannel(server);
  const auto stub = Health::NewStub(channel);
  for (const char* name : {"", "ready", "warm", "device", "gpusim.v1.LifeService"}) {
    grpc::ClientContext context;
    HealthCheckRequest request;
    request.set_service(name);
    HealthCheckResponse response;
    EXPECT_TRUE(stub->Check(&context, request, &response).ok()) << name;
    EXPECT_EQ(response.status(), HealthCheckResponse::SERVING) << name;
  }
  EXPECT_EQ(PingOver(channel, "0123456789abcdef").error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

TEST(ProbeTest, AWatchHearsOfTheDrainAndEndsWithTheServer) {
  server::ServerOptions options = TestOptions();
  options.probe_listen = "127.0.0.1:0";
  AccessServer server(options);
  const auto channel = ProbeChannel(server);
  grpc::ClientContext context;
  const auto watch = Health::NewStub(channel)->Watch(&context, {});
  HealthCheckResponse response;
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
  server.server().Drain(std::chrono::milliseconds(0));
  ASSERT_TRUE(watch->Read(&response));
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
  server.EndAndTakeLog();
  EXPECT_FALSE(watch->Read(&response));
  EXPECT_FALSE(watch->Finish().ok());
}

TEST(ProbeTest, APortThatIsTakenIsOneLineAtTheStart) {
  AccessServer first(TestOptions());
  server::ServerOptions options = TestOptions();
  options.probe_listen = first.address();
  try {
    AccessServer second(options);
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              "cannot answer probes on " + first.address() + ": Address already in use");
  }
}

}  // namespace
}  // namespace gpusim::testing
