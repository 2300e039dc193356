// Runs of a resident board: where they end, what they say on the way, and what stops them.
#include <cstdint>
#include <string>
#include <thread>

#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;
using std::chrono::milliseconds;

class RunTest : public BoardStoreTest {
 protected:
  RunTest() { Open(); }
};

TEST_F(RunTest, EndsAtItsTargetWithTheCellsOfTheReference) {
  const life::Board soup = Soup(70, 50);
  for (const life::Topology topology : {life::Topology::kTorus, life::Topology::kPlane}) {
    const BoardShape shape{
        .width = 70, .height = 50, .topology = topology, .rule = testing::PlainRule("B36/S23")};
    BoardStore::NewBoardWishes wishes;
    wishes.shape = shape;
    const std::string id = topology == life::Topology::kTorus ? "torus" : "plane";
    Create(id, soup, wishes);
    for (const std::uint32_t target : {1u, 8u, 9u, 50u}) {
      const RunEnd end = Run(id, To(target));
      EXPECT_EQ(end.generation, target);
      EXPECT_EQ(end.reason, StopReason::kTarget);
      EXPECT_EQ(end.error, "");
      const PinnedBoard pin = Pin(id);
      EXPECT_EQ(pin.generation, target);
      EXPECT_EQ(CellsOf(pin), After(soup, target, shape));
    }
  }
}

TEST_F(RunTest, CountsFromTheBoardsOwnGeneration) {
  BoardStore::NewBoardWishes born;
  born.generation = 1000;
  Create("b", Soup(64, 64), born);
  RunWishes wishes;
  wishes.generations = 20;
  EXPECT_EQ(Run("b", wishes).generation, 1020u);
  EXPECT_EQ(Cells("b"), After(Soup(64, 64), 20));
  wishes.generations = UINT64_MAX;
  wishes.max_duration = milliseconds(0);
  const RunEnd end = Run("b", wishes);
  EXPECT_EQ(end.reason, StopReason::kTime);
  EXPECT_EQ(end.generation, 1020u);
}

TEST_F(RunTest, RepeatOfARunToAGenerationIsHarmless) {
  Create("b", Soup(40, 40));
  Run("b", To(30));
  const BoardStatus before = *store_->Get("b");
  const RunEnd again = Run("b", To(30));
  EXPECT_EQ(again.generation, 30u);
  EXPECT_EQ(again.reason, StopReason::kTarget);
  EXPECT_EQ(store_->Get("b")->version, before.version) << "nothing changed";
  const auto below = RunError("b", To(29));
  ASSERT_TRUE(below.has_value());
  EXPECT_EQ(below->reason, Reason::kBadInput);
  ASSERT_EQ(below->violations.size(), 1u);
  EXPECT_EQ(below->violations[0].field, "to_generation");
}

TEST_F(RunTest, IfGenerationHasToBeMet) {
  Create("b", Soup(40, 40));
  Run("b", To(10));
  RunWishes wishes;
  wishes.generations = 5;
  wishes.if_generation = 9;
  const auto refused = RunError("b", wishes);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, Reason::kWrongGeneration);
  EXPECT_NE(refused->message.find("10"), std::string::npos) << refused->message;
  wishes.if_generation = 10;
  EXPECT_EQ(Run("b", wishes).generation, 15u);
}

TEST_F(RunTest, IfGenerationOfAQueuedRunIsLookedAtWhenItsTurnComes) {
  device_.Hold();
  Create("b", Soup(40, 40));
  const auto first = Start("b", To(10));
  RunWishes wishes;
  wishes.generations = 5;
  wishes.queue = true;
  wishes.if_generation = 10;
  const auto second = Start("b", wishes);
  wishes.if_generation = 14;
  const auto third = Start("b", wishes);
  device_.ReleaseAll();
  EXPECT_EQ(first->AwaitEnd().generation, 10u);
  EXPECT_EQ(second->AwaitEnd().generation, 15u);
  EXPECT_EQ(second->AwaitEnd().error, "");
  EXPECT_NE(third->AwaitEnd().error, "");
  EXPECT_EQ(store_->Get("b")->generation, 15u);
}

TEST_F(RunTest, BusyBoardRefusesARunAndNamesTheOneUnderWay) {
  device_.Hold();
  Create("b", Soup(40, 40));
  RunWishes wishes = To(1000);
  wishes.request_id = "req-7";
  const auto run = Start("b", wishes);
  device_.AwaitHeld();
  const auto refused = RunError("b", To(2000));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, Reason::kBusy);
  EXPECT_NE(refused->message.find("1000"), std::string::npos) << refused->message;
  EXPECT_NE(refused->message.find("req-7"), std::string::npos) << refused->message;
  BoardStore::WriteWishes write;
  const auto written = Write("b", write);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().reason, Reason::kBusy);
  const BoardStatus status = *store_->Get("b");
  ASSERT_TRUE(status.run.has_value());
  EXPECT_EQ(status.run->target_generation, 1000u);
  EXPECT_EQ(status.run->request_id, "req-7");
}

