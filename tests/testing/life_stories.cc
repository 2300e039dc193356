#include "tests/testing/life_stories.h"

#include <utility>

#include <gtest/gtest.h>

#include "tests/testing/life_cases.h"

namespace gpusim::testing {
namespace {

using life::Board;
using life::Topology;
using Cells = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Board BoardOf(std::uint32_t width, std::uint32_t height, const Cells& alive) {
  Board board = Board::Empty(width, height);
  for (const auto& [x, y] : alive) board.Set(x, y, true);
  return board;
}

Board FullBoard(std::uint32_t width, std::uint32_t height) {
  Board board = Board::Empty(width, height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) board.Set(x, y, true);
  return board;
}

Board GliderAt(std::uint32_t size, std::uint32_t x, std::uint32_t y) {
  Board board = Board::Empty(size, size);
  for (const auto& [dx, dy] : Cells{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}})
    board.Set((x + dx) % size, (y + dy) % size, true);
  return board;
}

void ExpectBoard(Slot& slot, const LifeCase& life_case, const Board& expected) {
  const auto result = StepOnSlot(slot, {life_case}).front();
  EXPECT_TRUE(result.board == expected) << Describe(life_case);
  EXPECT_EQ(result.population, life::Population(expected)) << Describe(life_case);
}

// A kernel that wrote the next cells over the old ones let a block read its neighbour's new ones. Blinkers all over a large
// board turn at once.
void InPlaceUpdateReadsNewCells(Slot& slot) {
  constexpr std::uint32_t kSide = 1500;
  Board flat = Board::Empty(kSide, kSide), upright = flat;
  for (std::uint32_t y = 1; y < kSide; y += 5) {
    for (std::uint32_t x = 1; x < kSide; x += 5) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        flat.Set(x + i, y + 1, true);
        upright.Set(x + 1, y + i, true);
      }
    }
  }
  for (const Topology topology : {Topology::kTorus, Topology::kPlane}) {
    for (const std::uint32_t generations : {1u, 2u, 17u, 18u})
      ExpectBoard(slot, {flat, life::kConway, topology, generations},
                  generations % 2 == 1 ? upright : flat);
  }
}

// (x - 1) % width on an unsigned x = 0 is the last column only if the width is a power of two.
void ColumnBeforeTheFirstIsTheLast(Slot& slot) {
  for (const std::uint32_t side : {5u, 33u, 65u, 100u, 1000u}) {
    ExpectBoard(slot, {BoardOf(side, side, {{0, 1}, {0, 2}, {0, 3}})},
                BoardOf(side, side, {{side - 1, 2}, {0, 2}, {1, 2}}));
    ExpectBoard(slot, {BoardOf(side, side, {{1, 0}, {2, 0}, {3, 0}})},
                BoardOf(side, side, {{2, side - 1}, {2, 0}, {2, 1}}));
  }
}

// Without a border, x = width reads the first cell of the next row: three cells, two at the right edge and one at the left,
// would then make a fourth.
void RightEdgeDoesNotReadTheNextRow(Slot& slot) {
  for (const std::uint32_t width : {5u, 32u, 63u, 64u, 65u, 128u, 640u, 1000u})
    ExpectBoard(slot,
                {BoardOf(width, 6, {{width - 1, 2}, {width - 1, 3}, {0, 3}, {0, 4}}), life::kConway,
                 Topology::kPlane},
                Board::Empty(width, 6));
}

// A seam that is off by a row or a column moves a glider that crosses it.
void GliderComesHomeAcrossTheSeams(Slot& slot) {
  for (const std::uint32_t size : {5u, 31u, 33u, 64u, 65u, 127u, 520u}) {
    const Board start = GliderAt(size, size - 2, size - 2);
    ExpectBoard(slot, {start, life::kConway, Topology::kTorus, 4 * size}, start);
    ExpectBoard(slot, {start, life::kConway, Topology::kTorus, 4 * 7},
                GliderAt(size, (size + 5) % size, (size + 5) % size));
  }
}

// Column 0 was given no right neighbour.
void ColumnZeroHasARightNeighbour(Slot& slot) {
  for (const std::uint32_t width : {2u, 3u, 64u, 65u, 700u}) {
    const Board block = BoardOf(width, 5, {{0, 1}, {1, 1}, {0, 2}, {1, 2}});
    ExpectBoard(slot, {block, life::kConway, Topology::kPlane, 9}, block);
  }
}

