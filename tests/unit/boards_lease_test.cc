// Leases and autosaves, by a clock that the test moves.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>

#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;
using std::chrono::milliseconds;
using std::chrono::seconds;
namespace fs = std::filesystem;

class LeaseTest : public BoardStoreTest {
 protected:
  static BoardStore::NewBoardWishes Lease(seconds lease, seconds autosave = seconds(0)) {
    BoardStore::NewBoardWishes wishes;
    wishes.lease = lease;
    wishes.autosave_every = autosave;
    return wishes;
  }
  bool Gone(const std::string& id) {
    for (const BoardStatus& status : store_->List("", 100))
      if (status.id == id) return false;
    return true;
  }
  std::string PathOf(const std::string& id) const { return dir_ + "/boards/" + id + ".board"; }
};

TEST_F(LeaseTest, ExpiryFreesTheBoardWhereNothingIsKept) {
  Open();
  Create("a", Soup(64, 64), Lease(seconds(60)));
  Create("b", Soup(64, 64), Lease(seconds(0)));
  EXPECT_EQ(store_->List("", 1)[0].lease_left, milliseconds(60'000));
  clock_.Advance(seconds(59));
  EXPECT_EQ(store_->List("", 1)[0].lease_left, milliseconds(1000));
  EXPECT_FALSE(Gone("a"));
  clock_.Advance(seconds(1));
  Await([&] { return store_->use().boards == 1; });
  EXPECT_EQ(store_->Get("a").error().reason, Reason::kUnknown);
  EXPECT_EQ(store_->use().memory_bytes, 2u * 64 * 8);
  clock_.Advance(std::chrono::hours(10'000));
  EXPECT_TRUE(store_->Get("b").has_value()) << "no lease never ends";
}

TEST_F(LeaseTest, ExpirySavesASnapshotFirst) {
  UseStateDir();
  Open();
  const life::Board soup = Soup(64, 64);
  Create("a", soup, Lease(seconds(60)));
  Run("a", To(30));
  clock_.Advance(seconds(60));
  Await([&] { return store_->use().boards == 0; });
  const auto snapshots = *store_->ListSnapshots("", 10);
  ASSERT_EQ(snapshots.size(), 1u);
  EXPECT_EQ(snapshots[0].name, "a.expired");
  EXPECT_EQ(snapshots[0].board_id, "a");
  EXPECT_EQ(snapshots[0].generation, 30u);
  EXPECT_EQ(snapshots[0].cause, SnapshotCause::kLeaseExpired);
  ASSERT_TRUE(Restore("a.expired", "").has_value());
  EXPECT_EQ(Cells("a"), After(soup, 30));
  EXPECT_EQ(store_->Get("a")->generation, 30u);
}

TEST_F(LeaseTest, BoardThatCannotBeSavedStaysAndIsTriedAgain) {
  UseStateDir();
  std::atomic<bool> full = true;
  hook_ = [&](FileStep step) { return full && step == FileStep::kWrite ? ENOSPC : 0; };
  Open();
  Create("a", Soup(64, 64), Lease(seconds(60)));
  clock_.Advance(seconds(60));
  Await([&] { return log().find("not saved") != std::string::npos; });
  EXPECT_FALSE(Gone("a"));
  full = false;
  Await([&] {
    clock_.Advance(seconds(60));
    return store_->use().boards == 0;
  });
  EXPECT_EQ(store_->ListSnapshots("", 10)->size(), 1u);
}

TEST_F(LeaseTest, UseRenewsIt) {
  Open();
  Create("a", Soup(64, 64), Lease(seconds(60)));
  const auto left = [&] { return store_->List("", 1)[0].lease_left; };
  clock_.Advance(seconds(30));
  EXPECT_EQ(left(), milliseconds(30'000));
  store_->Get("a");
  EXPECT_EQ(left(), milliseconds(60'000));
  clock_.Advance(seconds(30));
  Pin("a");
  EXPECT_EQ(left(), milliseconds(60'000));
  clock_.Advance(seconds(30));
  Run("a", To(5));
  Await([&] { return !store_->List("", 1)[0].run.has_value(); });
  EXPECT_EQ(left(), milliseconds(60'000));
  clock_.Advance(seconds(30));
  const auto updated = store_->Update("a", seconds(20), std::nullopt);
  EXPECT_EQ(updated->lease_left, milliseconds(20'000));
  clock_.Advance(seconds(20));
  Await([&] { return store_->use().boards == 0; });
}

TEST_F(LeaseTest, RunAndWatchHoldIt) {
  Open();
  device_.Hold();
  Create("run", Soup(64, 64), Lease(seconds(60)));
  Create("watch", Soup(64, 64), Lease(seconds(60)));
  Create("idle", Soup(64, 64), Lease(seconds(600)));
  const auto run = Start("run", To(8));
  device_.AwaitHeld();
  auto hold = *store_->HoldLease("watch");
  clock_.Advance(seconds(500));
  EXPECT_EQ(store_->use().next_lease_ends, milliseconds(100'000)) << "of the idle one alone";
  for (const BoardStatus& status : store_->List("", 10))
    EXPECT_EQ(status.lease_left, status.id == "idle" ? milliseconds(100'000) : status.lease);
  device_.ReleaseAll();
  run->AwaitEnd();
  Await([&] { return !store_->List("", 1)[0].run.has_value(); });
  hold.reset();
  EXPECT_EQ(store_->use().boards, 3u);
  clock_.Advance(seconds(60));
  Await([&] { return store_->use().boards == 1; });
  EXPECT_FALSE(Gone("idle"));
}

TEST_F(LeaseTest, AutosaveComesByItsIntervalAndOnlyAfterAChange) {
  UseStateDir();
  std::atomic<int> saves = 0;
  hook_ = [&](FileStep step) {
    if (step == FileStep::kRename) ++saves;
    return 0;
  };
  Open();
  Create("a", Soup(64, 64), Lease(seconds(0), seconds(100)));
  clock_.Advance(seconds(99));
  EXPECT_FALSE(fs::exists(PathOf("a")));
  clock_.Advance(seconds(1));
  Await([&] { return saves == 1; });
  Run("a", To(20));
  EXPECT_EQ(store_->Get("a")->saved_generation, 0u);
  Await([&] {
    clock_.Advance(seconds(100));
    return saves == 2;
  });
  Await([&] { return store_->Get("a")->saved_generation == 20; });
  for (int i = 0; i < 10; ++i) clock_.Advance(seconds(100));
  Snapshot("a", "s");  // by the same threads, so what was posted before is done
  EXPECT_EQ(saves, 3) << "unchanged, but for the snapshot";
}

TEST_F(LeaseTest, AutosaveOfARunningBoardIsOfOneGenerationAndHoldsNobodyUp) {
  UseStateDir();
  const life::Board soup = Soup(64, 64);
  // No third buffer to be had: the run waits for the file, instead of ending.
  options_.device_memory = {2 * soup.words.size() * 8};
  Open();
  Create("a", soup, Lease(seconds(0), seconds(100)));
  device_.Hold();
  const auto run = Start("a", To(400));
  device_.AwaitHeld();
  clock_.Advance(seconds(100));
  device_.ReleaseAll();
  const RunEnd end = run->AwaitEnd();
  EXPECT_EQ(end.error, "");
  EXPECT_EQ(end.generation, 400u);
  Await([&] { return fs::exists(PathOf("a")); });
  EXPECT_EQ(Cells("a"), After(soup, 400));
}

TEST_F(LeaseTest, DeleteRemovesTheFile) {
  UseStateDir();
  Open();
  Create("a", Soup(64, 64), Lease(seconds(0), seconds(100)));
  clock_.Advance(seconds(100));
  Await([&] { return fs::exists(PathOf("a")); });
  EXPECT_GT(store_->use().state_bytes, 0u);
  ASSERT_TRUE(Delete("a").has_value());
  EXPECT_FALSE(fs::exists(PathOf("a")));
  EXPECT_EQ(store_->use().state_bytes, 0u);
}

TEST_F(LeaseTest, DeviceFaultLosesNoMoreThanTheLastAutosave) {
  UseStateDir();
  Open();
  const life::Board soup = Soup(64, 64);
  Create("a", soup, Lease(seconds(0), seconds(100)));
  Run("a", To(20));
  clock_.Advance(seconds(100));
  Await([&] { return store_->Get("a")->saved_generation == 20; });
  device_.FailAfter(1, "sparks");
  EXPECT_EQ(Run("a", To(400)).error, "sparks");
  Reopen();
  EXPECT_EQ(store_->Get("a")->generation, 20u);
  EXPECT_EQ(Cells("a"), After(soup, 20));
}

}  // namespace
}  // namespace gpusim::boards
