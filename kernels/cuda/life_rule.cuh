// 64 cells as two registers, and one generation of them by three-input gates.
//
// Conway's rule takes 8 gates for 32 cells: two for a row's sums, which serve three rows, and the six below. The table
// of a gate is that of the instruction lop3: bit 4a + 2b + c is its value for the bits a, b, c.
#pragma once

#include <cstdint>

#include "kernels/rules/life_step.h"

namespace gpusim::cuda {

struct Cells {
  std::uint32_t low = 0;   // the first 32
  std::uint32_t high = 0;  // the others
};

__device__ inline Cells CellsOf(std::uint64_t word) {
  return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}
__device__ inline std::uint64_t WordOf(Cells cells) {
  return std::uint64_t{cells.high} << 32 | cells.low;
}
__device__ inline Cells operator&(Cells a, Cells b) { return {a.low & b.low, a.high & b.high}; }
__device__ inline Cells operator|(Cells a, Cells b) { return {a.low | b.low, a.high | b.high}; }

template <std::uint32_t kTable>
GPUSIM_HOST_DEVICE constexpr std::uint32_t Gate(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) {
    std::uint32_t value = 0;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(value) : "r"(a), "r"(b), "r"(c), "n"(kTable));
    return value;
  }
#endif
  std::uint32_t value = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    if ((kTable >> i & 1) == 0) continue;
    value |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return value;
}

using RowSum32 = life::RowSum<std::uint32_t>;

GPUSIM_HOST_DEVICE constexpr std::uint32_t ConwayByGates(RowSum32 top, RowSum32 middle,
                                                         RowSum32 bottom, std::uint32_t centre) {
  const std::uint32_t g0 = Gate<0x68>(bottom.twos, top.twos, top.ones);
  const std::uint32_t g1 = Gate<0x96>(middle.ones, bottom.ones, top.ones);
  const std::uint32_t g2 = Gate<0x7e>(middle.ones, bottom.ones, top.ones);
  const std::uint32_t g3 = Gate<0x52>(g2, g0, middle.twos);
  const std::uint32_t g4 = Gate<0x9e>(g3, bottom.twos, top.twos);
  return Gate<0x0e>(g4, g1, centre);
}

// All 512 neighbourhoods: bit i of the word of cell k says whether that cell lives in neighbourhood i of 32.
constexpr bool GatesAreConways() {
  for (std::uint32_t first = 0; first < 512; first += 32) {
    std::uint32_t cells[9] = {};
    for (std::uint32_t i = 0; i < 32; ++i)
      for (std::uint32_t k = 0; k < 9; ++k) cells[k] |= (first + i >> k & 1) << i;
    const auto top = life::SumRow(cells[0], cells[1], cells[2]);
    const auto middle = life::SumRow(cells[3], cells[4], cells[5]);
    const auto bottom = life::SumRow(cells[6], cells[7], cells[8]);
    if (ConwayByGates(top, middle, bottom, cells[4]) !=
        life::NextConwayCells(top, middle, bottom, cells[4]))
      return false;
  }
  return true;
}
static_assert(GatesAreConways());

struct CellSums {
  RowSum32 low;
  RowSum32 high;
};

__device__ inline CellSums SumsOf(Cells left, Cells centre, Cells right) {
  return {life::SumRow(left.low, centre.low, right.low),
          life::SumRow(left.high, centre.high, right.high)};
}

// The next cells of the middle row, whose cells are `centre`.
class ConwayRule {
 public:
  __device__ explicit ConwayRule(std::uint32_t /*rule_masks*/) {}
  __device__ Cells operator()(const CellSums& top, const CellSums& middle, const CellSums& bottom,
                              Cells centre) const {
    return {ConwayByGates(top.low, middle.low, bottom.low, centre.low),
            ConwayByGates(top.high, middle.high, bottom.high, centre.high)};
  }
};

class AnyRule {
 public:
  __device__ explicit AnyRule(std::uint32_t rule_masks)
      : words_(life::MakeRuleWords<std::uint32_t>(rule_masks)) {}
  __device__ Cells operator()(const CellSums& top, const CellSums& middle, const CellSums& bottom,
                              Cells centre) const {
    return {life::NextCells(top.low, middle.low, bottom.low, centre.low, words_),
            life::NextCells(top.high, middle.high, bottom.high, centre.high, words_)};
  }

 private:
  life::RuleWords<std::uint32_t> words_;
};

// Calls run(rule) with the rule of the masks, the same for all threads of a warp.
template <class Run>
__device__ void WithRule(std::uint32_t rule_masks, Run run) {
  if (rule_masks == life::RuleMasks(life::kConway)) return run(ConwayRule(rule_masks));
  run(AnyRule(rule_masks));
}

}  // namespace gpusim::cuda
