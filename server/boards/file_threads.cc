#include "server/boards/file_threads.h"

#include <utility>

namespace gpusim::boards {

using batching::MutexLock;

FileThreads::FileThreads(std::size_t threads) {
  threads_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

FileThreads::~FileThreads() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    work_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void FileThreads::Post(std::function<void()> job) {
  const MutexLock lock(mutex_);
  jobs_.push_back(std::move(job));
  work_.NotifyOne();
}

void FileThreads::AwaitIdle() {
  const MutexLock lock(mutex_);
  while (!jobs_.empty() || running_ > 0) idle_.Wait(mutex_);
}

void FileThreads::Run() {
  while (true) {
    std::function<void()> job;
    {
      const MutexLock lock(mutex_);
      while (jobs_.empty() && !stopped_) work_.Wait(mutex_);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      ++running_;
    }
    job();
    job = nullptr;  // what it holds goes before it counts as done
    const MutexLock lock(mutex_);
    --running_;
    if (jobs_.empty() && running_ == 0) idle_.NotifyAll();
  }
}

}  // namespace gpusim::boards
