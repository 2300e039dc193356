// Everything at once, on the machine's own clock: many submitters, chunks, failures, random
// deadlines and cancels, and a drain in the middle. At the end every task has one outcome, none was
// run after it, and the counters agree with what the tasks were told. Meant for ThreadSanitizer
// too.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/scheduler.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kKinds = 2;
constexpr std::size_t kSlots = 3;
constexpr std::size_t kSubmitters = 4;
constexpr std::size_t kTasksOfSubmitter = 3000;
constexpr std::size_t kOutcomes = 5;

// What one task went through; outlives it.
struct Fate {
  std::atomic<int> finished{0};
  std::atomic<int> destroyed{0};
  std::atomic<int> run_after_finish{0};
  std::atomic<int> outcome{-1};
  std::atomic<TaskId> id{0};
};

class RandomTask final : public Task {
 public:
  RandomTask(Fate& fate, std::atomic<std::uint64_t>& told, TimePoint deadline, unsigned seed)
      : Task({.deadline = deadline,
              .client = seed / 64 % 8,
              .priority = seed / 8 % 2 == 0 ? Priority::kInteractive : Priority::kBulk}),
        fate_(fate),
        told_(told),
        random_(seed),
        left_(1 + seed % 4) {}
  ~RandomTask() override { ++fate_.destroyed; }

  Cost cost() const override { return {.rows = left_, .bytes = 1, .work = 1}; }
  void Finish(Outcome outcome) override {
    ++fate_.finished;
    fate_.outcome = static_cast<int>(outcome);
    ++told_;
  }

  Chunk Step() {
    if (fate_.finished > 0) ++fate_.run_after_finish;
    if (random_() % 64 == 0) return Chunk::kFailed;
    TakeTurnsFor(random_() % 8, random_() % 2 == 0 ? Priority::kInteractive : Priority::kBulk);
    return --left_ == 0 ? Chunk::kDone : Chunk::kAgain;
  }

 private:
  Fate& fate_;
  std::atomic<std::uint64_t>& told_;
  std::minstd_rand random_;
  std::uint64_t left_;
};

class StepRunner final : public Runner {
 public:
  void Run(std::span<Task* const> batch, std::span<Chunk> chunks) override {
    EXPECT_FALSE(busy_.exchange(true)) << "one batch at a time on a slot";
    for (std::size_t i = 0; i < batch.size(); ++i) {
      chunks[i] = static_cast<RandomTask*>(batch[i])->Step();
    }
    std::this_thread::yield();
    busy_ = false;
  }

 private:
  std::atomic<bool> busy_{false};
};

