#include "kernels/cpu/cpu_threads.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include <sched.h>

namespace gpusim {
namespace {

int AffinityCpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());
}

// Of `quota` microseconds in each `period`; no limit where the kernel says "max" or a negative
// number.
int CpusOf(const std::string& quota, double period_us) {
  if (quota.empty() || quota == "max" || quota[0] == '-' || !(period_us > 0))
    return std::numeric_limits<int>::max();
  return static_cast<int>(std::ceil(std::strtod(quota.c_str(), nullptr) / period_us));
}

int QuotaCpus() {
  std::string quota;
  double period_us = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period_us)
    return CpusOf(quota, period_us);
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period_us) return CpusOf(quota, period_us);
  return std::numeric_limits<int>::max();
}

}  // namespace

int UsableCpus() { return std::max(1, std::min(AffinityCpus(), QuotaCpus())); }

}  // namespace gpusim
