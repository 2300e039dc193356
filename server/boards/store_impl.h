// What the store consists of: the boards by name, the keeper that looks after leases and files, and the state directory.
//
// The store's lock guards the names alone; it is held while no board's is taken, and the other way round.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "server/boards/board.h"
#include "server/boards/board_store.h"
#include "server/boards/file_threads.h"
#include "server/boards/state_dir.h"

namespace gpusim::boards {

class BoardStore::Impl {
 public:
  Impl(StoreOptions options, Backend& backend, batching::Scheduler& scheduler,
       std::function<void(const std::string&)> log, batching::Clock& clock, FileHook hook);
  ~Impl();

  tl::expected<void, std::string> Start();
  void Drain(bool save) GPUSIM_EXCLUDES(mutex_);

  const StoreOptions& options() const { return options_; }
  BoardServices& services() { return *services_; }
  StoreUse use() const GPUSIM_EXCLUDES(mutex_);
  // Null where nothing is kept.
  StateDir* state() const { return state_.get(); }

  // Why nothing may be asked now.
  std::optional<BoardError> WhyNot() const GPUSIM_EXCLUDES(mutex_);
  Result<std::shared_ptr<Board>> Find(std::string_view name) const GPUSIM_EXCLUDES(mutex_);
  // All that are published, by ID.
  std::vector<std::shared_ptr<Board>> Boards(std::string_view after) const GPUSIM_EXCLUDES(mutex_);

  // A board that nobody sees yet, and its name.
  Result<std::shared_ptr<Board>> Make(Board::Birth birth) GPUSIM_EXCLUDES(mutex_);
  // kDraining, with nothing published, where nobody would save it any more.
  Result<void> Publish(const std::shared_ptr<Board>& board) GPUSIM_EXCLUDES(mutex_);
  void GiveUp(const std::string& id) GPUSIM_EXCLUDES(mutex_);
  // The ID for a new board, made up where it is empty; taken.
  Result<std::string> TakeName(std::string_view name) GPUSIM_EXCLUDES(mutex_);
  // Memory for the two buffers of a board, on the device if one is named.
  Result<MemoryBudget::Share> TakeMemory(const BoardShape& shape,
                                         std::optional<std::size_t> device);
  // Of so many bytes that are not free.
  BoardError NoMemory(std::uint64_t bytes, std::uint64_t free) const;
  void Fork(const std::shared_ptr<Board>& board, std::string new_id,
            std::optional<std::chrono::seconds> lease, const std::string& creator,
            Done<BoardStatus> done);

  // Closes the board and removes its file. False, and `done` is told kUnknown, where it is gone already or, with `only_expired`, its
  // lease was renewed.
  bool Free(const std::shared_ptr<Board>& board, bool only_expired, Done<BoardStatus> done);
  void Snapshot(const std::shared_ptr<Board>& board, const std::string& name, bool replace,
                Done<SnapshotInfo> done);
  void Restore(const std::string& snapshot, const std::string& new_id,
               std::optional<std::chrono::seconds> lease, const std::string& creator,
               Done<BoardStatus> done);
  void Post(std::function<void()> job) { files_->Post(std::move(job)); }

 private:
  void Keep();
  void Autosave(const std::shared_ptr<Board>& board);
  void Save(const std::shared_ptr<Board>& board, const PinnedBoard& pinned);
  void Expire(const std::shared_ptr<Board>& board);
  void Forget(const std::string& id) GPUSIM_EXCLUDES(mutex_);
  void TakeUp(const std::string& id);
  BoardFileFacts FactsOf(const Board& board, const PinnedBoard& pinned, const Board::Terms& terms,
                         SnapshotCause cause) const;
  Result<std::shared_ptr<Board>> Load(const BoardFile& file, Board::Birth birth);

  const StoreOptions options_;
  const std::function<void(const std::string&)> log_;
  const FileHook hook_;
  const std::shared_ptr<BoardServices> services_;
  mutable batching::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Board>, std::less<>> boards_ GPUSIM_GUARDED_BY(mutex_);
  std::set<std::string> making_ GPUSIM_GUARDED_BY(mutex_);
  // Files of boards that could not be taken up, by ID, and why.
  std::map<std::string, std::string, std::less<>> left_alone_ GPUSIM_GUARDED_BY(mutex_);
  bool draining_ GPUSIM_GUARDED_BY(mutex_) = false;

  // Made by Start, before anybody else calls.
  std::unique_ptr<StateDir> state_;
  std::unique_ptr<FileThreads> files_;
  std::thread keeper_;
};

}  // namespace gpusim::boards
