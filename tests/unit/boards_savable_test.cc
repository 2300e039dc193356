// No board is made that a drain could not save in its time.
#include <atomic>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "server/boards/write_rate.h"
#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using ::testing::HasSubstr;
using Reason = BoardError::Reason;

class BoardSavableTest : public BoardStoreTest {
 protected:
  static constexpr std::uint32_t kSide = 512;  // 32 KiB

  // Time for two boards.
  void OpenForTwo() {
    UseStateDir();
    options_.write_bytes_per_second = 80'000;
    options_.drain_time = std::chrono::seconds(1);
    Open();
  }
};

TEST_F(BoardSavableTest, RefusesWhatCouldNotBeSavedInTheDrainTime) {
  OpenForTwo();
  const life::Board soup = Soup(kSide, kSide);
  Create("a", soup);
  Create("b", soup);
  EXPECT_GE(store_->use().unsaved_bytes, 2u * kSide * kSide / 8);
  EXPECT_EQ(store_->use().write_bytes_per_second, 80'000);

  const auto refused = TryCreate("c", soup);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kNoRoom);
  EXPECT_THAT(refused.error().message, HasSubstr("within drain-time, 1000 ms"));
  Answer<BoardStatus> forked;
  store_->Fork("a", "c", std::nullopt, forked.done());
  const auto not_forked = forked.Get();
  ASSERT_FALSE(not_forked.has_value());
  EXPECT_EQ(not_forked.error().reason, Reason::kNoRoom);

  Answer<BoardStatus> deleted;
  store_->Delete("b", deleted.done());
  ASSERT_TRUE(deleted.Get().has_value());
  EXPECT_TRUE(TryCreate("c", soup).has_value());
}

TEST_F(BoardSavableTest, RefusesARestoreToo) {
  OpenForTwo();
  const life::Board soup = Soup(kSide, kSide);
  Create("a", soup);
  Answer<SnapshotInfo> saved;
  store_->Snapshot("a", "s", false, saved.done());
  ASSERT_TRUE(saved.Get().has_value());
  Create("b", soup);
  Answer<BoardStatus> restored;
  store_->Restore("s", "c", std::nullopt, restored.done());
  const auto not_restored = restored.Get();
  ASSERT_FALSE(not_restored.has_value());
  EXPECT_EQ(not_restored.error().reason, Reason::kNoRoom);
}

// They are no work for the drain as long as they stay as they are.
TEST_F(BoardSavableTest, BoardsThatAreSavedDoNotCount) {
  OpenForTwo();
  const life::Board soup = Soup(kSide, kSide);
  Create("a", soup);
  Create("b", soup);
  Reopen();
  EXPECT_EQ(store_->use().boards, 2u);
  EXPECT_EQ(store_->use().unsaved_bytes, 0u);
  EXPECT_TRUE(TryCreate("c", soup).has_value());
}

// Files that are written after a device is lost could hold anything.
TEST_F(BoardSavableTest, NothingIsWrittenOnceADeviceIsLost) {
  std::atomic<bool> lost = false;
  UseStateDir();
  options_.device_is_lost = [&lost] { return lost.load(); };
  Open();
  Create("a", Soup(kSide, kSide));
  lost = true;
  Answer<SnapshotInfo> saved;
  store_->Snapshot("a", "s", false, saved.done());
  EXPECT_FALSE(saved.Get().has_value());
  store_->Drain();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.state_dir))
    EXPECT_FALSE(entry.is_regular_file() && entry.file_size() > 4096) << entry.path();
}

TEST(WriteRateTest, IsMeasuredAndLeavesNothingBehind) {
  const std::filesystem::path dir =
      std::filesystem::temp_directory_path() / ("gpusim_write_rate_" + std::to_string(getpid()));
  std::filesystem::create_directory(dir);
  EXPECT_GT(MeasureWriteRate(dir), 0);
  EXPECT_TRUE(std::filesystem::is_empty(dir));
  std::filesystem::remove_all(dir);
  EXPECT_EQ(MeasureWriteRate(dir), 0) << "there is no such directory";
}

}  // namespace
}  // namespace gpusim::boards
