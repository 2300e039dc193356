#pragma once

#include <memory>

#include "kernels/backend.h"
#include "kernels/cpu/life_lanes.h"

namespace gpusim {

// MakeCpuBackend with lanes of the test's choice; the processor has to have them.
std::unique_ptr<Backend> MakeCpuBackendForTesting(int threads, const life::Lanes& lanes);

}  // namespace gpusim
