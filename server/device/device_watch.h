// Looks after the devices: one that is broken, or hangs, is never used again, nor is any other. The process has to end.
//
//   slot of the backend  --> watched slot: a sticky fault?  ---+
//   runner of a slot     --> heartbeat <-- looked at ----------+--> lost: told once, and every batch fails from now on,
//   backend              --> StickyFault() <-- asked ----------+    those under way too
//
// CUDA has one state of all devices for a process, and what is asked does not choose its device: so one lost device is the
// whole process's end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "kernels/backend.h"
#include "server/batching/clock.h"
#include "server/batching/heartbeat.h"
#include "server/batching/mutex.h"
#include "server/batching/scheduler.h"

namespace gpusim::server {

struct DeviceLoss {
  enum class How : std::uint8_t { kFault, kHang };
  How how = How::kFault;
  std::string what;  // names the device
};

// Thread-safe. Outlives the slots and runners that it watches.
class DeviceWatch {
 public:
  // A batch that runs for longer than `timeout` hangs. `on_lost` is told once, on any thread; it must not block and may run
  // while a batch is under way. The backend outlives the watch.
  DeviceWatch(const Backend& backend, std::chrono::milliseconds timeout,
              std::function<void(const DeviceLoss&)> on_lost,
              batching::Clock& clock = batching::SteadyClock());
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  // The slot, with its faults heard of.
  std::unique_ptr<Slot> Watch(std::unique_ptr<Slot> slot, std::size_t device);
  // The runners of one slot, with a heartbeat.
  batching::SlotRunners Watch(batching::SlotRunners runners, std::size_t device);

  // The first loss, for good.
  bool lost() const { return lost_; }
  std::optional<DeviceLoss> loss() const GPUSIM_EXCLUDES(mutex_);

 private:
  class WatchedSlot;
  class WatchedRunner;
  struct Worker {
    Worker(std::size_t the_device, const batching::HangCheck& the_check)
        : device(the_device), check(the_check) {}

    const std::size_t device;
    batching::HangCheck check;
    batching::Heartbeat heartbeat;
  };

  void Lose(const DeviceLoss& loss) GPUSIM_EXCLUDES(mutex_);
  DeviceFault Fault() const;
  void Look();
  std::optional<DeviceLoss> FindLoss() GPUSIM_EXCLUDES(mutex_);
  std::string NameOf(std::size_t device) const;

  const Backend& backend_;
  const std::chrono::milliseconds timeout_;
  const std::chrono::nanoseconds interval_;  // between two looks
  const std::function<void(const DeviceLoss&)> on_lost_;
  batching::Clock& clock_;
  std::atomic<bool> lost_ = false;

  mutable batching::Mutex mutex_;
  batching::CondVar ending_changed_;
  bool ending_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::optional<DeviceLoss> loss_ GPUSIM_GUARDED_BY(mutex_);
  std::deque<Worker> workers_ GPUSIM_GUARDED_BY(mutex_);  // keep their address

  std::thread thread_;  // last, so that it finds everything else made
};

}  // namespace gpusim::server
