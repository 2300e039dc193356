// A store of boards on the CPU, with a clock that stands still and a device in the test's hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/scheduler.h"
#include "server/boards/board_store.h"
#include "server/kinds/resident_kind.h"
#include "tests/testing/board_device.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/life_cases.h"

namespace gpusim::boards {

// What a Done was told; waits for it.
template <class T>
class Answer {
 public:
  std::function<void(Result<T>)> done() {
    return [promise = promise_](Result<T> result) { promise->set_value(std::move(result)); };
  }
  Result<T> Get() { return future_.get(); }
  bool ready() const {
    return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

 private:
  std::shared_ptr<std::promise<Result<T>>> promise_ = std::make_shared<std::promise<Result<T>>>();
  std::future<Result<T>> future_ = promise_->get_future();
};

// Hears of a run, and has room for so many rows. Thread-safe.
class RunLog final : public RunListener {
 public:
  explicit RunLog(std::size_t room = SIZE_MAX) : room_(room) {}

  bool OnProgress(const RunProgress& progress) override {
    const batching::MutexLock lock(mutex_);
    EXPECT_FALSE(end_.has_value()) << "news after the end";
    progress_.push_back(progress);
    changed_.NotifyAll();
    return progress_.size() < room_;
  }
  void OnEnd(const RunEnd& end, const RunProgress& last) override {
    const batching::MutexLock lock(mutex_);
    EXPECT_FALSE(end_.has_value()) << "ended twice";
    end_ = end;
    last_ = last;
    changed_.NotifyAll();
  }

  RunEnd AwaitEnd() {
    const batching::MutexLock lock(mutex_);
    while (!end_) changed_.Wait(mutex_);
    return *end_;
  }
  bool ended() {
    const batching::MutexLock lock(mutex_);
    return end_.has_value();
  }
  BoardFacts last() {
    const batching::MutexLock lock(mutex_);
    return last_.facts;
  }
  std::vector<RunProgress> AwaitProgress(std::size_t count) {
    const batching::MutexLock lock(mutex_);
    while (progress_.size() < count) changed_.Wait(mutex_);
    return progress_;
  }
  std::vector<RunProgress> progress() { return AwaitProgress(0); }
  void MakeRoom(std::size_t room) {
    const batching::MutexLock lock(mutex_);
    room_ = room;
  }

 private:
  batching::Mutex mutex_;
  batching::CondVar changed_;
  std::size_t room_ GPUSIM_GUARDED_BY(mutex_);
  std::vector<RunProgress> progress_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<RunEnd> end_ GPUSIM_GUARDED_BY(mutex_);
  RunProgress last_ GPUSIM_GUARDED_BY(mutex_);
};

// A stamp in host memory.
class HostStamp final : public StampRows {
 public:
  explicit HostStamp(life::Board board) : board_(std::move(board)) {}
  std::uint32_t width() const override { return board_.width; }
  std::uint32_t height() const override { return board_.height; }
  Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override {
    if (fails)
      return tl::unexpected(
          BoardError{.reason = BoardError::Reason::kDevice, .message = "no stamp"});
    const std::uint64_t words = life::WordsPerRow(board_.width);
    std::copy_n(board_.words.begin() + static_cast<std::ptrdiff_t>(y * words), rows * words, out);
    return {};
  }
  bool fails = false;

 private:
  life::Board board_;
};

class BoardStoreTest : public ::testing::Test {
 protected:
  // Bytes of the budget unless a test sets options_ before Open.
  static constexpr std::uint64_t kBudget = std::uint64_t{64} << 20;

  BoardStoreTest() { options_.owner = "here"; }
  ~BoardStoreTest() override {
    device_.ReleaseAll();
    store_.reset();
    scheduler_.reset();
    std::error_code ignored;
    if (!dir_.empty()) std::filesystem::remove_all(dir_, ignored);
  }

