// Who is served when, through a whole server of one slot: clients, priorities, and the limits of what may wait. Waits are
// counted in batches, which a gate lets pass one by one, so that no clock is in it.
#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OddsCall : public PendingCall<v1::GetOddsRequest, v1::GetOddsResponse> {
 public:
  OddsCall() {
    request.mutable_position()->set_edition(v1::EDITION_FIRST);
    request.mutable_position()->mutable_text()->set_stacks("1:BGO 2:Y 3:W");
  }
  // So many simulations that every chunk fills a batch.
  void AskForHours() {
    request.mutable_monte_carlo()->set_simulations(1'000'000'000);
    request.mutable_monte_carlo()->mutable_stream()->set_seed(7);
  }
  void Send(v1::CamelUpService::Stub& stub) {
    Start([&](auto... with) { stub.async()->GetOdds(with...); });
  }
};

// A run of 1e12 simulations, which nobody reads.
class EndlessRun {
 public:
  explicit EndlessRun(InProcessServer& server) {
    v1::SimulateRequest request;
    request.mutable_position()->set_edition(v1::EDITION_FIRST);
    request.mutable_position()->mutable_text()->set_stacks("1:BGO 2:Y 3:W");
    request.set_simulations(1'000'000'000'000);
    reader_ = server.camel_up().Simulate(&context_, request);
  }
  void Cancel() { context_.TryCancel(); }
  grpc::Status Finish() {
    v1::SimulateResponse update;
    while (reader_->Read(&update)) {
    }
    return reader_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::SimulateResponse>> reader_;
};

class FairnessTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMaxCalls = 2100;

  // The server knows callers by their addresses, of which a Unix socket is another one.
  server::ServerOptions Options() {
    server::ServerOptions options = TestOptions();
    options.listen.push_back("unix:" + socket_);
    options.slots = 1;
    options.max_queued_calls = kMaxCalls;
    options.max_concurrent_streams = 2 * kMaxCalls;
    options.max_cache_bytes = 0;
    return options;
  }
  void AwaitRequests(std::uint64_t count) {
    server_.AwaitStatistics("camel_up", [&](const auto& kind) { return kind.requests() == count; });
  }
  // Lets so many batches through; when it returns their answers are counted, and one more has stopped.
  void LetPass(int batches) {
    for (int i = 0; i < batches; ++i) {
      gate_.LetPass(1);
      gate_.AwaitStopped(1);
    }
  }

  TemporaryDirectory directory_;
  const std::string socket_ = directory_.path() + "/socket";
  DeviceGate gate_;
  InProcessServer server_{Options(), MakeHeldBackend(gate_)};
  std::unique_ptr<v1::CamelUpService::Stub> other_client_ = v1::CamelUpService::NewStub(
      grpc::CreateChannel("unix:" + socket_, grpc::InsecureChannelCredentials()));
};

// In turn with 2,000 tasks that fill a batch each it would wait for 2,000 batches.
TEST_F(FairnessTest, SingleCallIsAnsweredWithinTwoBatchesOfAnothersFlood) {
  constexpr std::size_t kFlood = 2000;
  gate_.Close();
  std::deque<OddsCall> flood(kFlood);
  for (OddsCall& call : flood) {
    call.AskForHours();
    call.Send(server_.camel_up());
  }
  AwaitRequests(kFlood);
  gate_.AwaitStopped(1);
  OddsCall single;
  single.Send(*other_client_);
  AwaitRequests(kFlood + 1);
  LetPass(2);  // the one under way, and the one that has the single call
  EXPECT_EQ(server_.Statistics("camel_up").answered(), 1u);
  for (OddsCall& call : flood) call.context.TryCancel();
  gate_.Open();
  EXPECT_TRUE(single.Await().ok());
  for (OddsCall& call : flood) EXPECT_EQ(call.Await().error_code(), grpc::StatusCode::CANCELLED);
}

