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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tl/expected.hpp>

#include "server/batching/client_queue.h"
#include "server/batching/deadline_heap.h"
#include "server/batching/kind.h"
#include "server/batching/policy.h"
#include "server/batching/task.h"
#include "server/batching/task_table.h"
#include "server/batching/turns.h"

namespace gpusim::batching {

// A task that is out of the books and still has to be told.
struct EndedTask {
  std::unique_ptr<Task> task;
  Outcome outcome;
};

// What a slot runs: entry i of the three vectors is one task. The task objects are the slot's alone
// until SettleBatch; of the records it may write `cost`. Reused from batch to batch.
struct Batch {
  BatchTurn turn;
  std::vector<TaskRecord*> records;
  std::vector<Task*> tasks;
  std::vector<Chunk> chunks;
  bool full = false;  // of what it was taken from, so that its time says what a long queue takes

  bool empty() const { return tasks.empty(); }
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
  // empty batch means that nothing of these kinds is ready.
  void TakeBatch(TimePoint now, BatchTurns& turns, Batch& batch, std::vector<EndedTask>& ended);
  // Takes back a batch that was taken by the same turns and has run for `run_ns`: ends its tasks or queues them again, and empties
  // it.
  void SettleBatch(Batch& batch, std::uint64_t run_ns, TimePoint now, BatchTurns& turns,
                   std::vector<EndedTask>& ended);

  // Of the queued tasks; TimePoint::max() when none has one.
  TimePoint earliest_deadline() const;
  // Whether something of the kind is queued.
  bool waits(KindIndex kind) const {
    return waits(kind, Priority::kInteractive) || waits(kind, Priority::kBulk);
  }
  // When what is queued of the kind begins at the latest if a slot is free; TimePoint::max() when nothing is queued.
  TimePoint close_at(KindIndex kind) const { return kinds_[kind].close_at; }
  // Whether a batch of the kind can start now.
  bool ready(KindIndex kind, TimePoint now) const;
  // How long a caller that is refused now should stay away.
  std::chrono::milliseconds retry_after(KindIndex kind) const;
  KindCounters counters(KindIndex kind) const;

 private:
  struct Kind {
    explicit Kind(KindOptions its_options);

    ClientQueue& queue(Priority priority) { return queues[static_cast<std::size_t>(priority)]; }
    bool empty() const { return queues[0].empty() && queues[1].empty(); }

    KindOptions options;
    std::array<ClientQueue, kPriorities> queues;
    Cost queued;  // sums over the queues
    std::uint64_t queued_charge = 0;
    std::uint64_t running_charge = 0;
    // A burst waits once: what a full batch leaves has waited with it.
    TimePoint close_at = TimePoint::max();
    KindCounters counters;
    Pace pace;
    // The end of the last batch, or the moment work came back after an idle time.
    TimePoint pace_since;
  };

  bool waits(KindIndex kind, Priority priority) const {
    return !kinds_[kind].queues[static_cast<std::size_t>(priority)].empty();
  }
  // What refuses a task of so many bytes and this charge; nothing if there is room.
  std::optional<Refusal> WhyFull(KindIndex kind, std::uint64_t bytes, std::uint64_t charge) const;
  static std::optional<Refusal> WhyTooMuchWork(const Kind& kind, std::uint64_t charge);
  // `close_at`: until when it may wait for others.
  void Queue(TaskRecord& record, TimePoint close_at);
  void Unqueue(TaskRecord& record);
  void Uncount(TaskRecord& record);
  void EndQueuedTask(TaskRecord& record, Outcome outcome, std::vector<EndedTask>& ended);
  // Of a task that is in no queue; uncounts it from `place`, which is queued or running.
  EndedTask End(TaskRecord& record, Outcome outcome, std::uint64_t KindCounters::*place);
  void TakeFromKind(const BatchTurn& turn, TimePoint now, Batch& batch,
                    std::vector<EndedTask>& ended);
  // Moves up to `most` tasks from the queue to the batch; false when the next one does not fit.
  bool FillFrom(ClientQueue& queue, std::size_t most, TimePoint now, BatchFill& fill, Batch& batch,
                std::vector<EndedTask>& ended);
  void Take(TaskRecord& record, TimePoint now, Batch& batch);

  std::vector<Kind> kinds_;
  TaskTable table_;
  DeadlineHeap deadlines_;
  bool stopped_ = false;
};

}  // namespace gpusim::batching
