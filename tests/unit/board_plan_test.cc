// Where the cells of a new board and of a stamp come to lie: against cells that are set one by one.
#include "server/services/board_plan.h"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/read_pattern.h"
#include "server/services/board_stamp.h"
#include "server/services/board_upload.h"
#include "tests/testing/life_cases.h"

namespace gpusim::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CellSource Pattern(const std::string& text) { return *formats::ReadPattern(text); }

// The whole board, made in bands of three rows.
life::Board Laid(const BoardPlan& plan) {
  const boards::BoardShape& shape = plan.shape;
  life::Board board = life::Board::Empty(shape.width, shape.height);
  if (plan.laid.stamp == nullptr) return board;
  const std::size_t row_words = life::WordsPerRow(shape.width);
  for (std::uint32_t y = 0; y < shape.height; y += 3) {
    const std::uint32_t rows = std::min(3u, shape.height - y);
    std::vector<std::uint64_t> words(rows * row_words, ~std::uint64_t{0});
    EXPECT_TRUE(LayStamp(*plan.laid.stamp, plan.laid.corner, shape, y, rows, words).has_value());
    std::copy(words.begin(), words.end(),
              board.words.begin() + static_cast<std::ptrdiff_t>(y * row_words));
  }
  return board;
}

formats::BoundedGrid Torus(std::uint32_t width, std::uint32_t height) {
  return {life::Topology::kTorus, width, height};
}
formats::BoundedGrid Plane(std::uint32_t width, std::uint32_t height) {
  return {life::Topology::kPlane, width, height};
}

TEST(BoardPlanTest, AStampWrapsOnATorusCellByCell) {
  std::mt19937_64 random(11);
  for (const std::uint32_t width : {1u, 5u, 63u, 64u, 65u, 130u, 200u}) {
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t w = 1 + random() % width;
      const std::uint32_t h = 1 + random() % 7;
      const life::Board stamp = testing::RandomBoard(w, h, 0.5, random);
      const auto x = static_cast<std::int64_t>(random() % 1000) - 500;
      const auto y = static_cast<std::int64_t>(random() % 1000) - 500;
      const auto plan =
          PlanBoard({.source = stamp, .grid = Torus(width, 7), .at = formats::Cell{x, y}});
      ASSERT_TRUE(plan.has_value());
      life::Board expected = life::Board::Empty(width, 7);
      for (std::uint32_t sy = 0; sy < h; ++sy) {
        for (std::uint32_t sx = 0; sx < w; ++sx) {
          const std::int64_t bx = ((x + sx) % width + width) % width;
          const std::int64_t by = ((y + sy) % 7 + 7) % 7;
          if (stamp.Alive(sx, sy))
            expected.Set(static_cast<std::uint32_t>(bx), static_cast<std::uint32_t>(by), true);
        }
      }
      EXPECT_EQ(Laid(*plan), expected) << w << "x" << h << " at " << x << "," << y;
    }
  }
}

TEST(BoardPlanTest, PatternsAreCentredOrPlacedByTheirFile) {
  const auto centred =
      PlanBoard({.source = Pattern("x = 3, y = 3\nbo$2bo$3o!"), .grid = Torus(100, 50)});
  ASSERT_TRUE(centred.has_value());
  const life::Board board = Laid(*centred);
  EXPECT_EQ(life::Population(board), 5u);
  for (const auto& [x, y] : {std::pair{49u, 23u}, {50u, 24u}, {48u, 25u}, {49u, 25u}, {50u, 25u}})
    EXPECT_TRUE(board.Alive(x, y)) << x << "," << y;

  const auto golly = PlanBoard(
      {.source = Pattern("#CXRLE Pos=-50,-25 Gen=12\nx = 1, y = 1, rule = B36/S23:T100,50\no!")});
  ASSERT_TRUE(golly.has_value());
  EXPECT_TRUE(Laid(*golly).Alive(0, 0));
  EXPECT_EQ(golly->generation, 12u);
  EXPECT_EQ(golly->shape.width, 100u);
  EXPECT_EQ(golly->shape.rule, testing::PlainRule("B36/S23"));
}

