// How tasks end without an answer: deadlines, cancels, draining.
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/scheduler.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using std::chrono::milliseconds;
using Outcomes = std::vector<Outcome>;
using Seen = Stage::Seen;

constexpr Cost kManyRows{.rows = 1000, .bytes = 1000, .work = 1000};

std::vector<KindOptions> OneKind() { return {{.name = "kind", .batch_limit = kManyRows}}; }

TEST(Deadline, EndsAQueuedTaskWhileEverySlotIsBusy) {
  StagedScheduler s(OneKind());
  s.Occupy(0);
  s.Submit(1, {.deadline = s.clock.Now() + milliseconds(20)});
  s.Submit(2, {.deadline = s.clock.Now() + milliseconds(10)});
  s.Submit(3);
  s.clock.Advance(milliseconds(10));
  EXPECT_EQ(s.log.Await(2), Outcomes{Outcome::kExpired});
  EXPECT_TRUE(s.log.Now(1).empty());
  s.clock.Advance(milliseconds(10));
  EXPECT_EQ(s.log.Await(1), Outcomes{Outcome::kExpired});
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {3}})) << "the expired ones are not run";
  EXPECT_EQ(s.counters().expired, 2u);
}

TEST(Deadline, EarlierOneThatComesLaterIsNoticed) {
  StagedScheduler s(OneKind());
  s.Occupy(0);
  for (int label = 1; label <= 20; ++label) {
    s.Submit(label, {.deadline = s.clock.Now() + milliseconds(1000 - label)});
  }
  s.clock.Advance(milliseconds(980));
  EXPECT_EQ(s.log.Await(20), Outcomes{Outcome::kExpired});
  EXPECT_TRUE(s.log.Now(19).empty());
}

TEST(Deadline, TaskThatCameTooLateIsNeverRun) {
  StagedScheduler s(OneKind());
  s.Submit(1, {.deadline = s.clock.Now()});
  EXPECT_EQ(s.log.Await(1), Outcomes{Outcome::kExpired});
  EXPECT_TRUE(s.stage.nothing_started());
  EXPECT_EQ(s.counters().batches, 0u);
}

TEST(Deadline, EndsALongTaskAfterItsChunk) {
  StagedScheduler s(OneKind());
  s.Occupy(0, {.deadline = s.clock.Now() + milliseconds(10), .chunks = 3});
  s.clock.Advance(milliseconds(10));
  EXPECT_TRUE(s.log.Now(0).empty()) << "its chunk is under way";
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kExpired});
  EXPECT_EQ(s.counters().batches, 1u);
}

TEST(Deadline, CompletedTaskIsAnsweredEvenIfLate) {
  StagedScheduler s(OneKind());
  s.Occupy(0, {.deadline = s.clock.Now() + milliseconds(10)});
  s.clock.Advance(milliseconds(10));
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kAnswered});
}

TEST(Deadline, LongTaskExpiresWhileItWaitsForItsNextChunk) {
  StagedScheduler s({{.name = "kind", .batch_limit = {.rows = 1, .bytes = 0, .work = 0}}});
  s.Occupy(0, {.deadline = s.clock.Now() + milliseconds(10), .chunks = 2});
  s.Submit(1);
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {1}}));
  s.clock.Advance(milliseconds(10));
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kExpired});
}

TEST(Cancel, EndsAQueuedTaskOnTheCallersThread) {
  StagedScheduler s(OneKind());
  s.Occupy(0);
  const TaskId id = s.Submit(1);
  s.Submit(2);
  s->Cancel(id);
  EXPECT_EQ(s.log.Now(1), Outcomes{Outcome::kCancelled}) << "done when Cancel returns";
  s.stage.Release();
  EXPECT_EQ(s.stage.AwaitBatch(), (Seen{0, {2}}));
  EXPECT_EQ(s.counters().cancelled, 1u);
}

TEST(Cancel, MakesRoomAtOnce) {
  StagedScheduler s({{.name = "kind", .batch_limit = kManyRows, .max_tasks = 2}});
  s.Occupy(0);
  const TaskId id = s.Submit(1);
  EXPECT_EQ(s.Submit(2), 0u);
  s->Cancel(id);
  EXPECT_NE(s.Submit(3), 0u);
}

TEST(Cancel, EndsARunningTaskAfterItsChunk) {
  StagedScheduler s(OneKind());
  const TaskId id = s.Submit(0, {.chunks = 3});
  s.stage.AwaitBatch();
  s->Cancel(id);
  s->Cancel(id);
  EXPECT_TRUE(s.log.Now(0).empty());
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kCancelled});
  EXPECT_EQ(s.counters().batches, 1u) << "not queued again";
}

TEST(Cancel, HoldsEvenIfTheChunkCompletesTheTask) {
  StagedScheduler s(OneKind());
  const TaskId id = s.Submit(0);
  s.stage.AwaitBatch();
  s->Cancel(id);
  s.stage.Release();
  EXPECT_EQ(s.log.Await(0), Outcomes{Outcome::kCancelled});
}

