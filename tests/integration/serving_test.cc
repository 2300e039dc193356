// What the server promises whatever it computes: cancellation, deadlines, full queues, faults,
// draining, and what it says about itself.
#include <chrono>
#include <cstdlib>
#include <deque>
#include <future>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class OddsCall : public PendingCall<v1::GetOddsRequest, v1::GetOddsResponse> {
 public:
  OddsCall() {
    request.mutable_position()->set_edition(v1::EDITION_FIRST);
    request.mutable_position()->mutable_text()->set_stacks("1:BGO 2:Y 3:W");
  }
  void Send(InProcessServer& server) {
    Start([&](auto... with) { server.camel_up().async()->GetOdds(with...); });
  }
};

// A server of one slot behind a gate.
class ServingTest : public ::testing::Test {
 protected:
  static server::ServerOptions OneSlot() {
    server::ServerOptions options = TestOptions();
    options.slots = 1;
    options.max_queued_calls = 4;
    return options;
  }

  // The device works on `call` from now on, until the gate opens.
  void Occupy(OddsCall& call) {
    gate_.Close();
    call.Send(server_);
    gate_.AwaitStopped(1);
  }
  void AwaitKind(const std::function<bool(const v1::KindStatistics&)>& wanted) {
    server_.AwaitStatistics("camel_up", wanted);
  }

  DeviceGate gate_;
  InProcessServer server_{OneSlot(), MakeHeldBackend(gate_)};
};

TEST_F(ServingTest, ACancelledCallThatWaitsIsNeverRun) {
  OddsCall running;
  OddsCall cancelled;
  Occupy(running);
  cancelled.Send(server_);
  AwaitKind([](const auto& kind) { return kind.requests() == 2; });
  cancelled.context.TryCancel();
  EXPECT_EQ(cancelled.Await().error_code(), grpc::StatusCode::CANCELLED);
  AwaitKind([](const auto& kind) { return kind.cancelled() == 1; });
  gate_.Open();
  EXPECT_TRUE(running.Await().ok());
  EXPECT_EQ(server_.Statistics("camel_up").batched(), 1u);
}

TEST_F(ServingTest, ACancelledCallThatRunsEndsWithItsBatch) {
  OddsCall running;
  Occupy(running);
  running.context.TryCancel();
  EXPECT_EQ(running.Await().error_code(), grpc::StatusCode::CANCELLED);
  gate_.Open();
  AwaitKind([](const auto& kind) { return kind.cancelled() + kind.answered() == 1; });
}

