// What bounds connections: their age, their headers, what gRPC holds for them.
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "tests/integration/access_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;

v1::Position Start() {
  v1::Position position;
  position.set_edition(v1::EDITION_FIRST);
  position.mutable_text()->set_stacks("1:BGOYW");
  return position;
}

bool SaysReopen(const grpc::ClientContext& context) {
  const auto& trailers = context.GetServerTrailingMetadata();
  const auto found = trailers.find("gpusim-reopen");
  return found != trailers.end() && found->second == "1";
}

class AgedConnectionTest : public ::testing::Test {
 protected:
  static server::ServerOptions Options() {
    server::ServerOptions options = TestOptions();
    options.max_connection_age = milliseconds(500);
    return options;
  }

  AccessServer server_{Options()};
  const std::shared_ptr<grpc::Channel> channel_ = server_.Channel();
};

// A client asks and asks; what the server has read when the stream's time comes is answered, once each.
TEST_F(AgedConnectionTest, AStreamOfOddsAnswersWhatItReadAndAsksToBeReopened) {
  const auto stub = v1::CamelUpService::NewStub(channel_);
  for (int round = 0; round < 2; ++round) {
    grpc::ClientContext context;
    const auto stream = stub->StreamOdds(&context);
    std::thread writer([&] {
      v1::StreamOddsRequest request;
      *request.mutable_odds()->mutable_position() = Start();
      do request.set_id(request.id() + 1);
      while (stream->Write(request));
    });
    std::set<std::uint64_t> answered;
    std::uint64_t answers = 0;
    for (v1::StreamOddsResponse response; stream->Read(&response);) {
      if (!response.has_item()) continue;
      ++answers;
      answered.insert(response.item().id());
    }
    writer.join();
    const grpc::Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(SaysReopen(context));
    EXPECT_GT(answers, 0u);
    EXPECT_EQ(answered.size(), answers) << "an item was answered twice";
    EXPECT_EQ(*answered.rbegin(), answers) << "an item was left out";
  }
}

TEST_F(AgedConnectionTest, ASimulationEndsWithWhereToGoOn) {
  const auto stub = v1::CamelUpService::NewStub(channel_);
  grpc::ClientContext context;
  v1::SimulateRequest request;
  *request.mutable_position() = Start();
  request.set_simulations(10'000'000'000'000);
  const auto reader = stub->Simulate(&context, request);
  v1::SimulateResponse last;
  for (v1::SimulateResponse response; reader->Read(&response);) last = response;
  const grpc::Status status = reader->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(last.state(), v1::SIMULATE_STATE_DRAINING);
  EXPECT_GT(last.next_simulation(), 0u);
}

TEST_F(AgedConnectionTest, AWatchEndsAndCallsThatAreNotStreamsNeverNotice) {
  const auto stub = v1::LifeService::NewStub(channel_);
  {
    grpc::ClientContext context;
    v1::CreateBoardRequest request;
    request.mutable_header()->set_name("a");
    request.mutable_header()->set_topology("torus:64x64");
    v1::CreateBoardResponse response;
    const auto writer = stub->CreateBoard(&context, &response);
    writer->Write(request);
    writer->WritesDone();
    ASSERT_TRUE(writer->Finish().ok());
  }
  std::atomic<bool> open = true;
  std::thread pings([&] {
    while (open) EXPECT_TRUE(PingOver(channel_).ok());
  });
  for (int round = 0; round < 2; ++round) {
    grpc::ClientContext context;
    v1::WatchBoardRequest request;
    request.set_name("a");
    const auto reader = stub->WatchBoard(&context, request);
    int frames = 0;
    for (v1::WatchBoardResponse response; reader->Read(&response);) ++frames;
    const grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_GT(frames, 0);
  }
  open = false;
  pings.join();
}

TEST(ConnectionLimitsTest, HeadersHaveALargestSize) {
  const AccessServer server(TestOptions());
  // A connection each, as one may be closed over it.
  const auto ping = [&](std::size_t bytes) {
    grpc::ClientContext context;
    context.AddMetadata("x-large", std::string(bytes, 'a'));
    v1::PingResponse response;
    return v1::ServerService::NewStub(server.Channel())->Ping(&context, {}, &response).error_code();
  };
  EXPECT_EQ(ping(14 << 10), grpc::StatusCode::OK);
  EXPECT_EQ(ping(18 << 10), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ping(0), grpc::StatusCode::OK);
}

// Requests of 4 MiB, four times what gRPC may hold: they end one way or the other, and the server lives on.
TEST(ConnectionLimitsTest, ManyLargeRequestsLeaveAServerThatAnswers) {
  server::ServerOptions options = TestOptions();
  options.max_grpc_bytes = 16 << 20;
  const AccessServer server(options);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 16; ++caller) {
    callers.emplace_back([&server] {
      const auto stub = v1::CamelUpService::NewStub(server.Channel());
      v1::GetOddsColumnsRequest request;
      request.set_rows(1);
      request.set_spaces(std::string(4 << 20, '\1'));
      for (int i = 0; i < 4; ++i) {
        grpc::ClientContext context;
        context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
        v1::GetOddsColumnsResponse response;
        EXPECT_FALSE(stub->GetOddsColumns(&context, request, &response).ok());
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(PingOver(server.Channel()).ok());
}

}  // namespace
}  // namespace gpusim::testing