TEST(Cancel, OfAFinishedTaskIsIgnoredAlsoWhenItsRecordIsInUseAgain) {
  StagedScheduler s(OneKind());
  const TaskId first = s.Submit(1);
  s.stage.AwaitBatch();
  s.stage.Release();
  EXPECT_EQ(s.log.Await(1), Outcomes{Outcome::kAnswered});
  s->Cancel(first);
  s.Occupy(2);
  s->Cancel(first);
  s->Cancel(0);
  s.stage.Release();
  EXPECT_EQ(s.log.Await(2), Outcomes{Outcome::kAnswered});
  EXPECT_EQ(s.counters().cancelled, 0u);
}

// Drain blocks, so it has a thread of its own; kind 1 takes nothing and tells when Drain has begun.
class DrainTest : public testing::Test {
 protected:
  DrainTest()
      : s_({{.name = "kind", .batch_limit = kManyRows},
            {.name = "probe", .batch_limit = kManyRows, .max_tasks = 0}}) {}
  void TearDown() override {
    s_.stage.Release(100);
    if (drain_.joinable()) drain_.join();
  }

  void StartDrain(TimePoint deadline) {
    drain_ = std::thread([this, deadline] { s_->Drain(deadline); });
    while (s_.TrySubmit(-1, {}, 1).error().reason != Refusal::Reason::kDraining) {
      std::this_thread::yield();
    }
  }

  StagedScheduler s_;
  std::thread drain_;
};

TEST_F(DrainTest, WithTimeFinishesWhatWasAccepted) {
  s_.Occupy(0, {.chunks = 2});
  s_.Submit(1, {.chunks = 3});
  StartDrain(s_.clock.Now() + milliseconds(100));
  EXPECT_EQ(s_.TrySubmit(2).error().reason, Refusal::Reason::kDraining);
  EXPECT_EQ(s_.log.Await(2), Outcomes{}) << "refused";
  s_.stage.Release(100);
  drain_.join();
  EXPECT_EQ(s_.log.Now(0), Outcomes{Outcome::kAnswered}) << "told before Drain returned";
  EXPECT_EQ(s_.log.Now(1), Outcomes{Outcome::kAnswered});
  EXPECT_EQ(s_.counters().refused_draining, 1u);
  EXPECT_EQ(s_.counters().drained, 0u);
}

TEST_F(DrainTest, AtItsDeadlineEndsTheRest) {
  s_.Occupy(0, {.chunks = 2});
  s_.Submit(1);
  StartDrain(s_.clock.Now() + milliseconds(100));
  s_.clock.Advance(milliseconds(99));
  EXPECT_TRUE(s_.log.Now(1).empty());
  s_.clock.Advance(milliseconds(1));
  EXPECT_EQ(s_.log.Await(1), Outcomes{Outcome::kDraining});
  EXPECT_TRUE(s_.log.Now(0).empty()) << "its chunk is under way";
  s_.stage.Release();
  drain_.join();
  EXPECT_EQ(s_.log.Now(0), Outcomes{Outcome::kDraining});
  EXPECT_EQ(s_.counters().drained, 2u);
  EXPECT_TRUE(Balanced(s_.counters()));
}

TEST_F(DrainTest, WithoutTimeStillAnswersTheChunkThatCompletes) {
  s_.Occupy(0);
  s_.Submit(1);
  StartDrain(s_.clock.Now());
  EXPECT_EQ(s_.log.Await(1), Outcomes{Outcome::kDraining});
  s_.stage.Release();
  drain_.join();
  EXPECT_EQ(s_.log.Now(0), Outcomes{Outcome::kAnswered});
}

TEST_F(DrainTest, DeadlinesAndCancelsHoldMeanwhile) {
  s_.Occupy(0);
  s_.Submit(1, {.deadline = s_.clock.Now() + milliseconds(10)});
  const TaskId id = s_.Submit(2);
  StartDrain(TimePoint::max());
  s_.clock.Advance(milliseconds(10));
  EXPECT_EQ(s_.log.Await(1), Outcomes{Outcome::kExpired});
  s_->Cancel(id);
  EXPECT_EQ(s_.log.Now(2), Outcomes{Outcome::kCancelled});
}

TEST_F(DrainTest, ASecondOneWithLessTimeCutsTheFirstShort) {
  s_.Occupy(0);
  s_.Submit(1);
  StartDrain(TimePoint::max());
  std::thread second([this] { s_->Drain(s_.clock.Now()); });
  EXPECT_EQ(s_.log.Await(1), Outcomes{Outcome::kDraining});
  s_.stage.Release();
  second.join();
  drain_.join();
  EXPECT_EQ(s_.log.Now(0), Outcomes{Outcome::kAnswered});
}

TEST_F(DrainTest, OfAnIdleSchedulerReturnsAtOnceAndAgain) {
  s_->Drain(TimePoint::max());
  s_->Drain(TimePoint::max());
  EXPECT_EQ(s_.TrySubmit(1).error().reason, Refusal::Reason::kDraining);
}

TEST(Destructor, EndsWhatIsLeft) {
  FakeClock clock;
  TaskLog log;
  Stage stage;
  {
    // Without a slot nothing ever runs.
    Scheduler scheduler(OneKind(), {}, clock);
    ASSERT_TRUE(scheduler.Submit(0, std::make_unique<FakeTask>(log, 1)).has_value());
  }
  EXPECT_EQ(log.Now(1), Outcomes{Outcome::kDraining});
}

}  // namespace
}  // namespace gpusim::batching
