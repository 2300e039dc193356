// Tokens, roles and whose boards are whose, through a server.
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "tests/integration/access_server.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kReader = "token-of-the-reader";
const std::string kAlice = "token-of-alice-0123";
const std::string kBob = "token-of-bob-012345";
const std::string kAdmin = "token-of-the-admin!";
const std::string kStranger = "token-of-nobody-012";

// "/gpusim.v1.LifeService/Step" and all others that the protos have.
std::vector<std::string> AllMethods() {
  std::vector<std::string> methods;
  for (const auto* file :
       {v1::StepRequest::descriptor()->file(), v1::GetOddsRequest::descriptor()->file(),
        v1::PingRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      const auto* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m)
        methods.push_back("/" + service->full_name() + "/" + service->method(m)->name());
    }
  }
  return methods;
}

// Sends one empty message and reads whatever comes, which fits calls of all kinds.
grpc::Status CallWithNothing(const std::shared_ptr<grpc::Channel>& channel,
                             const std::string& method, const std::string& token) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(channel);
  const auto call = stub.PrepareCall(&context, method, &queue);
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  call->StartCall(nullptr);
  bool open = done();
  const grpc::Slice nothing;
  if (open) {
    call->WriteLast(grpc::ByteBuffer(&nothing, 1), grpc::WriteOptions(), nullptr);
    done();
  }
  for (grpc::ByteBuffer message; open;) {
    call->Read(&message, nullptr);
    open = done();
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  done();
  return status;
}

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    std::ofstream(options_.token_file) << "reader read " << kReader << "\nalice use " << kAlice
                                       << "\nbob use " << kBob << "\nroot admin " << kAdmin << "\n";
  }

  static server::ServerOptions Options(const std::string& directory) {
    server::ServerOptions options = TestOptions();
    options.token_file = directory + "/tokens";
    options.state_dir = directory + "/state";
    return options;
  }

  const TemporaryDirectory directory_;
  server::ServerOptions options_ = Options(directory_.path());
};

TEST_F(AccessTest, NoCallOfTheProtosGoesWithoutAToken) {
  AccessServer server(options_);
  const auto channel = server.Channel();
  const std::vector<std::string> methods = AllMethods();
  ASSERT_GE(methods.size(), 26u);
  for (const std::string& method : methods) {
    const grpc::Status none = CallWithNothing(channel, method, "");
    EXPECT_EQ(none.error_code(), StatusCode::UNAUTHENTICATED) << method;
    EXPECT_THAT(none.error_message(), HasSubstr("asks for a token")) << method;
    const grpc::Status unknown = CallWithNothing(channel, method, kStranger);
    EXPECT_EQ(unknown.error_code(), StatusCode::UNAUTHENTICATED) << method;
    EXPECT_THAT(unknown.error_message(), HasSubstr("is not known")) << method;
  }
}

// Written by hand on purpose: which calls only look.
TEST_F(AccessTest, ReadersMayLookAndNothingElse) {
  const std::set<std::string> looks = {"GetInfo",    "GetStatistics", "Ping",
                                       "GetBoard",   "ListBoards",    "ReadRegion",
                                       "WatchBoard", "ListSnapshots"};
  AccessServer server(options_);
  const auto channel = server.Channel();
  std::size_t looked = 0;
  for (const std::string& method : AllMethods()) {
    const grpc::Status status = CallWithNothing(channel, method, kReader);
    if (looks.contains(method.substr(method.rfind('/') + 1))) {
      ++looked;
      EXPECT_NE(status.error_code(), StatusCode::UNAUTHENTICATED) << method;
      EXPECT_NE(status.error_code(), StatusCode::PERMISSION_DENIED) << method;
    } else {
      EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED) << method;
      EXPECT_EQ(status.error_message(),
                "this call needs the role use, and that of 'reader' is read");
    }
  }
  EXPECT_EQ(looked, looks.size());
}

