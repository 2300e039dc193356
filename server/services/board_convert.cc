#include "server/services/board_convert.h"

#include <algorithm>
#include <chrono>

#include "kernels/formats/rule_string.h"
#include "kernels/formats/topology_string.h"
#include "server/services/packed_rows.h"
#include "server/services/priority.h"

namespace gpusim::server {
namespace {

std::uint64_t UnixMs(boards::SystemTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

template <class Message>
void FillShape(const boards::BoardShape& shape, Message& message) {
  message.set_rule(formats::FormatRule(shape.rule));
  message.set_topology(
      formats::FormatTopology(formats::BoundedGrid{shape.topology, shape.width, shape.height}));
  message.set_width(shape.width);
  message.set_height(shape.height);
}

void FillUntil(const kinds::Until& until, v1::Until& message) {
  using Kind = kinds::Until::Kind;
  switch (until.kind) {
    case Kind::kNever:
      break;
    case Kind::kExtinct:
      message.set_extinct(true);
      break;
    case Kind::kStill:
      message.set_still(true);
      break;
    case Kind::kPeriodAtMost:
      message.set_period_at_most(static_cast<std::uint32_t>(until.bound));
      break;
    case Kind::kPopulationAtMost:
      message.set_population_at_most(until.bound);
      break;
    case Kind::kPopulationAtLeast:
      message.set_population_at_least(until.bound);
      break;
  }
}

void FillRun(const boards::RunStatus& run, v1::BoardRun& message) {
  message.set_target_generation(run.target_generation);
  if (run.until.kind != kinds::Until::Kind::kNever) FillUntil(run.until, *message.mutable_until());
  message.set_generations_per_second(run.generations_per_second);
  message.set_detached(run.detached);
  message.set_request_id(run.request_id);
  message.set_started_unix_ms(UnixMs(run.started));
}

void FillRunEnd(const boards::RunEnd& end, v1::BoardRunEnd& message) {
  message.set_generation(end.generation);
  if (end.error.empty()) message.set_stop_reason(StopReasonOf(end.reason));
  message.set_period(end.period);
  message.set_request_id(end.request_id);
  message.set_error(end.error);
}

bool FitsBoard(const v1::Region& region, const boards::BoardShape& shape) {
  return region.width() > 0 && region.height() > 0 &&
         std::uint64_t{region.x()} + region.width() <= shape.width &&
         std::uint64_t{region.y()} + region.height() <= shape.height;
}

}  // namespace

v1::StopReason StopReasonOf(boards::StopReason reason) {
  switch (reason) {
    case boards::StopReason::kTarget:
      return v1::STOP_REASON_TARGET;
    case boards::StopReason::kCondition:
      return v1::STOP_REASON_CONDITION;
    case boards::StopReason::kTime:
      return v1::STOP_REASON_TIME;
    case boards::StopReason::kStopped:
      return v1::STOP_REASON_STOPPED;
    case boards::StopReason::kDraining:
      return v1::STOP_REASON_DRAINING;
  }
  return v1::STOP_REASON_UNSPECIFIED;
}

void FillBoard(const boards::BoardStatus& status, const BoardOwner& owner, v1::Board& board) {
  board.set_name(owner.name + "/" + status.id);
  board.set_owner_address(owner.address);
  FillShape(status.shape, board);
  board.set_generation(status.generation);
  if (status.run) FillRun(*status.run, *board.mutable_run());
  if (status.last_run) FillRunEnd(*status.last_run, *board.mutable_last_run());
  board.set_lease_s(static_cast<std::uint32_t>(status.lease.count()));
  board.set_lease_left_ms(static_cast<std::uint64_t>(status.lease_left.count()));
  board.set_autosave_every_s(static_cast<std::uint32_t>(status.autosave_every.count()));
  board.set_saved_generation(status.saved_generation);
  board.set_memory_bytes(status.memory_bytes);
  board.set_device(static_cast<std::uint32_t>(status.device));
  board.set_creator(status.creator);
  board.set_created_unix_ms(UnixMs(status.created));
}

void FillSnapshot(const boards::SnapshotInfo& info, const BoardOwner& owner,
                  v1::Snapshot& snapshot) {
  snapshot.set_name(owner.name + "/" + info.name);
  snapshot.set_board(owner.name + "/" + info.board_id);
  snapshot.set_generation(info.generation);
  FillShape(info.shape, snapshot);
  snapshot.set_bytes(info.bytes);
  snapshot.set_created_unix_ms(UnixMs(info.created));
  snapshot.set_creator(info.creator);
  snapshot.set_cause(info.cause == boards::SnapshotCause::kLeaseExpired
                         ? v1::SNAPSHOT_CAUSE_LEASE_EXPIRED
                         : v1::SNAPSHOT_CAUSE_ASKED);
}

void FillFacts(const boards::BoardFacts& facts, life::FactSet set, v1::BoardFacts& message) {
  const auto& box = facts.box;
  FillBoardFacts({.generation = facts.generation,
                  .population = facts.population,
                  .births = facts.births,
                  .deaths = facts.deaths,
                  .box = {box[0], box[1], box[2], box[3]},
                  .digest = facts.digest,
                  .shape_digest = facts.shape_digest},
                 set, 0, message);
}

void FillProgress(const boards::RunProgress& progress, life::FactSet set,
                  v1::StepBoardResponse& response) {
  FillFacts(progress.facts, set, *response.mutable_facts());
  response.set_generations_per_second(progress.generations_per_second);
  response.set_target_generation(progress.target_generation);
  response.set_elapsed_ms(static_cast<std::uint64_t>(progress.elapsed.count()));
}

life::FactSet ReadFactsOfMany(const google::protobuf::RepeatedField<int>& facts,
                              Violations& violations) {
  const FactChoice choice = FactChoiceOf(facts, violations);
  if (choice.hash)
    violations.push_back({"facts", "FACT_HASH", "only GetBoard makes hashes; take FACT_DIGEST"});
  return choice.set;
}

boards::RunWishes ReadRun(const v1::StepBoardRequest& request, Violations& violations) {
  constexpr std::uint32_t kLeastIntervalMs = 10;
  // More than any run can last, and far from what a clock can not count.
  constexpr std::uint64_t kMostDurationMs = 1'000'000'000'000;
  boards::RunWishes wishes;
  switch (request.target_case()) {
    case v1::StepBoardRequest::kToGeneration:
      wishes.to_generation = request.to_generation();
      break;
    case v1::StepBoardRequest::kGenerations:
      wishes.generations = request.generations();
      break;
    case v1::StepBoardRequest::TARGET_NOT_SET:
      violations.push_back({"target", "", "one of to_generation and generations"});
  }
  if (request.has_if_generation()) wishes.if_generation = request.if_generation();
  if (request.has_until()) wishes.until = UntilOf(request.until(), violations);
  if (request.max_duration_ms() > kMostDurationMs)
    violations.push_back({"max_duration_ms", std::to_string(request.max_duration_ms()),
                          "at most " + std::to_string(kMostDurationMs)});
  if (request.max_duration_ms() > 0)
    wishes.max_duration = std::chrono::milliseconds(request.max_duration_ms());
  wishes.detached = request.detached();
  wishes.queue = request.queue();
  wishes.facts = ReadFactsOfMany(request.facts(), violations);
  wishes.facts_every = request.facts_every();
  if (request.progress_interval_ms() > 0)
    wishes.progress_interval = std::chrono::milliseconds(request.progress_interval_ms());
  if (request.progress_interval_ms() > 0 && request.progress_interval_ms() < kLeastIntervalMs)
    violations.push_back({"progress_interval_ms", std::to_string(request.progress_interval_ms()),
                          "0, or at least " + std::to_string(kLeastIntervalMs)});
  wishes.request_id = request.request_id();
  CheckRequestId(request.request_id(), violations);
  if (const auto priority = PriorityOf(request)) {
    wishes.priority = *priority;
  } else {
    violations.push_back(priority.error().front());
  }
  return wishes;
}

std::optional<life::Board> ReadPacked(const v1::PackedBoard& packed, Violations& violations) {
  if (packed.width() == 0 || packed.height() == 0) {
    violations.push_back({packed.width() == 0 ? "packed.width" : "packed.height", "0",
                          "a board is at least one cell wide and high"});
    return std::nullopt;
  }
  const std::uint64_t bytes = PackedBytes(packed.width(), packed.height());
  if (packed.rows().size() != bytes) {
    violations.push_back({"packed.rows", std::to_string(packed.rows().size()) + " bytes",
                          "a board of " + std::to_string(packed.width()) + "x" +
                              std::to_string(packed.height()) + " has " + std::to_string(bytes) +
                              " bytes, each row padded to whole bytes"});
    return std::nullopt;
  }
  auto board = UnpackRows(packed.width(), packed.height(), packed.rows());
  if (!board) {
    violations.push_back({"packed.rows", "row " + std::to_string(board.error()),
                          "the bits that pad a row to whole bytes are 0"});
    return std::nullopt;
  }
  return *std::move(board);
}

std::optional<formats::Region> ReadRegion(bool set, const v1::Region& region,
                                          const boards::BoardShape& shape, Violations& violations) {
  if (!set) return formats::Region{0, 0, shape.width, shape.height};
  if (FitsBoard(region, shape))
    return formats::Region{region.x(), region.y(), region.width(), region.height()};
  violations.push_back({"region",
                        std::to_string(region.x()) + "," + std::to_string(region.y()) + "," +
                            std::to_string(region.width()) + "," + std::to_string(region.height()),
                        "at least one cell wide and high, and within the board of " +
                            std::to_string(shape.width) + "x" + std::to_string(shape.height)});
  return std::nullopt;
}

std::size_t ReadPageSize(std::uint32_t page_size, Violations& violations) {
  if (page_size > kMostEntriesOfAPage)
    violations.push_back(
        {"page_size", std::to_string(page_size), "at most " + std::to_string(kMostEntriesOfAPage)});
  return page_size == 0 ? kMostEntriesOfAPage : page_size;
}

void CheckRequestId(const std::string& id, Violations& violations) {
  if (id.size() > kMaxRequestIdBytes)
    violations.push_back(
        {"request_id", id, "at most " + std::to_string(kMaxRequestIdBytes) + " bytes"});
}

}  // namespace gpusim::server
