#include "server/batching/ledger.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>
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

std::uint64_t& CounterOf(Refusal::Reason reason, KindCounters& counters) {
  switch (reason) {
    case Refusal::Reason::kBytesFull:
      return counters.refused_bytes_full;
    case Refusal::Reason::kWorkFull:
      return counters.refused_work_full;
    case Refusal::Reason::kDraining:
    case Refusal::Reason::kDeviceLost:
      return counters.refused_draining;
    case Refusal::Reason::kQueueFull:
      break;
  }
  return counters.refused_queue_full;
}

}  // namespace

Ledger::Kind::Kind(KindOptions its_options)
    : options(std::move(its_options)),
      queues{ClientQueue(QuantumOf(options.batch_limit)),
             ClientQueue(QuantumOf(options.batch_limit))} {}

Ledger::Ledger(std::vector<KindOptions> kinds) {
  kinds_.reserve(kinds.size());
  for (KindOptions& options : kinds) kinds_.emplace_back(std::move(options));
}

std::optional<Refusal> Ledger::WhyFull(KindIndex kind_index, std::uint64_t bytes,
                                       std::uint64_t charge) const {
  const Kind& kind = kinds_[kind_index];
  const KindCounters& counters = kind.counters;
  const std::uint64_t present = counters.queued + counters.running;
  if (present >= kind.options.max_tasks)
    return Refusal{.reason = Refusal::Reason::kQueueFull, .limit = kind.options.max_tasks};
  const std::uint64_t held = std::min(counters.bytes, kind.options.max_bytes);
  // A task that alone is beyond a limit has to go when nothing else is there, or never.
  if (present > 0 && bytes > kind.options.max_bytes - held)
    return Refusal{.reason = Refusal::Reason::kBytesFull, .limit = kind.options.max_bytes};
  if (kind.empty()) return std::nullopt;
  return WhyTooMuchWork(kind, charge);
}

std::optional<Refusal> Ledger::WhyTooMuchWork(const Kind& kind, std::uint64_t charge) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const Milliseconds limit = kind.options.max_queued_time;
  const Milliseconds value = kind.pace.TimeOf(kind.queued_charge + charge);
  if (value <= limit) return std::nullopt;
  return Refusal{.reason = Refusal::Reason::kWorkFull,
                 .limit = static_cast<std::uint64_t>(limit.count()),
                 .value = static_cast<std::uint64_t>(value.count())};
}

tl::expected<TaskId, Refusal> Ledger::Accept(KindIndex kind_index, std::unique_ptr<Task>& task,
                                             const Cost& cost, TimePoint now) {
  Kind& kind = kinds_[kind_index];
  const std::uint64_t held_bytes = cost.bytes + cost.held_bytes;
  const std::uint64_t charge = ChargeOf(cost, kind.options.batch_limit);
  if (std::optional<Refusal> full = WhyFull(kind_index, held_bytes, charge)) {
    full->retry_after = retry_after(kind_index);
    ++CounterOf(full->reason, kind.counters);
    return tl::unexpected(*full);
  }
  const std::uint64_t present = kind.counters.queued + kind.counters.running;
  if (present == 0) kind.pace_since = now;
  ++kind.counters.accepted;
  ++kind.counters.queued;
  kind.counters.bytes += held_bytes;
  TaskRecord& record = table_.Add(std::move(task));
  if (record.priority == Priority::kBulk) ++kind.counters.accepted_bulk;
  record.kind = kind_index;
  record.cost = cost;
  record.charge = charge;
  record.held_bytes = held_bytes;
  record.submitted = now;
  Queue(record, CloseAt(now, record.deadline, kind.options.max_batch_delay));
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
    for (ClientQueue& queue : kind.queues) {
      while (!queue.empty()) EndQueuedTask(*queue.front(), outcome, ended);
    }
  }
}

bool Ledger::ready(KindIndex kind_index, TimePoint now) const {
  const Kind& kind = kinds_[kind_index];
  return !kind.empty() && ClosesNow(now, kind.close_at, kind.queued, kind.options.batch_limit);
}

void Ledger::TakeBatch(TimePoint now, BatchTurns& turns, Batch& batch,
                       std::vector<EndedTask>& ended) {
  while (batch.empty()) {
    const std::optional<BatchTurn> next = turns.Next([&](KindIndex kind, Priority priority) {
      return waits(kind, priority) && ready(kind, now);
    });
    if (!next) return;
    TakeFromKind(*next, now, batch, ended);
    if (!batch.empty()) turns.Begin(batch.turn);
  }
}

