// A server in the test's own process that answers as the test says, for the client library.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"

namespace gpusim::testing {

// What a call does; the default answers with an empty message. Runs on gRPC's threads.
template <class Request, class Response>
using Handler = std::function<grpc::Status(grpc::ServerContext&, const Request&, Response&)>;

// The same for a call with running answers, for one that sends rows, and for a stream.
template <class Request, class Response>
using UpdatesHandler = std::function<grpc::Status(grpc::ServerContext&, const Request&,
                                                  grpc::ServerWriterInterface<Response>&)>;
template <class Request, class Response>
using RowsHandler = std::function<grpc::Status(grpc::ServerContext&,
                                               grpc::ServerReaderInterface<Request>&, Response&)>;
using SimulateHandler = UpdatesHandler<v1::SimulateRequest, v1::SimulateResponse>;
using OddsStreamHandler = std::function<grpc::Status(
    grpc::ServerContext&,
    grpc::ServerReaderWriterInterface<v1::StreamOddsResponse, v1::StreamOddsRequest>&)>;

struct FakeHandlers {
  Handler<v1::GetOddsRequest, v1::GetOddsResponse> get_odds = {};
  Handler<v1::GetOddsColumnsRequest, v1::GetOddsColumnsResponse> get_odds_columns = {};
  OddsStreamHandler stream_odds = {};
  SimulateHandler simulate = {};
  Handler<v1::EvaluateMovesRequest, v1::EvaluateMovesResponse> evaluate_moves = {};
  Handler<v1::EvaluateMovesManyRequest, v1::EvaluateMovesManyResponse> evaluate_moves_many = {};
  Handler<v1::StepRequest, v1::StepResponse> step = {};
  Handler<v1::StepManyRequest, v1::StepManyResponse> step_many = {};
  RowsHandler<v1::CreateBoardRequest, v1::CreateBoardResponse> create_board = {};
  Handler<v1::GetBoardRequest, v1::GetBoardResponse> get_board = {};
  Handler<v1::UpdateBoardRequest, v1::UpdateBoardResponse> update_board = {};
  Handler<v1::ListBoardsRequest, v1::ListBoardsResponse> list_boards = {};
  Handler<v1::DeleteBoardRequest, v1::DeleteBoardResponse> delete_board = {};
  UpdatesHandler<v1::StepBoardRequest, v1::StepBoardResponse> step_board = {};
  Handler<v1::StopBoardRequest, v1::StopBoardResponse> stop_board = {};
  UpdatesHandler<v1::ReadRegionRequest, v1::ReadRegionResponse> read_region = {};
  RowsHandler<v1::WriteRegionRequest, v1::WriteRegionResponse> write_region = {};
  Handler<v1::ForkBoardRequest, v1::ForkBoardResponse> fork_board = {};
  Handler<v1::SnapshotBoardRequest, v1::SnapshotBoardResponse> snapshot_board = {};
  Handler<v1::RestoreBoardRequest, v1::RestoreBoardResponse> restore_board = {};
  Handler<v1::ListSnapshotsRequest, v1::ListSnapshotsResponse> list_snapshots = {};
  Handler<v1::DeleteSnapshotRequest, v1::DeleteSnapshotResponse> delete_snapshot = {};
  UpdatesHandler<v1::WatchBoardRequest, v1::WatchBoardResponse> watch_board = {};
  Handler<v1::GetInfoRequest, v1::GetInfoResponse> get_info = {};
  Handler<v1::GetStatisticsRequest, v1::GetStatisticsResponse> get_statistics = {};
  Handler<v1::PingRequest, v1::PingResponse> ping = {};
};

class FakeServer {
 public:
  // `listen`: an address with port 0, or unix:PATH.
  explicit FakeServer(FakeHandlers handlers, const std::string& listen = "127.0.0.1:0");
  // Ends the calls under way.
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  const std::string& address() const { return address_; }

 private:
  class Services;
  std::unique_ptr<Services> services_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_ = {};
};

// Blocks the handler until its caller has cancelled or gone.
void AwaitCancel(grpc::ServerContext& context);

// As the server refuses bad fields.
grpc::Status BadFields(const std::string& message,
                       const std::vector<std::pair<std::string, std::string>>& violations);

// As the server refuses when its queue is full.
grpc::Status QueueFull(std::chrono::milliseconds retry_after);

// As a server refuses a board of another one.
grpc::Status BoardElsewhere(const std::string& address);

// As the server refuses while it solves a race table.
grpc::Status TableBeingSolved(std::chrono::milliseconds retry_after);

}  // namespace gpusim::testing
