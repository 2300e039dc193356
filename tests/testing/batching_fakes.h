// Tasks and runners for tests of the scheduler: a task tells a log what became of it, a runner
// stops inside Run until the test lets it go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "server/batching/mutex.h"
#include "server/batching/scheduler.h"
#include "server/batching/task.h"
#include "tests/testing/fake_clock.h"

namespace gpusim::batching {

// What became of the tasks, by label. Thread-safe; outlives them.
class TaskLog {
 public:
  void Finished(int label, Outcome outcome) {
    MutexLock lock(mutex_);
    outcomes_[label].push_back(outcome);
    changed_.NotifyAll();
  }
  void Destroyed(int label) {
    MutexLock lock(mutex_);
    ++destroyed_[label];
    changed_.NotifyAll();
  }

  // Waits until the task is destroyed; its outcomes, of which there should be one, or none when it
  // was refused.
  std::vector<Outcome> Await(int label) {
    MutexLock lock(mutex_);
    while (destroyed_[label] == 0) changed_.Wait(mutex_);
    return outcomes_[label];
  }
  // The outcomes so far.
  std::vector<Outcome> Now(int label) {
    MutexLock lock(mutex_);
    return outcomes_[label];
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::map<int, std::vector<Outcome>> outcomes_ GPUSIM_GUARDED_BY(mutex_);
  std::map<int, int> destroyed_ GPUSIM_GUARDED_BY(mutex_);
};

struct FakeTaskOptions {
  TimePoint deadline = TimePoint::max();
  Cost cost{.rows = 1, .bytes = 0, .work = 0};
  int chunks = 1;
  ClientKey client = 0;
  Priority priority = Priority::kInteractive;
};

class FakeTask final : public Task {
 public:
  FakeTask(TaskLog& log, int label, const FakeTaskOptions& options = {})
      : Task(
            {.deadline = options.deadline, .client = options.client, .priority = options.priority}),
        log_(log),
        label_(label),
        cost_(options.cost),
        left_(options.chunks) {}
  ~FakeTask() override { log_.Destroyed(label_); }

  Cost cost() const override { return cost_; }
  void Finish(Outcome outcome) override { log_.Finished(label_, outcome); }

  int label() const { return label_; }
  // Runs one of the chunks.
  Chunk Step() { return --left_ == 0 ? Chunk::kDone : Chunk::kAgain; }

 private:
  TaskLog& log_;
  const int label_;
  const Cost cost_;
  int left_;
};

// Where the runners stop. A batch under way waits for the test: AwaitBatch sees it, Release lets
// the oldest one go on. Thread-safe; outlives the runners.
class Stage {
 public:
  struct Seen {
    KindIndex kind = 0;
    std::vector<int> labels;
    bool operator==(const Seen&) const = default;
  };

  // The next batch that started and was not seen yet.
  Seen AwaitBatch() {
    MutexLock lock(mutex_);
    while (seen_.empty()) changed_.Wait(mutex_);
    Seen batch = seen_.front();
    seen_.pop_front();
    return batch;
  }
  bool nothing_started() {
    MutexLock lock(mutex_);
    return seen_.empty();
  }
  // Lets one batch that waits, or is to come, finish.
  void Release(std::size_t batches = 1) {
    MutexLock lock(mutex_);
    permits_ += batches;
    changed_.NotifyAll();
  }
  // The next batch to be released fails.
  void FailNext() {
    MutexLock lock(mutex_);
    fail_next_ = true;
  }

  void Run(KindIndex kind, std::span<Task* const> batch, std::span<Chunk> chunks) {
    Seen seen{kind, {}};
    for (Task* task : batch) seen.labels.push_back(static_cast<FakeTask*>(task)->label());
    bool fail = false;
    {
      MutexLock lock(mutex_);
      seen_.push_back(seen);
      changed_.NotifyAll();
      while (permits_ == 0) changed_.Wait(mutex_);
      --permits_;
      fail = fail_next_;
      fail_next_ = false;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      chunks[i] = fail ? Chunk::kFailed : static_cast<FakeTask*>(batch[i])->Step();
    }
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::deque<Seen> seen_ GPUSIM_GUARDED_BY(mutex_);
  std::size_t permits_ GPUSIM_GUARDED_BY(mutex_) = 0;
  bool fail_next_ GPUSIM_GUARDED_BY(mutex_) = false;
};

class StageRunner final : public Runner {
 public:
  StageRunner(Stage& stage, KindIndex kind) : stage_(stage), kind_(kind) {}
  void Run(std::span<Task* const> batch, std::span<Chunk> chunks) override {
    stage_.Run(kind_, batch, chunks);
  }

 private:
  Stage& stage_;
  const KindIndex kind_;
};

// The slots of a scheduler whose runners all stop at `stage`.
inline std::vector<SlotRunners> StageSlots(Stage& stage, std::size_t slots, std::size_t kinds) {
  std::vector<SlotRunners> made(slots);
  for (SlotRunners& runners : made) {
    for (KindIndex kind = 0; kind < kinds; ++kind) {
      runners.push_back(std::make_unique<StageRunner>(stage, kind));
    }
  }
  return made;
}

// A scheduler on a stage, with a clock that stands still. Whoever is still on the stage at the end
// is let go.
class StagedScheduler {
 public:
  explicit StagedScheduler(std::vector<KindOptions> kinds, std::size_t slots = 1)
      : kinds_(kinds.size()),
        scheduler_(std::make_unique<Scheduler>(std::move(kinds), StageSlots(stage, slots, kinds_),
                                               clock)) {}
  ~StagedScheduler() { stage.Release(kEverything); }
  StagedScheduler(const StagedScheduler&) = delete;
  StagedScheduler& operator=(const StagedScheduler&) = delete;

  // The id, or 0 when the task is refused.
  TaskId Submit(int label, const FakeTaskOptions& options = {}, KindIndex kind = 0) {
    return TrySubmit(label, options, kind).value_or(0);
  }
  tl::expected<TaskId, Refusal> TrySubmit(int label, const FakeTaskOptions& options = {},
                                          KindIndex kind = 0) {
    return scheduler_->Submit(kind, std::make_unique<FakeTask>(log, label, options));
  }
  // A task that keeps a slot busy until it is released.
  void Occupy(int label, const FakeTaskOptions& options = {}, KindIndex kind = 0) {
    Submit(label, options, kind);
    stage.AwaitBatch();
  }
  KindCounters counters(KindIndex kind = 0) const { return scheduler_->counters(kind); }
  Scheduler& operator*() { return *scheduler_; }
  Scheduler* operator->() { return scheduler_.get(); }

  FakeClock clock;
  TaskLog log;
  Stage stage;

 private:
  static constexpr std::size_t kEverything = 1'000'000;

  std::size_t kinds_;
  std::unique_ptr<Scheduler> scheduler_;  // goes first, as its tasks and runners use the above
};

// Invariant 4 of the scheduler.
inline bool Balanced(const KindCounters& c) {
  return c.accepted ==
         c.answered + c.failed + c.cancelled + c.expired + c.drained + c.queued + c.running;
}

}  // namespace gpusim::batching