TEST_F(RunTest, StopRunEndsItAtTheNextChunk) {
  device_.Hold();
  const life::Board soup = Soup(40, 40);
  Create("b", soup);
  const auto run = Start("b", To(1'000'000));
  device_.AwaitHeld();
  store_->StopRun(run_id_);
  device_.ReleaseAll();
  const RunEnd end = run->AwaitEnd();
  EXPECT_EQ(end.reason, StopReason::kStopped);
  EXPECT_EQ(end.generation, 8u);
  EXPECT_EQ(Cells("b"), After(soup, 8));
  store_->StopRun(run_id_);  // it is over: nothing
  store_->ResumeRun(run_id_);
  EXPECT_EQ(run->last().generation, 8u);
  EXPECT_EQ(run->last().population, life::Population(After(soup, 8)));
}

TEST_F(RunTest, StopEndsTheRunUnderWayAndThoseThatWait) {
  device_.Hold();
  Create("b", Soup(40, 40));
  const auto first = Start("b", To(1'000'000));
  RunWishes queued = To(2'000'000);
  queued.queue = true;
  const auto second = Start("b", queued);
  device_.AwaitHeld();
  Answer<BoardStatus> stopped;
  store_->Stop("b", stopped.done());
  EXPECT_FALSE(stopped.ready());
  device_.ReleaseAll();
  const auto status = stopped.Get();
  ASSERT_TRUE(status.has_value());
  EXPECT_FALSE(status->run.has_value());
  EXPECT_EQ(status->generation, 8u);
  EXPECT_EQ(first->AwaitEnd().reason, StopReason::kStopped);
  EXPECT_EQ(second->AwaitEnd().reason, StopReason::kStopped);
  EXPECT_EQ(second->AwaitEnd().generation, 8u);
  Answer<BoardStatus> again;
  store_->Stop("b", again.done());
  EXPECT_TRUE(again.Get().has_value()) << "a board at rest stands already";
}

TEST_F(RunTest, MaxDurationEndsItAtAChunk) {
  device_.Hold();
  const life::Board soup = Soup(40, 40);
  Create("b", soup);
  RunWishes wishes = To(1'000'000);
  wishes.max_duration = milliseconds(100);
  const auto run = Start("b", wishes);
  device_.AwaitHeld();
  device_.Release(1);
  device_.AwaitHeld();
  clock_.Advance(milliseconds(100));
  device_.ReleaseAll();
  const RunEnd end = run->AwaitEnd();
  EXPECT_EQ(end.reason, StopReason::kTime);
  EXPECT_EQ(Cells("b"), After(soup, static_cast<std::uint32_t>(end.generation)));
}

TEST_F(RunTest, FactsOfEveryKGenerationsAreThoseOfTheReference) {
  device_.generations = 8;
  const life::Board soup = Soup(70, 33);
  for (const std::uint64_t every : {1u, 3u, 8u, 11u, 20u, 64u}) {
    const std::string id = "every-" + std::to_string(every);
    Create(id, soup);
    RunWishes wishes = To(64);
    wishes.facts_every = every;
    wishes.facts = life::kCountChanges | life::kFindBox;
    const auto run = Start(id, wishes);
    EXPECT_EQ(run->AwaitEnd().generation, 64u);
    const auto news = run->progress();
    ASSERT_EQ(news.size(), (64 - 1) / every) << "every " << every;
    for (std::size_t i = 0; i < news.size(); ++i) {
      const BoardFacts& facts = news[i].facts;
      EXPECT_EQ(facts.generation, (i + 1) * every);
      const auto generation = static_cast<std::uint32_t>(facts.generation);
      EXPECT_EQ(facts.population, life::Population(After(soup, generation)));
      const std::uint64_t before = life::Population(After(soup, generation - 1));
      EXPECT_EQ(facts.population, before + facts.births - facts.deaths);
      EXPECT_GT(facts.births, 0u);
    }
    EXPECT_EQ(run->last().generation, 64u);
    EXPECT_EQ(run->last().population, life::Population(After(soup, 64)));
    EXPECT_EQ(run->last().population,
              life::Population(After(soup, 63)) + run->last().births - run->last().deaths);
  }
}

