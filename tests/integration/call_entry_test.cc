// What holds for every call, whatever it is about: its ids, and that its end is counted.
#include <map>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "server/calls/call_method.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;

constexpr char kTraceparent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// By method and code.
using Counts = std::map<std::pair<std::string, std::uint32_t>, std::uint64_t>;

class CallEntryTest : public ::testing::Test {
 protected:
  grpc::Status Ping(grpc::ClientContext& context) {
    v1::PingResponse response;
    return server_.server_service().Ping(&context, {}, &response);
  }
  // INVALID_ARGUMENT.
  grpc::Status BadStep(grpc::ClientContext& context) {
    v1::StepRequest request;
    request.set_pattern("?");
    v1::StepResponse response;
    return server_.life().Step(&context, request, &response);
  }
  // NOT_FOUND.
  grpc::Status NoBoard(grpc::ClientContext& context) {
    v1::GetBoardRequest request;
    request.set_name("none");
    v1::GetBoardResponse response;
    return server_.life().GetBoard(&context, request, &response);
  }
  grpc::Status NoRegion(grpc::ClientContext& context) {
    v1::ReadRegionRequest request;
    request.set_name("none");
    const auto reader = server_.life().ReadRegion(&context, request);
    v1::ReadRegionResponse response;
    EXPECT_FALSE(reader->Read(&response));
    return reader->Finish();
  }
  grpc::Status EmptyStream(grpc::ClientContext& context) {
    const auto stream = server_.camel_up().StreamOdds(&context);
    stream->WritesDone();
    v1::StreamOddsResponse response;
    while (stream->Read(&response)) {
    }
    return stream->Finish();
  }

  static std::string Trailer(const grpc::ClientContext& context, const std::string& key) {
    const auto& trailers = context.GetServerTrailingMetadata();
    const auto found = trailers.find(key);
    return found == trailers.end() ? "" : std::string(found->second.data(), found->second.size());
  }

  Counts ReadCounts() {
    grpc::ClientContext context;
    v1::GetStatisticsResponse response;
    EXPECT_TRUE(server_.server_service().GetStatistics(&context, {}, &response).ok());
    Counts counts;
    for (const v1::CallStatistics& calls : response.calls())
      counts[{calls.method(), calls.code()}] = calls.count();
    return counts;
  }

  InProcessServer server_;
};

TEST_F(CallEntryTest, GivesTheCallersIdsBack) {
  const auto echoed = [&](auto&& call) {
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", "7/3");
    context.AddMetadata("traceparent", kTraceparent);
    call(context);
    EXPECT_EQ(Trailer(context, "x-request-id"), "7/3");
    EXPECT_EQ(Trailer(context, "traceparent"), kTraceparent);
  };
  echoed([&](auto& context) { EXPECT_TRUE(Ping(context).ok()); });
  echoed([&](auto& context) { EXPECT_TRUE(EmptyStream(context).ok()); });
  echoed([&](auto& context) {
    EXPECT_EQ(BadStep(context).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  });
  echoed([&](auto& context) {
    EXPECT_EQ(NoBoard(context).error_code(), grpc::StatusCode::NOT_FOUND);
  });
  echoed([&](auto& context) {
    EXPECT_EQ(NoRegion(context).error_code(), grpc::StatusCode::NOT_FOUND);
  });
}

TEST_F(CallEntryTest, AFailureWithoutAnIdGetsOneOfItsOwn) {
  grpc::ClientContext good;
  EXPECT_TRUE(Ping(good).ok());
  EXPECT_THAT(good.GetServerTrailingMetadata(), IsEmpty());
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    grpc::ClientContext bad;
    EXPECT_FALSE(BadStep(bad).ok());
    EXPECT_THAT(Trailer(bad, "x-request-id"), MatchesRegex("[0-9a-f]{16}"));
    EXPECT_EQ(Trailer(bad, "traceparent"), "");
    ids.insert(Trailer(bad, "x-request-id"));
  }
  EXPECT_EQ(ids.size(), 3u);
}