// A queue whose timeouts fire only when the model is free is what other servers are blamed for.
TEST(ServingDeadlineTest, AStalledDeviceLetsAHundredCallsExpireInTime) {
  constexpr int kCalls = 100;
  const char* load = std::getenv("GPUSIM_TEST_LOAD");
  const bool full = load != nullptr && std::string_view(load) == "full";
  // So that all of them have come in by then, whatever else the machine does.
  const milliseconds deadline(full ? 50 : 1'000);
  DeviceGate gate;
  server::ServerOptions options = TestOptions();
  options.slots = 1;
  InProcessServer server(options, MakeHeldBackend(gate));
  OddsCall running;
  gate.Close();
  running.Send(server);
  gate.AwaitStopped(1);
  std::deque<OddsCall> calls(kCalls);
  const auto start = std::chrono::steady_clock::now();
  for (OddsCall& call : calls) {
    call.context.set_deadline(std::chrono::system_clock::now() + deadline);
    call.Send(server);
  }
  // Time runs from a call's arrival here. Where that took a while, the caller's own clock is first, and cancels.
  server.AwaitStatistics(
      "camel_up", [](const auto& kind) { return kind.expired() + kind.cancelled() == kCalls; });
  const auto took = std::chrono::steady_clock::now() - start;
  for (OddsCall& call : calls)
    EXPECT_EQ(call.Await().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  gate.Open();
  EXPECT_TRUE(running.Await().ok());
  EXPECT_EQ(server.Statistics("camel_up").batched(), 1u);
  // The promise, of a release build on a machine that does nothing else.
  if (full) {
    EXPECT_EQ(server.Statistics("camel_up").expired(), static_cast<std::uint64_t>(kCalls));
    EXPECT_LT(took, milliseconds(60));
  }
}

TEST_F(ServingTest, AnExpiredCallIsNeverRunAndItsServerSaysSo) {
  OddsCall running;
  OddsCall late;
  Occupy(running);
  late.context.set_deadline(std::chrono::system_clock::now() + milliseconds(20));
  late.Send(server_);
  EXPECT_EQ(late.Await().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  AwaitKind([](const auto& kind) { return kind.expired() == 1; });
  gate_.Open();
  EXPECT_TRUE(running.Await().ok());
  const v1::KindStatistics statistics = server_.Statistics("camel_up");
  EXPECT_EQ(statistics.batched(), 1u);
  EXPECT_EQ(statistics.cancelled(), 0u);
}

TEST_F(ServingTest, AFullQueueRefusesAtOnceAndSaysWhenToRetry) {
  std::deque<OddsCall> accepted(4);
  Occupy(accepted[0]);
  for (std::size_t i = 1; i < accepted.size(); ++i) accepted[i].Send(server_);
  AwaitKind([](const auto& kind) { return kind.requests() == 4; });

  OddsCall refused;
  refused.Send(server_);
  const grpc::Status status = refused.Await();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("max-queued-calls of camel_up is 4"));
  EXPECT_THAT(status.error_message(), ::testing::ContainsRegex("retry after [0-9]+ ms"));
  const auto retry = DetailOf<google::rpc::RetryInfo>(status);
  ASSERT_TRUE(retry.has_value());
  EXPECT_GT(retry->retry_delay().seconds() * 1000 + retry->retry_delay().nanos() / 1'000'000, 0);

  gate_.Open();
  for (OddsCall& call : accepted) EXPECT_TRUE(call.Await().ok());
  EXPECT_EQ(server_.Statistics("camel_up").refused_queue_full(), 1u);
}

// Large boards fill memory long before they fill the queue.
TEST(ServingLimitsTest, BoardsBeyondTheQueuedBytesAreRefusedAtOnce) {
  DeviceGate gate;
  server::ServerOptions options = TestOptions();
  options.max_queued_bytes = std::uint64_t{2} << 20;  // one board of 4096 x 4096
  InProcessServer server(options, MakeHeldBackend(gate));
  gate.Close();
  v1::StepRequest request;
  request.set_pattern("bo$2bo$3o!");
  request.set_topology("torus:4096x4096");
  request.set_generations(1);
  PendingCall<v1::StepRequest, v1::StepResponse> first, second;
  first.request = second.request = request;
  first.Start([&](auto... with) { server.life().async()->Step(with...); });
  gate.AwaitStopped(1);
  second.Start([&](auto... with) { server.life().async()->Step(with...); });
  const grpc::Status refused = second.Await();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("max-queued-bytes of life is 2097152"));
  gate.Open();
  EXPECT_TRUE(first.Await().ok());
}

TEST_F(ServingTest, ADeviceFaultIsUnavailableWithItsText) {
  gate_.Break("the fan is on fire");
  OddsCall call;
  call.Send(server_);
  const grpc::Status status = call.Await();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("the fan is on fire"));
  EXPECT_EQ(server_.Statistics("camel_up").failed(), 1u);
}

TEST(ServingDefaultsTest, CallsWithoutADeadlineGetTheDefaultOne) {
  server::ServerOptions options = TestOptions();
  options.default_deadline = milliseconds(20);
  options.slots = 1;
  DeviceGate gate;
  InProcessServer server(options, MakeHeldBackend(gate));
  gate.Close();
  OddsCall running;
  running.context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(5));
  running.Send(server);
  gate.AwaitStopped(1);
  OddsCall without_deadline;
  without_deadline.Send(server);
  EXPECT_EQ(without_deadline.Await().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  gate.Open();
  EXPECT_TRUE(running.Await().ok());
}

