#include "kernels/cpu/worker_team.h"

#include <algorithm>

namespace gpusim {

WorkerTeam::WorkerTeam(int threads) {
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  } catch (...) {
    Stop();
    throw;
  }
}

WorkerTeam::~WorkerTeam() { Stop(); }

void WorkerTeam::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerTeam::Run(std::size_t parts, const std::function<void(std::size_t)>& part,
                     const std::function<bool(std::size_t)>& look) {
  constexpr std::chrono::milliseconds kLook{100};
  std::unique_lock lock(mutex_);
  ++loop_;
  working_ = threads_.size();
  parts_ = parts;
  part_ = &part;
  next_ = 0;
  begin_.notify_all();
  bool go_on = true;
  while (!end_.wait_for(lock, kLook, [this] { return working_ == 0; })) {
    lock.unlock();
    if (go_on && !look(std::min(next_.load(), parts))) {
      go_on = false;
      next_ = parts;  // whoever asks for a part now finds none
    }
    lock.lock();
  }
  return go_on;
}

void WorkerTeam::Work() {
  std::unique_lock lock(mutex_);
  for (std::size_t loops_done = 0;; ++loops_done) {
    begin_.wait(lock, [&] { return stop_ || loop_ != loops_done; });
    if (stop_) return;
    const auto& part = *part_;
    const std::size_t parts = parts_;
    lock.unlock();
    for (std::size_t i = next_++; i < parts; i = next_++) part(i);
    lock.lock();
    if (--working_ == 0) end_.notify_one();
  }
}

}  // namespace gpusim
