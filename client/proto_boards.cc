#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <gpusim/client_proto.h>

#include "client/board_owners.h"
#include "client/column_reader.h"
#include "client/connection.h"
#include "client/request_id.h"
#include "client/request_priority.h"
#include "client/rows_call.h"
#include "client/updates_call.h"

namespace gpusim {
namespace {

using Stub = v1::LifeService::StubInterface;

Error BadRequest(std::vector<FieldViolation> violations) {
  return BadArguments("the request is bad", std::move(violations));
}

// A changing call may be sent again, so it needs an id.
template <class Request>
void GiveId(Request& request) {
  if (request.request_id().empty()) request.set_request_id(NewRequestId());
}

// Calls with one answer.
template <class Response, class Owners, class Request>
Result<Response> Ask(Owners& owners,
                     grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     const Request& request, const CallOptions& options) {
  if (auto violations = StringsNotUtf8(request); !violations.empty())
    return tl::unexpected(BadRequest(std::move(violations)));
  return owners.Call(options, std::nullopt, [&](const CallTerms& terms, Stub& stub) {
    return CallAndWait<Response>(terms, [&](grpc::ClientContext* context, Response* response) {
      return (stub.*method)(context, request, response);
    });
  });
}

// Calls with running answers. `open(stub, context)` gives the reader.
template <class Response, class Owners, class Request, class Open>
Result<Response> Follow(Owners& owners, const Request& request, Open open,
                        const std::function<bool(const Response&)>& on_answer,
                        const CallOptions& options, std::chrono::nanoseconds otherwise) {
  if (auto violations = StringsNotUtf8(request); !violations.empty())
    return tl::unexpected(BadRequest(std::move(violations)));
  return owners.Call(options, otherwise, [&](const CallTerms& terms, Stub& stub) {
    return ReadUpdates<Response>(
        terms, [&](grpc::ClientContext* context) { return open(stub, context); }, on_answer);
  });
}

// Calls that send a header and perhaps rows. `open(stub, context, response)` gives the writer.
template <class Request, class Response, class Owners, class Header, class Open>
Result<Response> Send(Owners& owners, Header header, const StreamedRows* rows, Open open,
                      const CallOptions& options) {
  GiveId(header);
  if (auto violations = StringsNotUtf8(header); !violations.empty())
    return tl::unexpected(BadRequest(std::move(violations)));
  Request request;
  *request.mutable_header() = std::move(header);
  std::optional<std::chrono::nanoseconds> otherwise;
  if (rows != nullptr) otherwise = kNoTimeout;
  return owners.Call(options, otherwise, [&](const CallTerms& terms, Stub& stub) {
    return SendRows<Request, Response>(
        terms,
        [&](grpc::ClientContext* context, Response* response) {
          return open(stub, context, response);
        },
        request, rows);
  });
}

}  // namespace

ProtoBoards::ProtoBoards(std::unique_ptr<Owners> owners) : owners_(std::move(owners)) {}

ProtoBoards::~ProtoBoards() = default;

Result<v1::CreateBoardResponse> ProtoBoards::Create(v1::CreateBoardHeader header,
                                                    const StreamedRows* rows,
                                                    const CallOptions& options) {
  return Send<v1::CreateBoardRequest, v1::CreateBoardResponse>(
      *owners_, std::move(header), rows,
      [](Stub& stub, grpc::ClientContext* context, v1::CreateBoardResponse* response) {
        return stub.CreateBoard(context, response);
      },
      options);
}

Result<v1::WriteRegionResponse> ProtoBoards::Write(v1::WriteRegionHeader header,
                                                   const StreamedRows* rows,
                                                   const CallOptions& options) {
  return Send<v1::WriteRegionRequest, v1::WriteRegionResponse>(
      *owners_, std::move(header), rows,
      [](Stub& stub, grpc::ClientContext* context, v1::WriteRegionResponse* response) {
        return stub.WriteRegion(context, response);
      },
      options);
}

Result<v1::GetBoardResponse> ProtoBoards::Get(const v1::GetBoardRequest& request,
                                              const CallOptions& options) {
  return Ask(*owners_, &Stub::GetBoard, request, options);
}

Result<v1::UpdateBoardResponse> ProtoBoards::Update(v1::UpdateBoardRequest request,
                                                    const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::UpdateBoard, request, options);
}

