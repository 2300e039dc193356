// The decisions of the scheduler, and the structures under it, without threads.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/deadline_heap.h"
#include "server/batching/policy.h"
#include "server/batching/queue.h"
#include "server/batching/task_table.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using std::chrono::milliseconds;
constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

TEST(BatchFill, ClosesBeforeAnyOfTheSumsPassesItsLimit) {
  const Cost limit{.rows = 10, .bytes = 100, .work = 1000};
  for (const Cost& too_much :
       {Cost{.rows = 6, .bytes = 1, .work = 1}, Cost{.rows = 1, .bytes = 51, .work = 1},
        Cost{.rows = 1, .bytes = 1, .work = 501}}) {
    BatchFill fill(limit);
    EXPECT_TRUE(fill.Admit({.rows = 5, .bytes = 50, .work = 500}));
    EXPECT_FALSE(fill.Admit(too_much));
    EXPECT_TRUE(fill.Admit({.rows = 5, .bytes = 50, .work = 500})) << "exactly full is allowed";
    EXPECT_FALSE(fill.Admit({.rows = 1, .bytes = 0, .work = 0}));
    EXPECT_TRUE(fill.Admit({})) << "what costs nothing always fits";
  }
}

TEST(BatchFill, TaskBeyondTheLimitGoesAlone) {
  BatchFill fill({.rows = 10, .bytes = 10, .work = 10});
  EXPECT_TRUE(fill.Admit({.rows = 11, .bytes = 0, .work = 0}));
  EXPECT_FALSE(fill.Admit({}));
}

TEST(BatchFill, SumsDoNotOverflow) {
  BatchFill fill({.rows = kHuge, .bytes = kHuge, .work = kHuge});
  EXPECT_TRUE(fill.Admit({.rows = kHuge - 1, .bytes = 0, .work = 0}));
  EXPECT_FALSE(fill.Admit({.rows = 2, .bytes = 0, .work = 0}));
  EXPECT_TRUE(fill.Admit({.rows = 1, .bytes = kHuge, .work = 0}));
}

TEST(OutcomeOfChunk, WeighsWhatHappenedMeanwhile) {
  const Meanwhile nothing;
  const Meanwhile cancelled{.cancelled = true, .expired = true, .stopping = true};
  const Meanwhile expired{.expired = true, .stopping = true};
  const Meanwhile stopping{.stopping = true};
  EXPECT_EQ(OutcomeOfChunk(Chunk::kDone, nothing), Outcome::kAnswered);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kFailed, nothing), Outcome::kFailed);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kAgain, nothing), std::nullopt);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kDone, expired), Outcome::kAnswered) << "the work is done";
  EXPECT_EQ(OutcomeOfChunk(Chunk::kFailed, expired), Outcome::kFailed);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kAgain, expired), Outcome::kExpired);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kAgain, stopping), Outcome::kDraining);
  EXPECT_EQ(OutcomeOfChunk(Chunk::kDone, stopping), Outcome::kAnswered);
  for (const Chunk chunk : {Chunk::kDone, Chunk::kFailed, Chunk::kAgain}) {
    EXPECT_EQ(OutcomeOfChunk(chunk, cancelled), Outcome::kCancelled);
  }
}

TEST(Pace, IsTimeOverWork) {
  Pace pace;
  EXPECT_EQ(pace.TimeOf(kHuge).count(), 0);
  pace.Record(milliseconds(100), 50);
  EXPECT_DOUBLE_EQ(pace.TimeOf(1).count(), 2e6);
  EXPECT_DOUBLE_EQ(pace.TimeOf(3).count(), 6e6);
  // A hundred at once and one alone: 110 ms for 101 units, not the mean of 1 ms and 10 ms.
  Pace mixed;
  for (int i = 0; i < 200; ++i) {
    mixed.Record(milliseconds(100), 100);
    mixed.Record(milliseconds(10), 1);
  }
  EXPECT_NEAR(mixed.TimeOf(1).count(), 110e6 / 101, 0.2e6);
}

