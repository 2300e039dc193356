// The books of the scheduler, without its threads: where every accepted task is, and what became of
// it.
//
//   Accept --> queued --> TakeBatch --> running --> SettleBatch --> out
//                | ^                                    |
//                | +----------- kAgain -----------------+
//                +--> EndExpired | Cancel | EndQueued --> out
//
// A task leaves through exactly one of the arrows to `out`, in the hands of the caller as an
// EndedTask with its outcome, already counted; from then on its id finds nothing. That is what
// makes Finish happen once: whoever holds the EndedTask calls it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tl/expected.hpp>

#include "server/batching/deadline_heap.h"
#include "server/batching/kind.h"
#include "server/batching/policy.h"
#include "server/batching/queue.h"
#include "server/batching/task.h"
#include "server/batching/task_table.h"

namespace gpusim::batching {

// A task that is out of the books and still has to be told.
struct EndedTask {
  std::unique_ptr<Task> task;
  Outcome outcome;
};

// What a slot runs: entry i of the three vectors is one task. The task objects are the slot's alone
// until SettleBatch; of the records it may write `cost`. Reused from batch to batch.
struct Batch {
  KindIndex kind = 0;
  std::vector<TaskRecord*> records;
  std::vector<Task*> tasks;
  std::vector<Chunk> chunks;

  bool empty() const { return tasks.empty(); }
};

// The kinds that a slot runs, by index, and the one that had the last turn. Slots that run the same kinds share it: if they
// shared it with others too, those could take every turn of a kind that they alone do not run.
struct KindTurns {
  std::vector<bool> served;
  KindIndex last = 0;
};

// Not thread-safe; the scheduler's lock guards it. Takes the time as arguments, in no call earlier
// than in the one before. `ended` is appended to.
class Ledger {
 public:
  explicit Ledger(std::vector<KindOptions> kinds);

  // Queues the task and takes it out of `task`; refuses, with `task` left alone, when the kind is
  // full. `cost` is the task's first.
  tl::expected<TaskId, Refusal> Accept(KindIndex kind, std::unique_ptr<Task>& task,
                                       const Cost& cost, TimePoint now);
  // Counts a refusal because of draining.
  void CountRefusedDraining(KindIndex kind) { ++kinds_[kind].counters.refused_draining; }

  // Ends a queued task, marks a running one, ignores any other id.
  std::optional<EndedTask> Cancel(TaskId id);
  // Ends the queued tasks whose deadline has come.
  void EndExpired(TimePoint now, std::vector<EndedTask>& ended);
  // Ends all queued tasks with `outcome`, and from now on every running one that has more to do with kDraining.
  void Stop(Outcome outcome, std::vector<EndedTask>& ended);

  // Fills `batch` from the served kind whose turn it is and ends what is found expired on the way. An
  // empty batch means that nothing of these kinds is queued any more.
  void TakeBatch(TimePoint now, KindTurns& turns, Batch& batch, std::vector<EndedTask>& ended);
  // Takes back a batch that has run for `run_ns`: ends its tasks or queues them again, and empties
  // it.
  void SettleBatch(Batch& batch, std::uint64_t run_ns, TimePoint now,
                   std::vector<EndedTask>& ended);

  // Of the queued tasks; TimePoint::max() when none has one.
  TimePoint earliest_deadline() const;
  // Whether something of the kind is queued, so that a batch can start now.
  bool waits(KindIndex kind) const { return !kinds_[kind].queue.empty(); }
  // How long a caller that is refused now should stay away.
  std::chrono::milliseconds retry_after(KindIndex kind) const;
  const KindCounters& counters(KindIndex kind) const { return kinds_[kind].counters; }

 private:
  struct Kind {
    KindOptions options;
    TaskQueue queue;
    KindCounters counters;
    Pace pace;
    // Since when `pace` has not been told: a finish, or the moment work came back after an idle
    // time.
    TimePoint pace_since;
  };

  // What refuses a task of so many bytes; nothing if there is room.
  std::optional<Refusal> WhyFull(KindIndex kind, std::uint64_t bytes) const;
  void Queue(TaskRecord& record);
  void Unqueue(TaskRecord& record);
  void EndQueuedTask(TaskRecord& record, Outcome outcome, std::vector<EndedTask>& ended);
  // Of a task that is in no queue; uncounts it from `place`, which is queued or running.
  EndedTask End(TaskRecord& record, Outcome outcome, std::uint64_t KindCounters::*place);
  void TakeFromKind(KindIndex kind, TimePoint now, Batch& batch, std::vector<EndedTask>& ended);
  void Take(TaskRecord& record, TimePoint now, Batch& batch);
  void UpdatePace(Kind& kind, std::uint64_t finished, TimePoint now);

  std::vector<Kind> kinds_;
  TaskTable table_;
  DeadlineHeap deadlines_;
  bool stopped_ = false;
};

}  // namespace gpusim::batching
