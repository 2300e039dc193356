// A scheduler that is abandoned, as its devices are lost.
#include <gtest/gtest.h>

#include "server/batching/scheduler.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

// Drain would wait for it for ever.
TEST(SchedulerAbandonTest, EndsWhatIsQueuedWhileABatchHangs) {
  StagedScheduler scheduler({{.name = "a", .batch_limit = {.rows = 1}}});
  scheduler.Occupy(1, {.chunks = 2});
  scheduler.Submit(2);
  scheduler.Submit(3);
  scheduler->Abandon();
  EXPECT_EQ(scheduler.log.Await(2), std::vector{Outcome::kDeviceLost});
  EXPECT_EQ(scheduler.log.Await(3), std::vector{Outcome::kDeviceLost});
  EXPECT_TRUE(scheduler.log.Now(1).empty());
  EXPECT_EQ(scheduler.counters().failed, 2u);

  const auto refused = scheduler.TrySubmit(4);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Refusal::Reason::kDeviceLost);

  // If it comes back after all, it is not run again.
  scheduler.stage.Release();
  EXPECT_EQ(scheduler.log.Await(1), std::vector{Outcome::kDraining});
  EXPECT_TRUE(Balanced(scheduler.counters()));
}

TEST(SchedulerAbandonTest, LetsADrainThatIsUnderWayEnd) {
  StagedScheduler scheduler({{.name = "a", .batch_limit = {.rows = 1}}});
  scheduler.Occupy(1);
  scheduler->Abandon();
  scheduler->Abandon();
  scheduler.stage.Release();
  EXPECT_EQ(scheduler.log.Await(1), std::vector{Outcome::kAnswered});
  scheduler->Drain(TimePoint::max());
}

}  // namespace
}  // namespace gpusim::batching
