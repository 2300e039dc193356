// Which random words a simulation uses: fixed lanes of Philox4x32-10, whatever the grid or the
// backend, so that every simulation can be played again.
//
//   simulation i   runs on lane i mod 65,536, in row i div 65,536
//   lane j         is cuRAND's subsequence `subsequence + j` of `seed`
//   row r          begins at 4-word block `offset + r * blocks`, with a leg's or a race's number of blocks
//
// Block b of a lane is Philox4x32-10 of the counter (b lo, b hi, subsequence lo, subsequence hi) under the key
// (seed lo, seed hi): Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
#pragma once

#include <cstdint>

#include "kernels/rules/host_device.h"

namespace gpusim::camel_up {

// Changes whenever the same numbers would no longer give the same simulations.
inline constexpr std::uint32_t kStreamVersion = 1;

inline constexpr std::uint64_t kLanes = 65'536;

// Blocks of a simulation: a leg takes its 64 bits from the first half of one; a race takes half a block a leg, 16 legs in all, and what is
// longer (less than one race in 1e12) goes on in the same blocks of the subsequence + 2^56, + 2 * 2^56 and so on.
inline constexpr std::uint64_t kLegBlocks = 1;
inline constexpr std::uint64_t kRaceBlocks = 8;

struct StreamBase {
  std::uint64_t seed = 0;
  std::uint64_t subsequence = 0;  // of lane 0, below 2^48

  friend bool operator==(const StreamBase&, const StreamBase&) = default;
};

// Rows that `simulations` take, the last one perhaps in part.
GPUSIM_HOST_DEVICE constexpr std::uint64_t RowsOf(std::uint64_t simulations) {
  return simulations / kLanes + (simulations % kLanes != 0);
}

}  // namespace gpusim::camel_up
