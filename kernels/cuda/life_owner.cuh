// Which board a tile or a part belongs to.
#pragma once

#include <cstdint>

#include "kernels/cuda/life_kernels.h"

namespace gpusim::cuda {

// The last run whose `first` is not above `number`. Precondition: that of runs[0] is not.
__device__ inline const BoardRun& OwnerOf(const RunRange& range, std::uint64_t BoardRun::*first,
                                          std::uint64_t number) {
  std::uint32_t begin = 0;
  std::uint32_t end = range.count;
  while (end - begin > 1) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    (range.runs[middle].*first <= number ? begin : end) = middle;
  }
  return range.runs[begin];
}

}  // namespace gpusim::cuda
