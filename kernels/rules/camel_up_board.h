// The board of Camel Up in one 64-bit word, for host and device.
//
//   bit  63      56 55      48        15       8 7        0
//       +----------+----------+-- ~ --+----------+----------+
//       |   dice   |  slot 6  |       |  slot 1  |  slot 0  |
//       +----------+----------+-- ~ --+----------+----------+
//
// A slot is one camel: space * 8 + camel. Slots stand in racing order, slot 0 the rearmost space
// and there the bottom of the stack, so that the order of the slots is the ranking and a stack is a
// run of neighbouring slots with one space. Unused slots hold 0xFF (space 31, camel 7) and so stand
// in front. Spaces: 1 to 16 on the track, 17 to 20 behind the finish line, 0 for a unit that a
// crazy camel has carried back over the start. The dice byte has bit d set while die d is in the
// pyramid.
//
// A word is the whole state of a leg but for its tiles, which do not change within the leg: two
// words are equal exactly if the rest of the leg is.
#pragma once

#include <cstdint>

#include "kernels/rules/host_device.h"

namespace gpusim::camel_up {

enum class Edition : std::uint8_t { kFirst = 1, kSecond = 2 };

// Racing camels are 0 to 4, in the order of the edition's letters: B G O Y W, or r b g y p.
using Camel = std::uint8_t;
inline constexpr Camel kCrazyWhite = 5;
inline constexpr Camel kCrazyBlack = 6;
inline constexpr int kRacers = 5;
inline constexpr int kMaxCamels = 7;

// Dice 0 to 4 are those of the racing camels, 5 is the grey one.
using Die = std::uint8_t;
inline constexpr Die kGreyDie = 5;
inline constexpr int kMaxDice = 6;

inline constexpr int kSpaces = 16;
inline constexpr int kMaxTiles = 8;  // spaces 2 to 16, no two neighbours

using Board = std::uint64_t;
inline constexpr Board kSlotBytes = 0x00FF'FFFF'FFFF'FFFF;
inline constexpr int kDiceShift = 56;

// Two bits a space, at bit 2 * space: 0 no tile, 1 oasis, 2 mirage.
using Tiles = std::uint64_t;
enum TileKind : std::uint32_t { kNoTile = 0, kOasis = 1, kMirage = 2 };

GPUSIM_HOST_DEVICE constexpr std::uint32_t TileAt(Tiles tiles, int space) {
  return static_cast<std::uint32_t>(tiles >> (2 * space)) & 3;
}

GPUSIM_HOST_DEVICE constexpr int CamelsOf(Edition edition) {
  return edition == Edition::kFirst ? kRacers : kMaxCamels;
}
GPUSIM_HOST_DEVICE constexpr int DiceOf(Edition edition) {
  return edition == Edition::kFirst ? kRacers : kMaxDice;
}

GPUSIM_HOST_DEVICE constexpr std::uint32_t DiceLeft(Board board) {
  return static_cast<std::uint32_t>(board >> kDiceShift);
}
GPUSIM_HOST_DEVICE constexpr int CamelIn(Board board, int slot) {
  return static_cast<int>(board >> (8 * slot)) & 7;
}
GPUSIM_HOST_DEVICE constexpr int SpaceOf(Board board, int slot) {
  return static_cast<int>(board >> (8 * slot + 3)) & 31;
}

// The question of one leg: everything that its odds depend on.
struct LegQuery {
  Board board = 0;
  Tiles tiles = 0;
  Edition edition = Edition::kFirst;

  friend bool operator==(const LegQuery&, const LegQuery&) = default;
};

}  // namespace gpusim::camel_up
