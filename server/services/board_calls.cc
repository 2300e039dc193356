// The unary calls: each says what to ask of the store, and what becomes of its answer.
#include "server/services/board_calls.h"

#include <algorithm>
#include <utility>

#include "server/services/board_call.h"
#include "server/services/board_cells.h"
#include "server/services/board_convert.h"
#include "server/services/board_creator.h"
#include "server/services/board_owner.h"

namespace gpusim::server {
namespace {

template <class Response>
using Done = std::function<void(StatusOr<Response>)>;

tl::unexpected<grpc::Status> Failed(const boards::BoardError& error) {
  return tl::unexpected(BoardFailed(error));
}

// For the calls whose answer is a board.
template <class Response>
boards::BoardStore::Done<boards::BoardStatus> BoardTo(const ServingContext& context,
                                                      Done<Response> done) {
  return [&context, done = std::move(done)](boards::Result<boards::BoardStatus> status) {
    if (!status) return done(Failed(status.error()));
    Response response;
    FillBoard(*status, OwnerOf(context), *response.mutable_board());
    done(std::move(response));
  };
}

// For those whose answer is empty.
template <class Response, class T>
boards::BoardStore::Done<T> NothingTo(Done<Response> done) {
  return [done = std::move(done)](boards::Result<T> gone) {
    if (!gone) return done(Failed(gone.error()));
    done(Response());
  };
}

void GetBoard(const ServingContext& context, const Caller& /*caller*/,
              const v1::GetBoardRequest& request, Done<v1::GetBoardResponse> done) {
  Violations violations;
  const FactChoice wishes = FactChoiceOf(request.facts(), violations);
  if (!violations.empty()) return done(tl::unexpected(BadInput(violations)));
  const auto status = context.boards.Get(request.name());
  if (!status) return done(Failed(status.error()));
  v1::GetBoardResponse response;
  FillBoard(*status, OwnerOf(context), *response.mutable_board());
  *response.mutable_provenance() = context.provenance;
  const auto fill = [set = wishes.set](const boards::BoardFacts& facts,
                                       v1::GetBoardResponse& message) {
    message.mutable_board()->set_generation(facts.generation);
    FillFacts(facts, set, *message.mutable_facts());
  };
  if (!wishes.hash) {
    context.boards.CountFacts(request.name(), wishes.set,
                              [fill, done = std::move(done),
                               response](const boards::Result<boards::BoardFacts>& facts) mutable {
                                if (!facts) return done(Failed(facts.error()));
                                fill(*facts, response);
                                done(std::move(response));
                              });
    return;
  }
  PinWithFacts(context.boards, request.name(), wishes.set,
               [&context, fill, done = std::move(done),
                response](const boards::Result<PinnedFacts>& pinned) mutable {
                 if (!pinned) return done(Failed(pinned.error()));
                 fill(pinned->facts, response);
                 HashCells(context.conversions, pinned->board.cells,
                           [done, response](const boards::Result<std::uint64_t>& hash) mutable {
                             if (!hash) return done(Failed(hash.error()));
                             response.mutable_facts()->set_hash(DigestText(*hash));
                             done(std::move(response));
                           });
               });
}

void UpdateBoard(const ServingContext& context, const Caller& caller,
                 const v1::UpdateBoardRequest& request, Done<v1::UpdateBoardResponse> done) {
  if (auto other = BoardOfAnother(context, caller, request.name()))
    return done(tl::unexpected(*std::move(other)));
  BoardTo<v1::UpdateBoardResponse>(context, std::move(done))(
      context.boards.Update(request.name(), SecondsOf(request.has_lease_s(), request.lease_s()),
                            SecondsOf(request.has_autosave_every_s(), request.autosave_every_s())));
}

// Has the form of the others, which keep what to tell.
void ListBoards(const ServingContext& context, const Caller& /*caller*/,
                const v1::ListBoardsRequest& request, Done<v1::ListBoardsResponse> done) {
  Violations violations;
  const std::size_t size = ReadPageSize(request.page_size(), violations);
  if (!violations.empty()) return done(tl::unexpected(BadInput(violations)));
  if (auto off = BoardsOff(context)) return done(tl::unexpected(*std::move(off)));
  v1::ListBoardsResponse response;
  const auto found = context.boards.List(request.page_token(), size + 1);
  for (std::size_t i = 0; i < std::min(size, found.size()); ++i)
    FillBoard(found[i], OwnerOf(context), *response.add_boards());
  if (found.size() > size) response.set_next_page_token(found[size - 1].id);
  const boards::StoreUse use = context.boards.use();
  response.set_memory_bytes(use.memory_bytes);
  response.set_max_memory_bytes(use.max_memory_bytes);
  done(std::move(response));
}

void DeleteBoard(const ServingContext& context, const Caller& caller,
                 const v1::DeleteBoardRequest& request, Done<v1::DeleteBoardResponse> done) {
  if (auto other = BoardOfAnother(context, caller, request.name()))
    return done(tl::unexpected(*std::move(other)));
  context.boards.Delete(request.name(),
                        NothingTo<v1::DeleteBoardResponse, boards::BoardStatus>(std::move(done)));
}

void StopBoard(const ServingContext& context, const Caller& caller,
               const v1::StopBoardRequest& request, Done<v1::StopBoardResponse> done) {
  if (auto other = BoardOfAnother(context, caller, request.name()))
    return done(tl::unexpected(*std::move(other)));
  context.boards.Stop(request.name(), BoardTo<v1::StopBoardResponse>(context, std::move(done)));
}

// On the pool, as it allocates memory of the device.
void ForkBoard(const ServingContext& context, const Caller& caller,
               const v1::ForkBoardRequest& request, Done<v1::ForkBoardResponse> done) {
  context.conversions.Post([&context, &caller, &request, done = std::move(done)] {
    context.boards.Fork(request.name(), request.new_name(),
                        SecondsOf(request.has_lease_s(), request.lease_s()),
                        BoardTo<v1::ForkBoardResponse>(context, done), CreatorNameOf(caller));
  });
}

void SnapshotBoard(const ServingContext& context, const Caller& caller,
                   const v1::SnapshotBoardRequest& request, Done<v1::SnapshotBoardResponse> done) {
  if (auto other = BoardOfAnother(context, caller, request.name()))
    return done(tl::unexpected(*std::move(other)));
  context.boards.Snapshot(
      request.name(), request.snapshot(), request.replace(),
      [&context, done = std::move(done)](const boards::Result<boards::SnapshotInfo>& info) {
        if (!info) return done(Failed(info.error()));
        v1::SnapshotBoardResponse response;
        FillSnapshot(*info, OwnerOf(context), *response.mutable_snapshot());
        done(std::move(response));
      });
}

void RestoreBoard(const ServingContext& context, const Caller& caller,
                  const v1::RestoreBoardRequest& request, Done<v1::RestoreBoardResponse> done) {
  context.boards.Restore(
      request.snapshot(), request.new_name(), SecondsOf(request.has_lease_s(), request.lease_s()),
      BoardTo<v1::RestoreBoardResponse>(context, std::move(done)), CreatorNameOf(caller));
}

StatusOr<v1::ListSnapshotsResponse> SnapshotsOf(const ServingContext& context,
                                                const v1::ListSnapshotsRequest& request) {
  Violations violations;
  const std::size_t size = ReadPageSize(request.page_size(), violations);
  if (!violations.empty()) return tl::unexpected(BadInput(violations));
  const auto found = context.boards.ListSnapshots(request.page_token(), size + 1);
  if (!found) return Failed(found.error());
  v1::ListSnapshotsResponse response;
  for (std::size_t i = 0; i < std::min(size, found->size()); ++i)
    FillSnapshot((*found)[i], OwnerOf(context), *response.add_snapshots());
  if (found->size() > size) response.set_next_page_token((*found)[size - 1].name);
  const boards::StoreUse use = context.boards.use();
  response.set_state_bytes(use.state_bytes);
  response.set_max_state_bytes(use.max_state_bytes);
  return response;
}

// On the pool, as it may wait for a file that is removed.
void ListSnapshots(const ServingContext& context, const Caller& /*caller*/,
                   const v1::ListSnapshotsRequest& request, Done<v1::ListSnapshotsResponse> done) {
  context.conversions.Post(
      [&context, &request, done = std::move(done)] { done(SnapshotsOf(context, request)); });
}

void DeleteSnapshot(const ServingContext& context, const Caller& caller,
                    const v1::DeleteSnapshotRequest& request,
                    Done<v1::DeleteSnapshotResponse> done) {
  if (auto other = SnapshotOfAnother(context, caller, request.snapshot()))
    return done(tl::unexpected(*std::move(other)));
  context.boards.DeleteSnapshot(
      request.snapshot(),
      NothingTo<v1::DeleteSnapshotResponse, boards::SnapshotInfo>(std::move(done)));
}

template <class Request, class Response>
UnaryReactor* Start(const ServingContext& context, CallMethod method,
                    grpc::CallbackServerContext& call, const Request& request, Response& response,
                    typename BoardCall<Request, Response>::Work work) {
  return BoardCall<Request, Response>::Start(context, method, call, request, response, work);
}

}  // namespace

UnaryReactor* StartGetBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                            const v1::GetBoardRequest& request, v1::GetBoardResponse& response) {
  return Start(context, CallMethod::kGetBoard, call, request, response, GetBoard);
}