Result<v1::ListBoardsResponse> ProtoBoards::List(const v1::ListBoardsRequest& request,
                                                 const CallOptions& options) {
  return Ask(*owners_, &Stub::ListBoards, request, options);
}

Result<v1::DeleteBoardResponse> ProtoBoards::Delete(v1::DeleteBoardRequest request,
                                                    const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::DeleteBoard, request, options);
}

Result<v1::StepBoardResponse> ProtoBoards::Step(
    v1::StepBoardRequest request,
    const std::function<bool(const v1::StepBoardResponse&)>& on_progress,
    const CallOptions& options) {
  GiveId(request);
  if (auto prioritised = WithPriority(request, options.priority)) request = *std::move(prioritised);
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(kNoTimeout);
  const auto bound = static_cast<std::uint64_t>(longest.count());
  const std::uint64_t duration_ms = std::min(request.max_duration_ms(), bound);
  const auto otherwise = duration_ms == 0 ? kNoTimeout
                                          : std::chrono::milliseconds(duration_ms) +
                                                std::min(owners_->options().timeout, kNoTimeout);
  return Follow<v1::StepBoardResponse>(
      *owners_, request,
      [&](Stub& stub, grpc::ClientContext* context) { return stub.StepBoard(context, request); },
      on_progress, options, otherwise);
}

Result<v1::StopBoardResponse> ProtoBoards::Stop(v1::StopBoardRequest request,
                                                const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::StopBoard, request, options);
}

Result<v1::ReadRegionHeader> ProtoBoards::Read(
    const v1::ReadRegionRequest& request,
    const std::function<bool(const v1::ReadRegionResponse&)>& on_part, const CallOptions& options) {
  v1::ReadRegionHeader header;
  std::uint64_t bytes = 0;
  bool stopped = false;
  const auto read = Follow<v1::ReadRegionResponse>(
      *owners_, request,
      [&](Stub& stub, grpc::ClientContext* context) { return stub.ReadRegion(context, request); },
      [&](const v1::ReadRegionResponse& part) {
        if (part.has_header()) header = part.header();
        bytes += part.data().size();
        stopped = !on_part(part);
        return !stopped;
      },
      options, kNoTimeout);
  if (!read) return tl::unexpected(read.error());
  if (stopped) {
    return tl::unexpected(
        Error{.code = StatusCode::kCancelled, .message = "the call was cancelled"});
  }
  if (bytes != header.total_bytes()) {
    return tl::unexpected(BadReply("the cells ended after " + std::to_string(bytes) + " of " +
                                   std::to_string(header.total_bytes()) + " bytes"));
  }
  return header;
}

Result<v1::ForkBoardResponse> ProtoBoards::Fork(v1::ForkBoardRequest request,
                                                const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::ForkBoard, request, options);
}

Result<v1::SnapshotBoardResponse> ProtoBoards::Snapshot(v1::SnapshotBoardRequest request,
                                                        const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::SnapshotBoard, request, options);
}

Result<v1::RestoreBoardResponse> ProtoBoards::Restore(v1::RestoreBoardRequest request,
                                                      const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::RestoreBoard, request, options);
}

Result<v1::ListSnapshotsResponse> ProtoBoards::ListSnapshots(
    const v1::ListSnapshotsRequest& request, const CallOptions& options) {
  return Ask(*owners_, &Stub::ListSnapshots, request, options);
}

Result<v1::DeleteSnapshotResponse> ProtoBoards::DeleteSnapshot(v1::DeleteSnapshotRequest request,
                                                               const CallOptions& options) {
  GiveId(request);
  return Ask(*owners_, &Stub::DeleteSnapshot, request, options);
}

Result<v1::WatchBoardResponse> ProtoBoards::Watch(
    const v1::WatchBoardRequest& request,
    const std::function<bool(const v1::WatchBoardResponse&)>& on_frame,
    const CallOptions& options) {
  return Follow<v1::WatchBoardResponse>(
      *owners_, request,
      [&](Stub& stub, grpc::ClientContext* context) { return stub.WatchBoard(context, request); },
      on_frame, options, kNoTimeout);
}

}  // namespace gpusim
