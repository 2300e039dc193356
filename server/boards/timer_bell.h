// Wakes the thread that looks after leases and files, when something is due before it meant to look.
#pragma once

#include "server/batching/clock.h"
#include "server/batching/mutex.h"

namespace gpusim::boards {

// Thread-safe.
class TimerBell {
 public:
  explicit TimerBell(batching::Clock& clock) : clock_(clock) {}

  // Something may be due at `when`.
  void Ring(batching::TimePoint when) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (when >= wake_at_) return;
    wake_at_ = when;
    changed_.NotifyAll();
  }
  void Stop() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }

  // Call before looking what is due: what rings from now on counts.
  void StartLooking() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    wake_at_ = batching::TimePoint::max();
  }
  // Waits until `next` or what has rung since; false once stopped.
  bool AwaitNext(batching::TimePoint next) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (next < wake_at_) wake_at_ = next;
    while (!stopped_ && clock_.Now() < wake_at_) clock_.WaitUntil(mutex_, changed_, wake_at_);
    return !stopped_;
  }

 private:
  batching::Clock& clock_;
  batching::Mutex mutex_;
  batching::CondVar changed_;
  batching::TimePoint wake_at_ GPUSIM_GUARDED_BY(mutex_) = batching::TimePoint::max();
  bool stopped_ GPUSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace gpusim::boards
