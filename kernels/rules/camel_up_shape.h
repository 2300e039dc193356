// Leg-boundary shapes and their numbers, for host and device.
//
// The slots of a board (camel_up_board.h) stand in racing order, so their spaces x[0] <= x[1] <= ...
// are a multiset, numbered by the combinatorial number system: y[i] = x[i] - 1 + i is strictly
// increasing, and the number of the multiset is the sum of C(y[i], i + 1). In the second edition the
// two crazy camels stand in two of the seven slots, low < high; which of them is white makes no
// difference to the odds, since both colours of the grey die are alike.
//
//   first edition    number of the multiset of 5                          C(20, 5)      =    15,504
//   second edition   number of the multiset of 7, times 21, + slot pair   C(22, 7) * 21 = 3,581,424
//
// The racing camels of a shape are named by rank: 0 is the rearmost, and on one space the lowest.
#pragma once

#include <cstdint>

#include "kernels/rules/camel_up_board.h"

namespace gpusim::camel_up {

inline constexpr std::uint32_t kSlotPairs = kMaxCamels * (kMaxCamels - 1) / 2;

GPUSIM_HOST_DEVICE constexpr std::uint32_t Choose(std::uint32_t n, std::uint32_t k) {
  if (k > n) return 0;
  std::uint32_t ways = 1;
  for (std::uint32_t i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return ways;
}

GPUSIM_HOST_DEVICE constexpr std::uint32_t ShapesOf(Edition edition) {
  return edition == Edition::kFirst ? Choose(20, 5) : Choose(22, 7) * kSlotPairs;
}
static_assert(ShapesOf(Edition::kFirst) == 15'504);
static_assert(ShapesOf(Edition::kSecond) == 3'581'424);

// Of the two slots of the crazy camels, low < high.
GPUSIM_HOST_DEVICE constexpr std::uint32_t SlotPair(std::uint32_t low, std::uint32_t high) {
  return high * (high - 1) / 2 + low;
}

// The number of a board's shape; the dice and the names of the camels do not count. Precondition:
// every camel stands on 1 to 16.
GPUSIM_HOST_DEVICE constexpr std::uint32_t ShapeOf(Board board, Edition edition) {
  const int camels = CamelsOf(edition);
  std::uint32_t multiset = 0;
  std::uint32_t crazy[2] = {};
  int crazy_seen = 0;
  for (int slot = 0; slot < camels; ++slot) {
    const auto i = static_cast<std::uint32_t>(slot);
    multiset += Choose(static_cast<std::uint32_t>(SpaceOf(board, slot)) - 1 + i, i + 1);
    if (CamelIn(board, slot) >= kRacers) crazy[crazy_seen++] = i;
  }
  if (edition == Edition::kFirst) return multiset;
  return multiset * kSlotPairs + SlotPair(crazy[0], crazy[1]);
}

}  // namespace gpusim::camel_up
