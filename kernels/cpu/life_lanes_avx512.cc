// AVX-512 with VBMI2 and VPOPCNTDQ (Ice Lake, Zen 4 and later). An instruction of three operands does for two or three
// gates: a step takes 8, two sums among them, and 2 funnel shifts.
#include <immintrin.h>

#include "kernels/cpu/life_lanes_loops.h"
#include "kernels/cpu/life_lanes_sets.h"

namespace gpusim::life {
namespace {

using Words = std::uint64_t __attribute__((vector_size(64)));

struct Avx512 {
  static constexpr std::uint32_t kWords = 8;
  Words words;

  static Avx512 Of(__m512i words) { return {reinterpret_cast<Words>(words)}; }
  __m512i raw() const { return reinterpret_cast<__m512i>(words); }

  static Avx512 Load(const std::uint64_t* from) { return Of(_mm512_loadu_si512(from)); }
  static void Store(std::uint64_t* to, Avx512 v) { _mm512_storeu_si512(to, v.raw()); }
  static Avx512 Broadcast(std::uint64_t word) { return {Words{} + word}; }

  friend Avx512 operator&(Avx512 a, Avx512 b) { return {a.words & b.words}; }
  friend Avx512 operator|(Avx512 a, Avx512 b) { return {a.words | b.words}; }
  friend Avx512 operator^(Avx512 a, Avx512 b) { return {a.words ^ b.words}; }
  friend Avx512 operator+(Avx512 a, Avx512 b) { return {a.words + b.words}; }
  friend Avx512 operator-(Avx512 a, Avx512 b) { return {a.words - b.words}; }
  friend Avx512 operator~(Avx512 a) { return {~a.words}; }
  friend Avx512 operator<<(Avx512 a, std::uint32_t bits) { return {a.words << bits}; }
  friend Avx512 operator>>(Avx512 a, std::uint32_t bits) { return {a.words >> bits}; }

  // Bit 4 a + 2 b + c of the table is the outcome.
  template <int kTable>
  static Avx512 Gate(Avx512 a, Avx512 b, Avx512 c) {
    return Of(_mm512_ternarylogic_epi64(a.raw(), b.raw(), c.raw(), kTable));
  }

  static Avx512 WithLeft(Avx512 centre, Avx512 before) {
    return Of(_mm512_shldi_epi64(centre.raw(), before.raw(), 1));
  }
  static Avx512 WithRight(Avx512 centre, Avx512 after) {
    return Of(_mm512_shrdi_epi64(centre.raw(), after.raw(), 1));
  }
  // Of all words: the form without a mask makes g++ 12 warn of a variable in its own header.
  static Avx512 Product(Avx512 a, Avx512 b) {
    return Of(_mm512_maskz_mul_epu32(0xff, a.raw(), b.raw()));
  }
  static Avx512 Term(Avx512 a, Avx512 b, Avx512 c) { return Gate<0x78>(a, b, c); }
  static LaneSum<Avx512> Sum(Avx512 a, Avx512 b, Avx512 c) {
    return {Gate<0x96>(a, b, c), Gate<0xe8>(a, b, c)};
  }
  // Six gates, found by search and checked on all 512 neighbourhoods by the tests.
  static Avx512 Conway(LaneSum<Avx512> top, LaneSum<Avx512> middle, LaneSum<Avx512> bottom,
                       Avx512 centre) {
    const Avx512 g0 = Gate<0x68>(bottom.twos, top.twos, top.ones);
    const Avx512 ones = Gate<0x96>(middle.ones, bottom.ones, top.ones);
    const Avx512 g2 = Gate<0x7e>(middle.ones, bottom.ones, top.ones);
    const Avx512 g3 = Gate<0x52>(g2, g0, middle.twos);
    const Avx512 g4 = Gate<0x9e>(g3, bottom.twos, top.twos);
    return Gate<0x0e>(g4, ones, centre);
  }
  static Avx512 Bits(Avx512 v) { return Of(_mm512_popcnt_epi64(v.raw())); }
};

}  // namespace

constinit const Lanes kAvx512Lanes = LaneLoops<Avx512>::Table("avx512");

}  // namespace gpusim::life