TEST_F(AccessTest, UsersAreAskedForNoMoreThanTheirToken) {
  AccessServer server(options_);
  const auto channel = server.Channel();
  for (const std::string& method : AllMethods()) {
    const StatusCode code = CallWithNothing(channel, method, kAlice).error_code();
    EXPECT_NE(code, StatusCode::UNAUTHENTICATED) << method;
    EXPECT_NE(code, StatusCode::PERMISSION_DENIED) << method;
  }
}

TEST_F(AccessTest, WhatIsDeniedIsNotDone) {
  AccessServer server(options_);
  const auto channel = server.Channel();
  for (const std::string& method : AllMethods()) CallWithNothing(channel, method, kStranger);
  grpc::ClientContext context;
  context.AddMetadata("authorization", "Bearer " + kReader);
  v1::GetStatisticsResponse statistics;
  ASSERT_TRUE(v1::ServerService::NewStub(channel)->GetStatistics(&context, {}, &statistics).ok());
  for (const v1::KindStatistics& kind : statistics.kinds())
    EXPECT_EQ(kind.requests() + kind.refused_queue_full(), 0u) << kind.kind();
}

TEST_F(AccessTest, HealthNeedsNoToken) {
  AccessServer server(options_);
  const auto channel = server.Channel();
  EXPECT_TRUE(CallWithNothing(channel, "/grpc.health.v1.Health/Check", "").ok());
}

// Its handlers are gRPC's own and ask nobody for a token.
TEST_F(AccessTest, ReflectionIsForServersThatAskForNoToken) {
  const std::string reflection = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  AccessServer with_tokens(options_);
  EXPECT_EQ(CallWithNothing(with_tokens.Channel(), reflection, kAdmin).error_code(),
            StatusCode::UNIMPLEMENTED);
  AccessServer without(TestOptions());
  EXPECT_TRUE(CallWithNothing(without.Channel(), reflection, "").ok());
}

TEST_F(AccessTest, NoTokenIsLogged) {
  options_.log_level = server::LogLevel::kDebug;
  options_.log_calls = server::LogCalls::kAll;
  AccessServer server(options_);
  const auto channel = server.Channel();
  for (const std::string& token : {kReader, kAlice, kAdmin, kStranger}) PingOver(channel, token);
  {
    std::ofstream file(options_.token_file, std::ios::app);
    file << "and " << kStranger << " more\n";
  }
  while (!server.LogHolds("stay as they were")) std::this_thread::yield();
  const std::string log = server.EndAndTakeLog();
  EXPECT_THAT(log, AllOf(HasSubstr("4 tokens in "), HasSubstr("alice")));
  for (const std::string& token : {kReader, kAlice, kBob, kAdmin, kStranger})
    EXPECT_THAT(log, Not(HasSubstr(token)));
}

TEST_F(AccessTest, ABadTokenFileIsOneLineAtTheStart) {
  std::ofstream(options_.token_file) << "alice\n";
  try {
    AccessServer server(options_);
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), "--token-file " + options_.token_file +
                                ":1: a line is NAME ROLE TOKEN, with blanks between");
  }
}

// Calls about boards, each under a token.
class BoardOwners : public AccessTest {
 protected:
  using Stub = v1::LifeService::Stub;

  void Start() {
    server_ = std::make_unique<AccessServer>(options_);
    stub_ = v1::LifeService::NewStub(server_->Channel());
  }
  void Restart() {
    stub_.reset();
    server_.reset();
    Start();
  }

