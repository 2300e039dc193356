#include "tests/unit/client_fake_server.h"

#include <cstdlib>
#include <thread>
#include <utility>

#include <grpcpp/server_builder.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace gpusim::testing {
namespace {

template <class Request, class Response>
grpc::Status Answer(const Handler<Request, Response>& handler, grpc::ServerContext* context,
                    const Request* request, Response* response) {
  return handler ? handler(*context, *request, *response) : grpc::Status::OK;
}

template <class Handler, class First, class Second>
grpc::Status Serve(const Handler& handler, grpc::ServerContext* context, First& first,
                   Second& second) {
  return handler ? handler(*context, first, second) : grpc::Status::OK;
}

grpc::Status WithDetail(grpc::StatusCode code, const std::string& message,
                        const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(message);
  status.add_details()->PackFrom(detail);
  return {code, message, status.SerializeAsString()};
}

google::rpc::RetryInfo RetryAfter(std::chrono::milliseconds delay) {
  google::rpc::RetryInfo retry_info;
  retry_info.mutable_retry_delay()->set_seconds(delay.count() / 1000);
  retry_info.mutable_retry_delay()->set_nanos(static_cast<int>(delay.count() % 1000 * 1'000'000));
  return retry_info;
}

}  // namespace

class FakeServer::Services {
 public:
  explicit Services(FakeHandlers handlers)
      : handlers_(std::move(handlers)),
        camel_up_(handlers_),
        life_(handlers_),
        server_(handlers_) {}

  void Register(grpc::ServerBuilder& builder) {
    builder.RegisterService(&camel_up_);
    builder.RegisterService(&life_);
    builder.RegisterService(&server_);
  }

 private:
  struct CamelUp : v1::CamelUpService::Service {
    explicit CamelUp(const FakeHandlers& used) : handlers(used) {}
    grpc::Status GetOdds(grpc::ServerContext* context, const v1::GetOddsRequest* request,
                         v1::GetOddsResponse* response) override {
      return Answer(handlers.get_odds, context, request, response);
    }
    grpc::Status GetOddsColumns(grpc::ServerContext* context,
                                const v1::GetOddsColumnsRequest* request,
                                v1::GetOddsColumnsResponse* response) override {
      return Answer(handlers.get_odds_columns, context, request, response);
    }
    grpc::Status StreamOdds(
        grpc::ServerContext* context,
        grpc::ServerReaderWriter<v1::StreamOddsResponse, v1::StreamOddsRequest>* stream) override {
      return handlers.stream_odds ? handlers.stream_odds(*context, *stream) : grpc::Status::OK;
    }
    grpc::Status Simulate(grpc::ServerContext* context, const v1::SimulateRequest* request,
                          grpc::ServerWriter<v1::SimulateResponse>* writer) override {
      return handlers.simulate ? handlers.simulate(*context, *request, *writer) : grpc::Status::OK;
    }
    grpc::Status EvaluateMoves(grpc::ServerContext* context,
                               const v1::EvaluateMovesRequest* request,
                               v1::EvaluateMovesResponse* response) override {
      return Answer(handlers.evaluate_moves, context, request, response);
    }
    grpc::Status EvaluateMovesMany(grpc::ServerContext* context,
                                   const v1::EvaluateMovesManyRequest* request,
                                   v1::EvaluateMovesManyResponse* response) override {
      return Answer(handlers.evaluate_moves_many, context, request, response);
    }
    const FakeHandlers& handlers;
  };
  struct Life : v1::LifeService::Service {
    explicit Life(const FakeHandlers& used) : handlers(used) {}
    grpc::Status Step(grpc::ServerContext* context, const v1::StepRequest* request,
                      v1::StepResponse* response) override {
      return Answer(handlers.step, context, request, response);
    }
    grpc::Status StepMany(grpc::ServerContext* context, const v1::StepManyRequest* request,
                          v1::StepManyResponse* response) override {
      return Answer(handlers.step_many, context, request, response);
    }
    grpc::Status GetBoard(grpc::ServerContext* context, const v1::GetBoardRequest* request,
                          v1::GetBoardResponse* response) override {
      return Answer(handlers.get_board, context, request, response);
    }
    grpc::Status UpdateBoard(grpc::ServerContext* context, const v1::UpdateBoardRequest* request,
                             v1::UpdateBoardResponse* response) override {
      return Answer(handlers.update_board, context, request, response);
    }
    grpc::Status ListBoards(grpc::ServerContext* context, const v1::ListBoardsRequest* request,
                            v1::ListBoardsResponse* response) override {
      return Answer(handlers.list_boards, context, request, response);
    }
    grpc::Status DeleteBoard(grpc::ServerContext* context, const v1::DeleteBoardRequest* request,
                             v1::DeleteBoardResponse* response) override {
      return Answer(handlers.delete_board, context, request, response);
    }
    grpc::Status StopBoard(grpc::ServerContext* context, const v1::StopBoardRequest* request,
                           v1::StopBoardResponse* response) override {
      return Answer(handlers.stop_board, context, request, response);
    }
    grpc::Status ForkBoard(grpc::ServerContext* context, const v1::ForkBoardRequest* request,
                           v1::ForkBoardResponse* response) override {
      return Answer(handlers.fork_board, context, request, response);
    }
    grpc::Status SnapshotBoard(grpc::ServerContext* context,
                               const v1::SnapshotBoardRequest* request,
                               v1::SnapshotBoardResponse* response) override {
      return Answer(handlers.snapshot_board, context, request, response);
    }
    grpc::Status RestoreBoard(grpc::ServerContext* context, const v1::RestoreBoardRequest* request,
                              v1::RestoreBoardResponse* response) override {
      return Answer(handlers.restore_board, context, request, response);
    }
    grpc::Status ListSnapshots(grpc::ServerContext* context,
                               const v1::ListSnapshotsRequest* request,
                               v1::ListSnapshotsResponse* response) override {
      return Answer(handlers.list_snapshots, context, request, response);
    }
    grpc::Status DeleteSnapshot(grpc::ServerContext* context,
                                const v1::DeleteSnapshotRequest* request,
                                v1::DeleteSnapshotResponse* response) override {
      return Answer(handlers.delete_snapshot, context, request, response);
    }
    grpc::Status StepBoard(grpc::ServerContext* context, const v1::StepBoardRequest* request,
                           grpc::ServerWriter<v1::StepBoardResponse>* writer) override {
      return Serve(handlers.step_board, context, *request, *writer);
    }
    grpc::Status ReadRegion(grpc::ServerContext* context, const v1::ReadRegionRequest* request,
                            grpc::ServerWriter<v1::ReadRegionResponse>* writer) override {
      return Serve(handlers.read_region, context, *request, *writer);
    }
    grpc::Status WatchBoard(grpc::ServerContext* context, const v1::WatchBoardRequest* request,
                            grpc::ServerWriter<v1::WatchBoardResponse>* writer) override {
      return Serve(handlers.watch_board, context, *request, *writer);
    }
    grpc::Status CreateBoard(grpc::ServerContext* context,
                             grpc::ServerReader<v1::CreateBoardRequest>* reader,
                             v1::CreateBoardResponse* response) override {
      return Serve(handlers.create_board, context, *reader, *response);
    }
    grpc::Status WriteRegion(grpc::ServerContext* context,
                             grpc::ServerReader<v1::WriteRegionRequest>* reader,
                             v1::WriteRegionResponse* response) override {
      return Serve(handlers.write_region, context, *reader, *response);
    }
    const FakeHandlers& handlers;
  };
  struct Server : v1::ServerService::Service {
    explicit Server(const FakeHandlers& used) : handlers(used) {}
    grpc::Status GetInfo(grpc::ServerContext* context, const v1::GetInfoRequest* request,
                         v1::GetInfoResponse* response) override {
      return Answer(handlers.get_info, context, request, response);
    }
    grpc::Status GetStatistics(grpc::ServerContext* context,
                               const v1::GetStatisticsRequest* request,
                               v1::GetStatisticsResponse* response) override {
      return Answer(handlers.get_statistics, context, request, response);
    }
    grpc::Status Ping(grpc::ServerContext* context, const v1::PingRequest* request,
                      v1::PingResponse* response) override {
      return Answer(handlers.ping, context, request, response);
    }
    const FakeHandlers& handlers;
  };