TEST(BoardPlanTest, WhatTheRequestSaysBeatsTheFileWithANote) {
  const auto plan = PlanBoard({.source = Pattern("x = 1, y = 1, rule = B36/S23:T100,50\no!"),
                               .rule = life::kConway,
                               .grid = Plane(10, 10),
                               .generation = 3});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->shape.rule, life::kConway);
  EXPECT_EQ(plan->generation, 3u);
  EXPECT_THAT(plan->notes,
              ElementsAre("rule B3/S23 of the request used, the file says B36/S23",
                          "topology plane:10x10 of the request used, the file says torus:100x50"));
}

std::vector<std::string> Faults(const tl::expected<BoardPlan, Violations>& plan) {
  std::vector<std::string> faults;
  if (!plan) {
    for (const Violation& v : plan.error()) faults.push_back(v.field + " " + v.value);
  }
  return faults;
}

TEST(BoardPlanTest, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(Faults(PlanBoard({.source = Pattern("3o!")})), ElementsAre("topology "));
  EXPECT_THAT(Faults(PlanBoard({.source = Pattern("3o!"), .grid = Torus(2, 2)})),
              ElementsAre("pattern 3x1"));
  EXPECT_THAT(
      Faults(PlanBoard({.source = Pattern("3o!"), .grid = Plane(5, 5), .at = formats::Cell{3, 0}})),
      ElementsAre("at 3,0"));
  const std::int64_t far = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(
      Faults(
          PlanBoard({.source = Pattern("3o!"), .grid = Plane(5, 5), .at = formats::Cell{far, far}}))
          .size(),
      1u);
  // Dead cells may hang over the border.
  EXPECT_TRUE(
      PlanBoard(
          {.source = Pattern("x = 9, y = 9\n3o!"), .grid = Plane(9, 5), .at = formats::Cell{0, 0}})
          .has_value());
}

TEST(WritePlanTest, ACopyBringsItsDeadCellsAnOrDoesNot) {
  const boards::BoardShape shape{.width = 20, .height = 20, .topology = life::Topology::kPlane};
  const std::string text = "x = 5, y = 5, rule = B36/S23\n$2bo!";
  const auto copy = PlanWrite(Pattern(text), shape, formats::Cell{1, 2}, true);
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->laid.stamp->width(), 5u);
  EXPECT_EQ(copy->laid.corner, (formats::Cell{1, 2}));
  EXPECT_THAT(copy->notes, ElementsAre("rule B3/S23 of the board stays, the file says B36/S23"));
  const auto live = PlanWrite(Pattern(text), shape, formats::Cell{1, 2}, false);
  ASSERT_TRUE(live.has_value());
  EXPECT_EQ(live->laid.stamp->width(), 1u);
  EXPECT_EQ(live->laid.corner, (formats::Cell{3, 3}));
  EXPECT_FALSE(PlanWrite(Pattern(text), shape, formats::Cell{16, 2}, true).has_value());
  EXPECT_TRUE(PlanWrite(Pattern(text), shape, formats::Cell{16, 2}, false).has_value());
}

TEST(RowBandsTest, FaultsNameTheRow) {
  RowBands bands(12, 3);
  const std::string row("\xff\x0f", 2);
  EXPECT_THAT(bands.Take(row + "\xff").error().rule, HasSubstr("whole rows, of 2 bytes"));
  EXPECT_THAT(bands.Take("").error().rule, HasSubstr("whole rows"));
  EXPECT_THAT(bands.Take(std::string((1 << 20) + 2, '\0')).error().rule,
              HasSubstr("at most 1048576"));
  EXPECT_EQ(bands.Take(row)->words.front(), 0xfffu);
  EXPECT_EQ(bands.Take(row + std::string("\xff\x10", 2)).error().value, "row 2");
  EXPECT_EQ(bands.next(), 1u);
  EXPECT_EQ(bands.Missing()->value, "1 rows");
  EXPECT_THAT(bands.Take(row + row + row).error().rule, HasSubstr("3 rows, no more"));
  EXPECT_TRUE(bands.Take(row + row).has_value());
  EXPECT_EQ(bands.Missing(), std::nullopt);
  EXPECT_EQ(RowBands::WidthFault(1u << 23, "f"), std::nullopt);
  EXPECT_EQ(RowBands::WidthFault((1u << 23) + 1, "f")->field, "f");
}

}  // namespace
}  // namespace gpusim::server