class StressTest : public testing::Test {
 protected:
  StressTest() : fates_(kSubmitters * kTasksOfSubmitter) {
    std::vector<SlotRunners> slots(kSlots);
    // The first slot serves both kinds, the others one each.
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        const bool served = slot == 0 || slot == 1 + kind;
        slots[slot].push_back(served ? std::make_unique<StepRunner>() : nullptr);
      }
    }
    std::vector<KindOptions> kinds(
        kKinds,
        {.name = "kind", .batch_limit = {.rows = 32, .bytes = 100, .work = 100}, .max_tasks = 200});
    kinds[1].max_batch_delay = microseconds(200);
    kinds[1].max_queued_time = microseconds(50);
    scheduler_ = std::make_unique<Scheduler>(std::move(kinds), std::move(slots), SteadyClock());
  }

  void SubmitMany(std::size_t submitter) {
    std::minstd_rand random(static_cast<unsigned>(submitter + 1));
    for (std::size_t i = 0; i < kTasksOfSubmitter; ++i) {
      Fate& fate = fates_[submitter * kTasksOfSubmitter + i];
      // Every fourth has no deadline; some come too late already.
      const TimePoint deadline = random() % 4 == 0
                                     ? TimePoint::max()
                                     : SteadyClock().Now() + microseconds(random() % 2000);
      const auto submitted = scheduler_->Submit(
          random() % kKinds, std::make_unique<RandomTask>(fate, told_, deadline, random()));
      if (submitted) fate.id = *submitted;
      ++submitted_;
      if (random() % 8 == 0) std::this_thread::yield();
    }
  }
  // Cancels what may be queued, running, finished or refused.
  void CancelMany() {
    std::minstd_rand random(99);
    while (!submitters_done_) {
      const std::size_t newest = std::min(submitted_ / kSubmitters, kTasksOfSubmitter - 1);
      const std::size_t task = newest - std::min<std::size_t>(newest, random() % 50);
      scheduler_->Cancel(fates_[random() % kSubmitters * kTasksOfSubmitter + task].id);
    }
  }
  void CheckBooksMeanwhile() {
    while (!submitters_done_) {
      for (KindIndex kind = 0; kind < kKinds; ++kind) {
        const KindCounters c = scheduler_->counters(kind);
        ASSERT_TRUE(Balanced(c));
        ASSERT_LE(c.queued + c.running, 200u);
      }
      std::this_thread::yield();
    }
  }

  // Lets all threads go through; `drain_half_way` sees to it that the last ones are refused.
  void Run(bool drain_half_way) {
    std::vector<std::thread> submitters;
    for (std::size_t i = 0; i < kSubmitters; ++i)
      submitters.emplace_back([this, i] { SubmitMany(i); });
    std::thread canceller([this] { CancelMany(); });
    std::thread checker([this] { CheckBooksMeanwhile(); });
    if (drain_half_way) {
      for (std::size_t seen = 0; seen < kSubmitters * kTasksOfSubmitter / 2; seen = submitted_) {
        std::this_thread::yield();
      }
      scheduler_->Drain(SteadyClock().Now() + microseconds(200));
      EXPECT_EQ(told_, Accepted()) << "when Drain returns everybody has been told";
    }
    for (std::thread& submitter : submitters) submitter.join();
    submitters_done_ = true;
    canceller.join();
    checker.join();
    scheduler_->Drain(TimePoint::max());
  }

  std::uint64_t Accepted() const {
    std::uint64_t accepted = 0;
    for (KindIndex kind = 0; kind < kKinds; ++kind) accepted += scheduler_->counters(kind).accepted;
    return accepted;
  }

  void ExpectEveryTaskHasOneFate() {
    std::array<std::uint64_t, kOutcomes> told{};
    std::uint64_t refused = 0;
    for (const Fate& fate : fates_) {
      ASSERT_EQ(fate.finished, fate.id == 0 ? 0 : 1);
      ASSERT_EQ(fate.destroyed, 1);
      ASSERT_EQ(fate.run_after_finish, 0);
      if (fate.id == 0) {
        ++refused;
      } else {
        ++told[static_cast<std::size_t>(fate.outcome.load())];
      }
    }
    KindCounters sum;
    for (KindIndex kind = 0; kind < kKinds; ++kind) {
      const KindCounters c = scheduler_->counters(kind);
      EXPECT_TRUE(Balanced(c));
      EXPECT_EQ(c.queued + c.running, 0u);
      sum.Add(c);
    }
    const auto count = [&](Outcome outcome) { return told[static_cast<std::size_t>(outcome)]; };
    EXPECT_EQ(sum.answered, count(Outcome::kAnswered));
    EXPECT_EQ(sum.failed, count(Outcome::kFailed));
    EXPECT_EQ(sum.cancelled, count(Outcome::kCancelled));
    EXPECT_EQ(sum.expired, count(Outcome::kExpired));
    EXPECT_EQ(sum.drained, count(Outcome::kDraining));
    EXPECT_EQ(sum.refused_queue_full + sum.refused_bytes_full + sum.refused_work_full +
                  sum.refused_draining,
              refused);
    for (const Outcome outcome : {Outcome::kAnswered, Outcome::kFailed, Outcome::kExpired}) {
      EXPECT_GT(count(outcome), 0u) << "the test is about all of them";
    }
  }

  std::vector<Fate> fates_;
  std::atomic<std::uint64_t> told_{0};  // calls of Finish
  std::atomic<std::size_t> submitted_{0};
  std::atomic<bool> submitters_done_{false};
  std::unique_ptr<Scheduler> scheduler_;
};

TEST_F(StressTest, EveryTaskHasOneFate) {
  Run(false);
  ExpectEveryTaskHasOneFate();
}

TEST_F(StressTest, EveryTaskHasOneFateThroughADrain) {
  Run(true);
  ExpectEveryTaskHasOneFate();
  EXPECT_GT(scheduler_->counters(0).refused_draining, 0u);
}

}  // namespace
}  // namespace gpusim::batching
