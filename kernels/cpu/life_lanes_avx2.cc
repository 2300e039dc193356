#include <immintrin.h>

#include "kernels/cpu/life_lanes_loops.h"
#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {
namespace {

using Words = std::uint64_t __attribute__((vector_size(32)));

struct Avx2 {
  static Words Product(Words a, Words b) {
    return reinterpret_cast<Words>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
};

}  // namespace

constinit const Lanes kAvx2Lanes = LaneLoops<PlainVector<Words, Avx2>>::Table("avx2");

}  // namespace gpusim::life
