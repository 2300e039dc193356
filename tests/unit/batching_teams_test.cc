// Slots that do not serve every kind, as boards lie on one device: a task finds a slot that serves its kind, however many
// others are idle, and a wake that is lost would leave it in the queue for ever.
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/kind_report.h"
#include "server/batching/scheduler.h"
#include "tests/testing/batching_fakes.h"

namespace gpusim::batching {
namespace {

using Outcomes = std::vector<Outcome>;

constexpr Cost kManyRows{.rows = 1000, .bytes = 1000, .work = 1000};

// Kind 0 runs everywhere, kind 1 + d on the slots of device d alone. One row says what a slot serves.
std::vector<SlotRunners> DeviceSlots(Stage& stage, std::size_t devices, std::size_t slots) {
  std::vector<SlotRunners> made;
  for (std::size_t device = 0; device < devices; ++device) {
    for (std::size_t slot = 0; slot < slots; ++slot) {
      SlotRunners& runners = made.emplace_back(1 + devices);
      runners[0] = std::make_unique<StageRunner>(stage, 0);
      runners[1 + device] = std::make_unique<StageRunner>(stage, 1 + device);
    }
  }
  return made;
}

class TeamsTest : public testing::Test {
 protected:
  static constexpr std::size_t kDevices = 3;

  TeamsTest()
      : scheduler_(std::make_unique<Scheduler>(
            std::vector<KindOptions>(1 + kDevices,
                                     {.name = "kind", .batch_limit = kManyRows, .max_tasks = 1000}),
            DeviceSlots(stage_, kDevices, 2), clock_, std::vector<std::size_t>{0, 0, 1, 1, 2, 2})) {
  }
  ~TeamsTest() override { stage_.Release(1'000'000); }

  void Submit(int label, KindIndex kind) {
    ASSERT_TRUE(scheduler_->Submit(kind, std::make_unique<FakeTask>(log_, label)).has_value());
  }

