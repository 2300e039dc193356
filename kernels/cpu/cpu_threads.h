#pragma once

namespace gpusim {

// Processors that this process may keep busy: those of its affinity mask, and no more than the CPU
// quota of its control group (v2 cpu.max, v1 cpu.cfs_quota_us), rounded up. At least 1. oneTBB
// itself knows nothing of quotas.
int UsableCpus();

}  // namespace gpusim
