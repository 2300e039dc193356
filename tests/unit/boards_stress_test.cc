// Many threads ask everything of a few boards at once. Every answer comes once, every pin is of a whole generation, and
// nothing is left over.
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

class BoardStressTest : public BoardStoreTest {
 protected:
  static constexpr std::uint32_t kSide = 48;
  static constexpr int kCalls = 300;

  BoardStressTest() {
    UseStateDir();
    options_.device_memory = {30 * kSide * 8};
    Open();
    // A glider on a torus has five cells in every generation, and the stamps are whole boards of it.
    for (const auto& [x, y] : {std::pair{1u, 0u}, {2u, 1u}, {0u, 2u}, {1u, 2u}, {2u, 2u}})
      glider_.Set(x, y, true);
    for (int i = 0; i < 3; ++i) Create(Name(static_cast<unsigned>(i)), glider_);
  }

  static std::string Name(unsigned i) {
    std::string name = "b";
    name += std::to_string(i % 5);
    return name;
  }

  // Once each.
  template <class T>
  std::function<void(Result<T>)> Counted() {
    ++asked_;
    auto called = std::make_shared<std::atomic<bool>>(false);
    return [this, called](const Result<T>&) {
      EXPECT_FALSE(called->exchange(true));
      ++answered_;
    };
  }
  class Listener final : public RunListener {
   public:
    explicit Listener(std::function<void()> ended) : ended_(std::move(ended)) {}
    bool OnProgress(const RunProgress& progress) override {
      EXPECT_EQ(progress.facts.population, 5u);
      return true;
    }
    void OnEnd(const RunEnd&, const RunProgress&) override { ended_(); }

   private:
    const std::function<void()> ended_;
  };

  void Call(std::mt19937& random) {
    const std::string name = Name(random());
    switch (random() % 12) {
      case 0:
      case 1:
        ++asked_;
        store_->Pin(name, [this](Result<PinnedBoard> pin) {
          ++answered_;
          if (pin) {
            EXPECT_EQ(life::Population(CellsOf(*pin)), 5u);
          }
        });
        return;
      case 2:
        ++asked_;
        store_->CountFacts(name, life::kFindBox, [this](const Result<BoardFacts>& facts) {
          ++answered_;
          if (facts) {
            EXPECT_EQ(facts->population, 5u);
          }
        });
        return;
      case 3:
      case 4:
      case 5: {
        RunWishes wishes;
        wishes.generations = random() % 200;
        wishes.queue = random() % 2 == 0;
        wishes.facts_every = random() % 3 == 0 ? 7 : 0;
        if (random() % 4 == 0)
          wishes.until = {.kind = kinds::Until::Kind::kPeriodAtMost, .bound = 50};
        ++asked_;
        const auto run =
            store_->StartRun(name, wishes, std::make_shared<Listener>([this] { ++answered_; }));
        if (!run) ++answered_;
        if (run && random() % 3 == 0) store_->StopRun(*run);
        return;
      }
      case 6: {
        BoardStore::WriteWishes wishes;
        wishes.stamp = std::make_shared<HostStamp>(glider_);
        wishes.x = static_cast<std::int64_t>(random() % 100);
        wishes.y = static_cast<std::int64_t>(random() % 100);
        wishes.queue = true;
        store_->Write(name, wishes, Counted<BoardStatus>());
        return;
      }
      case 7:
        store_->Fork(name, Name(random()), std::nullopt, Counted<BoardStatus>());
        return;
      case 8:
        store_->Delete(name, Counted<BoardStatus>());
        return;
      case 9:
        store_->Snapshot(name, "s", true, Counted<SnapshotInfo>());
        store_->Restore("s", Name(random()), std::nullopt, Counted<BoardStatus>());
        return;
      case 10:
        store_->Stop(name, Counted<BoardStatus>());
        store_->use();
        store_->List("", 10);
        return;
      default:
        if (auto hold = store_->HoldLease(name)) clock_.Advance(std::chrono::seconds(60));
        store_->Update(name, std::chrono::seconds(600), std::chrono::seconds(60));
        return;
    }
  }

  life::Board glider_ = life::Board::Empty(kSide, kSide);
  std::atomic<int> asked_ = 0;
  std::atomic<int> answered_ = 0;
};

TEST_F(BoardStressTest, EveryAnswerComesOnceAndMemoryComesBack) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 6; ++i) {
    threads.emplace_back([this, i] {
      std::mt19937 random(i);
      for (int call = 0; call < kCalls; ++call) Call(random);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (unsigned i = 0; i < 5; ++i) Delete(Name(i));
  Await([&] { return asked_ == answered_; });
  // Restores and forks that were under way may have brought some back.
  for (unsigned i = 0; i < 5; ++i) Delete(Name(i));
  EXPECT_EQ(store_->use().memory_bytes, 0u);
  EXPECT_EQ(store_->use().boards, 0u);
}

TEST_F(BoardStressTest, DrainInTheMiddleAnswersEverything) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      std::mt19937 random(100 + i);
      for (int call = 0; call < kCalls; ++call) Call(random);
    });
  }
  Await([&] { return asked_ > kCalls; });
  store_->Drain();
  for (std::thread& thread : threads) thread.join();
  Await([&] { return asked_ == answered_; });
}

}  // namespace
}  // namespace gpusim::boards
