#include <cstdint>

#include <cuda_runtime.h>

#include "tests/gpu/wild_kernel.h"

namespace gpusim::testing {
namespace {

__global__ void WriteNowhere(int* nowhere) { *nowhere = 1; }

}  // namespace

const char* RunWildKernel() {
  WriteNowhere<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{64}));
  return cudaGetErrorName(cudaDeviceSynchronize());
}

}  // namespace gpusim::testing
