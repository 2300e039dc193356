// The source of the inner loops. `Vector` is a few 64-bit words with operators & | ^ ~ << >> and
//
//   kWords, Load, Store, Broadcast        at any address
//   WithLeft(centre, before)              the left neighbours of the cells: centre << 1, and the top bit of the word before
//   WithRight(centre, after)
//   Sum(a, b, c)                          ones and twos of the three
//   Term(a, b, c)                         a ^ (b & c)
//   Conway(top, middle, bottom, centre)
//   Product(a, b)                         of the lower halves of each word
//   Bits(v)                               the number of bits in each word, possibly bytewise
//
// Its type is the unit's own, and so are all functions made here: they have internal linkage. For the same reason nothing
// here calls an inline function that is not a template over Vector.
//
// A step walks down strips that are one vector wide, so that the sums of three rows stay in registers:
//
//        strip 0      strip 1         last strip, flush with the row's end
//       +----------+----------+-  --+----------+
//   y-1 |   top    |          |     |          |     each row is loaded and summed once a strip; every kBlockRows rows the
//    y  |  middle  |          |     |          |     walk goes on to the next strip, so that a line that two strips touch
//   y+1 |  bottom  |          |     |          |     is still in the first-level cache
//       +----------+----------+-  --+----------+
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/life_lanes.h"

namespace gpusim::life {

inline constexpr std::uint32_t kBlockRows = 32;
inline constexpr std::uint32_t kConwayMasks = 1u << 3 | (1u << 2 | 1u << 3) << 16;

template <class Vector>
struct LaneSum {
  Vector ones;
  Vector twos;
};

template <class Vector>
struct ConwayStep {
  Vector operator()(LaneSum<Vector> top, LaneSum<Vector> middle, LaneSum<Vector> bottom,
                    Vector centre) const {
    return Vector::Conway(top, middle, bottom, centre);
  }
};

// Any rule, as the polynomial over the bits of the sum of nine and the centre that gives the outcome: the coefficient of a
// product is the sum mod 2 of the outcomes of all its subsets. Sums end at 9, so 8 goes with 1 alone.
//
//   outcome = p0 + 1 p1 + 2 (p2 + 1 p3) + 4 (p4 + 1 p5 + 2 (p6 + 1 p7)) + 8 (p8 + 1 p9),   p = constant + centre * factor
template <class Vector>
class RuleStep {
 public:
  explicit RuleStep(std::uint32_t masks) {
    std::uint32_t constant[10], factor[10];
    for (std::uint32_t sum = 0; sum < 10; ++sum) {
      const std::uint32_t born = sum <= 8 ? masks >> sum & 1 : 0;
      const std::uint32_t stays = sum >= 1 ? masks >> (15 + sum) & 1 : 0;
      constant[sum] = born;
      factor[sum] = born ^ stays;
    }
    ToPolynomial(constant);
    ToPolynomial(factor);
    for (std::uint32_t i = 0; i < 10; ++i) {
      constant_[i] = Vector::Broadcast(-static_cast<std::uint64_t>(constant[i]));
      factor_[i] = Vector::Broadcast(-static_cast<std::uint64_t>(factor[i]));
    }
  }

  Vector operator()(LaneSum<Vector> top, LaneSum<Vector> middle, LaneSum<Vector> bottom,
                    Vector centre) const {
    const LaneSum<Vector> low = Vector::Sum(top.ones, middle.ones, bottom.ones);
    const LaneSum<Vector> high = Vector::Sum(top.twos, middle.twos, bottom.twos);
    const Vector ones = low.ones;
    const Vector twos = high.ones ^ low.twos;
    const Vector carry = high.ones & low.twos;
    const Vector fours = high.twos ^ carry;
    const Vector eights = high.twos & carry;
    const auto pair = [&](int i) {
      return Vector::Term(Part(i, centre), ones, Part(i + 1, centre));
    };
    const Vector below_four = Vector::Term(pair(0), twos, pair(2));
    const Vector from_four = Vector::Term(pair(4), twos, pair(6));
    return Vector::Term(Vector::Term(below_four, fours, from_four), eights, pair(8));
  }

