// A few threads for what waits on a disk.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "server/batching/mutex.h"

namespace gpusim::boards {

// Thread-safe. Jobs start in order, as threads are free.
class FileThreads {
 public:
  explicit FileThreads(std::size_t threads);
  // Runs what was posted.
  ~FileThreads();

  void Post(std::function<void()> job) GPUSIM_EXCLUDES(mutex_);
  // Blocks until nothing is left. Not for a job.
  void AwaitIdle() GPUSIM_EXCLUDES(mutex_);

 private:
  void Run() GPUSIM_EXCLUDES(mutex_);

  batching::Mutex mutex_;
  batching::CondVar work_;
  batching::CondVar idle_;
  std::deque<std::function<void()>> jobs_ GPUSIM_GUARDED_BY(mutex_);
  std::size_t running_ GPUSIM_GUARDED_BY(mutex_) = 0;
  bool stopped_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last, as they use the others
};

}  // namespace gpusim::boards
