// How random words become the draws of a leg, and a leg played by them. For host and device.
//
// A leg is played from 64 bits u, a block's half: its first word is the low half of u. A draw with n
// dice in the pyramid has m equally likely outcomes, 3 n in the first edition and 6 n in the second,
// and takes one of them off u as a digit of base m:
//
//   digit = floor(u * m / 2^64)        u = u * m mod 2^64
//
//   first edition     die number digit / 3 of those in the pyramid in ascending order, face digit % 3 + 1
//   second edition    die number digit / 6, face number f = digit % 6: a racing die shows f % 3 + 1;
//                     the grey one white 1, 2, 3 for f = 0, 1, 2 and black 1, 2, 3 for f = 3, 4, 5
//
// All digits of a leg together are floor(u * M / 2^64), M the product of its bases, so each of the M
// ways to play the leg comes from floor(2^64 / M) or one more values of u. The bias is thus at most
// M / 2^64 of a way's chance: 5,598,720 / 2^64 = 3.1e-13 in a full leg of the second edition, 1.6e-15 in the
// first.
#pragma once

#include <cstdint>

#include "kernels/rules/camel_up_leg.h"

namespace gpusim::camel_up {

// The 64 bits that a leg is played from.
class LegBits {
 public:
  GPUSIM_HOST_DEVICE constexpr LegBits(std::uint32_t low_word, std::uint32_t high_word)
      : bits_(static_cast<std::uint64_t>(high_word) << 32 | low_word) {}

  // The next digit, below `base`. A 64-bit number times a small one is two products of 32 bits.
  GPUSIM_HOST_DEVICE constexpr std::uint32_t Take(std::uint32_t base) {
    const std::uint64_t low = (bits_ & 0xFFFF'FFFF) * base;
    const std::uint64_t high = (bits_ >> 32) * base + (low >> 32);
    bits_ = high << 32 | (low & 0xFFFF'FFFF);
    return static_cast<std::uint32_t>(high >> 32);
  }

 private:
  std::uint64_t bits_;
};

// The dice in the pyramid in ascending order, a nibble each: what a simulation keeps in place of a board's
// dice byte, since it picks a die by its number among those left.
class Pyramid {
 public:
  GPUSIM_HOST_DEVICE static constexpr Pyramid Full(Edition edition) {
    return Pyramid(0x54'3210, DiceOf(edition));
  }
  // `dice` has bit d set while die d is in.
  GPUSIM_HOST_DEVICE static constexpr Pyramid Of(std::uint32_t dice) {
    Pyramid pyramid(0, 0);
    for (std::uint32_t die = 0; die < kMaxDice; ++die)
      if (dice >> die & 1) pyramid.list_ |= die << (4 * pyramid.count_++);
    return pyramid;
  }

  GPUSIM_HOST_DEVICE constexpr int count() const { return count_; }

  GPUSIM_HOST_DEVICE constexpr Die TakeOut(std::uint32_t number) {
    const std::uint32_t shift = 4 * number;
    const auto die = static_cast<Die>(list_ >> shift & 0xF);
    const std::uint32_t before = (1u << shift) - 1;
    list_ = (list_ & before) | (list_ >> 4 & ~before);
    --count_;
    return die;
  }

 private:
  GPUSIM_HOST_DEVICE constexpr Pyramid(std::uint32_t list, int count)
      : list_(list), count_(count) {}

  std::uint32_t list_;
  int count_;
};

// Plays a leg to its end, or to the race's, on the slots of `board`, whose dice byte does not count and
// stays. Calls landed(space) for every landing on a tile.
template <class Landed>
GPUSIM_HOST_DEVICE constexpr Finish PlayLeg(Board& board, Tiles tiles, Edition edition,
                                            Pyramid pyramid, LegBits bits, Landed&& landed) {
  const std::uint32_t faces = edition == Edition::kFirst ? 3 : 6;
  for (int left = DrawsLeft(edition, pyramid.count()); left > 0; --left) {
    const std::uint32_t digit = bits.Take(faces * static_cast<std::uint32_t>(pyramid.count()));
    const std::uint32_t face = digit % faces;
    const Die die = pyramid.TakeOut(digit / faces);
    const bool grey = edition == Edition::kSecond && die == kGreyDie;
    const Camel mover = grey ? GreyMover(board, face < 3 ? kCrazyWhite : kCrazyBlack) : die;
    const Draw draw = MoveUnit(board, tiles, SlotOf(board, mover), static_cast<int>(face % 3) + 1,
                               grey ? -1 : +1);
    board = draw.board;
    if (draw.landed_tile != 0) landed(draw.landed_tile);
    if (draw.finish != Finish::kNone) return draw.finish;
  }
  return Finish::kNone;
}

// Moves of one simulation, roughly: the measure of its work. A race from the start has about 25.
constexpr std::uint64_t SimulatedMoves(Edition edition, Board board, bool whole_race) {
  constexpr std::uint64_t kMovesOfLaterLegs = 20;
  const int draws = DrawsLeft(edition, leg_detail::CountBits(DiceLeft(board)));
  return static_cast<std::uint64_t>(draws) + (whole_race ? kMovesOfLaterLegs : 0);
}

namespace draws_detail {

constexpr std::uint32_t DigitOf(std::uint64_t bits, std::uint32_t skipped_base,
                                std::uint32_t base) {
  LegBits leg(static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
  if (skipped_base != 0) leg.Take(skipped_base);
  return leg.Take(base);
}
// The ends of the range, and the first value of the second digit's 1: 2^64 / (36 * 30) rounded up.
static_assert(DigitOf(0, 0, 36) == 0 && DigitOf(~std::uint64_t{0}, 0, 36) == 35);
static_assert(DigitOf(17'080'318'586'768'103, 36, 30) == 0);
static_assert(DigitOf(17'080'318'586'768'104, 36, 30) == 1);

constexpr Die DieAfter(std::uint32_t dice, std::uint32_t first, std::uint32_t second) {
  Pyramid pyramid = Pyramid::Of(dice);
  pyramid.TakeOut(first);
  return pyramid.TakeOut(second);
}
static_assert(Pyramid::Of(0b10'1101).count() == 4);
static_assert(DieAfter(0b10'1101, 0, 0) == 2 && DieAfter(0b10'1101, 3, 2) == 3);
static_assert(DieAfter(0b10'1101, 1, 2) == kGreyDie);

}  // namespace draws_detail

}  // namespace gpusim::camel_up