  FakeClock clock_;
  TaskLog log_;
  Stage stage_;
  std::unique_ptr<Scheduler> scheduler_;
};

// Every slot is idle each time, so the wake has five wrong places to go.
TEST_F(TeamsTest, LoneTaskWakesASlotOfItsDevice) {
  for (int round = 0; round < 300; ++round) {
    const KindIndex kind = 1 + static_cast<KindIndex>(round) % kDevices;
    Submit(round, kind);
    EXPECT_EQ(stage_.AwaitBatch(), (Stage::Seen{kind, {round}}));
    stage_.Release();
    EXPECT_EQ(log_.Await(round), Outcomes{Outcome::kAnswered});
  }
}

// A burst over all kinds needs a slot for each, all at work before anything is released.
TEST_F(TeamsTest, EachKindOfABurstGetsASlotOfItsOwn) {
  int label = 0;
  for (int round = 0; round < 300; ++round) {
    const int first = label;
    for (KindIndex kind = 0; kind <= kDevices; ++kind) {
      Submit(label++, (kind + static_cast<KindIndex>(round)) % (1 + kDevices));
    }
    for (KindIndex kind = 0; kind <= kDevices; ++kind) stage_.AwaitBatch();
    stage_.Release(1 + kDevices);
    for (int i = first; i < label; ++i) EXPECT_EQ(log_.Await(i), Outcomes{Outcome::kAnswered});
  }
}

// The slots of a device are busy: its tasks wait for them, and others pass.
TEST_F(TeamsTest, KindWaitsForItsOwnSlotsWhileOthersAreIdle) {
  for (const int label : {0, 1}) {
    Submit(label, 1);
    stage_.AwaitBatch();
  }
  Submit(2, 1);
  Submit(3, 2);
  EXPECT_EQ(stage_.AwaitBatch(), (Stage::Seen{2, {3}}));
  Submit(4, 0);
  EXPECT_EQ(stage_.AwaitBatch(), (Stage::Seen{0, {4}}));
  EXPECT_TRUE(stage_.nothing_started());
  stage_.Release(4);
  EXPECT_EQ(stage_.AwaitBatch(), (Stage::Seen{1, {2}}));
}

// Random bursts, released at random: nothing stays behind.
TEST_F(TeamsTest, NothingIsForgotten) {
  std::minstd_rand random(7);
  int label = 0;
  for (int round = 0; round < 300; ++round) {
    const int first = label;
    const int burst = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < burst; ++i) {
      Submit(label++, random() % (1 + kDevices));
      if (random() % 2 == 0) stage_.Release();
    }
    stage_.Release(static_cast<std::size_t>(burst));
    for (int i = first; i < label; ++i) EXPECT_EQ(log_.Await(i), Outcomes{Outcome::kAnswered});
  }
}

// If all slots shared one order of turns, those of device 1 could move it on past kind 1 each time before the slot of
// device 0 looks.
TEST(BatchTurns, BelongToThoseWhoServeTheSameKinds) {
  TaskLog log;
  Ledger ledger(std::vector<KindOptions>(
      4, {.name = "kind", .batch_limit = {.rows = 1, .bytes = 0, .work = 0}, .max_tasks = 100}));
  const TimePoint now(std::chrono::hours(1));
  const auto accept = [&](int label, KindIndex kind) {
    std::unique_ptr<Task> task = std::make_unique<FakeTask>(log, label);
    ASSERT_TRUE(ledger.Accept(kind, task, {.rows = 1, .bytes = 0, .work = 0}, now).has_value());
  };
  for (int i = 0; i < 20; ++i) accept(i, i % 2 == 0 ? 0 : 1);
  accept(100, 2);
  accept(101, 3);
  BatchTurns first{{true, true, true, false}};
  BatchTurns second{{true, true, false, true}};
  std::vector<KindIndex> taken_by_first;
  for (int i = 0; i < 3; ++i) {
    for (BatchTurns* turns : {&first, &second}) {
      Batch batch;
      std::vector<EndedTask> ended;
      ledger.TakeBatch(now, *turns, batch, ended);
      if (turns == &first) taken_by_first.push_back(batch.turn.kind);
      batch.chunks.assign(batch.chunks.size(), Chunk::kDone);
      ledger.SettleBatch(batch, 1, now, *turns, ended);
    }
  }
  EXPECT_EQ(taken_by_first, (std::vector<KindIndex>{0, 1, 2}));
}

// Two slots of a device that run side by side are one busy device.
TEST_F(TeamsTest, DeviceIsBusyWhileOneOfItsSlotsRuns) {
  using std::chrono::milliseconds;
  Submit(0, 2);
  stage_.AwaitBatch();
  clock_.Advance(milliseconds(10));
  Submit(1, 2);
  stage_.AwaitBatch();
  clock_.Advance(milliseconds(5));
  EXPECT_EQ(scheduler_->busy(1), milliseconds(15)) << "also of what is under way";
  stage_.Release(2);
  log_.Await(0);
  log_.Await(1);
  clock_.Advance(milliseconds(100));
  EXPECT_EQ(scheduler_->busy(0), milliseconds(0));
  EXPECT_EQ(scheduler_->busy(1), milliseconds(15));
  EXPECT_EQ(scheduler_->busy(kDevices), milliseconds(0)) << "there is none";
}

TEST_F(TeamsTest, KindsOfOneNameAreReportedAsOne) {
  for (KindIndex kind = 1; kind <= kDevices; ++kind) {
    Submit(static_cast<int>(kind), kind);
    stage_.AwaitBatch();
  }
  const std::vector<KindReport> reports = ReportKinds(*scheduler_);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].name, "kind");
  EXPECT_EQ(reports[0].counters.accepted, kDevices);
  EXPECT_EQ(reports[0].counters.running, kDevices);
  EXPECT_EQ(reports[0].counters.batch_sizes.counts()[0], kDevices);
}

}  // namespace
}  // namespace gpusim::batching