// Eight neighbours ran past a table of eight entries.
void EightNeighboursAreInTheTable(Slot& slot) {
  for (const auto& [width, height] : {std::pair{1u, 1u}, {3u, 3u}, {64u, 64u}, {65u, 40u}}) {
    const Board full = FullBoard(width, height);
    ExpectBoard(slot, {full, PlainRule("B/S8"), Topology::kTorus, 3}, full);
    ExpectBoard(slot, {full, PlainRule("B/S01234567"), Topology::kTorus, 1},
                Board::Empty(width, height));
  }
  Board ring = FullBoard(3, 3);
  ring.Set(1, 1, false);
  ExpectBoard(slot, {ring, PlainRule("B8/S"), Topology::kPlane}, BoardOf(3, 3, {{1, 1}}));
}

// An empty board was taken to stay empty under every rule.
void BirthOfZeroFillsAnEmptyBoard(Slot& slot) {
  for (const Topology topology : {Topology::kTorus, Topology::kPlane}) {
    for (const auto& [width, height] : {std::pair{1u, 1u}, {3u, 2u}, {64u, 7u}, {130u, 66u}}) {
      const Board empty = Board::Empty(width, height);
      ExpectBoard(slot, {empty, PlainRule("B0/S"), topology, 1}, FullBoard(width, height));
      ExpectBoard(slot, {empty, PlainRule("B0/S012345678"), topology, 6}, FullBoard(width, height));
      ExpectBoard(slot, {empty, PlainRule("B0/S"), topology, 2}, empty);
    }
  }
}

// "B2/S" was refused for its empty list.
void RuleWithoutSurvival(Slot& slot) {
  ExpectBoard(slot, {BoardOf(70, 8, {{63, 3}, {64, 3}}), PlainRule("B2/S"), Topology::kPlane},
              BoardOf(70, 8, {{63, 2}, {64, 2}, {63, 4}, {64, 4}}));
  ExpectBoard(slot, {FullBoard(70, 8), PlainRule("B/S"), Topology::kTorus}, Board::Empty(70, 8));
}

// A glider on a torus has a period of 4 * size, which a check over a few generations, or a checksum of 16 bits, gets wrong.
void GliderHasItsLongPeriod(Slot& slot) {
  constexpr std::uint32_t kSize = 70, kPeriod = 4 * kSize;
  const auto facts = StepOnSlot(slot, {{GliderAt(kSize, 60, 66), life::kConway, Topology::kTorus,
                                        2 * kPeriod, 1, kAllFacts}})
                         .front()
                         .facts;
  for (std::uint32_t i = 0; i + 1 < 2 * kPeriod; ++i) {
    for (std::uint32_t j = i + 1; j < 2 * kPeriod; ++j) {
      ASSERT_EQ(facts[i].digest == facts[j].digest, (j - i) % kPeriod == 0) << i << " " << j;
      ASSERT_EQ(facts[i].shape_digest == facts[j].shape_digest, (j - i) % 4 == 0) << i << " " << j;
    }
  }
}

// A box is literal: what lies on both sides of a seam has the board's width.
void BoxAcrossTheSeam(Slot& slot) {
  for (const std::uint32_t width : {5u, 64u, 65u, 200u}) {
    const auto facts = StepOnSlot(slot, {{BoardOf(width, 9, {{0, 1}, {0, 2}, {0, 3}}),
                                          life::kConway, Topology::kTorus, 1, 0, kAllFacts}})
                           .front()
                           .facts.front();
    EXPECT_EQ(facts.left, 0u);
    EXPECT_EQ(facts.width, width);
    EXPECT_EQ(facts.top, 2u);
    EXPECT_EQ(facts.height, 1u);
    EXPECT_EQ(facts.births, 2u);
    EXPECT_EQ(facts.deaths, 2u);
  }
}

}  // namespace

std::vector<LifeStory> LifeStories() {
  return {{"InPlaceUpdateReadsNewCells", InPlaceUpdateReadsNewCells},
          {"ColumnBeforeTheFirstIsTheLast", ColumnBeforeTheFirstIsTheLast},
          {"RightEdgeDoesNotReadTheNextRow", RightEdgeDoesNotReadTheNextRow},
          {"GliderComesHomeAcrossTheSeams", GliderComesHomeAcrossTheSeams},
          {"ColumnZeroHasARightNeighbour", ColumnZeroHasARightNeighbour},
          {"EightNeighboursAreInTheTable", EightNeighboursAreInTheTable},
          {"BirthOfZeroFillsAnEmptyBoard", BirthOfZeroFillsAnEmptyBoard},
          {"RuleWithoutSurvival", RuleWithoutSurvival},
          {"GliderHasItsLongPeriod", GliderHasItsLongPeriod},
          {"BoxAcrossTheSeam", BoxAcrossTheSeam}};
}

}  // namespace gpusim::testing
