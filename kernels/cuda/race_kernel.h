#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/race/race_layers.h"

namespace gpusim::cuda {

// A layer (kernels/race/race_layers.h) as the device reads it.
struct RaceLayerPlan {
  static constexpr std::uint8_t kTurned = 0x80;

  int from_sets;
  int sums;
  int to_sets;
  bool folds;
  double factor;
  std::uint8_t term_die[camel_up::kMostSets][camel_up::kMaxDice];
  std::uint8_t term_from[camel_up::kMostSets][camel_up::kMaxDice];
  std::uint8_t folded[camel_up::kMostSets][3];
  // By permutation: where a renamed set begins in a row, and which number a number is there, with
  // kTurned where the antisymmetric part changes its sign.
  std::uint8_t set_at[camel_up::kPermutations][camel_up::kMostSets];
  std::uint8_t number_at[camel_up::kPermutations][camel_up::kRaceNumbers];
};

// All launches are asynchronous on the stream; pointers are the device's.

// Writes all moves of all shapes, RaceMovesOf(edition) a shape.
void LaunchRaceMoves(camel_up::Edition edition, camel_up::RaceMove* moves, cudaStream_t stream);

// Sums one layer: `in` has the rows of the layer before, `out` gets this layer's, each with one row
// more for 'race over'. `terms` as RaceLayer::terms_of_a_sum.
void LaunchRaceLayer(camel_up::Edition edition, camel_up::RacePart part, int terms,
                     const RaceLayerPlan* plan, const camel_up::RaceMove* moves, const double* in,
                     double* out, int multiprocessors, cudaStream_t stream);

// Adds what each shape misses to its legs, and raises *most_missing, which has to be 0 before, to
// the most that one misses.
void LaunchRaceMissing(std::uint32_t shapes, const double* symmetric, double* legs,
                       double* most_missing, cudaStream_t stream);

void LaunchRaceRows(std::uint32_t shapes, const double* symmetric, const double* antisymmetric,
                    const double* legs, camel_up::RaceRow* rows, cudaStream_t stream);

}  // namespace gpusim::cuda
