// Where patterns come to lie, and that nothing is dropped without a word.
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "kernels/formats/life106.h"
#include "kernels/formats/placement.h"
#include "kernels/formats/rle.h"
#include "tests/unit/formats_testing.h"

namespace gpusim::formats {
namespace {

using life::Board;
using life::Topology;

constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNear = std::numeric_limits<std::int64_t>::min();

Pattern Read(std::string_view text) { return ReadRle(text).value(); }

Pattern RandomPattern(std::uint32_t width, std::uint32_t height, std::uint64_t seed) {
  const Board board = RandomBoard(width, height, 0.5, seed);
  return Read(*WriteRle(board, WholeBoard(board), {.rule = life::kConway}, 1u << 20));
}

TEST(DefaultCorner, IsTheMiddleRoundedDown) {
  const Pattern glider = Read("bo$2bo$3o!");
  EXPECT_EQ(DefaultCorner(glider, 9, 9), (Cell{3, 3}));
  EXPECT_EQ(DefaultCorner(glider, 10, 4), (Cell{3, 0}));
  EXPECT_EQ(DefaultCorner(glider, 3, 3), (Cell{0, 0}));
  EXPECT_EQ(DefaultCorner(glider, 2, 1), (Cell{-1, -1}));
  EXPECT_EQ(DefaultCorner(Read("x = 7, y = 8\nbo$2bo$3o!"), 10, 10), (Cell{1, 1}));
}

TEST(DefaultCorner, FollowsGollyOnBoundedGridsOnly) {
  EXPECT_EQ(DefaultCorner(Read("#CXRLE Pos=-50,-99\nx=3,y=1,rule=B3/S23:T100,200\n3o!"), 100, 200),
            (Cell{0, 1}));
  EXPECT_EQ(DefaultCorner(Read("#CXRLE Pos=-4,3\nx=3,y=1,rule=B3/S23:P9,7\n3o!"), 9, 7),
            (Cell{0, 6}));
  EXPECT_EQ(DefaultCorner(Read("#CXRLE Pos=-50,-99\nx=3,y=1,rule=B3/S23\n3o!"), 9, 9),
            (Cell{3, 4}));
}

TEST(Place, EveryOffsetOfARunAgainstSingleCells) {
  for (const std::int64_t length : {1, 2, 63, 64, 65, 128, 190}) {
    for (std::int64_t x = 0; x + length <= 200; ++x) {
      Board board = Board::Empty(200, 1);
      Board expected = Board::Empty(200, 1);
      const Pattern pattern = Read(std::to_string(length) + "o!");
      ASSERT_TRUE(Place(pattern, Topology::kPlane, {x, 0}, "pattern", board));
      for (std::int64_t i = 0; i < length; ++i) {
        expected.Set(static_cast<std::uint32_t>(x + i), 0, true);
      }
      ASSERT_EQ(board, expected) << length << " at " << x;
    }
  }
}

TEST(Place, WrapsOnATorusAndKeepsThePaddingClear) {
  for (const std::uint32_t width : {1u, 3u, 63u, 64u, 65u, 130u}) {
    const std::uint32_t height = 5;
    const Pattern pattern = RandomPattern(width, height, width);
    const Board upright = [&] {
      Board board = Board::Empty(width, height);
      EXPECT_TRUE(Place(pattern, Topology::kPlane, {0, 0}, "pattern", board));
      return board;
    }();
    for (const Cell corner : {Cell{0, 0}, Cell{1, 0}, Cell{-1, -1}, Cell{width / 2, 3},
                              Cell{1000003, -77}, Cell{kFar, kNear}, Cell{kNear, kFar}}) {
      Board board = Board::Empty(width, height);
      ASSERT_TRUE(Place(pattern, Topology::kTorus, corner, "pattern", board));
      const auto modulo = [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; };
      Board expected = Board::Empty(width, height);
      for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
          const auto to_x = (x + modulo(corner.x, width)) % width;
          const auto to_y = (y + modulo(corner.y, height)) % height;
          expected.Set(static_cast<std::uint32_t>(to_x), static_cast<std::uint32_t>(to_y),
                       upright.Alive(x, y));
        }
      }
      ASSERT_EQ(board, expected) << width << " " << corner.x << "," << corner.y;
    }
  }
}

TEST(Place, KeepsWhatIsThere) {
  Board board = Board::Empty(4, 1);
  board.Set(0, 0, true);
  ASSERT_TRUE(Place(Read("obo!"), Topology::kPlane, {1, 0}, "pattern", board));
  EXPECT_EQ(Draw(board), "OO.O\n");
}

