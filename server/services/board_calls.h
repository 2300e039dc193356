// The calls of LifeService about resident boards. Every function starts one; the reactor deletes itself. The context outlives
// it; `call`, `request` and `response` are gRPC's and live until it is done.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "gpusim/v1/life.pb.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

using UnaryReactor = grpc::ServerUnaryReactor;

// board_call.h
UnaryReactor* StartGetBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                            const v1::GetBoardRequest& request, v1::GetBoardResponse& response);
UnaryReactor* StartUpdateBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::UpdateBoardRequest& request,
                               v1::UpdateBoardResponse& response);
UnaryReactor* StartListBoards(const ServingContext& context, grpc::CallbackServerContext& call,
                              const v1::ListBoardsRequest& request,
                              v1::ListBoardsResponse& response);
UnaryReactor* StartDeleteBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::DeleteBoardRequest& request,
                               v1::DeleteBoardResponse& response);
UnaryReactor* StartStopBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::StopBoardRequest& request, v1::StopBoardResponse& response);
UnaryReactor* StartForkBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::ForkBoardRequest& request, v1::ForkBoardResponse& response);
UnaryReactor* StartSnapshotBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                                 const v1::SnapshotBoardRequest& request,
                                 v1::SnapshotBoardResponse& response);
UnaryReactor* StartRestoreBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                                const v1::RestoreBoardRequest& request,
                                v1::RestoreBoardResponse& response);
UnaryReactor* StartListSnapshots(const ServingContext& context, grpc::CallbackServerContext& call,
                                 const v1::ListSnapshotsRequest& request,
                                 v1::ListSnapshotsResponse& response);
UnaryReactor* StartDeleteSnapshot(const ServingContext& context, grpc::CallbackServerContext& call,
                                  const v1::DeleteSnapshotRequest& request,
                                  v1::DeleteSnapshotResponse& response);

// board_upload.h
grpc::ServerReadReactor<v1::CreateBoardRequest>* StartCreateBoard(
    const ServingContext& context, grpc::CallbackServerContext& call,
    v1::CreateBoardResponse& response);
grpc::ServerReadReactor<v1::WriteRegionRequest>* StartWriteRegion(
    const ServingContext& context, grpc::CallbackServerContext& call,
    v1::WriteRegionResponse& response);

// board_step.cc, board_read.cc, board_watch.cc
grpc::ServerWriteReactor<v1::StepBoardResponse>* StartStepBoard(
    const ServingContext& context, grpc::CallbackServerContext& call,
    const v1::StepBoardRequest& request);
grpc::ServerWriteReactor<v1::ReadRegionResponse>* StartReadRegion(
    const ServingContext& context, grpc::CallbackServerContext& call,
    const v1::ReadRegionRequest& request);
grpc::ServerWriteReactor<v1::WatchBoardResponse>* StartWatchBoard(
    const ServingContext& context, grpc::CallbackServerContext& call,
    const v1::WatchBoardRequest& request);

}  // namespace gpusim::server
