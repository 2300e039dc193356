// A clock that stands still until a test moves it.
#pragma once

#include <chrono>
#include <list>
#include <vector>

#include "server/batching/clock.h"
#include "server/batching/mutex.h"

namespace gpusim::batching {

// Thread-safe, with one condition: the mutexes and conditions that others wait with have to outlive
// a call of Advance that is under way.
class FakeClock final : public Clock {
 public:
  TimePoint Now() const override {
    MutexLock lock(mutex_);
    return now_;
  }

  void WaitUntil(Mutex& mutex, CondVar& changed, TimePoint when) override GPUSIM_REQUIRES(mutex) {
    std::list<Waiter>::iterator waiter;
    {
      MutexLock lock(mutex_);
      if (when <= now_) return;
      waiter = waiters_.insert(waiters_.end(), {&mutex, &changed, when});
    }
    changed.Wait(mutex);
    MutexLock lock(mutex_);
    waiters_.erase(waiter);
  }

  // Moves the time and wakes everybody whose time has come. Call it without a lock that is waited
  // with.
  void Advance(std::chrono::nanoseconds by) {
    std::vector<Waiter> due;
    {
      MutexLock lock(mutex_);
      now_ += by;
      for (const Waiter& waiter : waiters_) {
        if (waiter.when <= now_) due.push_back(waiter);
      }
    }
    for (const Waiter& waiter : due) {
      // Who is on the list holds this lock until it really waits, and would miss the notification
      // before.
      { MutexLock lock(*waiter.mutex); }
      waiter.changed->NotifyAll();
    }
  }

 private:
  struct Waiter {
    Mutex* mutex = nullptr;
    CondVar* changed = nullptr;
    TimePoint when;
  };

  mutable Mutex mutex_;
  // Not the epoch, so that a time that was never set does not look like now.
  TimePoint now_ GPUSIM_GUARDED_BY(mutex_) = TimePoint(std::chrono::hours(1));
  std::list<Waiter> waiters_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::batching
