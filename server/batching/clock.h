// The time that the scheduler goes by. Injected, so that tests move it by hand.
#pragma once

#include <chrono>

#include "server/batching/mutex.h"

namespace gpusim::batching {

using TimePoint = std::chrono::steady_clock::time_point;

// Thread-safe. Never goes backwards.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
  // Waits on `changed` until it is notified or the time has come; TimePoint::max() waits for the
  // notification alone. May return early. `mutex` is released while it waits; the two outlive the
  // call.
  virtual void WaitUntil(Mutex& mutex, CondVar& changed, TimePoint when) GPUSIM_REQUIRES(mutex) = 0;
};

// The steady clock of the machine. Lives for ever.
Clock& SteadyClock();

}  // namespace gpusim::batching
