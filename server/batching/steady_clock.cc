#include "server/batching/clock.h"

namespace gpusim::batching {
namespace {

class MachineClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::steady_clock::now(); }

  void WaitUntil(Mutex& mutex, CondVar& changed, TimePoint when) override GPUSIM_REQUIRES(mutex) {
    if (when == TimePoint::max()) {
      changed.Wait(mutex);
    } else {
      changed.WaitUntil(mutex, when);
    }
  }
};

}  // namespace

Clock& SteadyClock() {
  // Never destroyed: threads may still wait by it while the process exits.
  static Clock& clock = *new MachineClock;
  return clock;
}

}  // namespace gpusim::batching