// Ids go into the log and into headers, so what is not one counts as none.
TEST_F(CallEntryTest, IdsOfAnotherFormCountAsNone) {
  for (const std::string& id : {std::string(129, 'a'), std::string("two words"), std::string()}) {
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", id);
    context.AddMetadata("traceparent", std::string(kTraceparent) + "-x");
    EXPECT_FALSE(BadStep(context).ok());
    EXPECT_THAT(Trailer(context, "x-request-id"), MatchesRegex("[0-9a-f]{16}")) << id;
    EXPECT_EQ(Trailer(context, "traceparent"), "") << id;
  }
  grpc::ClientContext longest;
  longest.AddMetadata("x-request-id", std::string(128, 'a'));
  EXPECT_TRUE(Ping(longest).ok());
  EXPECT_EQ(Trailer(longest, "x-request-id"), std::string(128, 'a'));
}

TEST_F(CallEntryTest, NamesEveryMethodOfTheProtos) {
  std::set<std::string_view> ours(server::kCallMethodNames.begin(), server::kCallMethodNames.end());
  EXPECT_EQ(ours.size(), server::kCallMethods);
  std::set<std::string_view> theirs;
  for (const char* name : {"CamelUpService", "LifeService", "ServerService"}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
        std::string("gpusim.v1.") + name);
    ASSERT_NE(service, nullptr) << name;
    for (int i = 0; i < service->method_count(); ++i) theirs.insert(service->method(i)->name());
  }
  EXPECT_EQ(ours, theirs);
}

// Every method, with an empty request and nothing after it. That is what most refuse, and all end.
TEST_F(CallEntryTest, CountsTheEndOfEveryMethod) {
  const Counts before = ReadCounts();
  grpc::GenericStub stub(server_.NewChannel());
  for (const char* name : {"CamelUpService", "LifeService", "ServerService"}) {
    const std::string service = std::string("gpusim.v1.") + name;
    const auto* methods =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(service);
    for (int i = 0; i < methods->method_count(); ++i) {
      if (methods->method(i)->name() == "StreamOdds") continue;  // answers even so
      PendingCall<grpc::ByteBuffer, grpc::ByteBuffer> call;
      const grpc::Slice nothing("");
      call.request = grpc::ByteBuffer(&nothing, 1);
      call.Start([&](auto* context, auto* sent, auto* received, auto done) {
        stub.UnaryCall(context, "/" + service + "/" + methods->method(i)->name(), {}, sent,
                       received, done);
      });
      call.Await();
    }
  }
  grpc::ClientContext context;
  EXPECT_TRUE(EmptyStream(context).ok());
  const auto counted = [&](const std::string& method) {
    std::uint64_t sum = 0;
    for (const auto& [key, count] : ReadCounts()) {
      const auto was = before.find(key);
      if (key.first == method) sum += count - (was == before.end() ? 0 : was->second);
    }
    return sum;
  };
  for (const std::string_view method : server::kCallMethodNames) {
    if (method == "GetStatistics") continue;  // asks itself
    EXPECT_EQ(counted(std::string(method)), 1u) << method;
  }
}

TEST_F(CallEntryTest, CountsByStatus) {
  grpc::ClientContext contexts[4];
  EXPECT_TRUE(Ping(contexts[0]).ok());
  EXPECT_TRUE(Ping(contexts[1]).ok());
  EXPECT_FALSE(BadStep(contexts[2]).ok());
  EXPECT_FALSE(NoBoard(contexts[3]).ok());
  Counts counts = ReadCounts();
  EXPECT_EQ((counts[{"Ping", 0}]), 2u);
  EXPECT_EQ((counts[{"Step", grpc::StatusCode::INVALID_ARGUMENT}]), 1u);
  EXPECT_EQ((counts[{"GetBoard", grpc::StatusCode::NOT_FOUND}]), 1u);
  EXPECT_EQ((counts.count({"Step", 0})), 0u);
}

}  // namespace
}  // namespace gpusim::testing
