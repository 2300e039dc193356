#include "kernels/cpu/life_lanes.h"

#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {

std::vector<const Lanes*> AvailableLanes() {
  std::vector<const Lanes*> lanes = {&kBaselineLanes};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) lanes.push_back(&kAvx2Lanes);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2") &&
      __builtin_cpu_supports("avx512vpopcntdq"))
    lanes.push_back(&kAvx512Lanes);
#endif
  return lanes;
}

const Lanes& BestLanes() {
  static const Lanes& best = *AvailableLanes().back();
  return best;
}

}  // namespace gpusim::life
