#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "client/life_messages.h"
#include "client/messages.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint32_t Seconds(seconds time) {
  constexpr seconds::rep kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<seconds::rep>(time.count(), 0, kMost));
}

template <class Message, class Request>
void FillTimes(const Request& request, Message& message) {
  if (request.lease) message.set_lease_s(Seconds(*request.lease));
  if (request.autosave_every) message.set_autosave_every_s(Seconds(*request.autosave_every));
}

struct FillCreation {
  v1::CreateBoardHeader& message;
  void operator()(std::monostate) const {}
  void operator()(const PatternFile& pattern) const { message.set_pattern(pattern.bytes); }
  void operator()(const PackedBoard& board) const { Fill(board, *message.mutable_packed()); }
  void operator()(const RandomCells& random) const { Fill(random, *message.mutable_random()); }
  void operator()(const StreamedRows&) const { message.set_streamed(true); }
};

struct FillStamp {
  v1::WriteRegionHeader& message;
  void operator()(const PatternFile& pattern) const { message.set_pattern(pattern.bytes); }
  void operator()(const PackedBoard& board) const { Fill(board, *message.mutable_packed()); }
  void operator()(const StreamedRows& rows) const {
    message.mutable_streamed()->set_width(rows.width);
    message.mutable_streamed()->set_height(rows.height);
  }
  void operator()(ClearBoard) const { message.set_clear(true); }
  void operator()(const RandomCells& random) const { Fill(random, *message.mutable_random()); }
};

BoardRun RunOf(const v1::BoardRun& message) {
  return {.target_generation = message.target_generation(),
          .until = FromMessage(message.until()),
          .generations_per_second = message.generations_per_second(),
          .detached = message.detached(),
          .request_id = message.request_id()};
}

BoardRunEnd RunEndOf(const v1::BoardRunEnd& message) {
  return {.generation = message.generation(),
          .stop_reason = static_cast<StopReason>(message.stop_reason()),
          .period = message.period(),
          .request_id = message.request_id(),
          .error = message.error()};
}

}  // namespace

v1::CreateBoardHeader ToMessage(const CreateBoardRequest& request) {
  v1::CreateBoardHeader message;
  message.set_name(request.name);
  message.set_topology(request.topology);
  message.set_rule(request.rule);
  std::visit(FillCreation{message}, request.source);
  if (request.at) Fill(*request.at, *message.mutable_at());
  message.set_generation(request.generation);
  FillTimes(request, message);
  message.set_request_id(request.request_id);
  return message;
}

v1::UpdateBoardRequest ToMessage(const UpdateBoardRequest& request) {
  v1::UpdateBoardRequest message;
  message.set_name(request.name);
  FillTimes(request, message);
  message.set_request_id(request.request_id);
  return message;
}

v1::StepBoardRequest ToMessage(const StepBoardRequest& request) {
  v1::StepBoardRequest message;
  message.set_name(request.name);
  if (request.to_generation) message.set_to_generation(*request.to_generation);
  if (request.generations) message.set_generations(*request.generations);
  if (request.if_generation) message.set_if_generation(*request.if_generation);
  FillUntil(request.until, message);
  constexpr milliseconds kNone{0};
  message.set_max_duration_ms(
      static_cast<std::uint64_t>(std::max(request.max_duration, kNone).count()));
  message.set_detached(request.detached);
  message.set_queue(request.queue);
  FillFacts(request.facts, message);
  message.set_facts_every(request.facts_every);
  const auto interval = std::clamp<milliseconds::rep>(request.progress_interval.count(), 0,
                                                      std::numeric_limits<std::uint32_t>::max());
  message.set_progress_interval_ms(static_cast<std::uint32_t>(interval));
  message.set_request_id(request.request_id);
  return message;
}

v1::ReadRegionRequest ToMessage(const ReadRegionRequest& request) {
  v1::ReadRegionRequest message;
  message.set_name(request.name);
  if (request.region) Fill(*request.region, *message.mutable_region());
  message.set_output_format(static_cast<v1::OutputFormat>(request.format));
  return message;
}

v1::WriteRegionHeader ToMessage(const WriteRegionRequest& request) {
  v1::WriteRegionHeader message;
  message.set_name(request.name);
  if (request.at) Fill(*request.at, *message.mutable_at());
  std::visit(FillStamp{message}, request.source);
  message.set_mode(static_cast<v1::WriteMode>(request.mode));
  if (request.if_generation) message.set_if_generation(*request.if_generation);
  message.set_queue(request.queue);
  message.set_request_id(request.request_id);
  return message;
}

v1::WatchBoardRequest ToMessage(const WatchBoardRequest& request) {
  v1::WatchBoardRequest message;
  message.set_name(request.name);
  if (request.region) Fill(*request.region, *message.mutable_region());
  message.set_frames_per_second(request.frames_per_second);
  message.set_density_cell(request.density_cell);
  FillFacts(request.facts, message);
  if (request.after_generation) message.set_after_generation(*request.after_generation);
  return message;
}

BoardState FromMessage(const v1::Board& message) {
  BoardState board{.name = message.name(),
                   .owner_address = message.owner_address(),
                   .rule = message.rule(),
                   .topology = message.topology(),
                   .width = message.width(),
                   .height = message.height(),
                   .generation = message.generation(),
                   .lease = seconds(message.lease_s()),
                   .lease_left = milliseconds(message.lease_left_ms()),
                   .autosave_every = seconds(message.autosave_every_s()),
                   .saved_generation = message.saved_generation(),
                   .memory_bytes = message.memory_bytes(),
                   .device = message.device(),
                   .created_unix = milliseconds(message.created_unix_ms())};
  if (message.has_run()) board.run = RunOf(message.run());
  if (message.has_last_run()) board.last_run = RunEndOf(message.last_run());
  return board;
}

BoardProgress FromMessage(const v1::StepBoardResponse& message) {
  return {.facts = FromMessage(message.facts()),
          .generations_per_second = message.generations_per_second(),
          .stop_reason = static_cast<StopReason>(message.stop_reason()),
          .period = message.period(),
          .target_generation = message.target_generation(),
          .elapsed = milliseconds(message.elapsed_ms()),
          .provenance = FromMessage(message.provenance())};
}

RegionHeader FromMessage(const v1::ReadRegionHeader& message) {
  return {.board = FromMessage(message.board()),
          .region = FromMessage(message.region()),
          .generation = message.generation(),
          .total_bytes = message.total_bytes()};
}

SnapshotState FromMessage(const v1::Snapshot& message) {
  return {.name = message.name(),
          .board = message.board(),
          .generation = message.generation(),
          .rule = message.rule(),
          .topology = message.topology(),
          .width = message.width(),
          .height = message.height(),
          .bytes = message.bytes(),
          .created_unix = milliseconds(message.created_unix_ms()),
          .lease_expired = message.cause() == v1::SNAPSHOT_CAUSE_LEASE_EXPIRED};
}

BoardFrame FromMessage(v1::WatchBoardResponse message) {
  BoardFrame frame;
  frame.facts = FromMessage(message.facts());
  frame.generations_per_second = message.generations_per_second();
  frame.skipped = message.skipped();
  if (message.has_packed()) {
    frame.picture = FromMessage(std::move(*message.mutable_packed()));
  } else if (message.has_density()) {
    v1::DensityFrame& density = *message.mutable_density();
    frame.picture =
        DensityFrame{density.columns(), density.rows(), std::move(*density.mutable_density())};
  }
  return frame;
}

}  // namespace gpusim
