#include "server/batching/scheduler.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

namespace gpusim::batching {
namespace {

std::vector<bool> ServedBy(const SlotRunners& runners) {
  std::vector<bool> served;
  served.reserve(runners.size());
  for (const auto& runner : runners) served.push_back(runner != nullptr);
  return served;
}

}  // namespace

Scheduler::Scheduler(std::vector<KindOptions> kinds, std::vector<SlotRunners> slots, Clock& clock,
                     std::vector<std::size_t> devices)
    : kinds_(std::move(kinds)), slots_(std::move(slots)), clock_(clock), ledger_(kinds_) {
  threads_.reserve(slots_.size() + 1);
  MutexLock lock(mutex_);  // the first slots wait until the teams are complete
  FormTeams();
  devices.resize(slots_.size());
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const SlotRunners& runners = slots_[slot];
    const std::size_t device = devices[slot];
    if (device >= busy_.size()) busy_.resize(device + 1);
    Team& team = TeamOf(ServedBy(runners));
    threads_.emplace_back([this, &runners, &team, device] { ServeSlot(runners, team, device); });
  }
  threads_.emplace_back([this] { WatchDeadlines(); });
}

Scheduler::~Scheduler() {
  Drain(clock_.Now());
  {
    MutexLock lock(mutex_);
    exiting_ = true;
    for (Team& team : teams_) team.work.NotifyAll();
  }
  deadline_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

tl::expected<TaskId, Refusal> Scheduler::Submit(KindIndex kind, std::unique_ptr<Task> task) {
  assert(kind < kinds_.size());
  const Cost cost = task->cost();
  TaskId id = 0;
  CondVar* wake_slot = nullptr;
  bool wake_watcher = false;
  {
    MutexLock lock(mutex_);
    if (draining_) {
      ledger_.CountRefusedDraining(kind);
      return tl::unexpected(Refusal{.reason = abandoned_ ? Refusal::Reason::kDeviceLost
                                                         : Refusal::Reason::kDraining});
    }
    const tl::expected<TaskId, Refusal> accepted = ledger_.Accept(kind, task, cost, clock_.Now());
    if (!accepted) return tl::unexpected(accepted.error());
    id = *accepted;
    ++outstanding_;
    wake_slot = ClaimSlotWake();
    wake_watcher = ClaimWatcherWake();
  }
  if (wake_slot != nullptr) wake_slot->NotifyOne();
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
    ledger_.Stop(Outcome::kDraining, turn.ended);
  }
  Tell(turn);
  MutexLock lock(mutex_);
  SettleTold(turn);
  while (outstanding_ > 0) clock_.WaitUntil(mutex_, nothing_left_, TimePoint::max());
}

void Scheduler::Abandon() {
  Turn turn;
  {
    MutexLock lock(mutex_);
    draining_ = true;
    abandoned_ = true;
    ledger_.Stop(Outcome::kDeviceLost, turn.ended);
  }
  Tell(turn);
  MutexLock lock(mutex_);
  SettleTold(turn);
}

KindCounters Scheduler::counters(KindIndex kind) const {
  MutexLock lock(mutex_);
  return ledger_.counters(kind);
}

std::chrono::nanoseconds Scheduler::busy(std::size_t device) const {
  MutexLock lock(mutex_);
  return device < busy_.size() ? busy_[device].total(clock_.Now()) : std::chrono::nanoseconds(0);
}

void Scheduler::FormTeams() {
  std::vector<std::size_t> servers(kinds_.size());
  for (const SlotRunners& runners : slots_) {
    const std::vector<bool> served = ServedBy(runners);
    assert(served.size() == kinds_.size());
    if (std::any_of(teams_.begin(), teams_.end(),
                    [&](const Team& team) { return team.turns.served == served; }))
      continue;
    // The first turn is the first kind's.
    teams_.emplace_back().turns = {served, kinds_.size() - 1};
    for (KindIndex kind = 0; kind < kinds_.size(); ++kind) servers[kind] += served[kind] ? 1 : 0;
  }
  for (KindIndex kind = 0; kind < kinds_.size(); ++kind) {
    rarest_first_.push_back(kind);
  }
  std::stable_sort(rarest_first_.begin(), rarest_first_.end(),
                   [&](KindIndex a, KindIndex b) { return servers[a] < servers[b]; });
}

