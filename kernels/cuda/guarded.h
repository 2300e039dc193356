// Where CUDA's exceptions end: at the border of the backend.
#pragma once

#include <new>
#include <type_traits>

#include "kernels/cuda/check.h"
#include "kernels/device_fault.h"

namespace gpusim::cuda {

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
    return tl::unexpected(DeviceFault{error.what(), error.sticky()});
  } catch (const std::bad_alloc&) {
    return tl::unexpected(DeviceFault{"no memory for a slot's columns"});
  }
}

}  // namespace gpusim::cuda
