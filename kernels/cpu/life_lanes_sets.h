// The tables of all sets, the last two on x86-64 alone. One that the processor does not have must not be called.
#pragma once

#include "kernels/cpu/life_lanes.h"

namespace gpusim::life {

extern const Lanes kBaselineLanes;
extern const Lanes kAvx2Lanes;
extern const Lanes kAvx512Lanes;

}  // namespace gpusim::life
