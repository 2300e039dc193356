// The books of the scheduler on their own: what can be said without threads is tested without them.
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/ledger.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using std::chrono::milliseconds;
constexpr TimePoint kStart{std::chrono::hours(1)};

class LedgerTest : public testing::Test {
 protected:
  LedgerTest()
      : ledger_(
            {{.name = "a", .batch_limit = {.rows = 3, .bytes = 0, .work = 0}, .max_tasks = 5},
             {.name = "b", .batch_limit = {.rows = 3, .bytes = 0, .work = 0}, .max_tasks = 5}}) {}

  std::optional<TaskId> Accept(int label, KindIndex kind, TimePoint deadline = TimePoint::max()) {
    std::unique_ptr<Task> task =
        std::make_unique<FakeTask>(log_, label, FakeTaskOptions{.deadline = deadline});
    const Cost cost = task->cost();
    const auto accepted = ledger_.Accept(kind, task, cost, now_);
    return accepted ? std::optional(*accepted) : std::nullopt;
  }
  std::vector<int> Take() { return TakeBy(everything_); }
  std::vector<int> TakeBy(KindTurns& turns) {
    ledger_.TakeBatch(now_, turns, batch_, ended_);
    std::vector<int> labels;
    for (Task* task : batch_.tasks) labels.push_back(static_cast<FakeTask*>(task)->label());
    return labels;
  }
  void Settle(Chunk chunk) {
    batch_.chunks.assign(batch_.chunks.size(), chunk);
    ledger_.SettleBatch(batch_, 1000, now_, ended_);
  }
  std::vector<std::pair<int, Outcome>> Ended() {
    std::vector<std::pair<int, Outcome>> ended;
    for (const EndedTask& task : ended_) {
      ended.emplace_back(static_cast<FakeTask*>(task.task.get())->label(), task.outcome);
    }
    ended_.clear();
    EXPECT_TRUE(Balanced(ledger_.counters(0)) && Balanced(ledger_.counters(1)));
    return ended;
  }
  using Endings = std::vector<std::pair<int, Outcome>>;

  TaskLog log_;
  TimePoint now_ = kStart;
  Batch batch_;
  std::vector<EndedTask> ended_;
  Ledger ledger_;
  KindTurns everything_{{true, true}, 1};
};

TEST_F(LedgerTest, TakeSkipsWhatHasExpiredAndTurnsToTheNextKindForIt) {
  Accept(1, 0, kStart + milliseconds(5));
  Accept(2, 0, kStart + milliseconds(5));
  Accept(3, 1, kStart + milliseconds(6));
  EXPECT_EQ(ledger_.earliest_deadline(), kStart + milliseconds(5));
  now_ += milliseconds(5);
  EXPECT_EQ(Take(), (std::vector<int>{3}));
  EXPECT_EQ(batch_.kind, 1u);
  EXPECT_EQ(Ended(), (Endings{{1, Outcome::kExpired}, {2, Outcome::kExpired}}));
  EXPECT_EQ(ledger_.earliest_deadline(), TimePoint::max()) << "a running task is not watched";
  EXPECT_EQ(ledger_.counters(0).batches, 0u);
}

TEST_F(LedgerTest, TakeOfNothingButExpiredTasksEndsThemAll) {
  Accept(1, 0, kStart);
  Accept(2, 1, kStart);
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(Ended(), (Endings{{1, Outcome::kExpired}, {2, Outcome::kExpired}}));
  EXPECT_FALSE(ledger_.waits(0) || ledger_.waits(1));
}

TEST_F(LedgerTest, KindsTakeTurnsHoweverMuchOneHasWaiting) {
  for (int label = 0; label < 5; ++label) Accept(label, 0);
  Accept(10, 1);
  EXPECT_TRUE(ledger_.waits(0) && ledger_.waits(1));
  EXPECT_EQ(Take(), (std::vector<int>{0, 1, 2}));
  Settle(Chunk::kDone);
  EXPECT_EQ(Take(), (std::vector<int>{10}));
  Settle(Chunk::kDone);
  EXPECT_EQ(Take(), (std::vector<int>{3, 4}));
}

TEST_F(LedgerTest, RunningTasksCountAgainstTheLimitSoThatTheyCanAlwaysComeBack) {
  for (int label = 0; label < 5; ++label) Accept(label, 0);
  Take();
  EXPECT_FALSE(Accept(5, 0).has_value());
  EXPECT_TRUE(Accept(6, 1).has_value()) << "each kind has its own limit";
  Settle(Chunk::kAgain);
  EXPECT_EQ(ledger_.counters(0).queued, 5u);
  EXPECT_EQ(ledger_.counters(0).refused_queue_full, 1u);
}

TEST_F(LedgerTest, RequeuedTaskGoesToTheEndAndKeepsItsId) {
  const TaskId id = Accept(1, 0).value();
  EXPECT_EQ(Take(), (std::vector<int>{1}));
  Accept(2, 0);
  Settle(Chunk::kAgain);
  EXPECT_EQ(Take(), (std::vector<int>{2, 1}));
  Settle(Chunk::kAgain);
  const std::optional<EndedTask> ended = ledger_.Cancel(id);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(static_cast<FakeTask*>(ended->task.get())->label(), 1);
  EXPECT_EQ(ended->outcome, Outcome::kCancelled);
}

