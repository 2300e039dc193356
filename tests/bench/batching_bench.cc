// What the scheduler adds to a request. The runners do nothing, so all that is measured is ours:
// the queue, the lock and the wake of a slot. Run on an otherwise idle machine.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "server/batching/scheduler.h"

namespace gpusim::batching {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Says when it was run and when it ended.
struct Mark {
  TimePoint run;
  TimePoint ended;
  std::atomic<bool> done{false};
};

class MarkedTask final : public Task {
 public:
  MarkedTask(Mark& mark, TimePoint deadline) : Task({.deadline = deadline}), mark_(mark) {}
  Cost cost() const override { return {.rows = 1, .bytes = 0, .work = 0}; }
  void Finish(Outcome) override {
    mark_.ended = SteadyClock().Now();
    mark_.done.store(true, std::memory_order_release);
  }
  void Run() { mark_.run = SteadyClock().Now(); }

 private:
  Mark& mark_;
};

class MarkRunner final : public Runner {
 public:
  void Run(std::span<Task* const> batch, std::span<Chunk> chunks) override {
    for (Task* task : batch) static_cast<MarkedTask*>(task)->Run();
    std::fill(chunks.begin(), chunks.end(), Chunk::kDone);
  }
};

class CountedTask final : public Task {
 public:
  CountedTask(std::atomic<std::uint64_t>& finished, TimePoint deadline)
      : Task({.deadline = deadline}), finished_(finished) {}
  Cost cost() const override { return {.rows = 1, .bytes = 0, .work = 0}; }
  void Finish(Outcome) override { finished_.fetch_add(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t>& finished_;
};

class DoneRunner final : public Runner {
 public:
  void Run(std::span<Task* const>, std::span<Chunk> chunks) override {
    std::fill(chunks.begin(), chunks.end(), Chunk::kDone);
  }
};

template <class SomeRunner>
std::unique_ptr<Scheduler> MakeScheduler(std::size_t slots) {
  std::vector<SlotRunners> runners(slots);
  for (SlotRunners& slot : runners) slot.push_back(std::make_unique<SomeRunner>());
  const KindOptions options{
      .name = "nothing", .batch_limit = {.rows = 4096, .bytes = 0, .work = 0}, .max_tasks = 65536};
  return std::make_unique<Scheduler>(std::vector<KindOptions>{options}, std::move(runners),
                                     SteadyClock());
}

double Microseconds(nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

double Percentile(std::vector<double>& values, double share) {
  const auto nth =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

// A request finds everything idle: from Submit to the start of its run, and to its Finish. The
// pause lets the slot's thread fall asleep.
void LoneTask(benchmark::State& state) {
  const auto scheduler = MakeScheduler<MarkRunner>(2);
  std::vector<double> to_run;
  std::vector<double> to_finish;
  for (auto _ : state) {
    std::this_thread::sleep_for(microseconds(100));
    Mark mark;
    const TimePoint submitted = SteadyClock().Now();
    (void)scheduler->Submit(0, std::make_unique<MarkedTask>(mark, submitted + milliseconds(500)));
    while (!mark.done.load(std::memory_order_acquire)) std::this_thread::yield();
    to_run.push_back(Microseconds(mark.run - submitted));
    to_finish.push_back(Microseconds(mark.ended - submitted));
    state.SetIterationTime(to_finish.back() / 1e6);
  }
  state.counters["run_p50_us"] = Percentile(to_run, 0.5);
  state.counters["run_p99_us"] = Percentile(to_run, 0.99);
  state.counters["finish_p50_us"] = Percentile(to_finish, 0.5);
  state.counters["finish_p99_us"] = Percentile(to_finish, 0.99);
}
BENCHMARK(LoneTask)->UseManualTime()->Iterations(5000)->Unit(benchmark::kMicrosecond);

// As many tasks as one thread can submit: the cost of one, all in. Argument: slots.
void Throughput(benchmark::State& state) {
  const auto scheduler = MakeScheduler<DoneRunner>(static_cast<std::size_t>(state.range(0)));
  std::atomic<std::uint64_t> finished{0};
  std::uint64_t accepted = 0;
  for (auto _ : state) {
    const TimePoint deadline = SteadyClock().Now() + std::chrono::seconds(30);
    while (!scheduler->Submit(0, std::make_unique<CountedTask>(finished, deadline))) {
      std::this_thread::yield();
    }
    ++accepted;
  }
  scheduler->Drain(TimePoint::max());
  if (finished != accepted) state.SkipWithError("a task was lost");
  const KindCounters c = scheduler->counters(0);
  state.SetItemsProcessed(static_cast<std::int64_t>(accepted));
  state.counters["mean_batch"] = static_cast<double>(c.batched) / static_cast<double>(c.batches);
}
BENCHMARK(Throughput)->Arg(1)->Arg(2)->UseRealTime();

// How late a queued task hears that its deadline has passed while no slot is free (here: there is
// none).
void ExpiryLateness(benchmark::State& state) {
  const auto scheduler = MakeScheduler<MarkRunner>(0);
  std::vector<double> late;
  for (auto _ : state) {
    Mark mark;
    const TimePoint deadline = SteadyClock().Now() + milliseconds(2);
    (void)scheduler->Submit(0, std::make_unique<MarkedTask>(mark, deadline));
    while (!mark.done.load(std::memory_order_acquire)) std::this_thread::yield();
    late.push_back(Microseconds(mark.ended - deadline));
    state.SetIterationTime(late.back() / 1e6);
  }
  state.counters["late_p50_us"] = Percentile(late, 0.5);
  state.counters["late_p99_us"] = Percentile(late, 0.99);
}
BENCHMARK(ExpiryLateness)->UseManualTime()->Iterations(500)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace gpusim::batching

BENCHMARK_MAIN();
