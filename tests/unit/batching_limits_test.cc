// The limit of queued work, and batches that wait for more.
#include <chrono>
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

constexpr Cost kTenRows{.rows = 10, .bytes = 0, .work = 100};
// A full batch, which the tests let run for 10 ms: 0.1 ms a unit of work.
const FakeTaskOptions kFull{.cost = {.rows = 1, .bytes = 0, .work = 100}};

FakeTaskOptions OfWork(std::uint64_t work, int chunks = 1) {
  return {.cost = {.rows = 1, .bytes = 0, .work = work}, .chunks = chunks};
}

std::vector<KindOptions> BoundTo(milliseconds max_queued_time) {
  return {{.name = "kind",
           .batch_limit = kTenRows,
           .max_tasks = 100,
           .max_queued_time = max_queued_time}};
}

// Lets a full batch run for 10 ms.
void Measure(StagedScheduler& s) {
  s.Occupy(-1, kFull);
  s.clock.Advance(milliseconds(10));
  s.stage.Release();
  s.log.Await(-1);
}

TEST(QueuedWork, HasNoLimitBeforeAFullBatchWasMeasured) {
  StagedScheduler s(BoundTo(milliseconds(1)));
  s.Occupy(0, OfWork(30));
  s.clock.Advance(milliseconds(1000));
  s.stage.Release();
  s.log.Await(0);
  s.Occupy(1, kFull);
  for (int label = 2; label < 20; ++label) EXPECT_NE(s.Submit(label, kFull), 0u) << label;
}

TEST(QueuedWork, RefusesWhatWouldPassItsTimeAtTheMeasuredPace) {
  StagedScheduler s(BoundTo(milliseconds(50)));
  Measure(s);
  s.Occupy(0, kFull);  // what runs is queued no more
  for (int label = 1; label <= 4; ++label) EXPECT_NE(s.Submit(label, kFull), 0u);
  const auto refused = s.TrySubmit(5, OfWork(100 + 20));
  EXPECT_TRUE(refused.has_value()) << "what is more than a batch goes alone, and counts as one";
  const auto one_more = s.TrySubmit(6, OfWork(20));
  ASSERT_FALSE(one_more.has_value());
  EXPECT_EQ(one_more.error().reason, Refusal::Reason::kWorkFull);
  EXPECT_EQ(one_more.error().limit, 50u);
  EXPECT_EQ(one_more.error().value, 52u);
  EXPECT_EQ(one_more.error().retry_after, milliseconds(60)) << "what runs is ahead, too";
  EXPECT_EQ(s.log.Await(6), Outcomes{}) << "destroyed without Finish";
  EXPECT_EQ(s.counters().refused_work_full, 1u);
  EXPECT_EQ(s.counters().refused_queue_full, 0u);
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1}}));
  EXPECT_NE(s.Submit(7, OfWork(20)), 0u) << "one is queued no more";
}

TEST(QueuedWork, TaskThatFindsNothingQueuedIsTaken) {
  StagedScheduler s(BoundTo(milliseconds(5)));
  Measure(s);
  s.Occupy(0, kFull);
  EXPECT_NE(s.Submit(1, kFull), 0u) << "10 ms of work alone";
  EXPECT_EQ(s.Submit(2, OfWork(1)), 0u);
}

TEST(QueuedWork, LongTaskCountsWithItsNextChunk) {
  StagedScheduler s(BoundTo(milliseconds(25)));
  Measure(s);
  s.Occupy(0, OfWork(100, 1'000'000));
  EXPECT_NE(s.Submit(1, OfWork(100, 1'000'000)), 0u);
  EXPECT_NE(s.Submit(2, OfWork(100, 1'000'000)), 0u);
  EXPECT_EQ(s.Submit(3, OfWork(100)), 0u);
}

class BatchDelayTest : public testing::Test {
 protected:
  static std::vector<KindOptions> Delayed() {
    return {{.name = "patient",
             .batch_limit = kTenRows,
             .max_tasks = 100,
             .max_batch_delay = milliseconds(5)},
            {.name = "hasty", .batch_limit = kTenRows, .max_tasks = 100}};
  }
  StagedScheduler s_{Delayed()};
};

TEST_F(BatchDelayTest, SlotWaitsForMoreUntilTheFirstTasksTime) {
  s_.Submit(1);
  s_.clock.Advance(milliseconds(3));
  s_.Submit(2);
  EXPECT_TRUE(s_.stage.nothing_started());
  s_.clock.Advance(milliseconds(2));
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1, 2}}));
}

TEST_F(BatchDelayTest, FullBatchGoesAtOnce) {
  for (int label = 1; label <= 10; ++label) s_.Submit(label);
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}));
}

TEST_F(BatchDelayTest, NearDeadlineClosesItEarlier) {
  s_.Submit(1);
  s_.Submit(2, {.deadline = s_.clock.Now() + milliseconds(4)});
  s_.clock.Advance(milliseconds(2));
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1, 2}})) << "at half of the nearest";
}

TEST_F(BatchDelayTest, OtherKindsAreServedMeanwhile) {
  s_.Submit(1);
  s_.Submit(2, {}, 1);
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{1, {2}}));
  s_.clock.Advance(milliseconds(5));
  EXPECT_TRUE(s_.stage.nothing_started()) << "the slot is busy";
  s_.stage.Release();
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1}}));
}

TEST_F(BatchDelayTest, NextChunkOfATaskDoesNotWait) {
  s_.Submit(1, {.chunks = 2});
  s_.clock.Advance(milliseconds(5));
  s_.stage.Release();
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1}}));
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {1}}));
}

TEST_F(BatchDelayTest, BatchThatHasLostItsTasksClosesForNobody) {
  const TaskId id = s_.Submit(1);
  s_->Cancel(id);
  s_.clock.Advance(milliseconds(4));
  s_.Submit(2);
  s_.clock.Advance(milliseconds(1));
  EXPECT_TRUE(s_.stage.nothing_started());
  s_.clock.Advance(milliseconds(4));
  EXPECT_EQ(s_.stage.AwaitBatch(), (Seen{0, {2}}));
}

TEST_F(BatchDelayTest, WaitingSlotIsNotInTheWayOfTheEnd) { s_.Submit(1); }

// With two slots, one works for the hasty kind while the other waits for the patient one, whichever was asleep for it.
TEST(BatchDelay, SomebodyGetsUpWhoeverElseIsBusy) {
  StagedScheduler s({{.name = "patient",
                      .batch_limit = kTenRows,
                      .max_tasks = 100,
                      .max_batch_delay = milliseconds(5)},
                     {.name = "hasty", .batch_limit = kTenRows, .max_tasks = 100}},
                    2);
  for (int round = 0; round < 200; ++round) {
    const int label = 2 * round;
    s.Submit(label);
    s.Submit(label + 1, {}, 1);
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{1, {label + 1}}));
    s.clock.Advance(milliseconds(5));
    EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {label}}));
    s.stage.Release(2);
    s.log.Await(label);
    s.log.Await(label + 1);
  }
}

}  // namespace
}  // namespace gpusim::batching
