// CUDA's error codes as exceptions, which stay inside kernels/cuda: the backend's border turns them
// into a DeviceFault.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace gpusim::cuda {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::source_location& where)
      : std::runtime_error(std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code) +
                           " (" + where.function_name() + ", line " + std::to_string(where.line()) +
                           ")"),
        code_(code) {}

  // Whether the context is lost with it, so that only a new process can use the device again. What
  // the caller did wrong and what there was too little of leave it whole.
  bool sticky() const {
    return code_ != cudaErrorMemoryAllocation && code_ != cudaErrorInvalidValue &&
           code_ != cudaErrorInvalidConfiguration && code_ != cudaErrorCooperativeLaunchTooLarge;
  }

 private:
  cudaError_t code_;
};

inline void CheckCuda(cudaError_t code,
                      const std::source_location& where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky is not to be found again by the next call
  throw CudaError(code, where);
}

}  // namespace gpusim::cuda