  grpc::Status Create(const std::string& token, const std::string& name,
                      const std::string& request_id = "") {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::CreateBoardRequest request;
    request.mutable_header()->set_name(name);
    request.mutable_header()->set_topology("torus:64x64");
    request.mutable_header()->set_request_id(request_id);
    v1::CreateBoardResponse response;
    const auto writer = stub_->CreateBoard(&context, &response);
    writer->Write(request);
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    created_ = response.board().creator();
    return status;
  }
  grpc::Status Write(const std::string& token, const std::string& name) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::WriteRegionRequest request;
    request.mutable_header()->set_name(name);
    request.mutable_header()->set_clear(true);
    v1::WriteRegionResponse response;
    const auto writer = stub_->WriteRegion(&context, &response);
    writer->Write(request);
    writer->WritesDone();
    return writer->Finish();
  }
  grpc::Status Step(const std::string& token, const std::string& name) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::StepBoardRequest request;
    request.set_name(name);
    request.set_generations(3);
    const auto reader = stub_->StepBoard(&context, request);
    for (v1::StepBoardResponse response; reader->Read(&response);) {
    }
    return reader->Finish();
  }
  template <class Request, class Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const std::string& token, const std::string& name) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    Request request;
    request.set_name(name);
    Response response;
    return (stub_.get()->*method)(&context, request, &response);
  }
  grpc::Status Fork(const std::string& token, const std::string& name, const std::string& to) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::ForkBoardRequest request;
    request.set_name(name);
    request.set_new_name(to);
    v1::ForkBoardResponse response;
    return stub_->ForkBoard(&context, request, &response);
  }
  grpc::Status Snapshot(const std::string& token, const std::string& name, const std::string& to) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::SnapshotBoardRequest request;
    request.set_name(name);
    request.set_snapshot(to);
    request.set_replace(true);
    v1::SnapshotBoardResponse response;
    return stub_->SnapshotBoard(&context, request, &response);
  }
  grpc::Status Restore(const std::string& token, const std::string& snapshot,
                       const std::string& to) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::RestoreBoardRequest request;
    request.set_snapshot(snapshot);
    request.set_new_name(to);
    v1::RestoreBoardResponse response;
    return stub_->RestoreBoard(&context, request, &response);
  }
  grpc::Status DeleteSnapshot(const std::string& token, const std::string& snapshot) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    v1::DeleteSnapshotRequest request;
    request.set_snapshot(snapshot);
    v1::DeleteSnapshotResponse response;
    return stub_->DeleteSnapshot(&context, request, &response);
  }
  grpc::Status Delete(const std::string& token, const std::string& name) {
    return Call(&Stub::DeleteBoard, token, name);
  }

  // All that change a board, by name, but for the deletion.
  std::map<std::string, grpc::Status> ChangeInEveryWay(const std::string& token,
                                                       const std::string& name) {
    return {{"UpdateBoard", Call(&Stub::UpdateBoard, token, name)},
            {"StopBoard", Call(&Stub::StopBoard, token, name)},
            {"StepBoard", Step(token, name)},
            {"WriteRegion", Write(token, name)},
            {"SnapshotBoard", Snapshot(token, name, "of-" + name)}};
  }

  std::unique_ptr<AccessServer> server_;
  std::unique_ptr<Stub> stub_;
  std::string created_;  // the creator that the last CreateBoard told
};

void ExpectCode(const std::map<std::string, grpc::Status>& statuses, StatusCode code) {
  for (const auto& [call, status] : statuses)
    EXPECT_EQ(status.error_code(), code) << call << ": " << status.error_message();
}

TEST_F(BoardOwners, AreAloneToChangeTheirBoardsButForAdmins) {
  Start();
  ASSERT_TRUE(Create(kAlice, "a").ok());
  EXPECT_EQ(created_, "alice");
  ExpectCode(ChangeInEveryWay(kBob, "a"), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Delete(kBob, "a").error_message(),
            "board a belongs to 'alice', so that changing it needs the role admin");
  EXPECT_EQ(Delete(kBob, "nowhere").error_code(), StatusCode::NOT_FOUND);
  ExpectCode(ChangeInEveryWay(kAlice, "a"), StatusCode::OK);
  ExpectCode(ChangeInEveryWay(kAdmin, "a"), StatusCode::OK);
  EXPECT_TRUE(Call(&Stub::GetBoard, kBob, "a").ok());
  EXPECT_TRUE(Call(&Stub::GetBoard, kReader, "a").ok());
  EXPECT_TRUE(Delete(kAlice, "a").ok());
}