UnaryReactor* StartUpdateBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::UpdateBoardRequest& request,
                               v1::UpdateBoardResponse& response) {
  return Start(context, CallMethod::kUpdateBoard, call, request, response, UpdateBoard);
}

UnaryReactor* StartListBoards(const ServingContext& context, grpc::CallbackServerContext& call,
                              const v1::ListBoardsRequest& request,
                              v1::ListBoardsResponse& response) {
  return Start(context, CallMethod::kListBoards, call, request, response, ListBoards);
}

UnaryReactor* StartDeleteBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::DeleteBoardRequest& request,
                               v1::DeleteBoardResponse& response) {
  return Start(context, CallMethod::kDeleteBoard, call, request, response, DeleteBoard);
}

UnaryReactor* StartStopBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::StopBoardRequest& request, v1::StopBoardResponse& response) {
  return Start(context, CallMethod::kStopBoard, call, request, response, StopBoard);
}

UnaryReactor* StartForkBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::ForkBoardRequest& request, v1::ForkBoardResponse& response) {
  return Start(context, CallMethod::kForkBoard, call, request, response, ForkBoard);
}

UnaryReactor* StartSnapshotBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                                 const v1::SnapshotBoardRequest& request,
                                 v1::SnapshotBoardResponse& response) {
  return Start(context, CallMethod::kSnapshotBoard, call, request, response, SnapshotBoard);
}

UnaryReactor* StartRestoreBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                                const v1::RestoreBoardRequest& request,
                                v1::RestoreBoardResponse& response) {
  return Start(context, CallMethod::kRestoreBoard, call, request, response, RestoreBoard);
}

UnaryReactor* StartListSnapshots(const ServingContext& context, grpc::CallbackServerContext& call,
                                 const v1::ListSnapshotsRequest& request,
                                 v1::ListSnapshotsResponse& response) {
  return Start(context, CallMethod::kListSnapshots, call, request, response, ListSnapshots);
}

UnaryReactor* StartDeleteSnapshot(const ServingContext& context, grpc::CallbackServerContext& call,
                                  const v1::DeleteSnapshotRequest& request,
                                  v1::DeleteSnapshotResponse& response) {
  return Start(context, CallMethod::kDeleteSnapshot, call, request, response, DeleteSnapshot);
}

}  // namespace gpusim::server
