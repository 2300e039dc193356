#include "client/cancellation_state.h"

#include <utility>
#include <vector>

#include <gpusim/cancellation.h>

namespace gpusim {

CancellationState::Id CancellationState::Add(std::function<void()> stop) {
  std::unique_lock lock(mutex_);
  const Id id = next_id_++;
  stops_.emplace(id, stop);
  if (cancelled_) {
    lock.unlock();
    stop();
  }
  return id;
}

void CancellationState::Remove(Id id) {
  const std::lock_guard lock(mutex_);
  stops_.erase(id);
  // Notified under the lock: whoever waits may destroy this object as soon as the lock is free.
  changed_.notify_all();
}

void CancellationState::Cancel() {
  std::vector<std::function<void()>> stops;
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
    cancelled_ = true;
    for (const auto& [id, stop] : stops_) stops.push_back(stop);
    changed_.notify_all();
  }
  for (const auto& stop : stops) stop();
}

bool CancellationState::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

bool CancellationState::WaitFor(std::chrono::nanoseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return cancelled_; });
}

void CancellationState::AwaitEmpty() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stops_.empty(); });
}

Cancellation::Cancellation() : state_(std::make_shared<CancellationState>()) {}

void Cancellation::Cancel() { state_->Cancel(); }

bool Cancellation::cancelled() const { return state_->cancelled(); }

}  // namespace gpusim