TEST_F(BoardOwners, WhoForksOrRestoresOwnsWhatComesOfIt) {
  Start();
  ASSERT_TRUE(Create(kAlice, "a").ok());
  ASSERT_TRUE(Snapshot(kAlice, "a", "s").ok());
  EXPECT_TRUE(Fork(kBob, "a", "forked").ok());
  EXPECT_TRUE(Restore(kBob, "s", "restored").ok());
  for (const char* name : {"forked", "restored"}) {
    EXPECT_TRUE(Step(kBob, name).ok());
    EXPECT_EQ(Step(kAlice, name).error_code(), StatusCode::PERMISSION_DENIED) << name;
  }
  EXPECT_EQ(Snapshot(kBob, "forked", "s").error_code(), StatusCode::PERMISSION_DENIED)
      << "of a board of one's own, but over a snapshot of another's";
  EXPECT_EQ(DeleteSnapshot(kBob, "s").error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(DeleteSnapshot(kAlice, "s").ok());
}

TEST_F(BoardOwners, StayOverARestart) {
  Start();
  ASSERT_TRUE(Create(kAlice, "a").ok());
  ASSERT_TRUE(Snapshot(kAlice, "a", "s").ok());
  Restart();
  EXPECT_EQ(Step(kBob, "a").error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(DeleteSnapshot(kBob, "s").error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_TRUE(Step(kAlice, "a").ok());
  EXPECT_TRUE(DeleteSnapshot(kAlice, "s").ok());
}

TEST_F(BoardOwners, BoardsMadeWithoutTokensAreForAdmins) {
  options_.token_file.clear();
  Start();
  ASSERT_TRUE(Create(kAlice, "a").ok());
  EXPECT_EQ(created_, "");
  ExpectCode(ChangeInEveryWay(kBob, "a"), StatusCode::OK);
  options_ = Options(directory_.path());
  Restart();
  ExpectCode(ChangeInEveryWay(kAlice, "a"), StatusCode::PERMISSION_DENIED);
  ExpectCode(ChangeInEveryWay(kAdmin, "a"), StatusCode::OK);
}

// An id is of one caller: another's of the same text is another call.
TEST_F(BoardOwners, RememberedAnswersAreForTheirCallerAlone) {
  Start();
  ASSERT_TRUE(Create(kAlice, "a", "the-same-id").ok());
  EXPECT_TRUE(Create(kAlice, "a", "the-same-id").ok());
  EXPECT_EQ(Create(kBob, "a", "the-same-id").error_code(), StatusCode::ALREADY_EXISTS);
}

// Streams stay under way until the test lets them go.
TEST_F(AccessTest, ACallerHasSoManyCallsUnderWayAndOthersTheirOwn) {
  options_.max_calls_per_caller = 2;
  AccessServer server(options_);
  const auto channel = server.Channel();
  const auto camel_up = v1::CamelUpService::NewStub(channel);
  grpc::ClientContext contexts[2];
  std::vector<
      std::unique_ptr<grpc::ClientReaderWriter<v1::StreamOddsRequest, v1::StreamOddsResponse>>>
      streams;
  for (grpc::ClientContext& context : contexts) {
    context.AddMetadata("authorization", "Bearer " + kAlice);
    streams.push_back(camel_up->StreamOdds(&context));
    v1::StreamOddsResponse opened;
    ASSERT_TRUE(streams.back()->Read(&opened));
  }
  const grpc::Status third = PingOver(channel, kAlice);
  EXPECT_EQ(third.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(third.error_message(),
            "max-calls-per-caller is 2, and as many of 'alice' are under way; retry after 100 ms");
  const auto retry = DetailOf<google::rpc::RetryInfo>(third);
  ASSERT_TRUE(retry.has_value());
  EXPECT_EQ(retry->retry_delay().nanos(), 100'000'000);
  EXPECT_TRUE(PingOver(channel, kReader).ok());
  for (const auto& stream : streams) {
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
  }
  while (PingOver(channel, kAlice).error_code() == StatusCode::RESOURCE_EXHAUSTED)
    std::this_thread::yield();
  EXPECT_TRUE(PingOver(channel, kAlice).ok());
}

}  // namespace
}  // namespace gpusim::testing
