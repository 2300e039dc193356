#include "kernels/cpu/life_lanes_loops.h"
#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {
namespace {

struct Avx2 {};
using Words = std::uint64_t __attribute__((vector_size(32)));

}  // namespace

constinit const Lanes kAvx2Lanes = LaneLoops<PlainVector<Words, Avx2>>::Table("avx2");

}  // namespace gpusim::life
