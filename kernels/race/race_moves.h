// Where a move leads from a shape, for host and device: to another shape, and to a permutation, as
// the racing camels are named by rank on either side.
//
//   a shape's moves    mover 0    mover 1   ...    mover 4    mover 5    mover 6
//   by face            1  2  3    1  2  3   ...    1  2  3    1  2  3    1  2  3
//                      the racing camels by rank              the grey die's colours
//
// A grey die shows one colour as often as the other, and where only one crazy camel may move both
// colours move it: movers 5 and 6 have the same moves then. The first edition has movers 0 to 4.
//
// A move that ends the race leads to the shape number ShapesOf(edition), 'race over': there rank 4
// has won and rank 0 is last. So the end needs no case of its own.
#pragma once

#include <cstdint>

#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_shape.h"

namespace gpusim::camel_up {

inline constexpr int kFaces = 3;
inline constexpr int kMostRaceMoves = kMaxCamels * kFaces;
inline constexpr int kPermutations = 5 * 4 * 3 * 2;

GPUSIM_HOST_DEVICE constexpr int RaceMovesOf(Edition edition) { return CamelsOf(edition) * kFaces; }

// to[r]: the rank after a move of the camel that had rank r before it.
struct Permutation {
  std::uint8_t to[kRacers];
};

// Permutations are numbered by how many later entries are smaller (Lehmer's code): 0 is the identity.
GPUSIM_HOST_DEVICE constexpr std::uint32_t NumberOf(const Permutation& permutation) {
  std::uint32_t number = 0;
  for (int i = 0; i < kRacers; ++i) {
    std::uint32_t smaller = 0;
    for (int j = i + 1; j < kRacers; ++j) smaller += permutation.to[j] < permutation.to[i];
    number = number * static_cast<std::uint32_t>(kRacers - i) + smaller;
  }
  return number;
}

constexpr Permutation PermutationOf(std::uint32_t number) {
  Permutation permutation{};
  for (int i = kRacers - 1; i >= 0; --i) {
    const auto base = static_cast<std::uint32_t>(kRacers - i);
    permutation.to[i] = static_cast<std::uint8_t>(number % base);
    number /= base;
    for (int j = i + 1; j < kRacers; ++j) permutation.to[j] += permutation.to[j] >= permutation.to[i];
  }
  return permutation;
}

// A shape and a permutation in one word: 22 bits of the shape above 7 of the permutation's number.
struct RaceMove {
  std::uint32_t word;

  GPUSIM_HOST_DEVICE constexpr std::uint32_t shape() const { return word >> 7; }
  GPUSIM_HOST_DEVICE constexpr std::uint32_t permutation() const { return word & 127; }
};
static_assert(ShapesOf(Edition::kSecond) < 1u << 25 && kPermutations <= 128);

// `board` is a board of BoardOf() after one move.
GPUSIM_HOST_DEVICE constexpr RaceMove RaceMoveTo(Board board, bool race_over, Edition edition) {
  Permutation permutation{};
  std::uint8_t rank = 0;
  for (int slot = 0; slot < CamelsOf(edition); ++slot) {
    const int camel = CamelIn(board, slot);
    if (camel < kRacers) permutation.to[camel] = rank++;
  }
  const std::uint32_t shape = race_over ? ShapesOf(edition) : ShapeOf(board, edition);
  return {shape << 7 | NumberOf(permutation)};
}

// Writes the RaceMovesOf(edition) moves of a shape.
GPUSIM_HOST_DEVICE constexpr void MakeRaceMoves(std::uint32_t shape, Edition edition,
                                                RaceMove* moves) {
  const Board board = BoardOf(shape, edition);
  for (int mover = 0; mover < CamelsOf(edition); ++mover) {
    const Camel camel = mover < kRacers ? static_cast<Camel>(mover)
                                        : GreyMover(board, static_cast<Camel>(mover));
    for (int face = 1; face <= kFaces; ++face) {
      const Draw draw = MoveUnit(board, 0, SlotOf(board, camel), face, mover < kRacers ? +1 : -1);
      *moves++ = RaceMoveTo(draw.board, draw.finish != Finish::kNone, edition);
    }
  }
}

}  // namespace gpusim::camel_up