  // A state directory of the test's own.
  const std::string& UseStateDir() {
    std::string name = (std::filesystem::temp_directory_path() / "gpusim-boards-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no directory " << name;
    dir_ = name;
    options_.state_dir = dir_;
    return dir_;
  }

  tl::expected<void, std::string> TryOpen() {
    if (backend_ == nullptr) backend_ = testing::MakeBoardBackend(device_);
    const std::size_t devices = backend_->devices().size();
    if (scheduler_ == nullptr) scheduler_ = MakeScheduler(devices);
    if (options_.device_memory.empty()) options_.device_memory.assign(devices, kBudget);
    store_ = std::make_unique<BoardStore>(
        options_, *backend_, *scheduler_, [this](const std::string& line) { Log(line); }, clock_,
        hook_);
    return store_->Start();
  }
  void Open() {
    const auto opened = TryOpen();
    ASSERT_TRUE(opened.has_value()) << opened.error();
  }
  // As a server that ends and comes back.
  void Reopen() {
    store_->Drain();
    store_.reset();
    scheduler_.reset();
    Open();
  }

  std::unique_ptr<batching::Scheduler> MakeScheduler(std::size_t devices) {
    constexpr std::size_t kSlots = 2;
    constexpr std::size_t kBoards = 256;
    constexpr std::size_t kFacts = 4096;
    slots_.clear();
    std::vector<batching::SlotRunners> runners;
    for (std::size_t slot = 0; slot < kSlots * devices; ++slot) {
      slots_.push_back(*backend_->MakeSlot(slot / kSlots,
                                           {.life_facts = kFacts, .resident_boards = kBoards}, {}));
      runners.emplace_back(devices)[slot / kSlots] =
          std::make_unique<kinds::ResidentRunner>(*slots_.back());
    }
    const batching::KindOptions kind{
        .name = "boards",
        .batch_limit = {kBoards, kFacts * kinds::kFactRowBytes, UINT64_MAX},
        .max_tasks = UINT64_MAX,
        .max_bytes = UINT64_MAX};
    return std::make_unique<batching::Scheduler>(std::vector<batching::KindOptions>(devices, kind),
                                                 std::move(runners), batching::SteadyClock());
  }

  void Log(const std::string& line) {
    const batching::MutexLock lock(log_mutex_);
    log_ += line + "\n";
  }
  std::string log() {
    const batching::MutexLock lock(log_mutex_);
    return log_;
  }

  Result<BoardStatus> TryCreate(const std::string& id, const life::Board& board,
                                BoardStore::NewBoardWishes wishes = {}) {
    wishes.id = id;
    wishes.shape.width = board.width;
    wishes.shape.height = board.height;
    auto made = store_->Create(wishes);
    if (!made) return tl::unexpected(made.error());
    if (auto written = (*made)->WriteRows(0, board.words); !written)
      return tl::unexpected(written.error());
    return (*made)->Publish();
  }
  BoardStatus Create(const std::string& id, const life::Board& board,
                     const BoardStore::NewBoardWishes& wishes = {}) {
    auto made = TryCreate(id, board, wishes);
    if (!made) ADD_FAILURE() << made.error().message;
    return made.value_or(BoardStatus{});
  }

  // The same cells each time.
  life::Board Soup(std::uint32_t width, std::uint32_t height, unsigned seed = 1) {
    std::mt19937_64 random(seed);
    return testing::RandomBoard(width, height, 0.4, random);
  }
  static life::Board After(const life::Board& board, std::uint32_t generations,
                           const BoardShape& shape = {}) {
    return testing::StepByReference({board, shape.rule, shape.topology, generations}).board;
  }

  static life::Board CellsOf(const PinnedBoard& pin) {
    life::Board board = life::Board::Empty(pin.shape.width, pin.shape.height);
    const auto read =
        pin.cells->Read({.y = 0,
                         .rows = board.height,
                         .word = 0,
                         .words = static_cast<std::uint32_t>(life::WordsPerRow(board.width))},
                        board.words.data());
    EXPECT_TRUE(read.has_value());
    return board;
  }
  PinnedBoard Pin(const std::string& name) {
    Answer<PinnedBoard> pin;
    store_->Pin(name, pin.done());
    auto pinned = pin.Get();
    if (!pinned) ADD_FAILURE() << pinned.error().message;
    return pinned.value_or(PinnedBoard{});
  }
  life::Board Cells(const std::string& name) { return CellsOf(Pin(name)); }

  static RunWishes To(std::uint64_t generation) {
    RunWishes wishes;
    wishes.to_generation = generation;
    return wishes;
  }
  std::shared_ptr<RunLog> Start(const std::string& name, const RunWishes& wishes,
                                std::size_t room = SIZE_MAX) {
    auto run = std::make_shared<RunLog>(room);
    const auto started = store_->StartRun(name, wishes, run);
    if (!started) ADD_FAILURE() << started.error().message;
    run_id_ = started.value_or(0);
    return run;
  }
  RunEnd Run(const std::string& name, const RunWishes& wishes) {
    return Start(name, wishes)->AwaitEnd();
  }
  std::optional<BoardError> RunError(const std::string& name, const RunWishes& wishes) {
    const auto started = store_->StartRun(name, wishes, nullptr);
    return started ? std::nullopt : std::optional(started.error());
  }
  Result<BoardStatus> Write(const std::string& name, const BoardStore::WriteWishes& wishes) {
    Answer<BoardStatus> written;
    store_->Write(name, wishes, written.done());
    return written.Get();
  }
  Result<BoardStatus> Delete(const std::string& name) {
    Answer<BoardStatus> deleted;
    store_->Delete(name, deleted.done());
    return deleted.Get();
  }
  Result<BoardStatus> Fork(const std::string& name, const std::string& new_id) {
    Answer<BoardStatus> forked;
    store_->Fork(name, new_id, std::nullopt, forked.done());
    return forked.Get();
  }
  Result<SnapshotInfo> Snapshot(const std::string& name, const std::string& snapshot,
                                bool replace = false) {
    Answer<SnapshotInfo> saved;
    store_->Snapshot(name, snapshot, replace, saved.done());
    return saved.Get();
  }
  Result<BoardStatus> Restore(const std::string& snapshot, const std::string& new_id) {
    Answer<BoardStatus> restored;
    store_->Restore(snapshot, new_id, std::nullopt, restored.done());
    return restored.Get();
  }
  template <class Wanted>
  void Await(const Wanted& wanted) {
    for (int i = 0; i < 200'000 && !wanted(); ++i) std::this_thread::yield();
    EXPECT_TRUE(wanted());
  }

  testing::BoardDevice device_;
  batching::FakeClock clock_;
  StoreOptions options_;
  FileHook hook_;
  std::string dir_;
  std::unique_ptr<Backend> backend_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<batching::Scheduler> scheduler_;
  std::unique_ptr<BoardStore> store_;
  BoardStore::RunId run_id_ = 0;

 private:
  batching::Mutex log_mutex_;
  std::string log_ GPUSIM_GUARDED_BY(log_mutex_);
};

}  // namespace gpusim::boards