TEST(Pace, FollowsAChange) {
  Pace pace;
  for (int i = 0; i < 50; ++i) pace.Record(milliseconds(100), 1);
  for (int i = 0; i < 50; ++i) pace.Record(milliseconds(1), 1);
  EXPECT_NEAR(pace.TimeOf(1).count(), 1e6, 0.5e6);
}

TEST(RetryAfter, IsTheQueueAtItsPaceWithinBounds) {
  Pace pace;
  EXPECT_EQ(RetryAfter(4096, pace), milliseconds(1)) << "no pace known yet";
  pace.Record(std::chrono::microseconds(2500), 1);
  EXPECT_EQ(RetryAfter(0, pace), milliseconds(1));
  EXPECT_EQ(RetryAfter(1, pace), milliseconds(3)) << "rounded up";
  EXPECT_EQ(RetryAfter(100, pace), milliseconds(250));
  EXPECT_EQ(RetryAfter(4096, pace), milliseconds(10'000));
  EXPECT_EQ(RetryAfter(kHuge, pace), milliseconds(10'000));
}

TEST(ChargeOf, IsTheWorkButAtLeastTheShareOfTheRowsAndAtMostABatch) {
  const Cost limit{.rows = 10, .bytes = 0, .work = 1000};
  EXPECT_EQ(ChargeOf({.rows = 1, .bytes = 0, .work = 500}, limit), 500u);
  EXPECT_EQ(ChargeOf({.rows = 1, .bytes = 0, .work = 5}, limit), 100u);
  EXPECT_EQ(ChargeOf({.rows = 7, .bytes = 0, .work = 5}, limit), 700u);
  EXPECT_EQ(ChargeOf({.rows = 1, .bytes = 0, .work = 1001}, limit), 1000u);
  EXPECT_EQ(ChargeOf({.rows = kHuge, .bytes = 0, .work = 0}, limit), 1000u);
  EXPECT_EQ(ChargeOf({}, limit), 1u) << "nothing is free, or its owner would keep the turn";
  EXPECT_EQ(ChargeOf({.rows = 1, .bytes = 0, .work = 9}, {}), 1u) << "a limit of nothing";
  EXPECT_EQ(
      ChargeOf({.rows = 4, .bytes = 0, .work = 1}, {.rows = kHuge, .bytes = kHuge, .work = kHuge}),
      4u);
}

TEST(CloseAt, IsTheDelayButNoMoreThanHalfOfTheTimeLeft) {
  const TimePoint now(milliseconds(1000));
  EXPECT_EQ(CloseAt(now, TimePoint::max(), milliseconds(0)), now);
  EXPECT_EQ(CloseAt(now, TimePoint::max(), milliseconds(7)), now + milliseconds(7));
  EXPECT_EQ(CloseAt(now, now + milliseconds(100), milliseconds(7)), now + milliseconds(7));
  EXPECT_EQ(CloseAt(now, now + milliseconds(6), milliseconds(7)), now + milliseconds(3));
  EXPECT_EQ(CloseAt(now, now, milliseconds(7)), now);
  EXPECT_EQ(CloseAt(now, now - milliseconds(5), milliseconds(7)), now);
}

TEST(ClosesNow, WhenTheTimeHasComeOrABatchIsFull) {
  const TimePoint now(milliseconds(1000));
  const Cost limit{.rows = 10, .bytes = 100, .work = 1000};
  const Cost nearly{.rows = 9, .bytes = 99, .work = 999};
  EXPECT_FALSE(ClosesNow(now, now + milliseconds(1), nearly, limit));
  EXPECT_TRUE(ClosesNow(now, now, nearly, limit));
  EXPECT_TRUE(ClosesNow(now, now - milliseconds(1), nearly, limit));
  for (const Cost& full :
       {Cost{.rows = 10, .bytes = 0, .work = 0}, Cost{.rows = 1, .bytes = 100, .work = 0},
        Cost{.rows = 1, .bytes = 0, .work = 1001}}) {
    EXPECT_TRUE(ClosesNow(now, now + milliseconds(1), full, limit));
  }
  EXPECT_FALSE(ClosesNow(now, now + milliseconds(1), {.rows = 1, .bytes = 0, .work = 0},
                         {.rows = 10, .bytes = 0, .work = 0}))
      << "a limit of nothing is not full of nothing";
}

TEST(TaskTable, IdOfARemovedTaskFindsNothingWhenItsRecordIsReused) {
  TaskLog log;
  TaskTable table;
  TaskRecord& first = table.Add(std::make_unique<FakeTask>(log, 1));
  const TaskId first_id = first.id;
  EXPECT_NE(first_id, 0u);
  EXPECT_EQ(table.Find(first_id), &first);
  EXPECT_EQ(static_cast<FakeTask*>(table.Remove(first).get())->label(), 1);
  EXPECT_EQ(table.Find(first_id), nullptr);

  TaskRecord& second = table.Add(std::make_unique<FakeTask>(log, 2));
  EXPECT_EQ(&second, &first);
  EXPECT_NE(second.id, first_id);
  EXPECT_EQ(table.Find(first_id), nullptr);
  EXPECT_EQ(table.Find(second.id), &second);
}

TEST(TaskTable, UnknownIdsFindNothing) {
  TaskLog log;
  TaskTable table;
  EXPECT_EQ(table.Find(0), nullptr);
  EXPECT_EQ(table.Find(1), nullptr);
  const TaskId id = table.Add(std::make_unique<FakeTask>(log, 1)).id;
  EXPECT_EQ(table.Find(id + 1), nullptr);
  EXPECT_EQ(table.Find(0), nullptr);
  EXPECT_EQ(table.Find(kHuge), nullptr);
}

TEST(TaskQueue, KeepsItsOrderAroundRemovals) {
  std::vector<TaskRecord> records(4);
  TaskQueue queue;
  for (TaskRecord& record : records) queue.PushBack(record);
  queue.Remove(records[1]);
  queue.Remove(records[3]);
  queue.PushBack(records[1]);
  for (const int expected : {0, 2, 1}) {
    ASSERT_EQ(queue.front(), &records[static_cast<std::size_t>(expected)]);
    queue.Remove(*queue.front());
  }
  EXPECT_TRUE(queue.empty());
}

// Adds and removes at random, and compares with a search through all that is inside.
void ExpectHeapFindsTheEarliest(unsigned seed) {
  std::vector<TaskRecord> records(100);
  std::vector<TaskRecord*> inside;
  DeadlineHeap heap;
  std::mt19937 random(seed);
  std::size_t added = 0;
  while (added < records.size() || !inside.empty()) {
    if (added < records.size() && (inside.empty() || random() % 4 != 0)) {
      TaskRecord& record = records[added++];
      record.deadline = TimePoint(milliseconds(random() % 200));
      heap.Add(record);
      inside.push_back(&record);
    } else {
      const auto victim = inside.begin() + static_cast<std::ptrdiff_t>(random() % inside.size());
      heap.Remove(**victim);
      inside.erase(victim);
    }
    ASSERT_EQ(heap.empty(), inside.empty());
    if (inside.empty()) continue;
    const auto earlier = [](auto* a, auto* b) { return a->deadline < b->deadline; };
    ASSERT_EQ(heap.earliest().deadline,
              (*std::min_element(inside.begin(), inside.end(), earlier))->deadline);
  }
}

TEST(DeadlineHeap, GivesTheEarliestUnderRandomAddsAndRemoves) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(ExpectHeapFindsTheEarliest(seed));
  }
}

TEST(DeadlineHeap, LeavesOutWhatHasNoDeadline) {
  TaskRecord record;
  record.deadline = TimePoint::max();
  DeadlineHeap heap;
  heap.Add(record);
  EXPECT_TRUE(heap.empty());
  heap.Remove(record);
}

}  // namespace
}  // namespace gpusim::batching