  const FakeHandlers handlers_;
  CamelUp camel_up_;
  Life life_;
  Server server_;
};

FakeServer::FakeServer(FakeHandlers handlers, const std::string& listen)
    : services_(std::make_unique<Services>(std::move(handlers))) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
  services_->Register(builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) std::abort();
  address_ = listen.starts_with("unix:") ? listen : "127.0.0.1:" + std::to_string(port);
}

FakeServer::~FakeServer() { server_->Shutdown(std::chrono::system_clock::now()); }

void AwaitCancel(grpc::ServerContext& context) {
  while (!context.IsCancelled()) std::this_thread::yield();
}

grpc::Status BadFields(const std::string& message,
                       const std::vector<std::pair<std::string, std::string>>& violations) {
  google::rpc::BadRequest bad_request;
  for (const auto& [field, description] : violations) {
    auto& added = *bad_request.add_field_violations();
    added.set_field(field);
    added.set_description(description);
  }
  return WithDetail(grpc::StatusCode::INVALID_ARGUMENT, message, bad_request);
}

grpc::Status QueueFull(std::chrono::milliseconds retry_after) {
  return WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED, "the queue is full",
                    RetryAfter(retry_after));
}

grpc::Status BoardElsewhere(const std::string& address) {
  google::rpc::ErrorInfo info;
  info.set_reason("BOARD_ELSEWHERE");
  (*info.mutable_metadata())["owner"] = "other";
  (*info.mutable_metadata())["address"] = address;
  return WithDetail(grpc::StatusCode::FAILED_PRECONDITION, "the board belongs to other", info);
}

grpc::Status TableBeingSolved(std::chrono::milliseconds retry_after) {
  return WithDetail(grpc::StatusCode::UNAVAILABLE, "the race table is being solved",
                    RetryAfter(retry_after));
}

}  // namespace gpusim::testing
