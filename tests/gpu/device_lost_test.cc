// A real fault of a real GPU, and what the server makes of it. Each case is a process of its own, which the fault spoils.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/null_sink.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "kernels/backend.h"
#include "server/server.h"
#include "tests/gpu/wild_kernel.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

grpc::StatusCode AskOdds(const std::string& address) {
  const auto stub =
      v1::CamelUpService::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1::GetOddsRequest request;
  request.mutable_position()->set_edition(v1::EDITION_FIRST);
  request.mutable_position()->mutable_text()->set_stacks("1:BGO 2:Y 3:W");
  v1::GetOddsResponse response;
  return stub->GetOdds(&context, request, &response).error_code();
}

#define REQUIRE(condition)                                         \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      std::_Exit(1);                                               \
    }                                                              \
  } while (false)

void LoseTheDeviceUnderAServer() {
  auto backend = MakeCudaBackend();
  REQUIRE(backend.has_value());
  server::ServerOptions options = TestOptions();
  options.max_cache_bytes = 0;
  const auto log =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  std::promise<server::DeviceLoss> told;
  auto lost = told.get_future();
  auto server =
      server::Server::Start(options, *std::move(backend), log,
                            [&told](const server::DeviceLoss& loss) { told.set_value(loss); });
  REQUIRE(server.has_value());
  const std::string address = (*server)->addresses().front();
  REQUIRE(AskOdds(address) == grpc::StatusCode::OK);
  std::fprintf(stderr, "CUDA says %s\n", RunWildKernel());
  REQUIRE(AskOdds(address) == grpc::StatusCode::UNAVAILABLE);
  REQUIRE(lost.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
  const server::DeviceLoss loss = lost.get();
  REQUIRE(loss.how == server::DeviceLoss::How::kFault);
  for (int i = 0; i < 10; ++i) REQUIRE(AskOdds(address) == grpc::StatusCode::UNAVAILABLE);
  std::fprintf(stderr, "the server says: %s\n", loss.what.c_str());
  std::_Exit(0);
}

TEST(DeviceLostDeathTest, AnIllegalAddressEndsTheService) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(LoseTheDeviceUnderAServer(), ::testing::ExitedWithCode(0),
              "CUDA says cudaErrorIllegalAddress");
}

}  // namespace
}  // namespace gpusim::testing
