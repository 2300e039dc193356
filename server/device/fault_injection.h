// Faults made on purpose behind a backend that has none: --inject-fault.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/backend.h"
#include "server/config/injected_fault.h"

namespace gpusim::server {

// Thread-safe. Outlives the slots that it broke.
class FaultInjection {
 public:
  explicit FaultInjection(const InjectedFault& fault) : fault_(fault) {}

  // The slot, whose batches are counted from now on; as it was, if the fault is for another device.
  std::unique_ptr<Slot> Break(std::unique_ptr<Slot> slot, std::size_t device);

 private:
  class BrokenSlot;

  const InjectedFault fault_;
  std::atomic<std::uint64_t> batches_ = 0;
};

}  // namespace gpusim::server