TEST_F(LedgerTest, RequeuedTaskIsWatchedAgain) {
  Accept(1, 0, kStart + milliseconds(5));
  Take();
  Settle(Chunk::kAgain);
  EXPECT_EQ(ledger_.earliest_deadline(), kStart + milliseconds(5));
  ledger_.EndExpired(kStart + milliseconds(4), ended_);
  EXPECT_EQ(Ended(), Endings{});
  ledger_.EndExpired(kStart + milliseconds(5), ended_);
  EXPECT_EQ(Ended(), (Endings{{1, Outcome::kExpired}}));
}

TEST_F(LedgerTest, QueueTimeIsCountedOnceUpToTheFirstTake) {
  Accept(1, 0);
  now_ += milliseconds(2);
  Take();
  now_ += milliseconds(10);
  Settle(Chunk::kAgain);
  now_ += milliseconds(100);
  Take();
  Settle(Chunk::kDone);
  EXPECT_EQ(ledger_.counters(0).queue_ns, 2'000'000u);
  EXPECT_EQ(ledger_.counters(0).run_ns, 2000u);
}

// The bounds are inclusive: 10 us belong to the first bucket, a nanosecond more to the next.
TEST_F(LedgerTest, HistogramsCountEveryFirstTakeAndEveryBatch) {
  using std::chrono::nanoseconds;
  for (const nanoseconds wait :
       {nanoseconds(0), nanoseconds(10'000), nanoseconds(10'001), nanoseconds(milliseconds(10'000)),
        nanoseconds(milliseconds(10'001))}) {
    Accept(1, 0);
    now_ += wait;
    Take();
    Settle(Chunk::kAgain);
    Take();
    Settle(Chunk::kDone);
  }
  for (int label = 0; label < 3; ++label) Accept(label, 0);
  Take();
  const KindCounters& c = ledger_.counters(0);
  const auto times = c.queue_times.counts();
  EXPECT_EQ(times.size(), QueueTimeHistogram::bounds().size() + 1);
  EXPECT_EQ(times[0], 2u + 3u) << "the last three did not wait";
  EXPECT_EQ(times[1], 1u);
  EXPECT_EQ(times[times.size() - 2], 1u);
  EXPECT_EQ(times.back(), 1u);
  const auto sizes = c.batch_sizes.counts();
  EXPECT_EQ(sizes[0], 10u);
  EXPECT_EQ(sizes[1], 0u);
  EXPECT_EQ(sizes[2], 1u) << "3 is above 2 and at most 4";
  EXPECT_EQ(c.batches, 11u);
  EXPECT_EQ(c.batched, 13u);
}

TEST_F(LedgerTest, StopEndsWhatIsQueuedAndWhatWouldComeBack) {
  Accept(1, 0);
  Accept(2, 0);
  Take();
  Accept(3, 0);
  Accept(4, 1);
  ledger_.Stop(Outcome::kDraining, ended_);
  EXPECT_EQ(Ended(), (Endings{{3, Outcome::kDraining}, {4, Outcome::kDraining}}));
  batch_.chunks = {Chunk::kDone, Chunk::kAgain};
  ledger_.SettleBatch(batch_, 1000, now_, ended_);
  EXPECT_EQ(Ended(), (Endings{{1, Outcome::kAnswered}, {2, Outcome::kDraining}}));
}

TEST_F(LedgerTest, ChunkThatTheRunnerForgotCountsAsFailed) {
  Accept(1, 0);
  Take();
  ledger_.SettleBatch(batch_, 1000, now_, ended_);
  EXPECT_EQ(Ended(), (Endings{{1, Outcome::kFailed}}));
}

TEST_F(LedgerTest, PaceLeavesOutTheIdleTime) {
  Accept(1, 0);
  Take();
  now_ += milliseconds(4);
  Settle(Chunk::kDone);
  now_ += std::chrono::hours(1);
  Accept(2, 0);
  Take();
  now_ += milliseconds(4);
  Settle(Chunk::kDone);
  Accept(3, 0);
  Accept(4, 0);
  EXPECT_EQ(ledger_.retry_after(0), milliseconds(8));
  EXPECT_EQ(ledger_.retry_after(1), milliseconds(1)) << "the other kind has no pace yet";
}

TEST_F(LedgerTest, PaceOfALongTaskContainsAllOfItsChunks) {
  Accept(1, 0);
  for (int chunk = 0; chunk < 3; ++chunk) {
    Take();
    now_ += milliseconds(10);
    Settle(chunk == 2 ? Chunk::kDone : Chunk::kAgain);
  }
  Accept(2, 0);
  EXPECT_EQ(ledger_.retry_after(0), milliseconds(30));
}

}  // namespace
}  // namespace gpusim::batching
