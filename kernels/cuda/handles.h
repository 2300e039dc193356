// Owners of what the CUDA runtime hands out. Destructors never throw: at the end of a process, or
// after a sticky error, there is nothing to be done about a failure.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory_resource>
#include <new>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"

namespace gpusim::cuda {

template <class Raw, cudaError_t (*Destroy)(Raw)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Raw raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != nullptr) Destroy(raw_);
  }
  Raw get() const { return raw_; }

 private:
  Raw raw_ = nullptr;
};

using Stream = Handle<cudaStream_t, cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, cudaEventDestroy>;
using DeviceMemory = Handle<void*, cudaFree>;
using HostMemory = Handle<void*, cudaFreeHost>;  // page-locked

inline Stream MakeStream() {
  cudaStream_t raw = nullptr;
  CheckCuda(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
  return Stream(raw);
}

inline Event MakeEvent() {
  cudaEvent_t raw = nullptr;
  CheckCuda(cudaEventCreateWithFlags(&raw, cudaEventBlockingSync | cudaEventDisableTiming));
  return Event(raw);
}

inline DeviceMemory MakeDeviceMemory(std::size_t bytes) {
  void* raw = nullptr;
  CheckCuda(cudaMalloc(&raw, bytes));
  return DeviceMemory(raw);
}

// Every device reads it at the same address.
inline HostMemory MakeHostMemory(std::size_t bytes) {
  void* raw = nullptr;
  CheckCuda(cudaHostAlloc(&raw, bytes, cudaHostAllocPortable | cudaHostAllocMapped));
  return HostMemory(raw);
}

// Blocks until the stream has done all that it was given. Spins for as long as a short batch takes
// (waking a thread costs tens of microseconds), then sleeps, so that a long batch does not starve
// the rest of a small machine.
inline void WaitFor(const Stream& stream, const Event& event) {
  constexpr std::chrono::microseconds kSpin{50};
  CheckCuda(cudaEventRecord(event.get(), stream.get()));
  const auto until = std::chrono::steady_clock::now() + kSpin;
  do {
    const cudaError_t state = cudaEventQuery(event.get());
    if (state != cudaErrorNotReady) return CheckCuda(state);
  } while (std::chrono::steady_clock::now() < until);
  CheckCuda(cudaEventSynchronize(event.get()));
}

// Page-locked host memory, which the device copies without a detour. Slow to take: for start-up
// only.
class PinnedMemory : public std::pmr::memory_resource {
 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) != cudaSuccess) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    return memory;  // page-aligned
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFreeHost(memory); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace gpusim::cuda
