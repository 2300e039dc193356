// Many clients on a few boards: runs, writes, reads, watches, forks and deletes, many of them cut short. Every call ends, and
// with a status that it may have; what is left is whole.
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/board_client.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;

// Of calls about boards that others delete, run and fill the memory with, and that are cut by ourselves or a drain.
void ExpectHonest(const grpc::Status& status, const std::string& what) {
  switch (status.error_code()) {
    case StatusCode::OK:
    case StatusCode::CANCELLED:
    case StatusCode::DEADLINE_EXCEEDED:
    case StatusCode::NOT_FOUND:
    case StatusCode::ALREADY_EXISTS:
    case StatusCode::ABORTED:
    case StatusCode::RESOURCE_EXHAUSTED:
    case StatusCode::UNAVAILABLE:
      return;
    default:
      ADD_FAILURE() << what << ": " << status.error_code() << " " << status.error_message();
  }
}

class Client {
 public:
  Client(InProcessServer& server, unsigned seed)
      : stub_(v1::LifeService::NewStub(server.NewChannel())), random_(seed) {}

  void Call() {
    grpc::ClientContext context;
    if (random_() % 3 == 0)
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::microseconds(random_() % 30'000));
    const bool cancels = random_() % 4 == 0;
    switch (random_() % 8) {
      case 0:
        return Create(context, cancels);
      case 1:
        return Write(context, cancels);
      case 2:
        return Step(context, cancels);
      case 3:
        return Read(context, cancels);
      case 4:
        return Watch(context);
      case 5:
        return Fork(context);
      case 6:
        return random_() % 4 == 0 ? Delete(context) : Get(context);
      default:
        return Get(context);
    }
  }

 private:
  std::string Name() { return "b" + std::to_string(random_() % 6); }

  template <class Reader, class Response>
  void ReadSome(Reader& reader, grpc::ClientContext& context, Response& response, bool cancels,
                const std::string& what) {
    if (cancels) {
      reader.Read(&response);
      context.TryCancel();
    }
    while (reader.Read(&response)) {
    }
    ExpectHonest(reader.Finish(), what);
  }

  void Create(grpc::ClientContext& context, bool cancels) {
    v1::CreateBoardResponse response;
    const auto writer = stub_->CreateBoard(&context, &response);
    v1::CreateBoardRequest request;
    *request.mutable_header() = Header(Name(), "torus:512x512");
    const bool streamed = random_() % 2 == 0;
    if (streamed) {
      request.mutable_header()->set_streamed(true);
    } else {
      request.mutable_header()->set_pattern(kGliderRle);
      request.mutable_header()->set_request_id(std::to_string(random_() % 3));
    }
    bool open = writer->Write(request);
    for (int i = 0; i < 8 && streamed && open; ++i) {
      if (cancels && i == 5) context.TryCancel();
      request.set_rows(std::string(64 * 64, '\x11'));
      open = writer->Write(request);
    }
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    // Another one had the id for another name.
    if (status.error_code() != StatusCode::INVALID_ARGUMENT) ExpectHonest(status, "create");
  }

  void Write(grpc::ClientContext& context, bool cancels) {
    v1::WriteRegionResponse response;
    const auto writer = stub_->WriteRegion(&context, &response);
    v1::WriteRegionRequest request;
    request.mutable_header()->set_name(Name());
    request.mutable_header()->set_queue(random_() % 2 == 0);
    request.mutable_header()->set_pattern(kGliderRle);
    writer->Write(request);
    if (cancels) context.TryCancel();
    writer->WritesDone();
    ExpectHonest(writer->Finish(), "write");
  }

  void Step(grpc::ClientContext& context, bool cancels) {
    v1::StepBoardRequest request = StepRequestOf(Name(), cancels ? kEndlessRun : random_() % 3000);
    request.set_queue(random_() % 2 == 0);
    request.set_progress_interval_ms(10);
    if (random_() % 3 == 0) request.set_facts_every(7);
    if (random_() % 3 == 0) request.mutable_until()->set_still(true);
    const auto reader = stub_->StepBoard(&context, request);
    v1::StepBoardResponse response;
    ReadSome(*reader, context, response, cancels, "step");
  }

  void Read(grpc::ClientContext& context, bool cancels) {
    v1::ReadRegionRequest request;
    request.set_name(Name());
    if (random_() % 2 == 0) request.set_output_format(v1::OUTPUT_FORMAT_RLE);
    const auto reader = stub_->ReadRegion(&context, request);
    v1::ReadRegionResponse response;
    ReadSome(*reader, context, response, cancels, "read");
  }

  void Watch(grpc::ClientContext& context) {
    v1::WatchBoardRequest request;
    request.set_name(Name());
    request.set_frames_per_second(120);
    request.set_density_cell(static_cast<std::uint32_t>(random_() % 9));
    const auto reader = stub_->WatchBoard(&context, request);
    v1::WatchBoardResponse response;
    ReadSome(*reader, context, response, true, "watch");
  }

  void Fork(grpc::ClientContext& context) {
    v1::ForkBoardRequest request;
    request.set_name(Name());
    request.set_new_name(Name());
    v1::ForkBoardResponse response;
    ExpectHonest(stub_->ForkBoard(&context, request, &response), "fork");
  }

  void Delete(grpc::ClientContext& context) {
    v1::DeleteBoardRequest request;
    request.set_name(Name());
    v1::DeleteBoardResponse response;
    ExpectHonest(stub_->DeleteBoard(&context, request, &response), "delete");
  }

  void Get(grpc::ClientContext& context) {
    v1::GetBoardRequest request;
    request.set_name(Name());
    request.add_facts(random_() % 2 == 0 ? v1::FACT_HASH : v1::FACT_CHANGES);
    v1::GetBoardResponse response;
    const grpc::Status status = stub_->GetBoard(&context, request, &response);
    ExpectHonest(status, "get");
    if (status.ok()) {
      EXPECT_EQ(response.facts().generation(), response.board().generation());
    }
  }

  const std::unique_ptr<v1::LifeService::Stub> stub_;
  std::mt19937 random_;
};

void Storm(InProcessServer& server, int clients, int calls) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(clients));
  for (int i = 0; i < clients; ++i) {
    threads.emplace_back([&server, calls, i] {
      Client client(server, static_cast<unsigned>(i));
      for (int call = 0; call < calls; ++call) client.Call();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BoardStressTest, EveryCallEndsAndTheMemoryIsGivenBack) {
  TemporaryDirectory state;
  server::ServerOptions options = TestOptions();
  options.state_dir = state.path();
  options.device_memory = 1u << 20;  // for some of the boards alone
  InProcessServer server(options);
  Storm(server, 8, 60);
  BoardClient boards(server.life());
  const auto list = boards.Call(&v1::LifeService::Stub::ListBoards, v1::ListBoardsRequest());
  for (const v1::Board& board : list.boards()) {
    boards.Stop(board.name());
    const std::string read = boards.Read(board.name()).data;
    EXPECT_EQ(read.size(), 64u * 512);
    boards.Delete(board.name());
  }
  // Calls that were cut may still be on their way out.
  v1::GetInfoResponse info;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    grpc::ClientContext context;
    ASSERT_TRUE(server.server_service().GetInfo(&context, {}, &info).ok());
  } while (info.boards().memory_bytes() != 0 && std::chrono::steady_clock::now() < give_up);
  EXPECT_EQ(info.boards().memory_bytes(), 0u);
}

TEST(BoardStressTest, ADrainInTheMiddleReturns) {
  TemporaryDirectory state;
  server::ServerOptions options = TestOptions();
  options.state_dir = state.path();
  InProcessServer server(options);
  std::thread storm([&] { Storm(server, 6, 30); });
  server.AwaitStatistics("boards", [](const auto& kind) { return kind.batches() > 20; });
  server.server().Drain(std::chrono::seconds(30));
  storm.join();
}

}  // namespace
}  // namespace gpusim::testing
