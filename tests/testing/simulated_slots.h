// The books of the scheduler on slots that exist only as numbers: a batch takes as many nanoseconds as its tasks have work, and
// time jumps from one event to the next. So an hour of load takes a moment, and every wait comes out exactly.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "server/batching/ledger.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {

// One team: all slots serve all kinds.
class SimulatedSlots {
 public:
  SimulatedSlots(std::vector<KindOptions> kinds, std::size_t slots)
      : turns_(std::vector<bool>(kinds.size(), true)), ledger_(std::move(kinds)), slots_(slots) {}

  struct Ran {
    KindIndex kind = 0;
    std::vector<int> labels;
    TimePoint began;
    std::chrono::nanoseconds lasted{};
  };

  // Submits at this moment, or as soon as RunUntil comes there.
  void SubmitAt(TimePoint when, int label, const FakeTaskOptions& options, KindIndex kind = 0) {
    arrivals_.emplace(when, [this, label, options, kind] { Submit(label, options, kind); });
  }
  tl::expected<TaskId, Refusal> Submit(int label, const FakeTaskOptions& options,
                                       KindIndex kind = 0) {
    std::unique_ptr<Task> task = std::make_unique<FakeTask>(log_, label, options);
    submitted_[label] = now_;
    const Cost cost = task->cost();
    return ledger_.Accept(kind, task, cost, now_);
  }
  // Called with the label of every task that is answered, at the time of it; may submit.
  void OnAnswer(std::function<void(int label)> hear) { hear_ = std::move(hear); }

  void RunUntil(TimePoint end) {
    while (true) {
      StartIdleSlots();
      const TimePoint next = NextEvent();
      if (next > end) break;
      now_ = next;
      for (Slot& slot : slots_) {
        if (slot.busy && slot.ends <= now_) EndBatch(slot);
      }
      while (!arrivals_.empty() && arrivals_.begin()->first <= now_) {
        const std::function<void()> arrive = std::move(arrivals_.begin()->second);
        arrivals_.erase(arrivals_.begin());
        arrive();
      }
    }
    now_ = end;
  }

  TimePoint now() const { return now_; }
  // From Submit to the answer.
  std::chrono::nanoseconds latency(int label) const { return latencies_.at(label); }
  bool answered(int label) const { return latencies_.contains(label); }
  // In the order in which they began.
  const std::vector<Ran>& ran() const { return ran_; }
  const Ledger& ledger() const { return ledger_; }
  // How long batches ran that had this task in them.
  std::chrono::nanoseconds TimeWith(int label) const {
    std::chrono::nanoseconds sum{0};
    for (const Ran& batch : ran_) {
      if (std::count(batch.labels.begin(), batch.labels.end(), label) > 0) sum += batch.lasted;
    }
    return sum;
  }

 private:
  struct Slot {
    bool busy = false;
    TimePoint ends;
    std::uint64_t run_ns = 0;
    Batch batch;
  };

  void StartIdleSlots() {
    for (Slot& slot : slots_) {
      if (slot.busy) continue;
      std::vector<EndedTask> ended;
      ledger_.TakeBatch(now_, turns_, slot.batch, ended);
      if (slot.batch.empty()) continue;
      slot.busy = true;
      slot.run_ns = std::accumulate(
          slot.batch.records.begin(), slot.batch.records.end(), std::uint64_t{0},
          [](std::uint64_t sum, const TaskRecord* record) { return sum + record->cost.work; });
      slot.ends = now_ + std::chrono::nanoseconds(slot.run_ns);
      Ran& ran = ran_.emplace_back();
      ran.kind = slot.batch.turn.kind;
      ran.began = now_;
      ran.lasted = std::chrono::nanoseconds(slot.run_ns);
      for (Task* task : slot.batch.tasks)
        ran.labels.push_back(static_cast<FakeTask*>(task)->label());
    }
  }

  TimePoint NextEvent() const {
    TimePoint next = arrivals_.empty() ? TimePoint::max() : arrivals_.begin()->first;
    for (const Slot& slot : slots_) {
      if (slot.busy) next = std::min(next, slot.ends);
    }
    return next;
  }

  void EndBatch(Slot& slot) {
    for (std::size_t i = 0; i < slot.batch.tasks.size(); ++i)
      slot.batch.chunks[i] = static_cast<FakeTask*>(slot.batch.tasks[i])->Step();
    std::vector<EndedTask> ended;
    ledger_.SettleBatch(slot.batch, slot.run_ns, now_, turns_, ended);
    slot.busy = false;
    for (const EndedTask& task : ended) {
      const int label = static_cast<FakeTask*>(task.task.get())->label();
      latencies_[label] = now_ - submitted_[label];
      if (hear_) hear_(label);
    }
  }

  TaskLog log_;
  BatchTurns turns_;
  Ledger ledger_;
  TimePoint now_{std::chrono::hours(1)};
  std::multimap<TimePoint, std::function<void()>> arrivals_;
  std::map<int, TimePoint> submitted_;
  std::map<int, std::chrono::nanoseconds> latencies_;
  std::function<void(int)> hear_;
  std::vector<Ran> ran_;
  std::vector<Slot> slots_;
};

}  // namespace gpusim::batching
