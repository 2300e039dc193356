// The race table's equation, cut into layers so that it can be solved, for host and device.
//
// The table V gives for a shape the joint chances of winner and last. A sweep replaces V by its mean
// over the outcomes of one leg. Not draw by draw from the first, which would be 651 rows read a
// shape, but from the last draw back, layer by layer, over the sets of dice that the rest of the leg
// rolls, each in random order:
//
//   first edition     V -> sets of 1 -> 2 -> 3 -> 4 -> 5 dice: the new V
//   second edition    V -> sets of 1 -> 2 -> fold to 3 -> 4 -> 5 -> 6 dice: the new V
//
//   sum(S)(s) = mean over d in S, mean over the faces f of d, of the layer before for S - {d} at the
//               shape to which d with f leads from s
//
// In the second edition one die stays in the pyramid, so of three dice two are rolled: the fold is
// the mean over the three pairs, at the same shape. 462 rows.
//
// Dice are named by rank as the camels are. A move that permutes the ranks by p maps a set S to p(S)
// and the number of a pair (a, b) to that of (p(a), p(b)).
//
// The numbers. joint(a, b) is the chance that rank a wins and rank b is last. All 20 are a sum and a
// difference of 10 numbers each that permutations do not mix, so two solves of half the memory do:
//
//   symmetric       q{a, b} = joint(a, b) + joint(b, a)
//   antisymmetric   d{a, b} = joint(a, b) - joint(b, a) for a < b; its sign turns where p(a) > p(b)
//
// A row of a layer is one shape: [set][number], sets in ascending order of their bits.
//
// Equal bits everywhere: sums have one order (dice ascending, faces ascending, as written below),
// their terms only exact factors (1, and 1/2 for the grey die's two colours), and one factor follows
// at the very end.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/race/race_moves.h"
#include "kernels/race_table.h"

namespace gpusim::camel_up {

inline constexpr int kRaceNumbers = kJointNumbers / 2;
inline constexpr int kRaceLayers = 5;
inline constexpr int kMostSets = 20;

// A sweep ends the solve when no shape misses more: the chance that the race is still on.
inline constexpr double kMostMissing = 1e-12;

enum class RacePart : std::uint8_t { kSymmetric, kAntisymmetric };

// Of the pair of ranks a < b.
GPUSIM_HOST_DEVICE constexpr int RaceNumber(int a, int b) { return b * (b - 1) / 2 + a; }

// The value of every number where the race is over: joint(4, 0) = 1.
GPUSIM_HOST_DEVICE constexpr double RaceOverValue(RacePart part, int number) {
  if (number != RaceNumber(0, kRacers - 1)) return 0;
  return part == RacePart::kSymmetric ? 1 : -1;
}

// The subsets of `size` of an edition's dice, as bits, ascending.
struct DiceSets {
  int count = 0;
  std::uint8_t dice[kMostSets] = {};

  constexpr int IndexOf(std::uint32_t set) const {
    int index = 0;
    while (dice[index] != set) ++index;
    return index;
  }
};

constexpr DiceSets SetsOf(Edition edition, int size) {
  DiceSets sets;
  for (unsigned set = 0; set < 1u << DiceOf(edition); ++set)
    if (std::popcount(set) == size) sets.dice[sets.count++] = static_cast<std::uint8_t>(set);
  return sets;
}

// One layer: what is summed for each of its sets, and what is folded of the sums.
struct RaceLayer {
  struct Term {
    std::uint8_t die;
    std::uint8_t from;  // set of the layer before
  };
  DiceSets from;
  DiceSets sums;
  DiceSets to;  // sums, or what they are folded to
  int terms_of_a_sum = 0;
  Term terms[kMostSets][kMaxDice] = {};  // of each sum, dice ascending
  bool folds = false;
  std::uint8_t folded[kMostSets][3] = {};  // the sums of each folded set, ascending
  double factor = 0;

