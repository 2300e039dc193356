// One layer of a race table (kernels/race/race_layers.h) on the processor, shape by shape.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/race/race_layers.h"

namespace gpusim::camel_up {

// The layer's tables as the loops ask for them. Immutable, thread-safe; refers to the layer.
class RaceLayerSums {
 public:
  RaceLayerSums(const RaceLayer& layer, RacePart part);

  // Numbers in a row of the layer before, and of this one.
  std::size_t from_row() const { return Row(layer_.from); }
  std::size_t to_row() const { return Row(layer_.to); }

  // Writes a shape's row `out` from the rows that its moves lead to in `in`, the whole layer before.
  void SumShape(const RaceMove* moves, int dice, const double* in, double* out) const;

 private:
  // A sum and the set that it takes from the layer before, as offsets into rows.
  struct Use {
    std::uint16_t sum;
    std::uint16_t from;
  };
  struct Uses {
    int count = 0;
    Use list[kMostSets];
  };

  static std::size_t Row(const DiceSets& sets) {
    return static_cast<std::size_t>(sets.count) * kRaceNumbers;
  }
  static void AddFaces(const Uses& uses, const double* const* row, double* sums);
  static void AddTwoColours(const Uses& uses, const double* const* row, double* sums);
  const double* AsNamedHere(RaceMove move, const Uses& uses, const double* in,
                            double* renamed) const;
  void Finish(const double* sums, double* out) const;

  const RaceLayer& layer_;
  bool antisymmetric_;
  Uses uses_[kMaxDice];  // of each die
  std::uint16_t renamed_row_[kPermutations][kMostSets];
  double sign_[kPermutations][kRaceNumbers];
};

}  // namespace gpusim::camel_up
