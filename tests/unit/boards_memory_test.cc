// Order, pins, forks and the memory that they take.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;

class BoardMemoryTest : public BoardStoreTest {
 protected:
  static constexpr std::uint32_t kSide = 64;
  static constexpr std::uint64_t kBytes = kSide * 8;

  // A budget of so many buffers of 64 x 64.
  void OpenWith(std::uint64_t buffers) {
    options_.device_memory = {buffers * kBytes};
    Open();
  }
};

TEST_F(BoardMemoryTest, CallsOnOneBoardAreDoneInOrder) {
  Open();
  device_.Hold();
  const life::Board soup = Soup(kSide, kSide);
  const life::Board stamp = Soup(kSide, kSide, 2);
  Create("b", soup);
  std::vector<std::shared_ptr<RunLog>> runs{Start("b", To(10))};
  BoardStore::WriteWishes write;
  write.stamp = std::make_shared<HostStamp>(stamp);
  write.mode = WriteMode::kXor;
  write.queue = true;
  Answer<BoardStatus> written;
  store_->Write("b", write, written.done());
  RunWishes wishes = To(25);
  wishes.queue = true;
  runs.push_back(Start("b", wishes));
  device_.ReleaseAll();
  EXPECT_EQ(written.Get()->generation, 10u);
  EXPECT_EQ(runs[1]->AwaitEnd().generation, 25u);
  life::Board expected = After(soup, 10);
  for (std::size_t i = 0; i < expected.words.size(); ++i) expected.words[i] ^= stamp.words[i];
  EXPECT_EQ(Cells("b"), After(expected, 15));
}

TEST_F(BoardMemoryTest, SmallBoardsShareALaunch) {
  Open();
  device_.Hold();
  std::vector<std::shared_ptr<RunLog>> runs;
  const auto start = [&](int i) {
    const std::string id = "b" + std::to_string(i);
    Create(id, Soup(20, 20, static_cast<unsigned>(i)));
    runs.push_back(Start(id, To(80)));
  };
  // Two keep both slots busy, the others gather.
  constexpr int kBoards = 40;
  for (int i = 0; i < 2; ++i) {
    start(i);
    device_.AwaitHeld(i + 1);
  }
  for (int i = 2; i < kBoards; ++i) start(i);
  device_.ReleaseAll();
  for (int i = 0; i < kBoards; ++i) {
    EXPECT_EQ(runs[static_cast<std::size_t>(i)]->AwaitEnd().generation, 80u);
    EXPECT_EQ(Cells("b" + std::to_string(i)), After(Soup(20, 20, static_cast<unsigned>(i)), 80));
  }
  EXPECT_GE(device_.most_steps(), 38u);
  EXPECT_LE(device_.launches(), 60) << "alone they would be 400";
}

// The gate is closed before the third chunk: whatever is told now did not wait for the run.
TEST_F(BoardMemoryTest, PinsDuringARunSeeWholeGenerationsAndWaitForNoMoreThanAChunk) {
  Open();
  const life::Board soup = Soup(kSide, kSide);
  Create("b", soup);
  device_.Hold();
  const auto run = Start("b", To(1'000'000));
  std::vector<PinnedBoard> pins;
  for (int chunk = 0; chunk < 6; ++chunk) {
    device_.AwaitHeld();
    Answer<PinnedBoard> pin;
    store_->Pin("b", pin.done());
    EXPECT_FALSE(pin.ready()) << "the chunk is under way";
    device_.Release(1);
    pins.push_back(*pin.Get());
    EXPECT_EQ(pins.back().generation, static_cast<std::uint64_t>(chunk + 1) * 8);
  }
  device_.ReleaseAll();
  store_->StopRun(run_id_);
  run->AwaitEnd();
  for (const PinnedBoard& pin : pins) {
    EXPECT_EQ(CellsOf(pin), After(soup, static_cast<std::uint32_t>(pin.generation)));
  }
}