TEST_F(RunTest, ProgressComesByTime) {
  device_.Hold();
  Create("b", Soup(40, 40));
  RunWishes wishes = To(1'000'000);
  wishes.progress_interval = milliseconds(1000);
  wishes.facts = life::kMakeDigest;
  const auto run = Start("b", wishes);
  device_.AwaitHeld();
  device_.Release(1);
  device_.AwaitHeld();
  EXPECT_TRUE(run->progress().empty());
  clock_.Advance(milliseconds(1000));
  device_.Release(3);
  const auto news = run->AwaitProgress(1);
  EXPECT_NE(news[0].facts.digest, 0u);
  EXPECT_EQ(news[0].elapsed, milliseconds(1000));
  EXPECT_EQ(news[0].target_generation, 1'000'000u);
  EXPECT_GT(news[0].generations_per_second, 0);
  store_->StopRun(run_id_);
  device_.ReleaseAll();
  run->AwaitEnd();
}

TEST_F(RunTest, FullListenerHoldsTheRunUntilItIsResumed) {
  Create("b", Soup(40, 40));
  RunWishes wishes = To(40);
  wishes.facts_every = 1;
  const auto run = Start("b", wishes, 3);
  run->AwaitProgress(3);
  // It rests: nothing is with the device, and the board can be read.
  Await([&] { return scheduler_->counters(0).queued + scheduler_->counters(0).running == 0; });
  EXPECT_EQ(run->progress().size(), 3u);
  EXPECT_TRUE(store_->Get("b")->run.has_value());
  EXPECT_LE(Pin("b").generation, 8u);
  run->MakeRoom(20);
  store_->ResumeRun(run_id_);
  run->AwaitProgress(20);
  run->MakeRoom(SIZE_MAX);
  store_->ResumeRun(run_id_);
  EXPECT_EQ(run->AwaitEnd().reason, StopReason::kTarget);
  const auto news = run->progress();
  ASSERT_EQ(news.size(), 39u);
  for (std::size_t i = 0; i < news.size(); ++i) EXPECT_EQ(news[i].facts.generation, i + 1);
}

TEST_F(RunTest, HeldRunIsStoppedByItsTimeAndByAStop) {
  for (const bool by_time : {true, false}) {
    const std::string id = by_time ? "time" : "stop";
    Create(id, Soup(40, 40));
    RunWishes wishes = To(1000);
    wishes.facts_every = 1;
    wishes.max_duration = milliseconds(500);
    const auto run = Start(id, wishes, 1);
    run->AwaitProgress(1);
    Await([&] { return scheduler_->counters(0).queued + scheduler_->counters(0).running == 0; });
    if (by_time) {
      clock_.Advance(milliseconds(500));
      // What it has made is told first.
      run->MakeRoom(SIZE_MAX);
      store_->ResumeRun(run_id_);
    } else {
      store_->StopRun(run_id_);
    }
    EXPECT_EQ(run->AwaitEnd().reason, by_time ? StopReason::kTime : StopReason::kStopped);
  }
}

TEST_F(RunTest, DetachedRunGoesOnWithoutAListener) {
  Create("b", Soup(40, 40));
  RunWishes wishes = To(100);
  wishes.detached = true;
  ASSERT_TRUE(store_->StartRun("b", wishes, nullptr).has_value());
  Await([&] { return store_->Get("b")->last_run.has_value(); });
  EXPECT_EQ(store_->Get("b")->last_run->generation, 100u);
  EXPECT_EQ(store_->Get("b")->generation, 100u);
}

TEST_F(RunTest, DeviceFaultEndsTheRunWithAnErrorAndTheOtherBoardsGoOn) {
  Create("b", Soup(40, 40));
  Create("c", Soup(40, 40, 2));
  device_.FailAfter(2, "the device is on fire");
  const RunEnd end = Run("b", To(100));
  EXPECT_EQ(end.error, "the device is on fire");
  EXPECT_EQ(store_->Get("b")->last_run->error, "the device is on fire");
  // The step went back into the cells that it came from: they are lost, and it says so.
  const auto refused = RunError("b", To(200));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, Reason::kDevice);
  EXPECT_EQ(Run("c", To(100)).error, "");
  EXPECT_EQ(Cells("c"), After(Soup(40, 40, 2), 100));
  EXPECT_TRUE(Delete("b").has_value());
}

// Somebody looks, so the step went to other buffers, and the cells are still there.
TEST_F(RunTest, DeviceFaultLeavesTheCellsOfAPin) {
  const life::Board soup = Soup(40, 40);
  Create("b", soup);
  const PinnedBoard pin = Pin("b");
  device_.FailAfter(0, "a hiccup");
  EXPECT_EQ(Run("b", To(100)).error, "a hiccup");
  EXPECT_EQ(store_->Get("b")->generation, 0u);
  EXPECT_EQ(Run("b", To(100)).error, "");
  EXPECT_EQ(Cells("b"), After(soup, 100));
}

}  // namespace
}  // namespace gpusim::boards