  // Rows that the layer reads of the layer before, for the predicted work.
  constexpr int reads() const { return sums.count * terms_of_a_sum * kFaces; }
};

constexpr RaceLayer MakeRaceLayer(Edition edition, int from, int folded_to) {
  RaceLayer layer;
  layer.from = SetsOf(edition, from);
  layer.sums = SetsOf(edition, from + 1);
  layer.to = SetsOf(edition, folded_to);
  layer.terms_of_a_sum = from + 1;
  for (int sum = 0; sum < layer.sums.count; ++sum) {
    RaceLayer::Term* term = layer.terms[sum];
    for (std::uint32_t left = layer.sums.dice[sum]; left != 0; left &= left - 1) {
      const int die = std::countr_zero(left);
      const int rest = layer.from.IndexOf(layer.sums.dice[sum] & ~(1u << die));
      *term++ = {static_cast<std::uint8_t>(die), static_cast<std::uint8_t>(rest)};
    }
  }
  layer.folds = folded_to != from + 1;
  for (int set = 0; layer.folds && set < layer.to.count; ++set) {
    int pairs = 0;
    for (int sum = 0; sum < layer.sums.count; ++sum)
      if ((layer.sums.dice[sum] & ~layer.to.dice[set]) == 0)
        layer.folded[set][pairs++] = static_cast<std::uint8_t>(sum);
  }
  layer.factor = 1.0 / ((from + 1) * kFaces * (layer.folds ? 3 : 1));
  return layer;
}

constexpr std::array<RaceLayer, kRaceLayers> MakeRaceLayers(Edition edition) {
  if (edition == Edition::kFirst)
    return {MakeRaceLayer(edition, 0, 1), MakeRaceLayer(edition, 1, 2),
            MakeRaceLayer(edition, 2, 3), MakeRaceLayer(edition, 3, 4),
            MakeRaceLayer(edition, 4, 5)};
  return {MakeRaceLayer(edition, 0, 1), MakeRaceLayer(edition, 1, 3), MakeRaceLayer(edition, 3, 4),
          MakeRaceLayer(edition, 4, 5), MakeRaceLayer(edition, 5, 6)};
}

// Layers alternate between two buffers, so that one is read while the next is written: layers 0 and
// 2 write the lesser buffer, 1 and 3 the greater one, 4 writes V. Sets of the rows of each.
constexpr int LesserBufferSets(Edition edition) {
  const auto layers = MakeRaceLayers(edition);
  return layers[0].to.count > layers[2].to.count ? layers[0].to.count : layers[2].to.count;
}
constexpr int GreaterBufferSets(Edition edition) {
  const auto layers = MakeRaceLayers(edition);
  return layers[1].to.count > layers[3].to.count ? layers[1].to.count : layers[3].to.count;
}

// How permutations map sets and numbers.
struct RaceRenaming {
  std::uint8_t number[kPermutations][kRaceNumbers];
  bool turned[kPermutations][kRaceNumbers];  // p(a) > p(b)

  static constexpr RaceRenaming Make() {
    RaceRenaming renaming{};
    for (std::uint32_t p = 0; p < kPermutations; ++p) {
      const Permutation permutation = PermutationOf(p);
      for (int b = 1; b < kRacers; ++b) {
        for (int a = 0; a < b; ++a) {
          const int to_a = permutation.to[a];
          const int to_b = permutation.to[b];
          const int number = RaceNumber(a, b);
          renaming.turned[p][number] = to_a > to_b;
          renaming.number[p][number] = static_cast<std::uint8_t>(
              to_a > to_b ? RaceNumber(to_b, to_a) : RaceNumber(to_a, to_b));
        }
      }
    }
    return renaming;
  }
};

// The grey die keeps its name.
constexpr std::uint32_t RenameDice(const Permutation& permutation, std::uint32_t set) {
  std::uint32_t renamed = set & 1u << kGreyDie;
  for (int rank = 0; rank < kRacers; ++rank)
    if (set >> rank & 1) renamed |= 1u << permutation.to[rank];
  return renamed;
}

// Where the row of a shape to which a move leads holds a set of dice that is named as before it.
constexpr int RenamedSet(const DiceSets& sets, const Permutation& permutation, int set) {
  return sets.IndexOf(RenameDice(permutation, sets.dice[set]));
}

// What a shape misses after a sweep: the numbers of the symmetric part add up to the chance that the
// race is over.
GPUSIM_HOST_DEVICE constexpr double MissingOf(const double* symmetric) {
  double sum = symmetric[0];
  for (int number = 1; number < kRaceNumbers; ++number) sum += symmetric[number];
  return 1 - sum;
}

// Rounds to the nearest unit; below zero there is only the rounding of sums.
GPUSIM_HOST_DEVICE constexpr std::uint64_t ToUnits(double value, double units) {
  if (value <= 0) return 0;
  const double scaled = value * units;
  const auto whole = static_cast<std::uint64_t>(scaled);
  return whole + (scaled - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

GPUSIM_HOST_DEVICE constexpr RaceRow MakeRaceRow(const double* symmetric,
                                                 const double* antisymmetric, double legs) {
  constexpr double kHalfUnits = static_cast<double>(std::uint64_t{1} << (kJointUnitBits - 1));
  constexpr double kLegUnits = static_cast<double>(std::uint64_t{1} << kLegsUnitBits);
  RaceRow row{};
  for (int b = 1; b < kRacers; ++b) {
    for (int a = 0; a < b; ++a) {
      const double q = symmetric[RaceNumber(a, b)];
      const double d = antisymmetric[RaceNumber(a, b)];
      row.joint[JointComponent(a, b)] = ToUnits(q + d, kHalfUnits);
      row.joint[JointComponent(b, a)] = ToUnits(q - d, kHalfUnits);
    }
  }
  row.legs = ToUnits(legs, kLegUnits);
  return row;
}

}  // namespace gpusim::camel_up