TEST_F(ServingTest, DrainAnswersWhatWasAccepted) {
  std::deque<OddsCall> accepted(4);
  Occupy(accepted[0]);
  for (std::size_t i = 1; i < accepted.size(); ++i) accepted[i].Send(server_);
  AwaitKind([](const auto& kind) { return kind.requests() == 4; });
  auto drained =
      std::async(std::launch::async, [&] { server_.server().Drain(std::chrono::minutes(1)); });
  gate_.Open();
  for (OddsCall& call : accepted) EXPECT_TRUE(call.Await().ok());
  drained.get();
  OddsCall after;
  after.Send(server_);
  EXPECT_EQ(after.Await().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ServingTest, DrainEndsWhatTakesTooLong) {
  std::deque<OddsCall> accepted(2);
  Occupy(accepted[0]);
  accepted[1].Send(server_);
  AwaitKind([](const auto& kind) { return kind.requests() == 2; });
  auto drained = std::async(std::launch::async, [&] { server_.server().Drain(milliseconds(1)); });
  const grpc::Status queued = accepted[1].Await();
  EXPECT_EQ(queued.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(queued.error_message(), HasSubstr("the server stopped"));
  gate_.Open();
  const grpc::Status running = accepted[0].Await();
  EXPECT_TRUE(running.ok() || running.error_code() == grpc::StatusCode::UNAVAILABLE);
  drained.get();
}

TEST(ServerServiceTest, SaysWhatItIs) {
  InProcessServer server(TestOptions(), MakeCpuBackend(2));
  grpc::ClientContext context;
  v1::GetInfoResponse info;
  ASSERT_TRUE(server.server_service().GetInfo(&context, {}, &info).ok());
  EXPECT_THAT(info.version(), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(info.backend(), v1::BACKEND_CPU);
  ASSERT_EQ(info.devices_size(), 1);
  EXPECT_EQ(info.devices(0).threads(), 2u);
  EXPECT_EQ(info.devices(0).slots(), 2u);
  std::map<std::string, std::uint64_t> limits;
  for (const v1::Limit& limit : info.limits()) limits[limit.flag()] = limit.value();
  EXPECT_EQ(limits.at("max-queued-calls"), 4096u);
  EXPECT_EQ(limits.at("max-step-cells"), 1u << 24);
  EXPECT_EQ(limits.at("default-deadline"), 30'000u);
}

TEST(ServerServiceTest, PingGoesThroughTheScheduler) {
  InProcessServer server;
  grpc::ClientContext context;
  v1::PingResponse response;
  ASSERT_TRUE(server.server_service().Ping(&context, {}, &response).ok());
  EXPECT_EQ(server.Statistics("ping").answered(), 1u);
}

TEST(ServerServiceTest, RequestsOverGrpcsLimitAreRefusedByGrpc) {
  server::ServerOptions options = TestOptions();
  options.max_request_bytes = 4096;
  InProcessServer server(options);
  v1::StepRequest request;
  request.set_pattern(std::string(8192, 'o') + "!");
  grpc::ClientContext context;
  v1::StepResponse response;
  EXPECT_EQ(server.life().Step(&context, request, &response).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST(ReflectionTest, ListsTheServices) {
  InProcessServer server;
  grpc::GenericStub stub(server.channel());
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  auto call = stub.PrepareCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto next = [&] {
    void* tag = nullptr;
    bool ok = false;
    EXPECT_TRUE(queue.Next(&tag, &ok));
    return ok;
  };
  call->StartCall(nullptr);
  ASSERT_TRUE(next());
  const grpc::Slice list_services(std::string("\x3a\x00", 2));
  call->WriteLast(grpc::ByteBuffer(&list_services, 1), grpc::WriteOptions(), nullptr);
  ASSERT_TRUE(next());
  grpc::ByteBuffer reply;
  call->Read(&reply, nullptr);
  ASSERT_TRUE(next());
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(reply.Dump(&slices).ok());
  std::string names;
  for (const grpc::Slice& slice : slices)
    names.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  EXPECT_THAT(names, HasSubstr("gpusim.v1.CamelUpService"));
  EXPECT_THAT(names, HasSubstr("gpusim.v1.LifeService"));
  EXPECT_THAT(names, HasSubstr("gpusim.v1.ServerService"));
  EXPECT_THAT(names, HasSubstr("grpc.health.v1.Health"));
  grpc::Status status;
  call->Finish(&status, nullptr);
  next();
  EXPECT_TRUE(status.ok());
  queue.Shutdown();
}

}  // namespace
}  // namespace gpusim::testing