// Beside eight runs of 1e12 simulations, of the same client: a query waits for the chunk under way alone.
TEST_F(FairnessTest, SingleQueryGoesBeforeEndlessRuns) {
  constexpr int kRuns = 8;
  gate_.Close();
  std::deque<EndlessRun> runs;
  for (int i = 0; i < kRuns; ++i) runs.emplace_back(server_);
  AwaitRequests(kRuns);
  gate_.AwaitStopped(1);
  LetPass(3);  // they are well under way
  OddsCall single;
  single.Send(server_.camel_up());
  AwaitRequests(kRuns + 1);
  LetPass(2);
  EXPECT_EQ(server_.Statistics("camel_up").answered(), 1u);
  EXPECT_EQ(server_.Statistics("camel_up").bulk_requests(), std::uint64_t{kRuns});
  for (EndlessRun& run : runs) run.Cancel();
  gate_.Open();
  EXPECT_TRUE(single.Await().ok());
  for (EndlessRun& run : runs) EXPECT_EQ(run.Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(FairnessTest, OfTwiceAsManyCallsAsTheLimitExactlyHalfIsAccepted) {
  gate_.Close();
  std::deque<OddsCall> calls(2 * kMaxCalls);
  for (std::size_t i = 0; i < calls.size(); ++i)
    calls[i].Send(i % 2 == 0 ? server_.camel_up() : *other_client_);
  server_.AwaitStatistics("camel_up", [](const auto& kind) {
    return kind.requests() + kind.refused_queue_full() == 2 * kMaxCalls;
  });
  gate_.Open();
  std::uint64_t answered = 0;
  std::uint64_t refused = 0;
  for (OddsCall& call : calls) {
    const grpc::StatusCode code = call.Await().error_code();
    answered += code == grpc::StatusCode::OK ? 1 : 0;
    refused += code == grpc::StatusCode::RESOURCE_EXHAUSTED ? 1 : 0;
  }
  EXPECT_EQ(answered, kMaxCalls);
  EXPECT_EQ(refused, kMaxCalls);
  EXPECT_EQ(server_.Statistics("camel_up").answered(), kMaxCalls);
}

TEST_F(FairnessTest, PriorityIsTheRequestsElseThatOfItsMethod) {
  const auto bulk = [&] { return server_.Statistics("camel_up").bulk_requests(); };
  OddsCall usual;
  usual.Send(server_.camel_up());
  EXPECT_TRUE(usual.Await().ok());
  EXPECT_EQ(bulk(), 0u);
  OddsCall patient;
  patient.request.set_priority(v1::PRIORITY_BULK);
  patient.Send(server_.camel_up());
  EXPECT_TRUE(patient.Await().ok());
  EXPECT_EQ(bulk(), 1u);
  OddsCall unknown;
  unknown.request.set_priority(static_cast<v1::Priority>(9));
  unknown.Send(server_.camel_up());
  const grpc::Status refused = unknown.Await();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationsOf(refused), ElementsAre(StartsWith("priority: '9'")));

  v1::StepManyRequest many;
  for (int i = 0; i < 17; ++i) {
    v1::StepRequest& board = *many.add_boards();
    board.set_pattern("bo$2bo$3o!");
    board.set_topology("torus:64x64");
    board.set_generations(1);
  }
  for (const std::uint64_t expected : {1u, 1u}) {
    grpc::ClientContext context;
    v1::StepManyResponse response;
    ASSERT_TRUE(server_.life().StepMany(&context, many, &response).ok());
    EXPECT_EQ(server_.Statistics("life").bulk_requests(), expected) << many.boards_size();
    many.mutable_boards()->RemoveLast();
  }
}

// A limit of 1 ms, and chunks of about 2 ms, of which one may wait.
class QueuedWorkTest : public ::testing::Test {
 protected:
  static server::ServerOptions Options() {
    server::ServerOptions options = TestOptions();
    options.slots = 1;
    options.max_queued_work = std::chrono::milliseconds(1);
    return options;
  }
  DeviceGate gate_;
  InProcessServer server_{Options(), MakeHeldBackend(gate_)};
};

TEST_F(QueuedWorkTest, MoreWorkThanTheLimitIsRefusedAtOnce) {
  gate_.Close();
  EndlessRun run(server_);
  gate_.AwaitStopped(1);
  for (int chunk = 0; chunk < 2; ++chunk) {
    gate_.LetPass(1);
    gate_.AwaitStopped(1);
  }
  OddsCall first;
  first.AskForHours();
  first.Send(server_.camel_up());
  server_.AwaitStatistics("camel_up", [](const auto& kind) { return kind.requests() == 2; });
  OddsCall second;
  second.AskForHours();
  second.Send(server_.camel_up());
  const grpc::Status refused = second.Await();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("max-queued-work of camel_up is 1 ms, and with this call "));
  EXPECT_TRUE(DetailOf<google::rpc::RetryInfo>(refused).has_value());
  EXPECT_EQ(server_.Statistics("camel_up").refused_work_full(), 1u);
  run.Cancel();
  first.context.TryCancel();
  gate_.Open();
  EXPECT_EQ(first.Await().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(run.Finish().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace gpusim::testing