// The task that the turn is for, then interactive ones, then bulk: within a priority nobody is overtaken.
void Ledger::TakeFromKind(const BatchTurn& turn, TimePoint now, Batch& batch,
                          std::vector<EndedTask>& ended) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  Kind& kind = kinds_[turn.kind];
  BatchFill fill(kind.options.batch_limit);
  batch.turn = turn;
  const std::uint64_t ran_before = kind.running_charge;
  const bool all = FillFrom(kind.queue(turn.priority), 1, now, fill, batch, ended) &&
                   FillFrom(kind.queue(Priority::kInteractive), kAll, now, fill, batch, ended) &&
                   FillFrom(kind.queue(Priority::kBulk), kAll, now, fill, batch, ended);
  if (batch.empty()) return;  // all were expired
  batch.full = !all || kind.running_charge - ran_before >= kind.options.batch_limit.work / 2;
  // A chunk that the runner forgets counts as failed.
  batch.chunks.assign(batch.tasks.size(), Chunk::kFailed);
  const std::uint64_t size = batch.tasks.size();
  ++kind.counters.batches;
  kind.counters.batched += size;
  kind.counters.batch_sizes.Record(size);
  kind.counters.largest_batch = std::max(kind.counters.largest_batch, size);
}

bool Ledger::FillFrom(ClientQueue& queue, std::size_t most, TimePoint now, BatchFill& fill,
                      Batch& batch, std::vector<EndedTask>& ended) {
  while (most > 0 && !queue.empty()) {
    TaskRecord& record = *queue.front();
    if (record.deadline <= now) {
      EndQueuedTask(record, Outcome::kExpired, ended);
      continue;
    }
    if (!fill.Admit(record.cost)) return false;
    queue.PopFront();
    Take(record, now, batch);
    --most;
  }
  return true;
}

void Ledger::Take(TaskRecord& record, TimePoint now, Batch& batch) {
  Kind& kind = kinds_[record.kind];
  KindCounters& counters = kind.counters;
  Uncount(record);
  record.running = true;
  kind.running_charge += record.charge;
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

void Ledger::SettleBatch(Batch& batch, std::uint64_t run_ns, TimePoint now, BatchTurns& turns,
                         std::vector<EndedTask>& ended) {
  Kind& kind = kinds_[batch.turn.kind];
  kind.counters.run_ns += run_ns;
  turns.End(batch.turn, static_cast<std::int64_t>(run_ns));
  std::uint64_t charge = 0;
  for (std::size_t i = 0; i < batch.records.size(); ++i) {
    TaskRecord& record = *batch.records[i];
    charge += record.charge;
    const Meanwhile meanwhile{
        .cancelled = record.cancelled, .expired = record.deadline <= now, .stopping = stopped_};
    if (const std::optional<Outcome> outcome = OutcomeOfChunk(batch.chunks[i], meanwhile)) {
      ended.push_back(End(record, *outcome, &KindCounters::running));
    } else {
      record.running = false;
      --kind.counters.running;
      ++kind.counters.queued;
      record.charge = ChargeOf(record.cost, kind.options.batch_limit);
      record.client = record.task->client();
      record.priority = record.task->priority();
      Queue(record, now);
    }
  }
  kind.running_charge -= charge;
  if (batch.full) kind.pace.Record(now - kind.pace_since, charge);
  kind.pace_since = now;
  batch.records.clear();
  batch.tasks.clear();
  batch.chunks.clear();
}

TimePoint Ledger::earliest_deadline() const {
  return deadlines_.empty() ? TimePoint::max() : deadlines_.earliest().deadline;
}

void Ledger::Queue(TaskRecord& record, TimePoint close_at) {
  Kind& kind = kinds_[record.kind];
  kind.queue(record.priority).PushBack(record);
  kind.queued.rows += record.cost.rows;
  kind.queued.bytes += record.cost.bytes;
  kind.queued.work += record.cost.work;
  kind.queued_charge += record.charge;
  kind.close_at = std::min(kind.close_at, close_at);
  deadlines_.Add(record);
}

void Ledger::Unqueue(TaskRecord& record) {
  kinds_[record.kind].queue(record.priority).Remove(record);
  Uncount(record);
}

// Of a record that has left its queue.
void Ledger::Uncount(TaskRecord& record) {
  Kind& kind = kinds_[record.kind];
  kind.queued.rows -= record.cost.rows;
  kind.queued.bytes -= record.cost.bytes;
  kind.queued.work -= record.cost.work;
  kind.queued_charge -= record.charge;
  if (kind.empty()) kind.close_at = TimePoint::max();
  deadlines_.Remove(record);
}

void Ledger::EndQueuedTask(TaskRecord& record, Outcome outcome, std::vector<EndedTask>& ended) {
  Unqueue(record);
  ended.push_back(End(record, outcome, &KindCounters::queued));
}

std::chrono::milliseconds Ledger::retry_after(KindIndex kind_index) const {
  const Kind& kind = kinds_[kind_index];
  return RetryAfter(kind.queued_charge + kind.running_charge, kind.pace);
}

KindCounters Ledger::counters(KindIndex kind_index) const {
  const Kind& kind = kinds_[kind_index];
  KindCounters counters = kind.counters;
  counters.queued_work_ns =
      static_cast<std::uint64_t>(kind.pace.TimeOf(kind.queued_charge).count());
  return counters;
}

EndedTask Ledger::End(TaskRecord& record, Outcome outcome, std::uint64_t KindCounters::*place) {
  KindCounters& counters = kinds_[record.kind].counters;
  assert(counters.*place > 0);
  --(counters.*place);
  counters.bytes -= record.held_bytes;
  ++CounterOf(outcome, counters);
  return {table_.Remove(record), outcome};
}

}  // namespace gpusim::batching