 private:
  static void ToPolynomial(std::uint32_t (&value)[10]) {
    value[9] ^= value[8] ^ value[1] ^ value[0];
    value[8] ^= value[0];
    for (std::uint32_t bit = 1; bit < 8; bit *= 2)
      for (std::uint32_t i = 0; i < 8; ++i)
        if ((i & bit) != 0) value[i] ^= value[i ^ bit];
  }
  Vector Part(int i, Vector centre) const { return Vector::Term(constant_[i], factor_[i], centre); }

  Vector constant_[10];
  Vector factor_[10];
};

template <class Vector>
struct LaneLoops {
  static constexpr std::uint32_t kWords = Vector::kWords;

  static LaneSum<Vector> SumAt(const std::uint64_t* row, Vector centre) {
    return Vector::Sum(Vector::WithLeft(centre, Vector::Load(row - 1)), centre,
                       Vector::WithRight(centre, Vector::Load(row + 1)));
  }

  template <class Next>
  static void WalkStrip(const std::uint64_t* row, std::uint64_t* out, std::size_t stride,
                        std::uint32_t rows, const Next& next) {
    LaneSum<Vector> top = SumAt(row - stride, Vector::Load(row - stride));
    Vector centre = Vector::Load(row);
    LaneSum<Vector> middle = SumAt(row, centre);
    for (std::uint32_t y = 0; y < rows; ++y) {
      row += stride;
      const Vector below = Vector::Load(row);
      const LaneSum<Vector> bottom = SumAt(row, below);
      Vector::Store(out, next(top, middle, bottom, centre));
      out += stride;
      top = middle;
      middle = bottom;
      centre = below;
    }
  }

  template <class Next>
  static void WalkRows(const LaneRows& rows, const Next& next) {
    for (std::uint32_t y = 0; y < rows.rows; y += kBlockRows) {
      const std::uint32_t block = rows.rows - y < kBlockRows ? rows.rows - y : kBlockRows;
      const std::size_t first = y * rows.stride;
      std::uint32_t i = 0;
      for (; i + kWords < rows.words; i += kWords)
        WalkStrip(rows.from + first + i, rows.to + first + i, rows.stride, block, next);
      if (rows.words >= kWords) i = rows.words - kWords;
      WalkStrip(rows.from + first + i, rows.to + first + i, rows.stride, block, next);
    }
  }

  static void Step(const LaneRows& rows, std::uint32_t rule_masks) {
    if (rule_masks == kConwayMasks) return WalkRows(rows, ConwayStep<Vector>());
    WalkRows(rows, RuleStep<Vector>(rule_masks));
  }

  // Rows of one word: a vector holds as many rows, whose neighbours above and below are a word away.
  template <bool kTorus, class Next>
  static void WalkNarrow(const std::uint64_t* from, std::uint64_t* to, std::uint32_t rows,
                         std::uint32_t width, const Next& next) {
    const Vector mask = Vector::Broadcast(~std::uint64_t{0} >> (64 - width));
    const auto sum = [&](Vector cells) {
      Vector left = cells << 1;
      Vector right = cells >> 1;
      if constexpr (kTorus) {
        left = left | cells >> (width - 1);
        right = right | cells << (width - 1);
      }
      return Vector::Sum(left, cells, right);
    };
    for (std::uint32_t y = 0; y < rows; y += kWords) {
      const Vector centre = Vector::Load(from + y);
      const Vector cells = next(sum(Vector::Load(from + y - 1)), sum(centre),
                                sum(Vector::Load(from + y + 1)), centre);
      Vector::Store(to + y, cells & mask);
    }
  }

  static void StepNarrow(const std::uint64_t* from, std::uint64_t* to, std::uint32_t rows,
                         std::uint32_t width, bool torus, std::uint32_t rule_masks) {
    const auto walk = [&](const auto& next) {
      if (torus) return WalkNarrow<true>(from, to, rows, width, next);
      WalkNarrow<false>(from, to, rows, width, next);
    };
    if (rule_masks == kConwayMasks) return walk(ConwayStep<Vector>());
    walk(RuleStep<Vector>(rule_masks));
  }

  // Adds bits up in the lanes of a vector.
  class BitCounter {
   public:
    void Add(Vector words) { sum_ = sum_ + Vector::Bits(words); }
    std::uint64_t Total() const {
      std::uint64_t lanes[kWords];
      Vector::Store(lanes, sum_);
      std::uint64_t total = 0;
      for (const std::uint64_t lane : lanes) total += lane;
      return total;
    }

   private:
    Vector sum_ = Vector::Broadcast(0);
  };

