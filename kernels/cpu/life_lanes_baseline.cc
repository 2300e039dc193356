// What every processor of the architecture has: on x86-64 SSE2.
#include "kernels/cpu/life_lanes_loops.h"
#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {
namespace {

struct Baseline {};
using Words = std::uint64_t __attribute__((vector_size(16)));

}  // namespace

constinit const Lanes kBaselineLanes = LaneLoops<PlainVector<Words, Baseline>>::Table("baseline");

}  // namespace gpusim::life
