// The tests' backend behind a gate: batches stop in front of it while it is closed, so that a test
// decides when a device is busy; or they fail, as on a broken device.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/backend.h"
#include "server/batching/mutex.h"

namespace gpusim::testing {

// Starts open. Thread-safe.
class DeviceGate {
 public:
  void Close() GPUSIM_EXCLUDES(mutex_);
  void Open() GPUSIM_EXCLUDES(mutex_);
  // Lets so many batches through the closed gate, and waits until they have passed.
  void LetPass(int batches) GPUSIM_EXCLUDES(mutex_);
  // From now on every batch fails with this.
  void Break(const std::string& fault, bool sticky = false) GPUSIM_EXCLUDES(mutex_);
  // The same of the next batch alone.
  void BreakNext(const std::string& fault, bool sticky = false) GPUSIM_EXCLUDES(mutex_);
  // Batches pass again.
  void Mend() GPUSIM_EXCLUDES(mutex_);
  // Waits until so many batches have stopped in front of it.
  void AwaitStopped(int batches) GPUSIM_EXCLUDES(mutex_);

  // For the backend: waits while the gate is closed; the fault, if it is broken.
  std::optional<DeviceFault> Pass() GPUSIM_EXCLUDES(mutex_);

 private:
  batching::Mutex mutex_;
  batching::CondVar changed_;
  bool closed_ GPUSIM_GUARDED_BY(mutex_) = false;
  int stopped_ GPUSIM_GUARDED_BY(mutex_) = 0;
  int may_pass_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::optional<DeviceFault> fault_ GPUSIM_GUARDED_BY(mutex_);
  bool fault_once_ GPUSIM_GUARDED_BY(mutex_) = false;
};

// The gate has to outlive the backend.
std::unique_ptr<Backend> MakeHeldBackend(DeviceGate& gate);

}  // namespace gpusim::testing
