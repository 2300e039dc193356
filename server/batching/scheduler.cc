#include "server/batching/scheduler.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace gpusim::batching {

Scheduler::Scheduler(std::vector<KindOptions> kinds, std::vector<SlotRunners> slots, Clock& clock)
    : kinds_(std::move(kinds)), slots_(std::move(slots)), clock_(clock), ledger_(kinds_) {
  threads_.reserve(slots_.size() + 1);
  for (const SlotRunners& runners : slots_) {
    assert(runners.size() == kinds_.size());
    threads_.emplace_back([this, &runners] { ServeSlot(runners); });
  }
  threads_.emplace_back([this] { WatchDeadlines(); });
}

Scheduler::~Scheduler() {
  Drain(clock_.Now());
  {
    MutexLock lock(mutex_);
    exiting_ = true;
  }
  work_.NotifyAll();
  deadline_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

tl::expected<TaskId, Refusal> Scheduler::Submit(KindIndex kind, std::unique_ptr<Task> task) {
  assert(kind < kinds_.size());
  const Cost cost = task->cost();
  TaskId id = 0;
  bool wake_slot = false;
  bool wake_watcher = false;
  {
    MutexLock lock(mutex_);
    if (draining_) {
      ledger_.CountRefusedDraining(kind);
      return tl::unexpected(Refusal{.reason = Refusal::Reason::kDraining});
    }
    const tl::expected<TaskId, Refusal> accepted = ledger_.Accept(kind, task, cost, clock_.Now());
    if (!accepted) return tl::unexpected(accepted.error());
    id = *accepted;
    ++outstanding_;
    wake_slot = ClaimSlotWake();
    wake_watcher = ClaimWatcherWake();
  }
  if (wake_slot) work_.NotifyOne();
  if (wake_watcher) deadline_.NotifyOne();
  return id;
}

void Scheduler::Cancel(TaskId id) {
  Turn turn;
  {
    MutexLock lock(mutex_);
    std::optional<EndedTask> ended = ledger_.Cancel(id);
    if (!ended) return;
    turn.ended.push_back(*std::move(ended));
  }
  Tell(turn);
  MutexLock lock(mutex_);
  SettleTold(turn);
}

void Scheduler::Drain(TimePoint deadline) {
  Turn turn;
  {
    MutexLock lock(mutex_);
    draining_ = true;
    while (outstanding_ > 0 && clock_.Now() < deadline) {
      clock_.WaitUntil(mutex_, nothing_left_, deadline);
    }
    ledger_.Stop(turn.ended);
  }
  Tell(turn);
  MutexLock lock(mutex_);
  SettleTold(turn);
  while (outstanding_ > 0) clock_.WaitUntil(mutex_, nothing_left_, TimePoint::max());
}

KindCounters Scheduler::counters(KindIndex kind) const {
  MutexLock lock(mutex_);
  return ledger_.counters(kind);
}

void Scheduler::ServeSlot(const SlotRunners& runners) {
  Turn turn;
  while (AwaitBatch(turn)) {
    Tell(turn);  // those found expired
    Batch& batch = turn.batch;
    if (batch.empty()) continue;

    const TimePoint started = clock_.Now();
    runners[batch.kind]->Run(batch.tasks, batch.chunks);
    const std::chrono::nanoseconds run_time = clock_.Now() - started;
    for (std::size_t i = 0; i < batch.tasks.size(); ++i) {
      if (batch.chunks[i] == Chunk::kAgain) batch.records[i]->cost = batch.tasks[i]->cost();
    }
    Settle(turn, static_cast<std::uint64_t>(run_time.count()));
    Tell(turn);
  }
}

// Waits for something to run or to tell; false when the scheduler exits.
bool Scheduler::AwaitBatch(Turn& turn) {
  bool wake_slot = false;
  {
    MutexLock lock(mutex_);
    SettleTold(turn);
    while (true) {
      ledger_.TakeBatch(clock_.Now(), turn.batch, turn.ended);
      if (!turn.batch.empty() || !turn.ended.empty()) break;
      if (exiting_) return false;
      ++idle_slots_;
      clock_.WaitUntil(mutex_, work_, TimePoint::max());
      --idle_slots_;
      // A wake without a notification uses up another slot's. That one then finds nothing, or wakes
      // the next one in its turn: while work waits and a slot is idle, a wake is under way.
      if (slot_wakes_ > 0) --slot_wakes_;
    }
    wake_slot = ClaimSlotWake();  // for what this batch leaves
  }
  if (wake_slot) work_.NotifyOne();
  return true;
}

void Scheduler::Settle(Turn& turn, std::uint64_t run_ns) {
  bool wake_slot = false;
  bool wake_watcher = false;
  {
    MutexLock lock(mutex_);
    ledger_.SettleBatch(turn.batch, run_ns, clock_.Now(), turn.ended);
    // This slot comes back for what went back to the queue. Only when it has to tell others first
    // may an idle slot be sooner; waking one otherwise would send a lone long task round the slots.
    wake_slot = !turn.ended.empty() && ClaimSlotWake();
    wake_watcher = ClaimWatcherWake();
  }
  if (wake_slot) work_.NotifyOne();
  if (wake_watcher) deadline_.NotifyOne();
}

void Scheduler::WatchDeadlines() {
  Turn turn;
  while (AwaitExpired(turn)) Tell(turn);
}

// Waits for queued tasks to expire; false when the scheduler exits.
bool Scheduler::AwaitExpired(Turn& turn) {
  MutexLock lock(mutex_);
  SettleTold(turn);
  while (!exiting_) {
    ledger_.EndExpired(clock_.Now(), turn.ended);
    if (!turn.ended.empty()) return true;
    watcher_wakes_at_ = ledger_.earliest_deadline();
    clock_.WaitUntil(mutex_, deadline_, watcher_wakes_at_);
    watcher_wakes_at_ = TimePoint::min();
  }
  return false;
}

// The only place that calls Finish.
void Scheduler::Tell(Turn& turn) {
  for (EndedTask& ended : turn.ended) {
    ended.task->Finish(ended.outcome);
    ended.task.reset();
  }
  turn.told += turn.ended.size();
  turn.ended.clear();
}

// One wake a kind that waits, as a slot takes one kind at a time, and no more than there are idle
// slots. What a batch then leaves is for the slot that took it to announce: no herd wakes for one
// burst.
bool Scheduler::ClaimSlotWake() {
  if (slot_wakes_ >= std::min(idle_slots_, ledger_.waiting_kinds())) return false;
  ++slot_wakes_;
  return true;
}

bool Scheduler::ClaimWatcherWake() {
  const TimePoint earliest = ledger_.earliest_deadline();
  if (earliest >= watcher_wakes_at_) return false;
  watcher_wakes_at_ = earliest;
  return true;
}

void Scheduler::SettleTold(Turn& turn) {
  outstanding_ -= std::exchange(turn.told, 0);
  if (draining_ && outstanding_ == 0) nothing_left_.NotifyAll();
}

}  // namespace gpusim::batching
