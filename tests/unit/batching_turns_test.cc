// Turns of priorities and kinds by time: the decisions alone, and through the books on simulated slots.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/turns.h"
#include "tests/testing/simulated_slots.h"

namespace gpusim::batching {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

KindIndex BeginAndEnd(KindTimes& times, const std::vector<bool>& waiting, std::int64_t run_ns) {
  const KindIndex kind = times.Next([&](KindIndex k) { return bool{waiting[k]}; });
  times.End(kind, times.Begin(kind), run_ns);
  return kind;
}

TEST(KindTimes, EqualsGoRound) {
  KindTimes times(3);
  for (int round = 0; round < 3; ++round) {
    for (KindIndex kind = 0; kind < 3; ++kind)
      EXPECT_EQ(BeginAndEnd(times, {true, true, true}, 1000), kind);
  }
  EXPECT_EQ(times.Next([](KindIndex) { return false; }), 3u);
}

TEST(KindTimes, ShortBatchesGetAsMuchTimeAsLongOnes) {
  KindTimes times(2);
  std::int64_t used[2] = {0, 0};
  for (int i = 0; i < 10'000; ++i) {
    const KindIndex kind = times.Next([](KindIndex) { return true; });
    const std::int64_t run_ns = kind == 0 ? 2'000'000 : 20'000;
    times.End(kind, times.Begin(kind), run_ns);
    used[kind] += run_ns;
    ASSERT_LE(std::abs(used[0] - used[1]), 2'000'000 + 20'000);
  }
}

TEST(KindTimes, LoneKindHasEveryTurn) {
  KindTimes times(2);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(BeginAndEnd(times, {true, false}, 5'000'000), 0u);
}

// An idle hour is not to be made up for: the other kind would stand still for as long.
TEST(KindTimes, ReturnBringsNoSavings) {
  KindTimes times(2);
  for (int i = 0; i < 1000; ++i) BeginAndEnd(times, {true, false}, 2'000'000);
  EXPECT_EQ(BeginAndEnd(times, {true, true}, 2'000'000), 1u) << "it is level, and next";
  std::vector<int> turns(2);
  for (int i = 0; i < 10; ++i) ++turns[BeginAndEnd(times, {true, true}, 2'000'000)];
  EXPECT_EQ(turns[0], 5);
}

TEST(KindTimes, BatchUnderWayElsewhereIsCharged) {
  KindTimes times(2);
  BeginAndEnd(times, {true, true}, 2'000'000);
  BeginAndEnd(times, {true, true}, 2'000'000);
  const auto all = [](KindIndex) { return true; };
  const KindIndex first = times.Next(all);
  times.Begin(first);
  EXPECT_NE(times.Next(all), first);
}

TEST(BatchTurns, NothingWaitsAndForeignKindsDoNotCount) {
  const BatchTurns turns({true, false});
  EXPECT_FALSE(turns.Next([](KindIndex, Priority) { return false; }).has_value());
  EXPECT_FALSE(turns.Next([](KindIndex kind, Priority) { return kind == 1; }).has_value());
}

TEST(BatchTurns, BulkAloneHasEveryTurnAndOwesNothing) {
  BatchTurns turns({true});
  const auto bulk = [](KindIndex, Priority priority) { return priority == Priority::kBulk; };
  for (int i = 0; i < 100; ++i) {
    auto turn = turns.Next(bulk);
    ASSERT_TRUE(turn && turn->priority == Priority::kBulk);
    turns.Begin(*turn);
    turns.End(*turn, 2'000'000);
  }
  // The next that is passed over earns its time from nothing, not from a debt of those hundred.
  const auto all = [](KindIndex, Priority) { return true; };
  auto turn = turns.Next(all);
  EXPECT_EQ(turn->priority, Priority::kInteractive);
  turns.Begin(*turn);
  turns.End(*turn, 1'000'000);
  EXPECT_EQ(turns.Next(all)->priority, Priority::kBulk);
}

TEST(BatchTurns, BulkHasANinthOfTheTimeAndNeverTwoTurnsInARow) {
  for (const std::int64_t interactive_ns : {20'000, 500'000, 2'000'000, 50'000'000}) {
    BatchTurns turns({true});
    std::int64_t used[2] = {0, 0};
    bool bulk_before = false;
    for (int i = 0; i < 20'000; ++i) {
      auto turn = turns.Next([](KindIndex, Priority) { return true; });
      const bool bulk = turn->priority == Priority::kBulk;
      ASSERT_TRUE(interactive_ns > 2'000'000 * 8 || !(bulk && bulk_before));
      bulk_before = bulk;
      const std::int64_t run_ns = bulk ? 2'000'000 : interactive_ns;
      turns.Begin(*turn);
      turns.End(*turn, run_ns);
      used[bulk ? 1 : 0] += run_ns;
    }
    EXPECT_NEAR(static_cast<double>(used[1]) / static_cast<double>(used[0]), 1.0 / 8, 0.02)
        << interactive_ns;
  }
}

// In nanoseconds of the simulated slots.
constexpr std::uint64_t kChunk = 2'000'000;
constexpr Cost kLimit{.rows = 4096, .bytes = 0, .work = kChunk};
constexpr int kEndless = 1'000'000;

FakeTaskOptions Query(ClientKey client = 0) {
  return {.cost = {.rows = 1, .bytes = 0, .work = 20'000}, .client = client};
}
FakeTaskOptions Job(ClientKey client = 0) {
  return {.cost = {.rows = 1, .bytes = 0, .work = kChunk},
          .chunks = kEndless,
          .client = client,
          .priority = Priority::kBulk};
}

KindOptions Kind(const char* name) {
  return {.name = name, .batch_limit = kLimit, .max_tasks = 10'000};
}

// Promise: single queries beside jobs of 1e12 simulations have a p99 below three chunks; here none of them is above.
TEST(Priorities, SingleQueriesBesideEndlessJobsWaitForLessThanThreeChunks) {
  for (const int jobs : {1, 20}) {
    for (const std::size_t slot_count : {1u, 2u}) {
      SimulatedSlots slots({Kind("a"), Kind("b")}, slot_count);
      for (int job = 0; job < jobs; ++job) {
        // Also of other kinds, and of the querying client itself.
        ASSERT_TRUE(slots.Submit(-1 - job, Job(static_cast<ClientKey>(job)), job % 2 == 0 ? 0 : 1));
      }
      std::mt19937 random(5);
      constexpr int kQueries = 5000;
      TimePoint when = slots.now();
      for (int query = 0; query < kQueries; ++query) {
        when += microseconds(random() % 10'000);
        slots.SubmitAt(when, query, Query(), random() % 2);
      }
      slots.RunUntil(when + seconds(1));
      for (int query = 0; query < kQueries; ++query)
        ASSERT_LT(slots.latency(query), nanoseconds(3 * kChunk)) << jobs << " jobs";
      // What the queries leave is the jobs'.
      nanoseconds jobs_time{0};
      for (const SimulatedSlots::Ran& batch : slots.ran()) {
        if (batch.labels.front() < 0) jobs_time += batch.lasted;
      }
      EXPECT_GT(jobs_time, (when + seconds(1) - TimePoint(std::chrono::hours(1))) * 9 / 10);
    }
  }
}

// 300 callers that ask again as soon as they are answered keep the slot full; the job has its ninth all the same.
TEST(Priorities, JobGoesOnAtFullInteractiveLoad) {
  SimulatedSlots slots({Kind("a")}, 1);
  ASSERT_TRUE(slots.Submit(-1, Job(1)));
  int next = 0;
  const auto ask = [&] {
    const int label = next++;
    ASSERT_TRUE(slots.Submit(label, Query(static_cast<ClientKey>(label % 300))));
  };
  for (int caller = 0; caller < 300; ++caller) ask();
  slots.OnAnswer([&](int label) {
    if (label >= 0) ask();
  });
  const TimePoint start = slots.now();
  slots.RunUntil(start + seconds(5));
  const double share = std::chrono::duration<double>(slots.TimeWith(-1)).count() / 5;
  EXPECT_NEAR(share, 1.0 / 9, 0.02);
}

// A kind with batches of 2 ms beside one with batches of 20 us: half of the device each, not a hundredth.
TEST(Kinds, ShareTheDeviceByTime) {
  SimulatedSlots slots({Kind("long"), Kind("short")}, 1);
  FakeTaskOptions long_task = Job();
  long_task.priority = Priority::kInteractive;
  ASSERT_TRUE(slots.Submit(-1, long_task, 0));
  int next = 0;
  const auto ask = [&] { ASSERT_TRUE(slots.Submit(next++, Query(), 1)); };
  ask();
  slots.OnAnswer([&](int) { ask(); });
  slots.RunUntil(slots.now() + seconds(5));
  EXPECT_NEAR(std::chrono::duration<double>(slots.TimeWith(-1)).count() / 5, 0.5, 0.02);
}

// 4: interactive ones that wait fill what a bulk batch leaves, and bulk ones what interactive ones leave.
TEST(Priorities, ShareABatchThatHasRoom) {
  SimulatedSlots slots({Kind("a")}, 1);
  FakeTaskOptions small_bulk = Query();
  small_bulk.priority = Priority::kBulk;
  ASSERT_TRUE(slots.Submit(0, small_bulk));
  ASSERT_TRUE(slots.Submit(1, Query()));
  ASSERT_TRUE(slots.Submit(2, small_bulk));
  ASSERT_TRUE(slots.Submit(3, Query()));
  slots.RunUntil(slots.now());
  ASSERT_EQ(slots.ran().size(), 1u);
  EXPECT_EQ(slots.ran()[0].labels, (std::vector<int>{1, 3, 0, 2}));
  EXPECT_EQ(slots.ledger().counters(0).accepted_bulk, 2u);
}

}  // namespace
}  // namespace gpusim::batching
