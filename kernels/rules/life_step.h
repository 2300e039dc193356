// One generation of a life-like rule on packed words, for host and device; Word is an unsigned
// integer or a vector of them, one cell a bit.
//
// Per row, the number of live cells among left, centre and right is two bits a cell, S (ones) and M
// (twos):
//   S = l ^ c ^ r    M = majority(l, c, r)
// A row's S and M serve the outputs of three rows. Of the nine cells of a neighbourhood, the sum of
// three rows:
//   ones   = St ^ Sm ^ Sb                     carry = majority(St, Sm, Sb)
//   twos   = carry + Mt + Mm + Mb             0 to 4, the centre counted in
#pragma once

#include <cstdint>

#include "kernels/life.h"
#include "kernels/rules/host_device.h"

namespace gpusim::life {

template <class Word>
struct RowSum {
  Word ones;
  Word twos;
};

template <class Word>
GPUSIM_HOST_DEVICE constexpr Word Majority(Word a, Word b, Word c) {
  return (a & b) | (c & (a | b));
}

template <class Word>
GPUSIM_HOST_DEVICE constexpr RowSum<Word> SumRow(Word left, Word centre, Word right) {
  return {left ^ centre ^ right, Majority(left, centre, right)};
}

// The rule as data: word v of `dead` is all ones if a dead cell with a sum of v (centre included)
// comes to life, of `live` if a live one stays.
template <class Word>
struct RuleWords {
  Word dead[10];
  Word live[10];
};

template <class Word>
GPUSIM_HOST_DEVICE constexpr RuleWords<Word> MakeRuleWords(std::uint32_t rule_masks) {
  RuleWords<Word> words{};
  for (int sum = 0; sum <= 9; ++sum) {
    const bool born = sum <= 8 && (rule_masks >> sum & 1) != 0;
    const bool stays = sum >= 1 && (rule_masks >> (16 + sum - 1) & 1) != 0;
    words.dead[sum] = born ? ~Word{} : Word{};
    words.live[sum] = stays ? ~Word{} : Word{};
  }
  return words;
}

template <class Word>
GPUSIM_HOST_DEVICE constexpr Word Select(Word mask, Word if_set, Word if_clear) {
  return (mask & if_set) | (~mask & if_clear);
}

// Any rule: looks the sum of nine up in the rule, a tree of selections over the bits of the sum.
template <class Word>
GPUSIM_HOST_DEVICE constexpr Word NextCells(RowSum<Word> top, RowSum<Word> middle,
                                            RowSum<Word> bottom, Word centre,
                                            const RuleWords<Word>& rule) {
  const Word ones = top.ones ^ middle.ones ^ bottom.ones;
  const Word carry = Majority(top.ones, middle.ones, bottom.ones);
  const Word half = top.twos ^ middle.twos ^ bottom.twos;
  const Word fours_a = Majority(top.twos, middle.twos, bottom.twos);
  const Word twos = half ^ carry;
  const Word fours_b = half & carry;
  const Word fours = fours_a ^ fours_b;
  const Word eights = fours_a & fours_b;
  auto outcome = [&](int sum) { return Select(centre, rule.live[sum], rule.dead[sum]); };
  auto pair = [&](int even) { return Select(ones, outcome(even + 1), outcome(even)); };
  const Word low = Select(fours, Select(twos, pair(6), pair(4)), Select(twos, pair(2), pair(0)));
  return Select(eights, pair(8), low);
}

// B3/S23 alone: lives with a sum of 3, or of 4 if alive already.
template <class Word>
GPUSIM_HOST_DEVICE constexpr Word NextConwayCells(RowSum<Word> top, RowSum<Word> middle,
                                                  RowSum<Word> bottom, Word centre) {
  const Word ones = top.ones ^ middle.ones ^ bottom.ones;
  const Word carry = Majority(top.ones, middle.ones, bottom.ones);
  const Word half = top.twos ^ middle.twos ^ bottom.twos;
  const Word pair = Majority(top.twos, middle.twos, bottom.twos);
  const Word one_two = (half ^ carry) & ~pair;  // the four twos sum to exactly 1
  const Word two_twos = ~(half ^ carry) & (pair ^ (half & carry));  // to exactly 2
  return (ones & one_two) | (centre & ~ones & two_twos);
}

// Words of a row with its horizontal neighbours, at a bounded board's edges: on a torus the row
// continues at its other end, on a plane it is dead beyond. Padding bits of `row` are 0; those of
// what is returned are not.
struct RowEdges {
  std::uint32_t words;      // in a row
  std::uint32_t last_bits;  // cells in the last word, 1 to 64
  bool torus;
};

GPUSIM_HOST_DEVICE constexpr RowEdges EdgesOf(std::uint32_t width, Topology topology) {
  return {(width + kCellsPerWord - 1) / kCellsPerWord, (width - 1) % kCellsPerWord + 1,
          topology == Topology::kTorus};
}

GPUSIM_HOST_DEVICE constexpr std::uint64_t LastWordMask(RowEdges edges) {
  return ~std::uint64_t{0} >> (kCellsPerWord - edges.last_bits);
}

GPUSIM_HOST_DEVICE constexpr RowSum<std::uint64_t> SumRowAt(const std::uint64_t* row,
                                                            std::uint32_t i, RowEdges edges) {
  const std::uint64_t centre = row[i];
  std::uint64_t left = centre << 1;
  std::uint64_t right = centre >> 1;
  if (i > 0) {
    left |= row[i - 1] >> 63;
  } else if (edges.torus) {
    left |= row[edges.words - 1] >> (edges.last_bits - 1) & 1;
  }
  if (i + 1 < edges.words) {
    right |= row[i + 1] << 63;
  } else if (edges.torus) {
    right |= (row[0] & 1) << (edges.last_bits - 1);
  }
  return SumRow(left, centre, right);
}

}  // namespace gpusim::life
