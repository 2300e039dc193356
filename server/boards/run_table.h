// Where the runs are that are not over, by their ids. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "server/batching/mutex.h"

namespace gpusim::boards {

class Board;

class RunTable {
 public:
  // Ids are never 0 and never used again.
  std::uint64_t Add(std::weak_ptr<Board> board) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    boards_.emplace(++last_, std::move(board));
    return last_;
  }
  void Forget(std::uint64_t run) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    boards_.erase(run);
  }
  // Null where it is over.
  std::shared_ptr<Board> BoardOf(std::uint64_t run) const GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    const auto found = boards_.find(run);
    return found == boards_.end() ? nullptr : found->second.lock();
  }

 private:
  mutable batching::Mutex mutex_;
  std::uint64_t last_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, std::weak_ptr<Board>> boards_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::boards