  struct Counters {
    BitCounter population, births, deaths;
  };

  template <Count kCount>
  static void CopyVector(Vector now, Vector before, std::uint64_t* out, Counters& counters) {
    Vector::Store(out, now);
    if constexpr (kCount != Count::kNothing) counters.population.Add(now);
    if constexpr (kCount == Count::kChanges) {
      counters.births.Add(now & ~before);
      counters.deaths.Add(before & ~now);
    }
  }

  // The rest of a row goes through a vector's worth of zeros.
  template <Count kCount>
  static void CopyEnd(const std::uint64_t* now, const std::uint64_t* before, std::uint64_t* out,
                      std::uint32_t words, std::uint64_t last_mask, Counters& counters) {
    std::uint64_t end[3][kWords] = {};
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::uint64_t mask = i + 1 == words ? last_mask : ~std::uint64_t{0};
      end[0][i] = now[i] & mask;
      if constexpr (kCount == Count::kChanges) end[1][i] = before[i] & mask;
    }
    CopyVector<kCount>(Vector::Load(end[0]), Vector::Load(end[1]), end[2], counters);
    for (std::uint32_t i = 0; i < words; ++i) out[i] = end[2][i];
  }

  template <Count kCount>
  static LaneCounts CopyRows(const LaneCopy& copy) {
    Counters counters;
    for (std::uint32_t y = 0; y < copy.rows; ++y) {
      const std::uint64_t* now = copy.now + y * copy.stride;
      const std::uint64_t* before =
          kCount == Count::kChanges ? copy.before + y * copy.stride : nullptr;
      std::uint64_t* out = copy.out + y * copy.out_stride;
      std::uint32_t i = 0;
      for (; i + kWords < copy.words; i += kWords) {
        CopyVector<kCount>(
            Vector::Load(now + i),
            kCount == Count::kChanges ? Vector::Load(before + i) : Vector::Broadcast(0), out + i,
            counters);
      }
      CopyEnd<kCount>(now + i, kCount == Count::kChanges ? before + i : nullptr, out + i,
                      copy.words - i, copy.last_mask, counters);
    }
    return {counters.population.Total(), counters.births.Total(), counters.deaths.Total()};
  }

  static LaneCounts Copy(const LaneCopy& copy) {
    switch (copy.count) {
      case Count::kNothing:
        return CopyRows<Count::kNothing>(copy);
      case Count::kPopulation:
        return CopyRows<Count::kPopulation>(copy);
      case Count::kChanges:
        break;
    }
    return CopyRows<Count::kChanges>(copy);
  }

  // Philox4x32-10 on a block a word; of the counters only the lower halves of a vector's words count.
  struct Block {
    Vector c0, c1, c2, c3;
  };
  static void Scramble(Block& block, const Vector (&keys)[10][2]) {
    const Vector m0 = Vector::Broadcast(0xD2511F53), m1 = Vector::Broadcast(0xCD9E8D57);
    for (const auto& key : keys) {
      const Vector p0 = Vector::Product(block.c0, m0);
      const Vector p1 = Vector::Product(block.c2, m1);
      block = {p1 >> 32 ^ block.c1 ^ key[0], p1, p0 >> 32 ^ block.c3 ^ key[1], p0};
    }
  }

  // A word is made of 16 blocks: vector j of the word has blocks j kWords, j kWords + 1 ... in its words, which give four
  // cells each.
  static void Random(std::uint64_t seed, std::uint64_t threshold, std::uint64_t first,
                     std::uint64_t words, std::uint64_t* out) {
    Vector keys[10][2];
    for (std::uint32_t round = 0; round < 10; ++round) {
      keys[round][0] = Vector::Broadcast((seed + round * std::uint64_t{0x9E3779B9}) & 0xffffffff);
      keys[round][1] =
          Vector::Broadcast(((seed >> 32) + round * std::uint64_t{0xBB67AE85}) & 0xffffffff);
    }
    std::uint64_t numbers[kWords];
    for (std::uint32_t i = 0; i < kWords; ++i) numbers[i] = i;
    const Vector lane = Vector::Load(numbers);
    const Vector limit = Vector::Broadcast(threshold);
    const auto alive =
        [&limit](Vector number) {  // in bit 63 at first: it lives if the difference is negative
          return ((number & Vector::Broadcast(0xffffffff)) - limit) >> 63;
        };
    for (std::uint64_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      for (std::uint32_t j = 0; j < 16; j += kWords) {
        const Vector counter = Vector::Broadcast(16 * (first + i) + j) + lane;
        Block block{counter, counter >> 32, Vector::Broadcast(0), Vector::Broadcast(0)};
        Scramble(block, keys);
        std::uint64_t cells[kWords];
        Vector::Store(cells, alive(block.c0) | alive(block.c1) << 1 | alive(block.c2) << 2 |
                                 alive(block.c3) << 3);
        for (std::uint32_t k = 0; k < kWords; ++k) word |= cells[k] << (4 * (j + k));
      }
      out[i] = word;
    }
  }

