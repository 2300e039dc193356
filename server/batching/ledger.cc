#include "server/batching/ledger.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace gpusim::batching {
namespace {

std::uint64_t& CounterOf(Outcome outcome, KindCounters& counters) {
  switch (outcome) {
    case Outcome::kAnswered:
      return counters.answered;
    case Outcome::kFailed:
    case Outcome::kDeviceLost:
      return counters.failed;
    case Outcome::kCancelled:
      return counters.cancelled;
    case Outcome::kExpired:
      return counters.expired;
    case Outcome::kDraining:
      break;
  }
  return counters.drained;
}

}  // namespace

Ledger::Ledger(std::vector<KindOptions> kinds) {
  kinds_.reserve(kinds.size());
  for (KindOptions& options : kinds) kinds_.emplace_back().options = std::move(options);
}

std::optional<Refusal> Ledger::WhyFull(KindIndex kind_index, std::uint64_t bytes) const {
  const Kind& kind = kinds_[kind_index];
  const KindCounters& counters = kind.counters;
  const std::uint64_t present = counters.queued + counters.running;
  const auto refuse = [&](Refusal::Reason reason, std::uint64_t limit) {
    return Refusal{reason, limit, retry_after(kind_index)};
  };
  if (present >= kind.options.max_tasks)
    return refuse(Refusal::Reason::kQueueFull, kind.options.max_tasks);
  const std::uint64_t held = std::min(counters.bytes, kind.options.max_bytes);
  // A task that alone is beyond the limit has to go when nothing else is there, or never.
  if (present > 0 && bytes > kind.options.max_bytes - held)
    return refuse(Refusal::Reason::kBytesFull, kind.options.max_bytes);
  return std::nullopt;
}

tl::expected<TaskId, Refusal> Ledger::Accept(KindIndex kind_index, std::unique_ptr<Task>& task,
                                             const Cost& cost, TimePoint now) {
  Kind& kind = kinds_[kind_index];
  const std::uint64_t held_bytes = cost.bytes + cost.held_bytes;
  if (const std::optional<Refusal> full = WhyFull(kind_index, held_bytes)) {
    ++(full->reason == Refusal::Reason::kBytesFull ? kind.counters.refused_bytes_full
                                                   : kind.counters.refused_queue_full);
    return tl::unexpected(*full);
  }
  const std::uint64_t present = kind.counters.queued + kind.counters.running;
  if (present == 0) kind.pace_since = now;
  ++kind.counters.accepted;
  ++kind.counters.queued;
  kind.counters.bytes += held_bytes;
  TaskRecord& record = table_.Add(std::move(task));
  record.kind = kind_index;
  record.cost = cost;
  record.held_bytes = held_bytes;
  record.submitted = now;
  Queue(record);
  return record.id;
}

std::optional<EndedTask> Ledger::Cancel(TaskId id) {
  TaskRecord* const record = table_.Find(id);
  if (record == nullptr) return std::nullopt;
  if (record->running) {
    record->cancelled = true;
    return std::nullopt;
  }
  Unqueue(*record);
  return End(*record, Outcome::kCancelled, &KindCounters::queued);
}

void Ledger::EndExpired(TimePoint now, std::vector<EndedTask>& ended) {
  while (!deadlines_.empty() && deadlines_.earliest().deadline <= now) {
    EndQueuedTask(deadlines_.earliest(), Outcome::kExpired, ended);
  }
}

void Ledger::Stop(Outcome outcome, std::vector<EndedTask>& ended) {
  stopped_ = true;
  for (Kind& kind : kinds_) {
    while (!kind.queue.empty()) EndQueuedTask(*kind.queue.front(), outcome, ended);
  }
}

void Ledger::TakeBatch(TimePoint now, KindTurns& turns, Batch& batch,
                       std::vector<EndedTask>& ended) {
  const auto has_work = [&](KindIndex kind) { return turns.served[kind] && waits(kind); };
  while (batch.empty()) {
    const KindIndex kind = NextKind(turns.last, kinds_.size(), has_work);
    if (kind == kinds_.size()) return;
    turns.last = kind;
    TakeFromKind(kind, now, batch, ended);
  }
}

