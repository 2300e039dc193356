// LifeService: thin handlers on the path of unary_call.h; those about boards are in board_calls.h.
#pragma once

#include "gpusim/v1/life.grpc.pb.h"
#include "server/services/board_calls.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

class LifeServiceImpl final : public v1::LifeService::CallbackService {
 public:
  explicit LifeServiceImpl(const ServingContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* Step(grpc::CallbackServerContext* call, const v1::StepRequest* request,
                                 v1::StepResponse* response) override;
  grpc::ServerUnaryReactor* StepMany(grpc::CallbackServerContext* call,
                                     const v1::StepManyRequest* request,
                                     v1::StepManyResponse* response) override;

  grpc::ServerUnaryReactor* GetBoard(grpc::CallbackServerContext* call,
                                     const v1::GetBoardRequest* request,
                                     v1::GetBoardResponse* response) override {
    return StartGetBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* UpdateBoard(grpc::CallbackServerContext* call,
                                        const v1::UpdateBoardRequest* request,
                                        v1::UpdateBoardResponse* response) override {
    return StartUpdateBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* ListBoards(grpc::CallbackServerContext* call,
                                       const v1::ListBoardsRequest* request,
                                       v1::ListBoardsResponse* response) override {
    return StartListBoards(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* DeleteBoard(grpc::CallbackServerContext* call,
                                        const v1::DeleteBoardRequest* request,
                                        v1::DeleteBoardResponse* response) override {
    return StartDeleteBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* StopBoard(grpc::CallbackServerContext* call,
                                      const v1::StopBoardRequest* request,
                                      v1::StopBoardResponse* response) override {
    return StartStopBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* ForkBoard(grpc::CallbackServerContext* call,
                                      const v1::ForkBoardRequest* request,
                                      v1::ForkBoardResponse* response) override {
    return StartForkBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* SnapshotBoard(grpc::CallbackServerContext* call,
                                          const v1::SnapshotBoardRequest* request,
                                          v1::SnapshotBoardResponse* response) override {
    return StartSnapshotBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* RestoreBoard(grpc::CallbackServerContext* call,
                                         const v1::RestoreBoardRequest* request,
                                         v1::RestoreBoardResponse* response) override {
    return StartRestoreBoard(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* ListSnapshots(grpc::CallbackServerContext* call,
                                          const v1::ListSnapshotsRequest* request,
                                          v1::ListSnapshotsResponse* response) override {
    return StartListSnapshots(context_, *call, *request, *response);
  }
  grpc::ServerUnaryReactor* DeleteSnapshot(grpc::CallbackServerContext* call,
                                           const v1::DeleteSnapshotRequest* request,
                                           v1::DeleteSnapshotResponse* response) override {
    return StartDeleteSnapshot(context_, *call, *request, *response);
  }
  grpc::ServerReadReactor<v1::CreateBoardRequest>* CreateBoard(
      grpc::CallbackServerContext* call, v1::CreateBoardResponse* response) override {
    return StartCreateBoard(context_, *call, *response);
  }
  grpc::ServerReadReactor<v1::WriteRegionRequest>* WriteRegion(
      grpc::CallbackServerContext* call, v1::WriteRegionResponse* response) override {
    return StartWriteRegion(context_, *call, *response);
  }
  grpc::ServerWriteReactor<v1::StepBoardResponse>* StepBoard(
      grpc::CallbackServerContext* call, const v1::StepBoardRequest* request) override {
    return StartStepBoard(context_, *call, *request);
  }
  grpc::ServerWriteReactor<v1::ReadRegionResponse>* ReadRegion(
      grpc::CallbackServerContext* call, const v1::ReadRegionRequest* request) override {
    return StartReadRegion(context_, *call, *request);
  }
  grpc::ServerWriteReactor<v1::WatchBoardResponse>* WatchBoard(
      grpc::CallbackServerContext* call, const v1::WatchBoardRequest* request) override {
    return StartWatchBoard(context_, *call, *request);
  }

 private:
  const ServingContext& context_;
};

}  // namespace gpusim::server
