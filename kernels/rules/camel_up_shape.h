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
#include <utility>

#include "kernels/rules/camel_up_leg.h"

namespace gpusim::camel_up {

inline constexpr std::uint32_t kSlotPairs = kMaxCamels * (kMaxCamels - 1) / 2;

// C(n, kOf). With kOf known, a product and a division by a constant; 0 where kOf > n.
template <std::uint32_t kOf>
GPUSIM_HOST_DEVICE constexpr std::uint32_t Choose(std::uint32_t n) {
  std::uint32_t product = 1;
  std::uint32_t factorial = 1;
  for (std::uint32_t i = 0; i < kOf; ++i) {
    product *= n - i;
    factorial *= i + 1;
  }
  return product / factorial;
}

GPUSIM_HOST_DEVICE constexpr std::uint32_t ShapesOf(Edition edition) {
  return edition == Edition::kFirst ? Choose<5>(20) : Choose<7>(22) * kSlotPairs;
}
static_assert(ShapesOf(Edition::kFirst) == 15'504);
static_assert(ShapesOf(Edition::kSecond) == 3'581'424);

// Of the two slots of the crazy camels, low < high.
GPUSIM_HOST_DEVICE constexpr std::uint32_t SlotPair(std::uint32_t low, std::uint32_t high) {
  return high * (high - 1) / 2 + low;
}

namespace shape_detail {

template <int... kSlot>
GPUSIM_HOST_DEVICE constexpr std::uint32_t Multiset(Board board,
                                                    std::integer_sequence<int, kSlot...>) {
  return (Choose<kSlot + 1>(static_cast<std::uint32_t>(SpaceOf(board, kSlot) - 1 + kSlot)) + ...);
}

// The slots of a multiset's camels at their spaces, camel 0 in each. From the front one back y[i] is
// the greatest with C(y[i], i + 1) <= what is left of the number; C is kept up as y and i go down.
GPUSIM_HOST_DEVICE constexpr Board Spaces(std::uint32_t multiset, std::uint32_t camels) {
  Board slots = 0;
  std::uint32_t y = kSpaces + camels - 2;
  std::uint32_t ways = 1;  // C(y, camels)
  for (std::uint32_t i = 1; i <= camels; ++i) ways = ways * (y - camels + i) / i;
  for (std::uint32_t of = camels; of > 0; --of) {
    for (; ways > multiset; --y) ways = ways * (y - of) / y;  // C(y - 1, of)
    multiset -= ways;
    const Board space = y + 2 - of;
    slots |= space << (8 * (of - 1) + 3);
    if (of == 1) break;
    ways = ways * of / y;  // C(y - 1, of - 1)
    --y;
  }
  return slots;
}

}  // namespace shape_detail

// The number of a board's shape; the dice and the names of the camels do not count. Precondition:
// every camel stands on 1 to 16.
GPUSIM_HOST_DEVICE constexpr std::uint32_t ShapeOf(Board board, Edition edition) {
  using namespace leg_detail;
  if (edition == Edition::kFirst)
    return shape_detail::Multiset(board, std::make_integer_sequence<int, kRacers>());
  const Board crazy = board >> 2 & (board | board >> 1) & kOnes;  // camels 5 and 6
  const auto low = static_cast<std::uint32_t>(LowestBit(crazy)) / 8;
  const auto high = static_cast<std::uint32_t>(LowestBit(crazy & (crazy - 1))) / 8;
  return shape_detail::Multiset(board, std::make_integer_sequence<int, kMaxCamels>()) *
             kSlotPairs +
         SlotPair(low, high);
}

// A board of the shape, all dice in: the racing camels are numbered by rank, and of the crazy ones
// the white stands in the lower slot. Precondition: shape < ShapesOf(edition).
GPUSIM_HOST_DEVICE constexpr Board BoardOf(std::uint32_t shape, Edition edition) {
  const auto dice = Board{(1u << DiceOf(edition)) - 1} << kDiceShift;
  const bool first = edition == Edition::kFirst;
  const auto camels = static_cast<std::uint32_t>(CamelsOf(edition));
  const std::uint32_t multiset = first ? shape : shape / kSlotPairs;
  std::uint32_t pair = first ? 0 : shape % kSlotPairs;
  std::uint32_t high = first ? camels : 1;
  if (!first)
    for (; pair >= high; ++high) pair -= high;
  Board board = shape_detail::Spaces(multiset, camels) | dice;
  Board rank = 0;
  for (std::uint32_t slot = 0; slot < camels; ++slot) {
    const Board camel = first ? rank++
                        : slot == pair ? Board{kCrazyWhite}
                        : slot == high ? Board{kCrazyBlack}
                                       : rank++;
    board |= camel << (8 * slot);
  }
  return first ? board | (kSlotBytes & ~leg_detail::LowSlots(kRacers)) : board;
}

}  // namespace gpusim::camel_up
