// What every processor of the architecture has: on x86-64 SSE2.
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "kernels/cpu/life_lanes_loops.h"
#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {
namespace {

using Words = std::uint64_t __attribute__((vector_size(16)));

struct Baseline {
  static Words Product(Words a, Words b) {
#if defined(__x86_64__)
    return reinterpret_cast<Words>(
        _mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
  }
};

}  // namespace

constinit const Lanes kBaselineLanes = LaneLoops<PlainVector<Words, Baseline>>::Table("baseline");

}  // namespace gpusim::life
