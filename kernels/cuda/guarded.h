// Where CUDA's exceptions end: at the border of the backend.
#pragma once

#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/device_fault.h"

namespace gpusim::cuda {

// The first sticky fault of the process, which all its devices share. Thread-safe.
class StickyFaultRecord {
 public:
  void Note(const DeviceFault& fault) {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = fault;
  }
  std::optional<DeviceFault> first() const {
    const std::lock_guard lock(mutex_);
    return first_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<DeviceFault> first_;
};

inline StickyFaultRecord& StickyFaults() {
  static StickyFaultRecord record;
  return record;
}

// Runs `work` and turns what it throws into a fault.
template <class Work>
auto Guarded(const Work& work) -> DeviceResult<decltype(work())> {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const CudaError& error) {
    DeviceFault fault{error.what(), error.sticky()};
    if (fault.sticky) StickyFaults().Note(fault);
    return tl::unexpected(std::move(fault));
  } catch (const std::bad_alloc&) {
    return tl::unexpected(DeviceFault{"no memory for a slot's columns"});
  }
}

}  // namespace gpusim::cuda