  static constexpr Lanes Table(const char* name) {
    return {name, kWords, Step, StepNarrow, Copy, Random};
  }
};

// Vectors of the compiler's own, for sets without an instruction for three operands. `Set` is a type of the unit's own
// that has the product, which compilers do not find by themselves.
template <class Words, class Set>
struct PlainVector {
  static constexpr std::uint32_t kWords = sizeof(Words) / sizeof(std::uint64_t);
  Words words;

  static PlainVector Load(const std::uint64_t* from) {
    PlainVector vector;
    __builtin_memcpy(&vector.words, from, sizeof vector.words);
    return vector;
  }
  static void Store(std::uint64_t* to, PlainVector vector) {
    __builtin_memcpy(to, &vector.words, sizeof vector.words);
  }
  static PlainVector Broadcast(std::uint64_t word) { return {Words{} + word}; }

  friend PlainVector operator&(PlainVector a, PlainVector b) { return {a.words & b.words}; }
  friend PlainVector operator|(PlainVector a, PlainVector b) { return {a.words | b.words}; }
  friend PlainVector operator^(PlainVector a, PlainVector b) { return {a.words ^ b.words}; }
  friend PlainVector operator+(PlainVector a, PlainVector b) { return {a.words + b.words}; }
  friend PlainVector operator-(PlainVector a, PlainVector b) { return {a.words - b.words}; }
  friend PlainVector operator~(PlainVector a) { return {~a.words}; }
  friend PlainVector operator<<(PlainVector a, std::uint32_t bits) { return {a.words << bits}; }
  friend PlainVector operator>>(PlainVector a, std::uint32_t bits) { return {a.words >> bits}; }

  static PlainVector WithLeft(PlainVector centre, PlainVector before) {
    return centre << 1 | before >> 63;
  }
  static PlainVector WithRight(PlainVector centre, PlainVector after) {
    return centre >> 1 | after << 63;
  }
  static PlainVector Product(PlainVector a, PlainVector b) {
    return {Set::Product(a.words, b.words)};
  }
  static PlainVector Term(PlainVector a, PlainVector b, PlainVector c) { return a ^ (b & c); }
  static LaneSum<PlainVector> Sum(PlainVector a, PlainVector b, PlainVector c) {
    const PlainVector either = a ^ b;
    return {either ^ c, (a & b) | (either & c)};
  }
  static PlainVector Conway(LaneSum<PlainVector> top, LaneSum<PlainVector> middle,
                            LaneSum<PlainVector> bottom, PlainVector centre) {
    const auto [ones, carry] = Sum(top.ones, middle.ones, bottom.ones);
    const auto [half, pair] = Sum(top.twos, middle.twos, bottom.twos);
    const PlainVector odd = half ^ carry;           // of the four twos
    const PlainVector two = pair ^ (half & carry);  // two of them or three, if not odd two alone
    return (ones & odd & ~pair) | (centre & ~(ones | odd) & two);
  }
  static PlainVector Bits(PlainVector v) {
    const auto all = [](std::uint64_t word) { return Broadcast(word); };
    const PlainVector pairs{v.words - (v >> 1 & all(0x5555555555555555)).words};
    const PlainVector fours =
        (pairs & all(0x3333333333333333)) + (pairs >> 2 & all(0x3333333333333333));
    const PlainVector bytes = (fours + (fours >> 4)) & all(0x0f0f0f0f0f0f0f0f);
    const PlainVector shorts =
        (bytes & all(0x00ff00ff00ff00ff)) + (bytes >> 8 & all(0x00ff00ff00ff00ff));
    const PlainVector ints = shorts + (shorts >> 16);
    return (ints + (ints >> 32)) & all(0xff);
  }
};

}  // namespace gpusim::life