TEST(Place, CellsOutsideAPlaneAreNamedAndNothingChanges) {
  struct Case {
    std::string rle;
    Cell corner;
    std::string value;
  };
  for (const Case& bad :
       {Case{"bo$2bo$3o!", {8, 0}, "cell 10,1"}, Case{"bo$2bo$3o!", {-1, 4}, "cell -1,6"},
        Case{"bo$2bo$3o!", {0, 8}, "cell 0,10"}, Case{"bo$2bo$3o!", {0, -1}, "cell 1,-1"},
        Case{"3o!", {8, 0}, "cell 10,0"}, Case{"3o!", {10, 0}, "cell 10,0"},
        Case{"3o!", {12, 0}, "cell 12,0"}, Case{"3o!", {-2, 0}, "cell -2,0"},
        Case{"3o!", {0, 12}, "cell 0,12"}, Case{"4294967295o!", {0, 0}, "cell 10,0"},
        Case{"3o!", {kFar, 0}, "9223372036854775807,0"},
        Case{"3o!", {0, kNear}, "0,-9223372036854775808"}}) {
    Board board = Board::Empty(10, 10);
    const auto placed = Place(Read(bad.rle), Topology::kPlane, bad.corner, "board.pattern", board);
    ASSERT_FALSE(placed) << bad.value;
    EXPECT_EQ(placed.error().field, "board.pattern");
    EXPECT_EQ(placed.error().value, bad.value);
    EXPECT_NE(placed.error().rule.find("plane"), std::string::npos);
    EXPECT_EQ(board, Board::Empty(10, 10));
    EXPECT_EQ(CheckPlacement(Read(bad.rle), Topology::kPlane, 10, 10, bad.corner, "board.pattern"),
              placed.error());
  }
}

TEST(Place, DeadCellsMayLieOutside) {
  Board board = Board::Empty(3, 3);
  EXPECT_TRUE(Place(Read("x = 9, y = 9\n5$4b3o!"), Topology::kPlane, {-4, -5}, "pattern", board));
  EXPECT_EQ(Draw(board), "OOO\n...\n...\n");
  EXPECT_TRUE(Place(Read("x = 9, y = 9\n!"), Topology::kPlane, {kFar, kFar}, "pattern", board));
}

TEST(Place, APatternLargerThanTheTorusIsRefused) {
  Board board = Board::Empty(10, 10);
  const auto placed = Place(Read("o10bo!"), Topology::kTorus, {0, 0}, "pattern", board);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().value, "12x1");
  EXPECT_NE(placed.error().rule.find("10x10"), std::string::npos);
  EXPECT_FALSE(Place(Read("o10$o!"), Topology::kTorus, {0, 0}, "pattern", board));
  EXPECT_EQ(board, Board::Empty(10, 10));
  EXPECT_TRUE(Place(Read("x = 99, y = 99\no8bo!"), Topology::kTorus, {0, 0}, "pattern", board));
}

TEST(Place, OwnCoordinatesCountFromTheBox) {
  const Pattern pattern = ReadLife106("-7 -5\n-6 -4\n").value();
  Board board = Board::Empty(3, 3);
  ASSERT_TRUE(Place(pattern, Topology::kPlane, {1, 0}, "pattern", board));
  EXPECT_EQ(Draw(board), ".O.\n..O\n...\n");
  EXPECT_EQ(DefaultCorner(pattern, 4, 4), (Cell{1, 1}));
}

TEST(FramePattern, GrowsTheLiveCellsByTheGenerations) {
  const auto frame = FramePattern(Read("x = 4000000000, y = 5\n2$bo$2bo$3o!"), 10, 1000, "pattern");
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->width, 23u);
  EXPECT_EQ(frame->height, 23u);
  EXPECT_EQ(frame->corner, (Cell{10, 8}));
  Board board = Board::Empty(23, 23);
  ASSERT_TRUE(Place(Read("x = 4000000000, y = 5\n2$bo$2bo$3o!"), Topology::kPlane, frame->corner,
                    "pattern", board));
  EXPECT_EQ(LiveRegion(board), (Region{10, 10, 3, 3}));
}

TEST(FramePattern, OverTheLimitSuggestsAFixedSize) {
  const Pattern glider = Read("bo$2bo$3o!");
  EXPECT_TRUE(FramePattern(glider, 10, 23 * 23, "pattern"));
  for (const std::uint64_t generations :
       {std::uint64_t{11}, std::uint64_t{2147483648}, std::uint64_t{4294967296},
        std::numeric_limits<std::uint64_t>::max() / 2 + 2,
        std::numeric_limits<std::uint64_t>::max()}) {
    const auto frame = FramePattern(glider, generations, 23 * 23, "pattern");
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().value, "plane:auto");
    EXPECT_NE(frame.error().rule.find("name a torus or a plane"), std::string::npos);
  }
  EXPECT_FALSE(FramePattern(Read("4294967294b2$o2$4294967295o!"), 0, 1u << 30, "pattern"));
  EXPECT_FALSE(FramePattern(Read("4294967295o!"), 1, ~std::uint64_t{0}, "pattern"));
  EXPECT_EQ(FramePattern(Read("x = 9, y = 9\n!"), 1u << 30, 1, "pattern")->width, 1u);
}

TEST(LiveRegion, IsTheSmallestBox) {
  Board board = Board::Empty(200, 50);
  EXPECT_EQ(LiveRegion(board), std::nullopt);
  board.Set(199, 49, true);
  EXPECT_EQ(LiveRegion(board), (Region{199, 49, 1, 1}));
  board.Set(64, 7, true);
  EXPECT_EQ(LiveRegion(board), (Region{64, 7, 136, 43}));
  board.Set(0, 20, true);
  EXPECT_EQ(LiveRegion(board), (Region{0, 7, 200, 43}));
}

}  // namespace
}  // namespace gpusim::formats