void Ledger::TakeFromKind(KindIndex kind_index, TimePoint now, Batch& batch,
                          std::vector<EndedTask>& ended) {
  Kind& kind = kinds_[kind_index];
  BatchFill fill(kind.options.batch_limit);
  batch.kind = kind_index;
  while (TaskRecord* const record = kind.queue.front()) {
    if (record->deadline <= now) {
      EndQueuedTask(*record, Outcome::kExpired, ended);
    } else if (fill.Admit(record->cost)) {
      Take(*record, now, batch);
    } else {
      break;
    }
  }
  if (batch.empty()) return;  // all were expired
  // A chunk that the runner forgets counts as failed.
  batch.chunks.assign(batch.tasks.size(), Chunk::kFailed);
  const std::uint64_t size = batch.tasks.size();
  ++kind.counters.batches;
  kind.counters.batched += size;
  kind.counters.batch_sizes.Record(size);
  kind.counters.largest_batch = std::max(kind.counters.largest_batch, size);
}

void Ledger::Take(TaskRecord& record, TimePoint now, Batch& batch) {
  KindCounters& counters = kinds_[record.kind].counters;
  Unqueue(record);
  record.running = true;
  --counters.queued;
  ++counters.running;
  if (!std::exchange(record.taken, true)) {
    const std::chrono::nanoseconds waited = now - record.submitted;
    const auto waited_ns = static_cast<std::uint64_t>(waited.count());
    counters.queue_ns += waited_ns;
    counters.queue_times.Record(waited_ns);
  }
  batch.records.push_back(&record);
  batch.tasks.push_back(record.task.get());
}

void Ledger::SettleBatch(Batch& batch, std::uint64_t run_ns, TimePoint now,
                         std::vector<EndedTask>& ended) {
  Kind& kind = kinds_[batch.kind];
  kind.counters.run_ns += run_ns;
  const std::size_t ended_before = ended.size();
  for (std::size_t i = 0; i < batch.records.size(); ++i) {
    TaskRecord& record = *batch.records[i];
    const Meanwhile meanwhile{
        .cancelled = record.cancelled, .expired = record.deadline <= now, .stopping = stopped_};
    if (const std::optional<Outcome> outcome = OutcomeOfChunk(batch.chunks[i], meanwhile)) {
      ended.push_back(End(record, *outcome, &KindCounters::running));
    } else {
      record.running = false;
      --kind.counters.running;
      ++kind.counters.queued;
      Queue(record);
    }
  }
  UpdatePace(kind, ended.size() - ended_before, now);
  batch.records.clear();
  batch.tasks.clear();
  batch.chunks.clear();
}

TimePoint Ledger::earliest_deadline() const {
  return deadlines_.empty() ? TimePoint::max() : deadlines_.earliest().deadline;
}

void Ledger::Queue(TaskRecord& record) {
  kinds_[record.kind].queue.PushBack(record);
  deadlines_.Add(record);
}

void Ledger::Unqueue(TaskRecord& record) {
  kinds_[record.kind].queue.Remove(record);
  deadlines_.Remove(record);
}

void Ledger::EndQueuedTask(TaskRecord& record, Outcome outcome, std::vector<EndedTask>& ended) {
  Unqueue(record);
  ended.push_back(End(record, outcome, &KindCounters::queued));
}

std::chrono::milliseconds Ledger::retry_after(KindIndex kind) const {
  const KindCounters& counters = kinds_[kind].counters;
  return RetryAfter(counters.queued + counters.running, kinds_[kind].pace);
}

EndedTask Ledger::End(TaskRecord& record, Outcome outcome, std::uint64_t KindCounters::*place) {
  KindCounters& counters = kinds_[record.kind].counters;
  assert(counters.*place > 0);
  --(counters.*place);
  counters.bytes -= record.held_bytes;
  ++CounterOf(outcome, counters);
  return {table_.Remove(record), outcome};
}

void Ledger::UpdatePace(Kind& kind, std::uint64_t finished, TimePoint now) {
  if (finished == 0) return;  // the time goes on to the next finish
  kind.pace.Record(now - kind.pace_since, finished);
  kind.pace_since = now;
}

}  // namespace gpusim::batching
