// How a leg is played: which draws there are, what they weigh, and where a unit lands. For host and
// device, constexpr; the rules are those of the 2014 and 2018 editions' rule books.
//
// A draw takes a die out of the pyramid and moves a unit, the camel and all that stand above it. In
// the word of camel_up_board.h a unit is a run of slots, and a move is a rotation of the slots
// between where the unit stood, [first, end), and where it is inserted, `to`, with the unit's
// spaces rewritten:
//
//   forward:   | below | unit | passed .... | rest |   -->   | below | passed .... | unit | rest |
//   backward:  | below | passed .... | unit | rest |   -->   | below | unit | passed .... | rest |
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/rules/camel_up_board.h"

namespace gpusim::camel_up {

enum class Finish : std::uint8_t { kNone = 0, kForward = 1, kBackward = 2 };

// One way in which a draw can turn out.
struct Draw {
  Board board = 0;           // after the move, without the die
  std::uint32_t weight = 0;  // second edition: 2 a racing face, 1 a grey one; first edition: 1
  int landed_tile = 0;       // space of the tile that the unit landed on, 0 if on none
  Finish finish = Finish::kNone;
};

namespace leg_detail {

inline constexpr Board kOnes = 0x0001'0101'0101'0101;  // one a slot
inline constexpr Board kSpaceBits = 0x1f * kOnes;
inline constexpr Board kCamelBits = 0x07 * kOnes;
inline constexpr Board kHighBits = 0x80 * kOnes;

GPUSIM_HOST_DEVICE constexpr int CountBits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return std::popcount(bits);
#endif
}
GPUSIM_HOST_DEVICE constexpr int LowestBit(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return std::countr_zero(bits);
#endif
}

GPUSIM_HOST_DEVICE constexpr Board LowSlots(int count) { return (Board{1} << (8 * count)) - 1; }

// Slots whose high bit is set in `bits`, a part of kHighBits; and the slot of the only one. On the device a
// product of 32 bits sums four slots, where counting and finding bits has an eighth of its rate.
GPUSIM_HOST_DEVICE constexpr int CountSlots(Board bits) {
#ifdef __CUDA_ARCH__
  const std::uint32_t pairs =
      (static_cast<std::uint32_t>(bits) >> 7) + (static_cast<std::uint32_t>(bits >> 32) >> 7);
  return static_cast<int>(pairs * 0x0101'0101 >> 24);
#else
  return std::popcount(bits);
#endif
}
GPUSIM_HOST_DEVICE constexpr int OnlySlot(Board bit) {
#ifdef __CUDA_ARCH__
  const std::uint32_t number = (static_cast<std::uint32_t>(bit) >> 7) * 0x0001'0203 +
                               (static_cast<std::uint32_t>(bit >> 32) >> 7) * 0x0405'0607;
  return static_cast<int>(number >> 24);
#else
  return std::countr_zero(bit) / 8;
#endif
}

// Slots that stand behind `space`. A byte's high bit is set by adding 128 - space exactly if the
// slot's space (at most 31) is not below.
GPUSIM_HOST_DEVICE constexpr int SlotsBehind(Board board, int space) {
  const Board at_or_beyond =
      (((board >> 3) & kSpaceBits) + static_cast<Board>(128 - space) * kOnes) & kHighBits;
  return kMaxCamels - CountSlots(at_or_beyond);
}

GPUSIM_HOST_DEVICE constexpr Board RelocateByShifts(Board board, int first, int end, int to,
                                                    int space) {
  const int length = end - first;
  const Board unit =
      (((board >> (8 * first)) & kCamelBits) | static_cast<Board>(space << 3) * kOnes) &
      LowSlots(length);
  if (to >= end) {
    const int passed = to - end;
    return (board & LowSlots(first)) | ((board >> (8 * end)) & LowSlots(passed)) << (8 * first) |
           unit << (8 * (first + passed)) | (board & ~LowSlots(to));
  }
  const int passed = first - to;
  return (board & LowSlots(to)) | unit << (8 * to) |
         ((board >> (8 * to)) & LowSlots(passed)) << (8 * (to + length)) | (board & ~LowSlots(end));
}

// Four bytes out of the eight of `from`, each named by a nibble of `names`.
GPUSIM_HOST_DEVICE constexpr std::uint32_t PickBytes(std::uint64_t from, std::uint32_t names) {
#ifdef __CUDA_ARCH__
  return __byte_perm(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(from >> 32),
                     names);
#else
  std::uint32_t picked = 0;
  for (int k = 0; k < 4; ++k)
    picked |= static_cast<std::uint32_t>(from >> (8 * (names >> (4 * k) & 7)) & 0xFF) << (8 * k);
  return picked;
#endif
}
GPUSIM_HOST_DEVICE constexpr std::uint64_t PickAllBytes(std::uint64_t from, std::uint32_t names) {
  return PickBytes(from, names) | static_cast<std::uint64_t>(PickBytes(from, names >> 16)) << 32;
}

// Nibble k is 1 for the slots k below `count`.
GPUSIM_HOST_DEVICE constexpr std::uint32_t LowNibbles(int count) {
  return 0x0111'1111u >> (4 * (kMaxCamels - count));
}

// The same for the device, whose shifts of 64 bits by a variable are four instructions each: a nibble a slot names the
// slot that comes there, so the rotation of [low, high), whose second part begins at `middle` afterwards,
// is worked out in 32 bits.
GPUSIM_HOST_DEVICE constexpr Board RelocateByNames(Board board, int first, int end, int to,
                                                   int space) {
  const bool forward = to >= end;
  const int low = forward ? first : to;
  const int high = forward ? to : end;
  const int length = end - first;
  const int middle = forward ? high - length : low + length;
  const std::uint32_t front = LowNibbles(middle) - LowNibbles(low);
  const std::uint32_t back = LowNibbles(high) - LowNibbles(middle);
  const std::uint32_t names = 0x7654'3210u + static_cast<std::uint32_t>(high - middle) * front -
                              static_cast<std::uint32_t>(middle - low) * back;
  // One in the unit's slots: byte 0 of `ones` there, byte 4 elsewhere.
  const std::uint64_t ones = 0x0101'0101;
  const std::uint64_t unit = PickAllBytes(ones, 0x4444'4444u - 4 * (forward ? back : front));
  const auto further = static_cast<std::uint32_t>(8 * (space - SpaceOf(board, first)));
  const std::uint64_t moved = PickAllBytes(board, names);
  // No slot leaves its byte, so halves do not carry.
  return (static_cast<std::uint32_t>(moved) + static_cast<std::uint32_t>(unit) * further) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(moved >> 32) +
                                    static_cast<std::uint32_t>(unit >> 32) * further)
             << 32;
}

GPUSIM_HOST_DEVICE constexpr Board Relocate(Board board, int first, int end, int to, int space) {
#ifdef __CUDA_ARCH__
  return RelocateByNames(board, first, end, to, space);
#else
  return RelocateByShifts(board, first, end, to, space);
#endif
}

}  // namespace leg_detail

// The slot in which a camel of the edition stands.
GPUSIM_HOST_DEVICE constexpr int SlotOf(Board board, Camel camel) {
  using namespace leg_detail;
  const Board difference = (board ^ (camel * kOnes)) & kCamelBits;
  const Board is_zero = ~(difference + 0x7f * kOnes) & kHighBits;
  return OnlySlot(is_zero);
}

// Moves the unit whose lowest camel stands in `slot` by `steps` in `direction` (+1, or -1 for a
// crazy camel). A tile acts once, in the mover's own direction: an oasis takes the unit one space
// on, to land on top; a mirage one space back, to land underneath, also under camels that it has
// just left. A unit behind the finish line stands on its space beyond 16, one carried back over the
// start on space 0, in its order either way.
GPUSIM_HOST_DEVICE constexpr Draw MoveUnit(Board board, Tiles tiles, int slot, int steps,
                                           int direction) {
  using namespace leg_detail;
  const int from = SpaceOf(board, slot);
  const int end = SlotsBehind(board, from + 1);
  int space = from + direction * steps;
  Draw draw;
  if (space < 1) {
    draw.finish = Finish::kBackward;
    space = 0;
  }
  bool underneath = false;
  const std::uint32_t tile = space <= kSpaces ? TileAt(tiles, space) : std::uint32_t{kNoTile};
  if (tile != kNoTile) {
    draw.landed_tile = space;
    underneath = tile == kMirage;
    space += underneath ? -direction : direction;
  }
  if (space > kSpaces) draw.finish = Finish::kForward;
  draw.board =
      Relocate(board, slot, end, SlotsBehind(board, underneath ? space : space + 1), space);
  return draw;
}

// Whether a racing camel stands anywhere above the slot, on its space.
GPUSIM_HOST_DEVICE constexpr bool CarriesRacer(Board board, int slot) {
  for (int above = slot + 1; above < kMaxCamels && SpaceOf(board, above) == SpaceOf(board, slot);
       ++above) {
    if (CamelIn(board, above) < kRacers) return true;
  }
  return false;
}

// The crazy camels that the grey die may move, as bits 5 and 6: the one that alone carries a racing
// camel; else the upper one where one sits directly on the other; else both, and the colour shown
// decides.
GPUSIM_HOST_DEVICE constexpr std::uint32_t CrazyMovers(Board board) {
  constexpr std::uint32_t kWhite = 1u << kCrazyWhite;
  constexpr std::uint32_t kBlack = 1u << kCrazyBlack;
  const int white = SlotOf(board, kCrazyWhite);
  const int black = SlotOf(board, kCrazyBlack);
  const bool white_carries = CarriesRacer(board, white);
  const bool black_carries = CarriesRacer(board, black);
  if (white_carries != black_carries) return white_carries ? kWhite : kBlack;
  const bool neighbours = white + 1 == black || black + 1 == white;
  if (neighbours && SpaceOf(board, white) == SpaceOf(board, black))
    return white > black ? kWhite : kBlack;
  return kWhite | kBlack;
}

// The crazy camel that moves when the grey die shows the colour of `shown`.
GPUSIM_HOST_DEVICE constexpr Camel GreyMover(Board board, Camel shown) {
  const std::uint32_t movers = CrazyMovers(board);
  return movers >> shown & 1 ? shown : static_cast<Camel>(kCrazyWhite + kCrazyBlack - shown);
}

// The camels that the next draw may move, one bit each. With one of three faces each is an outcome
// of the draw.
GPUSIM_HOST_DEVICE constexpr std::uint32_t Movers(Board board) {
  const std::uint32_t dice = DiceLeft(board);
  return (dice & 0x1f) | (dice >> kGreyDie & 1 ? CrazyMovers(board) : 0);
}

GPUSIM_HOST_DEVICE constexpr Board WithoutDieOf(Board board, Camel mover) {
  const int die = mover < kRacers ? mover : kGreyDie;
  return board & ~(Board{1} << (kDiceShift + die));
}

// The outcome in which `mover`, one of `movers` = Movers(board), goes `face` (1 to 3) spaces. A
// grey die that moves one camel whatever colour it shows gives it both colours' weight.
GPUSIM_HOST_DEVICE constexpr Draw Play(Board board, Tiles tiles, Edition edition,
                                       std::uint32_t movers, Camel mover, int face) {
  const bool crazy = mover >= kRacers;
  Draw draw =
      MoveUnit(WithoutDieOf(board, mover), tiles, SlotOf(board, mover), face, crazy ? -1 : +1);
  const bool colour_decides = movers >> kCrazyWhite == 3;
  draw.weight = edition == Edition::kFirst || (crazy && colour_decides) ? 1 : 2;
  return draw;
}

// Calls visit(Draw) for every outcome of the next draw.
template <class Visit>
GPUSIM_HOST_DEVICE constexpr void ForEachDraw(Board board, Tiles tiles, Edition edition,
                                              Visit&& visit) {
  const std::uint32_t movers = Movers(board);
  for (std::uint32_t left = movers; left != 0; left &= left - 1) {
    const auto mover = static_cast<Camel>(leg_detail::LowestBit(left));
    for (int face = 1; face <= 3; ++face) visit(Play(board, tiles, edition, movers, mover, face));
  }
}

// Draws until the leg is over: the first edition rolls all dice, the second leaves one in the
// pyramid.
GPUSIM_HOST_DEVICE constexpr int DrawsLeft(Edition edition, int dice) {
  return edition == Edition::kFirst ? dice : dice - 1;
}

// The weight of all ways in which a leg with `dice` dice can go on: with k draws, n!/(n-k)! * 3^k
// in the first edition, n!/(n-k)! * 6^k in the second. 1 when the leg is over.
GPUSIM_HOST_DEVICE constexpr std::uint32_t TotalWeight(Edition edition, int dice) {
  const std::uint32_t faces = edition == Edition::kFirst ? 3 : 6;
  std::uint32_t weight = 1;
  for (int draws = DrawsLeft(edition, dice); draws > 0; --draws, --dice)
    weight *= faces * static_cast<std::uint32_t>(dice);
  return weight;
}
static_assert(TotalWeight(Edition::kFirst, 5) == 29'160);
static_assert(TotalWeight(Edition::kSecond, 6) == 5'598'720);

// Moves in the full tree of a leg's draws, nothing merged: the measure of an odds query's work.
constexpr std::uint64_t TreeMoves(Edition edition, int dice, bool grey) {
  if (DrawsLeft(edition, dice) <= 0) return 0;
  const std::uint64_t racing = static_cast<std::uint64_t>(dice - grey);
  std::uint64_t moves = racing * 3 * (1 + TreeMoves(edition, dice - 1, grey));
  if (grey) moves += 6 * (1 + TreeMoves(edition, dice - 1, false));
  return moves;
}
constexpr std::uint64_t TreeMoves(Edition edition, Board board) {
  return TreeMoves(edition, std::popcount(DiceLeft(board)), DiceLeft(board) >> kGreyDie & 1);
}
static_assert(TreeMoves(Edition::kFirst, 5, false) == 40'695);
static_assert(TreeMoves(Edition::kSecond, 6, true) == 374'601);

// How many times the work of a position's leg its race is, roughly: its leaves are looked up in a table that
// no cache holds.
inline constexpr std::uint64_t kRaceRowFactor = 3;

// The order in which the racing camels finish, first place first, as four digits of base 5 (the
// fifth follows): an index below kOrders. Ranks, pairs and triples are all sums over the weights of
// the orders.
inline constexpr int kOrders = 625;

// The racing camels by rank, rearmost first, in slots 0 to 4: the two others, crazy camels or unused slots,
// are taken out. Their lowest bits, less 1, are the masks of what stands below.
GPUSIM_HOST_DEVICE constexpr Board RacersAlone(Board board) {
  using namespace leg_detail;
  const Board others = (board >> 2) & (board | board >> 1) & kOnes;  // camels 5, 6 and 7
  const Board upper = others & (others - 1);
  const Board below_lower = (others ^ upper) - 1;
  const Board below_upper = (upper - 1) >> 8;  // once the lower one is out
  return (board & below_lower) | ((board >> 8) & (below_upper & ~below_lower)) |
         ((board >> 16) & ~below_upper);
}

GPUSIM_HOST_DEVICE constexpr int OrderOf(Board board) {
  const Board racers = RacersAlone(board);
  int order = 0;
  for (int rank = kRacers - 1; rank > 0; --rank) order = order * kRacers + CamelIn(racers, rank);
  return order;
}

}  // namespace gpusim::camel_up
