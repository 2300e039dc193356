// Who runs when: batches, turns, limits and refusals. The clock stands still and the runners wait
// for the test, so every order below is forced rather than likely.
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/scheduler.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using std::chrono::milliseconds;
using Outcomes = std::vector<Outcome>;
using Seen = Stage::Seen;

KindOptions Kind(const Cost& batch_limit, std::uint64_t max_tasks = 100) {
  return {.name = "kind", .batch_limit = batch_limit, .max_tasks = max_tasks};
}
constexpr Cost kManyRows{.rows = 1000, .bytes = 1000, .work = 1000};
constexpr Cost kOneRow{.rows = 1, .bytes = 1000, .work = 1000};

TEST(Scheduler, LoneTaskStartsAtOnceAndIsAnswered) {
  StagedScheduler s({Kind(kManyRows)});
  EXPECT_NE(s.Submit(1), 0u);
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1}}));
  s.stage.Release();
  EXPECT_EQ(s.log.Await(1), Outcomes{Outcome::kAnswered});
}

TEST(Scheduler, WhatCameWhileTheSlotWasBusyIsOneBatch) {
  StagedScheduler s({Kind(kManyRows)});
  s.Occupy(0);
  for (int label = 1; label <= 5; ++label) s.Submit(label);
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1, 2, 3, 4, 5}}));
  s.stage.Release();
  for (int label = 0; label <= 5; ++label) {
    EXPECT_EQ(s.log.Await(label), Outcomes{Outcome::kAnswered}) << label;
  }
}

TEST(Scheduler, BatchesKeepEachOfTheLimits) {
  const Cost limit{.rows = 10, .bytes = 100, .work = 1000};
  for (const Cost& cost :
       {Cost{.rows = 4, .bytes = 1, .work = 1}, Cost{.rows = 1, .bytes = 40, .work = 1},
        Cost{.rows = 1, .bytes = 1, .work = 400}}) {
    StagedScheduler s({Kind(limit)});
    s.Occupy(0);
    for (int label = 1; label <= 5; ++label) s.Submit(label, {.cost = cost});
    s.stage.Release(3);
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1, 2}}));
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {3, 4}}));
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {5}}));
  }
}

TEST(Scheduler, TaskBeyondTheLimitRunsAloneAndInItsTurn) {
  StagedScheduler s({Kind({.rows = 10, .bytes = 0, .work = 0})});
  s.Occupy(0);
  s.Submit(1);
  s.Submit(2, {.cost = {.rows = 11, .bytes = 0, .work = 0}});
  s.Submit(3);
  s.stage.Release(3);
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1}}));
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {2}}));
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {3}}));
}

TEST(Scheduler, KindsTakeTurns) {
  StagedScheduler s({Kind(kOneRow), Kind(kManyRows), Kind(kOneRow)});
  s.Occupy(0);
  for (int label = 1; label <= 3; ++label) s.Submit(label);
  s.Submit(20, {}, 2);
  s.Submit(10, {}, 1);
  s.Submit(11, {}, 1);
  s.stage.Release(5);
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{1, {10, 11}}));
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{2, {20}}));
  for (int label = 1; label <= 3; ++label) EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {label}}));
}

TEST(Scheduler, LongTaskLetsShortOnesThrough) {
  StagedScheduler s({Kind(kOneRow)});
  s.Occupy(0, {.chunks = 3});
  s.Submit(1);
  s.Submit(2);
  s.stage.Release(4);
  for (const int label : {1, 2, 0, 0}) EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {label}}));
  EXPECT_TRUE(s.log.Now(0).empty());
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kAnswered});
}

TEST(Scheduler, SeveralLongTasksTakeTurns) {
  StagedScheduler s({Kind(kOneRow)});
  s.Occupy(0, {.chunks = 3});
  s.Submit(1, {.chunks = 3});
  s.Submit(2, {.chunks = 2});
  s.stage.Release(8);
  for (const int label : {1, 2, 0, 1, 2, 0, 1}) {
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {label}}));
  }
  for (int label = 0; label < 3; ++label) {
    EXPECT_EQ(s.log.Await(label), Outcomes{Outcome::kAnswered});
  }
  EXPECT_EQ(s.counters().batched, 8u);
}

TEST(Scheduler, ChunksOfLongTasksShareBatchesWithShortOnes) {
  StagedScheduler s({Kind(kManyRows)});
  s.Occupy(0, {.chunks = 2});
  s.Submit(1);
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1, 0}}));
}

// A burst wakes one slot, and each slot the next one for what it leaves. Many rounds, as a single
// one may happen to find every slot awake.
TEST(Scheduler, SlotsRunSideBySide) {
  StagedScheduler s({Kind(kOneRow)}, 3);
  for (int round = 0; round < 100; ++round) {
    for (int label = 0; label < 5; ++label) s.Submit(round * 5 + label);
    // All three are at work although nothing was released.
    for (int slot = 0; slot < 3; ++slot) s.stage.AwaitBatch();
    EXPECT_EQ(s.counters().running, 3u);
    EXPECT_EQ(s.counters().queued, 2u);
    s.stage.Release(5);
    for (int label = 0; label < 5; ++label) {
      EXPECT_EQ(s.log.Await(round * 5 + label), Outcomes{Outcome::kAnswered});
    }
    for (int left = 0; left < 2; ++left) s.stage.AwaitBatch();
  }
}

