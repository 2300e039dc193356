// Which random words a simulation uses: fixed lanes of Philox4x32-10, whatever the grid or the
// backend, so that every simulation can be played again.
//
//   simulation i   runs on lane i mod 65,536, in row i div 65,536
//   lane j         is cuRAND's subsequence `subsequence + j` of `seed`
//   row r          begins at block `offset + r * blocks`, with a leg's or a race's number of blocks
//
//              lane 0        lane 1             lane 65,535
//            +-------------+-------------+-- ~ --+-------------+
//   row 0    | simulation 0| simulation 1|       |      65,535 |   from block offset
//   row 1    |      65,536 |      65,537 |       |     131,071 |   from block offset + blocks
//            +-------------+-------------+-- ~ --+-------------+
//
// A block is four 32-bit words, w0 to w3. Block b of a lane is Philox4x32-10 of the counter (b lo, b hi,
// subsequence lo, subsequence hi) under the key (seed lo, seed hi): Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011; word k of it is cuRAND's word 4 * b + k. Blocks stay below
// kBlockLimit, so that these numbers fit 64 bits.
//
// A leg is played from 64 bits, half a block (camel_up_draws.h). A simulated leg has one block and uses its first
// half. A race has eight, of which leg k (0 is the one under way) uses half k mod 2 of block k div 2. Legs from the
// 16th on, which less than one race in 1e12 reaches, take the same blocks of the subsequence + 2^56, those from the
// 32nd on of the subsequence + 2 * 2^56, and so on.
#pragma once

#include <cstdint>

#include "kernels/rules/host_device.h"

namespace gpusim::camel_up {

// Changes whenever the same numbers would no longer give the same simulations.
inline constexpr std::uint32_t kStreamVersion = 1;

inline constexpr std::uint64_t kLanes = 65'536;

inline constexpr std::uint64_t kLegBlocks = 1;
inline constexpr std::uint64_t kRaceBlocks = 8;
inline constexpr std::uint64_t kBlockLimit = std::uint64_t{1} << 62;

struct StreamBase {
  std::uint64_t seed = 0;
  std::uint64_t subsequence = 0;  // of lane 0, below 2^48

  friend bool operator==(const StreamBase&, const StreamBase&) = default;
};

// Rows that `simulations` take, the last one perhaps in part.
GPUSIM_HOST_DEVICE constexpr std::uint64_t RowsOf(std::uint64_t simulations) {
  return simulations / kLanes + (simulations % kLanes != 0);
}

// A block of a seed's streams.
struct BlockPlace {
  std::uint64_t subsequence = 0;
  std::uint64_t block = 0;

  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

// Where simulation i begins. `subsequence` is lane 0's; `blocks` are those of a simulation.
GPUSIM_HOST_DEVICE constexpr BlockPlace PlaceOf(std::uint64_t subsequence, std::uint64_t offset,
                                                std::uint64_t i, std::uint64_t blocks) {
  return {subsequence + i % kLanes, offset + i / kLanes * blocks};
}
static_assert(PlaceOf(7, 100, 65'535, kRaceBlocks) == BlockPlace{65'542, 100});
static_assert(PlaceOf(7, 100, 65'536, kRaceBlocks) == BlockPlace{7, 108});

// Where leg `leg` of the race that begins at `start` has its words: in the first half of the block if
// `leg` is even, else in the second.
GPUSIM_HOST_DEVICE constexpr BlockPlace LegPlace(const BlockPlace& start, std::uint32_t leg) {
  constexpr std::uint32_t kLegsOfARace = 2 * kRaceBlocks;
  const std::uint64_t lap = leg / kLegsOfARace;
  return {start.subsequence + (lap << 56), start.block + leg % kLegsOfARace / 2};
}
static_assert(LegPlace({7, 100}, 15) == BlockPlace{7, 107});
static_assert(LegPlace({7, 100}, 16) == BlockPlace{7 + (std::uint64_t{1} << 56), 100});

}  // namespace gpusim::camel_up
