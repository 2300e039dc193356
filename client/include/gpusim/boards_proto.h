// The calls about resident boards with their protobuf messages. What <gpusim/life_boards.h> says of
// Boards holds here too.
#pragma once

#include <functional>
#include <memory>

#include <gpusim/call_options.h>
#include <gpusim/life_boards.h>
#include <gpusim/result.h>

#include "gpusim/v1/life.pb.h"

namespace gpusim {

class ProtoBoards {
 public:
  ~ProtoBoards();
  ProtoBoards(const ProtoBoards&) = delete;
  ProtoBoards& operator=(const ProtoBoards&) = delete;

  // `rows`, which need a header that is `streamed`; else null.
  Result<v1::CreateBoardResponse> Create(v1::CreateBoardHeader header,
                                         const StreamedRows* rows = nullptr,
                                         const CallOptions& options = {});
  Result<v1::WriteRegionResponse> Write(v1::WriteRegionHeader header,
                                        const StreamedRows* rows = nullptr,
                                        const CallOptions& options = {});
  Result<v1::GetBoardResponse> Get(const v1::GetBoardRequest& request,
                                   const CallOptions& options = {});
  Result<v1::UpdateBoardResponse> Update(v1::UpdateBoardRequest request,
                                         const CallOptions& options = {});
  Result<v1::ListBoardsResponse> List(const v1::ListBoardsRequest& request,
                                      const CallOptions& options = {});
  Result<v1::DeleteBoardResponse> Delete(v1::DeleteBoardRequest request,
                                         const CallOptions& options = {});
  Result<v1::StepBoardResponse> Step(
      v1::StepBoardRequest request,
      const std::function<bool(const v1::StepBoardResponse&)>& on_progress,
      const CallOptions& options = {});
  Result<v1::StopBoardResponse> Stop(v1::StopBoardRequest request, const CallOptions& options = {});
  // `on_part` gets the header first, then the data in order.
  Result<v1::ReadRegionHeader> Read(
      const v1::ReadRegionRequest& request,
      const std::function<bool(const v1::ReadRegionResponse&)>& on_part,
      const CallOptions& options = {});
  Result<v1::ForkBoardResponse> Fork(v1::ForkBoardRequest request, const CallOptions& options = {});
  Result<v1::SnapshotBoardResponse> Snapshot(v1::SnapshotBoardRequest request,
                                             const CallOptions& options = {});
  Result<v1::RestoreBoardResponse> Restore(v1::RestoreBoardRequest request,
                                           const CallOptions& options = {});
  Result<v1::ListSnapshotsResponse> ListSnapshots(const v1::ListSnapshotsRequest& request,
                                                  const CallOptions& options = {});
  Result<v1::DeleteSnapshotResponse> DeleteSnapshot(v1::DeleteSnapshotRequest request,
                                                    const CallOptions& options = {});
  // The result is the last frame.
  Result<v1::WatchBoardResponse> Watch(
      const v1::WatchBoardRequest& request,
      const std::function<bool(const v1::WatchBoardResponse&)>& on_frame,
      const CallOptions& options = {});

 private:
  friend class ProtoClient;
  class Owners;  // the connections, one for each server that owns a board
  explicit ProtoBoards(std::unique_ptr<Owners> owners);

  std::unique_ptr<Owners> owners_;
};

}  // namespace gpusim
