#include <utility>

#include <gpusim/client_proto.h>

#include "client/connection.h"
#include "client/life_messages.h"
#include "client/messages.h"
#include "client/rows_call.h"

namespace gpusim {
namespace {

// The answers that are a board and nothing else.
template <class Message>
Result<BoardState> ToBoard(const Result<Message>& reply) {
  return reply.map([](const Message& message) { return FromMessage(message.board()); });
}

template <class Message>
Result<NotedBoard> ToNoted(const Result<Message>& reply) {
  return reply.map([](const Message& message) {
    return NotedBoard{FromMessage(message.board()),
                      {message.notes().begin(), message.notes().end()}};
  });
}

template <class Message>
Result<void> ToNothing(const Result<Message>& reply) {
  return reply.map([](const Message&) {});
}

// A source that streams without a function to read from is a fault of the caller.
template <class Request>
std::optional<Error> SourceFault(const Request& request) {
  const auto* rows = std::get_if<StreamedRows>(&request.source);
  if (rows == nullptr || rows->read) return std::nullopt;
  return BadArguments("the request is bad", {{"source.read", "a function has to give the rows"}});
}

}  // namespace

Result<NotedBoard> Boards::Create(const CreateBoardRequest& request, const CallOptions& options) {
  if (auto fault = SourceFault(request)) return tl::unexpected(std::move(*fault));
  return ToNoted(
      proto_->Create(ToMessage(request), std::get_if<StreamedRows>(&request.source), options));
}

Result<NotedBoard> Boards::Write(const WriteRegionRequest& request, const CallOptions& options) {
  if (auto fault = SourceFault(request)) return tl::unexpected(std::move(*fault));
  return ToNoted(
      proto_->Write(ToMessage(request), std::get_if<StreamedRows>(&request.source), options));
}

Result<BoardWithFacts> Boards::Get(const std::string& name, const std::vector<LifeFact>& facts,
                                   const CallOptions& options) {
  v1::GetBoardRequest request;
  request.set_name(name);
  FillFacts(facts, request);
  return proto_->Get(request, options).map([](const v1::GetBoardResponse& message) {
    return BoardWithFacts{FromMessage(message.board()), FromMessage(message.facts()),
                          FromMessage(message.provenance())};
  });
}

Result<BoardState> Boards::Update(const UpdateBoardRequest& request, const CallOptions& options) {
  return ToBoard(proto_->Update(ToMessage(request), options));
}

Result<std::vector<BoardState>> Boards::List(const CallOptions& options) {
  std::vector<BoardState> boards;
  v1::ListBoardsRequest request;
  do {
    const auto page = proto_->List(request, options);
    if (!page) return tl::unexpected(page.error());
    for (const v1::Board& board : page->boards()) boards.push_back(FromMessage(board));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return boards;
}

Result<void> Boards::Delete(const std::string& name, const CallOptions& options) {
  v1::DeleteBoardRequest request;
  request.set_name(name);
  return ToNothing(proto_->Delete(std::move(request), options));
}

Result<BoardProgress> Boards::Step(const StepBoardRequest& request,
                                   const std::function<bool(const BoardProgress&)>& on_progress,
                                   const CallOptions& options) {
  return proto_
      ->Step(
          ToMessage(request),
          [&](const v1::StepBoardResponse& progress) {
            return !on_progress || on_progress(FromMessage(progress));
          },
          options)
      .map([](const v1::StepBoardResponse& last) { return FromMessage(last); });
}

Result<BoardState> Boards::Stop(const std::string& name, const CallOptions& options) {
  v1::StopBoardRequest request;
  request.set_name(name);
  return ToBoard(proto_->Stop(std::move(request), options));
}

Result<RegionHeader> Boards::Read(
    const ReadRegionRequest& request,
    const std::function<bool(const RegionHeader&, std::string)>& on_bytes,
    const CallOptions& options) {
  RegionHeader header;
  const auto read = proto_->Read(
      ToMessage(request),
      [&](const v1::ReadRegionResponse& part) {
        if (part.has_header()) {
          header = FromMessage(part.header());
          return true;
        }
        return on_bytes(header, part.data());
      },
      options);
  if (!read) return tl::unexpected(read.error());
  return header;
}

Result<PackedBoard> Boards::ReadPacked(const std::string& name,
                                       const std::optional<CellRegion>& region,
                                       const CallOptions& options) {
  PackedBoard board;
  const auto header = Read(
      {.name = name, .region = region},
      [&](const RegionHeader&, const std::string& rows) {
        board.rows += rows;
        return true;
      },
      options);
  if (!header) return tl::unexpected(header.error());
  board.width = header->region.width;
  board.height = header->region.height;
  return board;
}

Result<void> Boards::Watch(const WatchBoardRequest& request,
                           const std::function<bool(BoardFrame)>& on_frame,
                           const CallOptions& options) {
  return ToNothing(proto_->Watch(
      ToMessage(request),
      [&](const v1::WatchBoardResponse& frame) { return on_frame(FromMessage(frame)); }, options));
}

Result<BoardState> Boards::Fork(const std::string& name, const std::string& new_name,
                                const CallOptions& options) {
  v1::ForkBoardRequest request;
  request.set_name(name);
  request.set_new_name(new_name);
  return ToBoard(proto_->Fork(std::move(request), options));
}

Result<SnapshotState> Boards::Snapshot(const std::string& name, const std::string& snapshot,
                                       bool replace, const CallOptions& options) {
  v1::SnapshotBoardRequest request;
  request.set_name(name);
  request.set_snapshot(snapshot);
  request.set_replace(replace);
  return proto_->Snapshot(std::move(request), options)
      .map([](const v1::SnapshotBoardResponse& reply) { return FromMessage(reply.snapshot()); });
}

Result<BoardState> Boards::Restore(const std::string& snapshot, const std::string& new_name,
                                   const CallOptions& options) {
  v1::RestoreBoardRequest request;
  request.set_snapshot(snapshot);
  request.set_new_name(new_name);
  return ToBoard(proto_->Restore(std::move(request), options));
}

Result<std::vector<SnapshotState>> Boards::ListSnapshots(const CallOptions& options) {
  std::vector<SnapshotState> snapshots;
  v1::ListSnapshotsRequest request;
  do {
    const auto page = proto_->ListSnapshots(request, options);
    if (!page) return tl::unexpected(page.error());
    for (const v1::Snapshot& snapshot : page->snapshots())
      snapshots.push_back(FromMessage(snapshot));
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return snapshots;
}

Result<void> Boards::DeleteSnapshot(const std::string& snapshot, const CallOptions& options) {
  v1::DeleteSnapshotRequest request;
  request.set_snapshot(snapshot);
  return ToNothing(proto_->DeleteSnapshot(std::move(request), options));
}

}  // namespace gpusim