TEST_F(BoardMemoryTest, PinnedCellsAreFreedWithThePin) {
  OpenWith(4);
  Create("b", Soup(kSide, kSide));
  EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
  PinnedBoard pin = Pin("b");
  EXPECT_EQ(Run("b", To(100)).error, "");
  EXPECT_EQ(store_->use().memory_bytes, 3 * kBytes) << "two of the board, one of the pin";
  EXPECT_EQ(CellsOf(pin), Soup(kSide, kSide));
  pin = {};
  EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
}

TEST_F(BoardMemoryTest, RunThatFindsNoThirdBufferEndsAndSaysSo) {
  OpenWith(2);
  Create("b", Soup(kSide, kSide));
  PinnedBoard pin = Pin("b");
  const RunEnd end = Run("b", To(100));
  EXPECT_NE(end.error.find("512 bytes more"), std::string::npos) << end.error;
  EXPECT_NE(end.error.find("0 bytes are free"), std::string::npos) << end.error;
  EXPECT_EQ(store_->Get("b")->generation, 0u);
  pin = {};
  EXPECT_EQ(Run("b", To(100)).error, "");
}

TEST_F(BoardMemoryTest, FullBudgetRefusesTheNextBoardAndNobodyElseNotices) {
  OpenWith(4);
  BoardStore::NewBoardWishes wishes;
  wishes.lease = std::chrono::seconds(100);
  Create("a", Soup(kSide, kSide), wishes);
  wishes.lease = std::chrono::seconds(60);
  Create("b", Soup(kSide, kSide), wishes);
  clock_.Advance(std::chrono::seconds(10));
  const auto refused = TryCreate("c", Soup(kSide, kSide));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kNoMemory);
  const std::string& message = refused.error().message;
  EXPECT_NE(message.find("needs 1024 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("0 bytes are free"), std::string::npos) << message;
  EXPECT_NE(message.find("50000 ms"), std::string::npos) << message;
  EXPECT_EQ(refused.error().retry_after, std::chrono::milliseconds(50'000));
  EXPECT_EQ(store_->List("", 10).size(), 2u);
  EXPECT_EQ(Run("a", To(50)).error, "");
  EXPECT_EQ(Cells("b"), Soup(kSide, kSide));
  ASSERT_TRUE(Delete("a").has_value());
  EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
  EXPECT_TRUE(TryCreate("c", Soup(kSide, kSide)).has_value());
}

TEST_F(BoardMemoryTest, BoardLargerThanAnyDeviceIsToldSo) {
  OpenWith(4);
  const auto refused = TryCreate("big", life::Board::Empty(64, 65536));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kNoMemory);
  EXPECT_FALSE(refused.error().retry_after.has_value());
  EXPECT_NE(refused.error().message.find("no device"), std::string::npos);
}

TEST_F(BoardMemoryTest, NumberOfBoardsIsLimited) {
  options_.max_boards = 2;
  Open();
  Create("a", Soup(8, 8));
  Create("b", Soup(8, 8));
  const auto refused = TryCreate("c", Soup(8, 8));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kNoMemory);
  EXPECT_NE(refused.error().message.find("max-boards"), std::string::npos);
  ASSERT_TRUE(Delete("a").has_value());
  EXPECT_TRUE(TryCreate("c", Soup(8, 8)).has_value());
}

TEST_F(BoardMemoryTest, DeviceThatGivesLessThanItsBudgetRefusesAndTheBudgetComesBack) {
  Open();
  device_.LimitBuffers(3);
  Create("a", Soup(kSide, kSide));
  const auto refused = TryCreate("b", Soup(kSide, kSide));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().reason, Reason::kNoMemory);
  EXPECT_NE(refused.error().message.find("out of memory"), std::string::npos);
  EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
  device_.LimitBuffers(2);
  EXPECT_TRUE(TryCreate("b", Soup(kSide, kSide)).has_value()) << "the name is free again";
}

