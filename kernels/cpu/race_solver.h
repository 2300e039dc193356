// Solves a race table on the processor: layer by layer (kernels/race/race_layers.h), each layer's
// shapes shared out among threads.
#pragma once

#include "kernels/backend.h"

namespace gpusim::camel_up {

// As Backend::SolveRaceTable, with `threads` >= 1. Thread-safe. The second edition takes 10.3 GiB
// meanwhile.
DeviceResult<std::shared_ptr<const RaceTable>> SolveRaceTableOnCpu(Edition edition, int threads,
                                                                   const RaceSolveWatch& watch);

}  // namespace gpusim::camel_up
