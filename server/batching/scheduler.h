// Natural batching: requests wait in one queue a kind only while every slot is busy; a slot that
// becomes free takes everything that waits, up to what a batch may hold. Nobody waits for a timer.
//
//   Submit --> queue of the kind --> slot thread: batch --> Runner::Run --> Finish(kAnswered)
//                |        ^                                      |
//                |        +----- chunk done, more to do ---------+
//                +--> Finish(kExpired | kCancelled | kDraining), never run (again)
//
// Invariants:
//   1. Every accepted task gets exactly one Finish; a refused one gets none.
//   2. Finish is called without a lock held.
//   3. An expired or cancelled task is not run after that; one whose chunk is under way is finished
//      when the chunk ends.
//   4. accepted = answered + failed + cancelled + expired + drained + queued + running, at every
//      moment.
//
// One lock guards the books (ledger.h), which say what happens to a task; this file has the threads
// and decides whom to wake. Kinds take turns, and so do the chunks of long tasks, which go to the
// end of their queue; a batch closes at the first task of its queue that does not fit, so nobody is
// overtaken.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <tl/expected.hpp>

#include "server/batching/busy_time.h"
#include "server/batching/clock.h"
#include "server/batching/kind.h"
#include "server/batching/ledger.h"
#include "server/batching/mutex.h"
#include "server/batching/task.h"
#include "server/batching/task_table.h"

namespace gpusim::batching {

// One runner a kind, in the order of the kinds: a slot's share of every simulation. Null for a kind that the slot
// does not serve, as what the kind is about lies on another device.
using SlotRunners = std::vector<std::unique_ptr<Runner>>;

// Thread-safe. Starts one thread a slot and one that watches deadlines: a queued task is finished
// with kExpired at its deadline also while every slot is busy.
class Scheduler {
 public:
  // Every slot has an entry a kind; tasks of a kind that none serves are never run. `clock` outlives the scheduler.
  // `devices` has the device of each slot, counted from 0; empty: all are of the same.
  Scheduler(std::vector<KindOptions> kinds, std::vector<SlotRunners> slots, Clock& clock,
            std::vector<std::size_t> devices = {});
  // Drains with a deadline of now. No other call may be under way or follow.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Takes the task or refuses it; never blocks for work. A refused task is destroyed without
  // Finish. The task may be finished before Submit returns. The id is never 0 and never used again.
  tl::expected<TaskId, Refusal> Submit(KindIndex kind, std::unique_ptr<Task> task);

  // The caller has lost interest: Finish(kCancelled), at once and on this thread when queued, after
  // its chunk when running, even if that chunk completes it. An id that is finished already is
  // ignored.
  void Cancel(TaskId id);

  // Refuses new tasks, waits for the accepted ones until `deadline`, then finishes the rest with
  // kDraining (those under way after their chunk). Returns when nothing is left and every Finish
  // has returned; so it waits for a runner that hangs, and must not be called from a Finish.
  // Idempotent; of several callers the earliest deadline counts.
  void Drain(TimePoint deadline);

  // The devices can not be used any more: finishes what is queued with kDeviceLost and refuses new tasks. Does not wait for
  // what is under way, which may never end. Must not be called from a Finish.
  void Abandon();

  KindCounters counters(KindIndex kind) const;
  // How long batches have run on the device, up to now; those that run side by side count once. 0 for a device without slots.
  std::chrono::nanoseconds busy(std::size_t device) const;
  const KindOptions& options(KindIndex kind) const { return kinds_[kind]; }
  std::size_t kinds() const { return kinds_.size(); }

 private:
  // What a slot carries round its loop; reused, so that a batch allocates nothing.
  struct Turn {
    Batch batch;
    std::vector<EndedTask> ended;
    std::size_t told = 0;    // ended tasks that got their Finish and are not yet off outstanding_
    std::size_t device = 0;  // of the slot
  };

  // Slots that serve the same kinds: one is as good as another.
  struct Team {
    KindTurns turns;
    CondVar work;            // for its idle slots
    std::size_t idle = 0;    // waiting on `work`, notified or not
    std::size_t wakes = 0;   // notified and not yet up
    std::size_t spoken = 0;  // ClaimSlotWake's: of the wakes, those that a kind counts on
  };

  void FormTeams() GPUSIM_REQUIRES(mutex_);
  Team& TeamOf(const std::vector<bool>& served) GPUSIM_REQUIRES(mutex_);
  void ServeSlot(const SlotRunners& runners, Team& team, std::size_t device);
  bool AwaitBatch(Team& team, Turn& turn);
  void Settle(Turn& turn, std::uint64_t run_ns);
  void WatchDeadlines();
  bool AwaitExpired(Turn& turn);
  static void Tell(Turn& turn);

  // What to notify so that a slot wakes, or null, and whether to notify the watcher; the caller does that when the
  // lock is released.
  CondVar* ClaimSlotWake() GPUSIM_REQUIRES(mutex_);
  bool ClaimWatcherWake() GPUSIM_REQUIRES(mutex_);
  void SettleTold(Turn& turn) GPUSIM_REQUIRES(mutex_);

  const std::vector<KindOptions> kinds_;
  const std::vector<SlotRunners> slots_;
  Clock& clock_;

  mutable Mutex mutex_;
  CondVar deadline_;      // for the watcher
  CondVar nothing_left_;  // for Drain
  Ledger ledger_ GPUSIM_GUARDED_BY(mutex_);
  // Accepted tasks that are not destroyed yet: those in the ledger and those being told.
  std::uint64_t outstanding_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::vector<BusyTime> busy_ GPUSIM_GUARDED_BY(mutex_);  // by device
  std::deque<Team> teams_ GPUSIM_GUARDED_BY(mutex_);      // never changes but for their members
  // Every kind, those that the fewest teams serve first.
  std::vector<KindIndex> rarest_first_ GPUSIM_GUARDED_BY(mutex_);
  // When the watcher looks next; min() while it is up, as it looks before it sleeps.
  TimePoint watcher_wakes_at_ GPUSIM_GUARDED_BY(mutex_) = TimePoint::min();
  bool draining_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool abandoned_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool exiting_ GPUSIM_GUARDED_BY(mutex_) = false;

  // Last, so that the threads find everything else made.
  std::vector<std::thread> threads_;
};

}  // namespace gpusim::batching