TEST_F(BoardMemoryTest, BoardInTheMakingLeavesNothingBehind) {
  OpenWith(4);
  BoardStore::NewBoardWishes wishes;
  wishes.id = "a";
  wishes.shape = {.width = kSide, .height = kSide};
  {
    auto made = store_->Create(wishes);
    ASSERT_TRUE(made.has_value());
    EXPECT_FALSE(store_->Get("a").has_value()) << "nobody sees it yet";
    EXPECT_EQ(TryCreate("a", Soup(kSide, kSide)).error().reason, Reason::kExists);
    EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
  }
  EXPECT_EQ(store_->use().memory_bytes, 0u);
  EXPECT_TRUE(TryCreate("a", Soup(kSide, kSide)).has_value());
}

TEST_F(BoardMemoryTest, ForksShareCellsAndGoTheirOwnWays) {
  // Two boards are all that fits: both diverge without a byte more.
  for (const bool parent_first : {true, false}) {
    OpenWith(4);
    const life::Board soup = Soup(kSide, kSide);
    Create("a", soup);
    Run("a", To(10));
    const auto forked = Fork("a", "b");
    ASSERT_TRUE(forked.has_value()) << forked.error().message;
    EXPECT_EQ(forked->generation, 10u);
    EXPECT_EQ(store_->use().memory_bytes, 4 * kBytes);
    EXPECT_EQ(Fork("a", "c").error().reason, Reason::kNoMemory);
    EXPECT_EQ(Cells("b"), After(soup, 10));
    EXPECT_EQ(Run(parent_first ? "a" : "b", To(30)).error, "");
    EXPECT_EQ(Run(parent_first ? "b" : "a", To(45)).error, "");
    EXPECT_EQ(Cells(parent_first ? "a" : "b"), After(soup, 30));
    EXPECT_EQ(Cells(parent_first ? "b" : "a"), After(soup, 45));
    EXPECT_EQ(store_->use().memory_bytes, 4 * kBytes);
    Delete("a");
    EXPECT_EQ(store_->use().memory_bytes, 2 * kBytes);
    EXPECT_EQ(Cells("b"), After(soup, parent_first ? 45 : 30));
    Delete("b");
    EXPECT_EQ(store_->use().memory_bytes, 0u);
    store_.reset();
  }
}

TEST_F(BoardMemoryTest, ForksThatRunAtTheSameTimeNeedNoMoreThanTheirShare) {
  constexpr int kForks = 6;
  OpenWith(2 * (kForks + 1));
  const life::Board soup = Soup(kSide, kSide);
  for (int round = 0; round < 20; ++round) {
    Create("a", soup);
    for (int i = 0; i < kForks; ++i) ASSERT_TRUE(Fork("a", "f" + std::to_string(i)).has_value());
    std::vector<std::shared_ptr<RunLog>> runs{Start("a", To(40))};
    for (int i = 0; i < kForks; ++i) runs.push_back(Start("f" + std::to_string(i), To(40)));
    for (const auto& run : runs) EXPECT_EQ(run->AwaitEnd().error, "");
    EXPECT_EQ(store_->use().memory_bytes, 2 * (kForks + 1) * kBytes);
    for (int i = 0; i < kForks; ++i) {
      EXPECT_EQ(Cells("f" + std::to_string(i)), After(soup, 40));
      Delete("f" + std::to_string(i));
    }
    Delete("a");
    EXPECT_EQ(store_->use().memory_bytes, 0u);
  }
}

TEST_F(BoardMemoryTest, ForkOfARunningBoardTakesAWholeGeneration) {
  Open();
  const life::Board soup = Soup(kSide, kSide);
  Create("a", soup);
  device_.Hold();
  const auto run = Start("a", To(64));
  device_.AwaitHeld();
  Answer<BoardStatus> forked;
  store_->Fork("a", "b", std::nullopt, forked.done());
  device_.ReleaseAll();
  EXPECT_EQ(forked.Get()->generation, 8u);
  EXPECT_EQ(run->AwaitEnd().generation, 64u);
  EXPECT_EQ(Cells("a"), After(soup, 64));
  EXPECT_EQ(Cells("b"), After(soup, 8));
}

