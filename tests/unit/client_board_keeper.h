// A server that answers every call about boards, for the commands, and the files that they use.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/client_run_command.h"

namespace gpusim::testing {

using Arguments = std::vector<std::string>;

inline std::string Path(const std::string& name) { return ::testing::TempDir() + name; }

inline void Put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline v1::Board ABoard() {
  v1::Board board;
  board.set_name("me/big\x1b[2J");
  board.set_rule("B3/S23");
  board.set_topology("torus:64x32");
  board.set_width(64);
  board.set_height(32);
  board.set_generation(12);
  board.set_lease_s(3600);
  board.set_lease_left_ms(61'000);
  board.set_autosave_every_s(600);
  board.set_memory_bytes(1536);
  return board;
}

// Answers every call and keeps what it was asked, without its id.
struct Keeper {
  using CreateReader = grpc::ServerReaderInterface<v1::CreateBoardRequest>;
  using WriteReader = grpc::ServerReaderInterface<v1::WriteRegionRequest>;
  using StepWriter = grpc::ServerWriterInterface<v1::StepBoardResponse>;
  using ReadWriter = grpc::ServerWriterInterface<v1::ReadRegionResponse>;
  using WatchWriter = grpc::ServerWriterInterface<v1::WatchBoardResponse>;

  std::string seen;
  std::string rows;
  std::vector<v1::StepBoardResponse> progress;
  std::string data = "ab";
  std::uint64_t total = 2;
  grpc::Status end = grpc::Status::OK;
  std::vector<v1::WatchBoardResponse> frames;

  template <class Request>
  void Keep(Request request) {
    if constexpr (requires { request.clear_request_id(); }) {
      EXPECT_FALSE(request.request_id().empty());
      request.clear_request_id();
    }
    seen = request.ShortDebugString();
  }

  template <class Request>
  void Take(grpc::ServerReaderInterface<Request>& reader) {
    Request request;
    while (reader.Read(&request)) {
      if (request.has_header()) Keep(request.header());
      rows += request.rows();
    }
  }

  template <class Request, class Response>
  Handler<Request, Response> Boards() {
    return [this](grpc::ServerContext&, const Request& request, Response& response) {
      Keep(request);
      *response.mutable_board() = ABoard();
      return end;
    };
  }

  FakeServer server{
      {.create_board =
           [this](grpc::ServerContext&, CreateReader& reader, v1::CreateBoardResponse& response) {
             Take(reader);
             *response.mutable_board() = ABoard();
             response.add_notes("a\nnote");
             return end;
           },
       .get_board = Boards<v1::GetBoardRequest, v1::GetBoardResponse>(),
       .update_board = Boards<v1::UpdateBoardRequest, v1::UpdateBoardResponse>(),
       .list_boards =
           [this](grpc::ServerContext&, const v1::ListBoardsRequest& request,
                  v1::ListBoardsResponse& response) {
             *response.add_boards() = ABoard();
             if (request.page_token().empty()) response.set_next_page_token("me/big");
             response.set_memory_bytes(3072);
             response.set_max_memory_bytes(1 << 30);
             return end;
           },
       .delete_board =
           [this](grpc::ServerContext&, const v1::DeleteBoardRequest& request,
                  v1::DeleteBoardResponse&) {
             Keep(request);
             return end;
           },
       .step_board =
           [this](grpc::ServerContext&, const v1::StepBoardRequest& request, StepWriter& writer) {
             Keep(request);
             for (const auto& response : progress) writer.Write(response);
             return end;
           },
       .stop_board = Boards<v1::StopBoardRequest, v1::StopBoardResponse>(),
       .read_region =
           [this](grpc::ServerContext&, const v1::ReadRegionRequest& request, ReadWriter& writer) {
             Keep(request);
             v1::ReadRegionResponse part;
             part.mutable_header()->mutable_region()->set_width(8);
             part.mutable_header()->mutable_region()->set_height(2);
             part.mutable_header()->set_generation(12);
             part.mutable_header()->set_total_bytes(total);
             writer.Write(part);
             for (const char c : data) {
               part.set_data(std::string(1, c));
               writer.Write(part);
             }
             return end;
           },
       .write_region =
           [this](grpc::ServerContext&, WriteReader& reader, v1::WriteRegionResponse& response) {
             Take(reader);
             *response.mutable_board() = ABoard();
             return end;
           },
       .fork_board = Boards<v1::ForkBoardRequest, v1::ForkBoardResponse>(),
       .snapshot_board =
           [this](grpc::ServerContext&, const v1::SnapshotBoardRequest& request,
                  v1::SnapshotBoardResponse& response) {
             Keep(request);
             response.mutable_snapshot()->set_name("me/s");
             response.mutable_snapshot()->set_bytes(100);
             return end;
           },
       .restore_board = Boards<v1::RestoreBoardRequest, v1::RestoreBoardResponse>(),
       .list_snapshots =
           [](grpc::ServerContext&, const v1::ListSnapshotsRequest&,
              v1::ListSnapshotsResponse& response) {
             response.add_snapshots()->set_name("me/s");
             response.mutable_snapshots(0)->set_cause(v1::SNAPSHOT_CAUSE_LEASE_EXPIRED);
             return grpc::Status::OK;
           },
       .delete_snapshot =
           [this](grpc::ServerContext&, const v1::DeleteSnapshotRequest& request,
                  v1::DeleteSnapshotResponse&) {
             Keep(request);
             return end;
           },
       .watch_board =
           [this](grpc::ServerContext&, const v1::WatchBoardRequest& request, WatchWriter& writer) {
             Keep(request);
             for (const auto& frame : frames) writer.Write(frame);
             return end;
           }}};

  CommandEnding Run(Arguments arguments) const {
    arguments.insert(arguments.begin(), "life");
    return RunCommand(server, arguments);
  }
  std::string Usage(const Arguments& arguments) const {
    const CommandEnding ending = Run(arguments);
    EXPECT_EQ(ending.status, 2) << ending.out;
    return ending.err;
  }
};

}  // namespace gpusim::testing