Scheduler::Team& Scheduler::TeamOf(const std::vector<bool>& served) {
  return *std::find_if(teams_.begin(), teams_.end(),
                       [&](const Team& team) { return team.turns.served == served; });
}

void Scheduler::ServeSlot(const SlotRunners& runners, Team& team, std::size_t device) {
  Turn turn;
  turn.device = device;
  while (AwaitBatch(team, turn)) {
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
bool Scheduler::AwaitBatch(Team& team, Turn& turn) {
  CondVar* wake_slot = nullptr;
  {
    MutexLock lock(mutex_);
    SettleTold(turn);
    while (true) {
      const TimePoint now = clock_.Now();
      ledger_.TakeBatch(now, team.turns, turn.batch, turn.ended);
      if (!turn.batch.empty()) busy_[turn.device].Begin(now);
      if (!turn.batch.empty() || !turn.ended.empty()) break;
      if (exiting_) return false;
      ++team.idle;
      clock_.WaitUntil(mutex_, team.work, TimePoint::max());
      --team.idle;
      // A wake without a notification uses up another slot's. That one then finds nothing, or wakes
      // the next one in its turn: while work waits and a slot is idle, a wake is under way.
      if (team.wakes > 0) --team.wakes;
    }
    wake_slot = ClaimSlotWake();  // for what this batch leaves
  }
  if (wake_slot != nullptr) wake_slot->NotifyOne();
  return true;
}

void Scheduler::Settle(Turn& turn, std::uint64_t run_ns) {
  CondVar* wake_slot = nullptr;
  bool wake_watcher = false;
  {
    MutexLock lock(mutex_);
    const TimePoint now = clock_.Now();
    ledger_.SettleBatch(turn.batch, run_ns, now, turn.ended);
    busy_[turn.device].End(now);
    // This slot comes back for what went back to the queue. Only when it has to tell others first
    // may an idle slot be sooner; waking one otherwise would send a lone long task round the slots.
    if (!turn.ended.empty()) wake_slot = ClaimSlotWake();
    wake_watcher = ClaimWatcherWake();
  }
  if (wake_slot != nullptr) wake_slot->NotifyOne();
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
// slots that serve it. What a batch then leaves is for the slot that took it to announce: no herd wakes for
// one burst.
//
// Invariant: where this finds nobody to wake, each waiting kind either has a wake of its own under way, to a slot that serves it,
// or all idle slots that serve it are notified. A slot that comes up spends one wake and takes one kind whole or
// announces what it leaves of it, so that one kind at the most loses its wake, and gets another one here. Kinds that few slots
// serve come first: they are the ones that cannot do with another's wake.
CondVar* Scheduler::ClaimSlotWake() {
  for (Team& team : teams_) team.spoken = 0;
  for (const KindIndex kind : rarest_first_) {
    if (!ledger_.waits(kind)) continue;
    const auto find = [&](auto&& suits) GPUSIM_REQUIRES(mutex_) {
      return std::find_if(teams_.begin(), teams_.end(),
                          [&](const Team& team) { return team.turns.served[kind] && suits(team); });
    };
    if (const auto coming = find([](const Team& team) { return team.spoken < team.wakes; });
        coming != teams_.end()) {
      ++coming->spoken;
    } else if (const auto idle = find([](const Team& team) { return team.wakes < team.idle; });
               idle != teams_.end()) {
      ++idle->wakes;
      return &idle->work;
    }
  }
  return nullptr;
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
