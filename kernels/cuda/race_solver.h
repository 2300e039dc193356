// Solves a race table on a GPU: the layers of kernels/race/race_layers.h as kernels.
#pragma once

#include "kernels/backend.h"

namespace gpusim::cuda {

// As Backend::SolveRaceTable, on the device with the most free memory. Throws CudaError where CUDA
// fails; too little memory is a fault that says how much it takes.
DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTableOnGpu(
    camel_up::Edition edition, const RaceSolveWatch& watch);

}  // namespace gpusim::cuda