TEST(Scheduler, BusyKindLeavesAnIdleSlotToAnother) {
  StagedScheduler s({Kind(kManyRows), Kind(kManyRows)}, 2);
  s.Occupy(0, {}, 0);
  s.Submit(1, {}, 1);
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{1, {1}}));
}

// Boards wait in host memory: 4096 of them may be small, or all the memory there is.
TEST(Scheduler, RefusesWhatWouldPassTheBytes) {
  KindOptions kind = Kind(kOneRow, 100);
  kind.max_bytes = 1000;
  StagedScheduler s({kind});
  const auto of_bytes = [](std::uint64_t bytes) {
    return FakeTaskOptions{.cost = {.rows = 1, .bytes = bytes, .work = 0}};
  };
  s.Occupy(0, of_bytes(400));  // running counts too
  EXPECT_TRUE(s.TrySubmit(1, of_bytes(600)).has_value());
  EXPECT_EQ(s.counters().bytes, 1000u);
  const auto refused = s.TrySubmit(2, of_bytes(1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Refusal::Reason::kBytesFull);
  EXPECT_EQ(refused.error().limit, 1000u);
  EXPECT_EQ(s.counters().refused_bytes_full, 1u);
  EXPECT_EQ(s.counters().refused_queue_full, 0u);
  EXPECT_TRUE(s.TrySubmit(3, of_bytes(0)).has_value());
  s.stage.Release(3);
  s->Drain(TimePoint::max());
  EXPECT_EQ(s.counters().bytes, 0u);
  EXPECT_TRUE(Balanced(s.counters()));
}

TEST(Scheduler, RefusesExactlyWhatIsBeyondTheLimit) {
  constexpr int kMax = 8;
  StagedScheduler s({Kind(kOneRow, kMax)});
  s.Occupy(0);  // running counts too
  int accepted = 1;
  for (int label = 1; label < 2 * kMax; ++label) {
    const tl::expected<TaskId, Refusal> submitted = s.TrySubmit(label);
    EXPECT_EQ(submitted.has_value(), label < kMax) << label;
    if (submitted) {
      ++accepted;
    } else {
      EXPECT_EQ(submitted.error().reason, Refusal::Reason::kQueueFull);
      EXPECT_EQ(submitted.error().limit, static_cast<std::uint64_t>(kMax));
      EXPECT_EQ(s.log.Await(label), Outcomes{}) << "destroyed without Finish";
    }
  }
  EXPECT_EQ(accepted, kMax);
  EXPECT_EQ(s.counters().accepted, static_cast<std::uint64_t>(kMax));
  EXPECT_EQ(s.counters().refused_queue_full, static_cast<std::uint64_t>(kMax));
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kAnswered});
  EXPECT_NE(s.Submit(100), 0u) << "one finished, one more is taken";
}

TEST(Scheduler, RetryAfterIsTheQueueAtItsRecentPace) {
  StagedScheduler s({Kind(kOneRow, 4)});
  s.Occupy(0);
  s.clock.Advance(milliseconds(10));
  s.stage.Release();
  s.log.Await(0);
  for (int label = 1; label <= 4; ++label) EXPECT_NE(s.Submit(label), 0u);
  EXPECT_EQ(s.TrySubmit(5).error().retry_after, milliseconds(40));
}

TEST(Scheduler, FailureOfABatchIsItsTasksAlone) {
  StagedScheduler s({Kind({.rows = 2, .bytes = 1, .work = 1})});
  s.Occupy(0);
  for (int label = 1; label <= 3; ++label) s.Submit(label);
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1, 2}}));
  s.stage.FailNext();
  s.stage.Release(2);
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kAnswered});
  EXPECT_EQ(s.log.Await(1), Outcomes{Outcome::kFailed});
  EXPECT_EQ(s.log.Await(2), Outcomes{Outcome::kFailed});
  EXPECT_EQ(s.log.Await(3), Outcomes{Outcome::kAnswered});
  EXPECT_EQ(s.counters().failed, 2u);
}

TEST(Scheduler, CountersTellTheStory) {
  StagedScheduler s({Kind(kManyRows), Kind(kManyRows)});
  s.Occupy(0);
  for (int label = 1; label <= 3; ++label) s.Submit(label);
  s.clock.Advance(milliseconds(2));
  KindCounters c = s.counters();
  EXPECT_TRUE(Balanced(c));
  EXPECT_EQ(c.queued, 3u);
  EXPECT_EQ(c.running, 1u);
  s.stage.Release();
  s.stage.AwaitBatch();
  s.clock.Advance(milliseconds(3));
  s.stage.Release();
  for (int label = 0; label <= 3; ++label) s.log.Await(label);

  c = s.counters();
  EXPECT_TRUE(Balanced(c));
  EXPECT_EQ(c.accepted, 4u);
  EXPECT_EQ(c.answered, 4u);
  EXPECT_EQ(c.queued + c.running, 0u);
  EXPECT_EQ(c.batches, 2u);
  EXPECT_EQ(c.batched, 4u);
  EXPECT_EQ(c.largest_batch, 3u);
  EXPECT_EQ(c.queue_ns, 3u * 2'000'000u);
  EXPECT_EQ(c.run_ns, 5'000'000u);
  EXPECT_EQ(s.counters(1).accepted, 0u);
  EXPECT_EQ(s->kinds(), 2u);
  EXPECT_EQ(s->options(1).name, "kind");
}

}  // namespace
}  // namespace gpusim::batching