TEST_F(BoardMemoryTest, DeviceWithMostFreeIsTaken) {
  device_.devices = 3;
  Open();
  std::vector<std::size_t> devices;
  for (const char* id : {"a", "b", "c"}) devices.push_back(Create(id, Soup(kSide, kSide)).device);
  EXPECT_EQ(devices, (std::vector<std::size_t>{0, 1, 2}));
  Delete("b");
  EXPECT_EQ(Create("d", Soup(kSide, kSide)).device, 1u);
  for (const char* id : {"a", "c", "d"}) {
    EXPECT_EQ(Run(id, To(20)).error, "");
    EXPECT_EQ(Cells(id), After(Soup(kSide, kSide), 20));
  }
  EXPECT_EQ(scheduler_->counters(0).failed + scheduler_->counters(1).failed, 0u);
  EXPECT_GT(scheduler_->counters(1).answered, 0u);
  EXPECT_GT(scheduler_->counters(2).answered, 0u);
}

TEST_F(BoardMemoryTest, DeleteEndsARunAndWhatWaits) {
  Open();
  device_.Hold();
  Create("a", Soup(kSide, kSide));
  const auto run = Start("a", To(1'000'000));
  device_.AwaitHeld();
  Answer<PinnedBoard> pin;
  Answer<BoardFacts> facts;
  store_->Pin("a", pin.done());
  store_->CountFacts("a", 0, facts.done());
  BoardStore::WriteWishes write;
  write.queue = true;
  Answer<BoardStatus> written;
  store_->Write("a", write, written.done());
  Answer<BoardStatus> deleted;
  store_->Delete("a", deleted.done());
  EXPECT_EQ(store_->Get("a").error().reason, Reason::kUnknown) << "at once";
  EXPECT_EQ(pin.Get().error().reason, Reason::kUnknown);
  EXPECT_EQ(facts.Get().error().reason, Reason::kUnknown);
  EXPECT_FALSE(deleted.ready()) << "the chunk is under way";
  device_.ReleaseAll();
  EXPECT_TRUE(deleted.Get().has_value());
  EXPECT_NE(run->AwaitEnd().error, "");
  EXPECT_EQ(written.Get().error().reason, Reason::kUnknown);
  EXPECT_EQ(store_->use().memory_bytes, 0u);
  EXPECT_EQ(Delete("a").error().reason, Reason::kUnknown);
  EXPECT_TRUE(TryCreate("a", Soup(kSide, kSide)).has_value());
}

TEST_F(BoardMemoryTest, NamesAreCheckedAndOwnersTold) {
  Open();
  for (const std::string& bad :
       {std::string("."), std::string("../x"), std::string("a/b/c"), std::string("-a"),
        std::string("a b"), std::string("/a"), std::string(64, 'a'), std::string("a\0b", 3)}) {
    const auto refused = TryCreate(bad, Soup(8, 8));
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_EQ(refused.error().reason, Reason::kBadInput) << bad;
  }
  EXPECT_TRUE(TryCreate("here/a", Soup(8, 8)).has_value());
  EXPECT_TRUE(TryCreate(std::string(63, 'a'), Soup(8, 8)).has_value());
  EXPECT_EQ(store_->Get("here/a")->id, "a");
  const auto elsewhere = store_->Get("there/a");
  ASSERT_FALSE(elsewhere.has_value());
  EXPECT_EQ(elsewhere.error().reason, Reason::kElsewhere);
  EXPECT_EQ(elsewhere.error().owner, "there");
  const auto made_up = TryCreate("", Soup(8, 8));
  ASSERT_TRUE(made_up.has_value());
  EXPECT_TRUE(store_->Get(made_up->id).has_value());
  EXPECT_EQ(TryCreate("a", Soup(8, 8)).error().reason, Reason::kExists);
}

}  // namespace
}  // namespace gpusim::boards
