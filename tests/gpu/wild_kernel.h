#pragma once

namespace gpusim::testing {

// Runs a kernel that writes where nothing is: from then on the process can not use its GPU any more. Returns CUDA's word for it.
const char* RunWildKernel();

}  // namespace gpusim::testing
