// RLE: what is read, what is refused and where, and that what is written is read back.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/placement.h"
#include "kernels/formats/rle.h"
#include "tests/unit/formats_testing.h"

namespace gpusim::formats {
namespace {

using life::Board;
using life::Topology;

constexpr const char* kGlider = ".O.\n..O\nOOO\n";

Pattern Read(std::string_view text) {
  auto pattern = ReadRle(text);
  EXPECT_TRUE(pattern) << text << ": " << pattern.error().Message();
  if (!pattern) return {};
  EXPECT_TRUE(InvariantsHold(*pattern)) << text;
  return *std::move(pattern);
}

TEST(ReadRle, TheGliderInManyDresses) {
  for (const char* text : {
           "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!",
           "x=3,y=3,rule=B3/S23\nbob$2bo$3o!\n",
           "x=3,y=3\nbob$2bo$3o!",
           "X = 3 , Y = 3 , RULE = b3s23\nbob$2bo$3o!",
           "bob$2bo$3o!",
           "bo$2bo$3o",
           ".A.$2.A$3A!",
           "bo$bbo$ooo!",
           "b o $ 2b o\t$ 3o !",
           "bo$2bo$3o!this is not read: 99 $$ \x01",
           "bo$2bo$3o!\n\nA comment behind the end",
           "#N Glider\n#C here\n\nx = 3, y = 3\r\nbob$\r\n2bo$\r\n3o!\r\n",
           "x = 3, y = 3\nbo$\n#C in the middle\n2bo$\n   # and here\n3o!",
           "\xEF\xBB\xBFx = 3, y = 3\nbo$2bo$3o!",
           "x = 3, y = 3\rbo$2bo$3o!",
           "bo$2b\no$oo\no!",
           "bx$2by$zQc!",
       }) {
    EXPECT_EQ(Draw(Read(text)), kGlider) << text;
  }
}

TEST(ReadRle, TheHeaderIsKept) {
  const Pattern pattern =
      Read("#CXRLE Pos=-12,34 Gen=3480106827776\nx = 3, y = 4, rule = 23/36:T100,200\nbo$2bo$3o!");
  EXPECT_EQ(pattern.format, Format::kRle);
  EXPECT_EQ(pattern.box, (Box{0, 0, 3, 4}));
  ASSERT_TRUE(pattern.rule);
  EXPECT_EQ(pattern.rule->birth, 1 << 3 | 1 << 6);
  EXPECT_EQ(pattern.grid, (BoundedGrid{Topology::kTorus, 100, 200}));
  EXPECT_EQ(pattern.golly_position, (Cell{-12, 34}));
  EXPECT_EQ(pattern.generation, 3480106827776u);
  EXPECT_FALSE(pattern.HasOwnCoordinates());
}

TEST(ReadRle, WhatIsNotSaidIsNotThere) {
  const Pattern pattern = Read("#CXRLE Other=3\nbo$2bo$3o!");
  EXPECT_FALSE(pattern.rule);
  EXPECT_FALSE(pattern.grid);
  EXPECT_FALSE(pattern.golly_position);
  EXPECT_FALSE(pattern.generation);
  EXPECT_EQ(Read("#CXRLE Gen=5 Pos=0,-7\r\no!").golly_position, (Cell{0, -7}));
}

TEST(ReadRle, TheRuleMayStandInAComment) {
  EXPECT_EQ(Read("#r 23/36\nbo!").rule->birth, 1 << 3 | 1 << 6);
  EXPECT_EQ(Read("#r 23/36\nx = 2, y = 1, rule = B3/S23\nbo!").rule, life::kConway);
  EXPECT_EQ(ReadRle("#C\n#r 23/39\nbo!").error().line, 2u);
  EXPECT_EQ(ReadRle("#C\n#r 23/39\nbo!").error().column, 8u);
}

// A body line that begins with x is a live cell, not a header.
TEST(ReadRle, AnXIsACellUnlessAnEqualsSignFollows) {
  EXPECT_EQ(Draw(Read("x$bx!")), "O.\n.O\n");
  EXPECT_EQ(Draw(Read("x = 2, y = 2\nx$bx!")), "O.\n.O\n");
}

TEST(ReadRle, CountsInFrontOfRowEnds) {
  EXPECT_EQ(Draw(Read("o3$o!")), "O\n.\n.\nO\n");
  EXPECT_EQ(Draw(Read("2$o2$$o3$!")), ".\n.\nO\n.\n.\nO\n");
  EXPECT_EQ(Read("o$$$$!").box, (Box{0, 0, 1, 1}));
}

TEST(ReadRle, AdjacentRunsAreOne) {
  const Pattern pattern = Read("ooA2o3obo$o!");
  EXPECT_EQ(pattern.runs, (std::vector<CellRun>{{0, 0, 8}, {0, 9, 10}, {1, 0, 1}}));
  EXPECT_EQ(pattern.LiveCells(), 10u);
}

TEST(ReadRle, APatternLargerThanItsHeaderGrowsTheBox) {
  EXPECT_EQ(Read("x = 1, y = 1\nbo$2bo$3o!").box, (Box{0, 0, 3, 3}));
  EXPECT_EQ(Read("x = 10, y = 1\nbo$2bo$3o!").box, (Box{0, 0, 10, 3}));
  EXPECT_EQ(Read("x = 0, y = 0\no5b!").box, (Box{0, 0, 6, 1}));
}

TEST(ReadRle, EmptyPatterns) {
  EXPECT_TRUE(Read("x = 0, y = 0, rule = B3/S23\n!").runs.empty());
  EXPECT_TRUE(Read("x = 5, y = 7, rule = B3/S23\n").runs.empty());
  EXPECT_EQ(Read("x = 5, y = 7\n!").LiveBox(), (Box{0, 0, 0, 0}));
  EXPECT_TRUE(Read("!").runs.empty());
}

struct BadRle {
  std::string text;
  std::uint64_t line;
  std::uint64_t column;
  std::string found;
  std::string rule_part;
};

TEST(ReadRle, FaultsAreNamedWithLineAndColumn) {
  const std::vector<BadRle> bad_texts = {
      {"", 1, 1, "end of text", "no pattern"},
      {"#C only a comment\n", 2, 1, "end of text", "no pattern"},
      {"x = 3, y = 3\nbo$2bo$3\no!", 2, 8, "3", "together on one line"},
      {"x = 3, y = 3\nbo$2bo$1\n3o!", 2, 8, "1", "together on one line"},
      {"x = 3, y = 3\r\nbo$\r\n12\r\no!", 3, 1, "12", "together on one line"},
      {"bo$2 bo!", 1, 4, "2", "together on one line"},
      {"bo$3", 1, 4, "3", "together on one line"},
      {"bo$3!", 1, 4, "3", "takes no count"},
      {"bo$03o!", 1, 4, "0", "does not begin with 0"},
      {"bo$0o!", 1, 4, "0", "does not begin with 0"},
      {"bo$-1o!", 1, 4, "-", "written with letters"},
      {"bo$*o!", 1, 4, "*", "written with letters"},
      {"bo$ # no comment\n!", 1, 5, "#", "written with letters"},
      {"bo$\x01!", 1, 4, "\\x01", "written with letters"},
      {"bo$3#\n!", 1, 5, "#", "written with letters"},
      {"x = 3 y = 3\no!", 1, 7, "y", "a header is written"},
      {"x = 3, rule = B3/S23\no!", 1, 8, "r", "a header is written"},
      {"x = 3\no!", 1, 6, "end of line", "a header is written"},
      {"x = 3, y = 3, B3/S23\no!", 1, 15, "B", "a header is written"},
      {"x = 3, y = 3 rule = B3/S23\no!", 1, 14, "r", "a header is written"},
      {"x = -3, y = 3\no!", 1, 5, "-", "a pattern's width runs from 0 to 4294967295"},
      {"x = 3, y = ,\no!", 1, 12, ",", "a pattern's height"},
      {"x = 4294967296, y = 1\no!", 1, 5, "4294967296", "4294967295"},
      {"x = 3, y = 3, rule = \no!", 1, 22, "end of text", "written like"},
      {"\nx = 3, y = 3, rule = B3/S29\no!", 2, 27, "9", "0 to 8"},
      {"#C\nx = 3, y = 3, rule = B3/S23:K3*,3\no!", 2, 29, "K", "Klein"},
      {"x = 3, y = 3, rule = B3/S23/4\no!", 1, 28, "/", "Generations"},
      {"x = 3, y = 3, rule = LifeHistory\no!", 1, 22, "LifeHistory", "by name"},
      {"#CXRLE Pos=1\no!", 1, 13, "end of line", "Pos=X,Y"},
      {"#CXRLE Pos=1,y\no!", 1, 14, "y", "the y of Pos"},
      {"#CXRLE Gen=-1\no!", 1, 12, "-", "a generation"},
      {"#CXRLE Gen=18446744073709551616\no!", 1, 12, "18446744073709551616", "a generation"},
      {"4294967296o!", 1, 1, "4294967296", "a count runs from 1 to 4294967295"},
      {"4294967295b\n  o!", 2, 3, "o", "4294967295 cells wide"},
      {"b4294967295o!", 1, 2, "4294967295o", "4294967295 cells wide"},
      {"4294967295$o!", 1, 12, "o", "4294967295 cells wide and high"},
      {"4294967295$5$o!", 1, 12, "5$", "4294967295 cells wide and high"},
  };
  for (const BadRle& bad : bad_texts) {
    const auto pattern = ReadRle(bad.text);
    ASSERT_FALSE(pattern) << bad.text;
    EXPECT_EQ(pattern.error().line, bad.line) << bad.text;
    EXPECT_EQ(pattern.error().column, bad.column) << bad.text;
    EXPECT_EQ(pattern.error().found, bad.found) << bad.text;
    EXPECT_NE(pattern.error().rule.find(bad.rule_part), std::string::npos)
        << bad.text << ": " << pattern.error().rule;
  }
}

TEST(ReadRle, TheLimitOfLiveCellsIsCheckedAtTheRun) {
  EXPECT_TRUE(ReadRle("2o$3o!", {.max_live_cells = 5}));
  const auto pattern = ReadRle("2o$3o!", {.max_live_cells = 4});
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().Message(),
            "line 1, column 4: found '3o': a pattern has 4 live cells at most here");
}

TEST(WriteRle, HeaderAndCells) {
  Board board = Board::Empty(5, 4);
  board.Set(1, 0, true);
  board.Set(2, 1, true);
  for (std::uint32_t x = 0; x < 3; ++x) board.Set(x, 3, true);
  EXPECT_EQ(WriteRle(board, WholeBoard(board), {.rule = life::kConway}, 1000).value(),
            "x = 5, y = 4, rule = B3/S23\nbo$2bo2$3o!\n");
  EXPECT_EQ(WriteRle(board, {1, 1, 2, 3},
                     {.rule = life::kConway,
                      .grid = BoundedGrid{Topology::kTorus, 100, 200},
                      .golly_position = Cell{-50, -100},
                      .generation = 7},
                     1000)
                .value(),
            "#CXRLE Pos=-50,-100 Gen=7\nx = 2, y = 3, rule = B3/S23:T100,200\nbo2$2o!\n");
  EXPECT_EQ(WriteRle(Board::Empty(7, 9), {0, 0, 7, 9}, {.rule = {}}, 1000).value(),
            "x = 7, y = 9, rule = B/S\n!\n");
}

TEST(WriteRle, RandomBoardsComeBack) {
  std::uint64_t seed = 1;
  for (const std::uint32_t width : {1u, 2u, 31u, 63u, 64u, 65u, 127u, 128u, 129u, 200u}) {
    for (const std::uint32_t height : {1u, 2u, 17u, 64u}) {
      for (const double density : {0.0, 0.02, 0.4, 0.97, 1.0}) {
        const Board board = RandomBoard(width, height, density, ++seed);
        const auto text =
            WriteRle(board, WholeBoard(board), {.rule = life::kConway}, 1u << 20).value();
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) ASSERT_LE(line.size(), 70u);
        const Pattern pattern = Read(text);
        EXPECT_EQ(pattern.box, (Box{0, 0, width, height}));
        EXPECT_EQ(Draw(pattern), Draw(board)) << text;
      }
    }
  }
}

TEST(WriteRle, RegionsComeBack) {
  const Board board = RandomBoard(150, 40, 0.5, 99);
  for (const Region region : {Region{0, 0, 1, 1}, Region{63, 3, 2, 5}, Region{64, 0, 64, 40},
                              Region{10, 10, 139, 30}, Region{149, 39, 1, 1}}) {
    Board cut = Board::Empty(region.width, region.height);
    for (std::uint32_t y = 0; y < region.height; ++y) {
      for (std::uint32_t x = 0; x < region.width; ++x) {
        cut.Set(x, y, board.Alive(region.x + x, region.y + y));
      }
    }
    EXPECT_EQ(Draw(Read(WriteRle(board, region, {.rule = life::kConway}, 1u << 20).value())),
              Draw(cut));
  }
}

TEST(WriteRle, TheCapIsExact) {
  const Board board = RandomBoard(100, 100, 0.4, 5);
  const auto write = [&](std::uint64_t max_bytes) {
    return WriteRle(board, WholeBoard(board), {.rule = life::kConway}, max_bytes);
  };
  const std::uint64_t size = write(1u << 20)->size();
  ASSERT_TRUE(write(size + 1));
  for (std::uint64_t max_bytes = 0; max_bytes < size + 1; max_bytes += 7) {
    const auto text = write(max_bytes);
    if (text) {
      EXPECT_LE(text->size(), max_bytes);
    } else {
      EXPECT_EQ(text.error().max_bytes, max_bytes);
      EXPECT_LT(max_bytes, size + 2);
    }
  }
  EXPECT_FALSE(write(size - 1));
}

TEST(WriteRle, ATorusWithItsPlaceComesBackWhereItWas) {
  const Board board = RandomBoard(33, 20, 0.3, 6);
  const auto text = WriteRle(board, WholeBoard(board),
                             {.rule = life::kConway,
                              .grid = BoundedGrid{Topology::kTorus, 33, 20},
                              .golly_position = Cell{-16, -10}},
                             1u << 20);
  const Pattern pattern = Read(*text);
  EXPECT_EQ(DefaultCorner(pattern, 33, 20), (Cell{0, 0}));
}

TEST(PatternFiles, AreWhatTheyAreCalled) {
  const Pattern gun = Read(ReadFile(PatternPath("gosper_gun.rle")));
  EXPECT_EQ(gun.LiveCells(), 36u);
  EXPECT_EQ(gun.box, (Box{0, 0, 36, 9}));
  EXPECT_EQ(gun.LiveBox(), gun.box);
  EXPECT_EQ(Draw(Read(ReadFile(PatternPath("glider.rle")))), kGlider);
  EXPECT_EQ(Draw(Read(ReadFile(PatternPath("die_hard.rle")))), "......O.\nOO......\n.O...OOO\n");
  const Pattern replicator = Read(ReadFile(PatternPath("replicator.rle")));
  EXPECT_EQ(replicator.LiveCells(), 12u);
  EXPECT_EQ(replicator.rule->birth, 1 << 3 | 1 << 6);
  const Pattern torus = Read(ReadFile(PatternPath("torus_glider.rle")));
  EXPECT_EQ(torus.grid, (BoundedGrid{Topology::kTorus, 64, 64}));
  EXPECT_EQ(DefaultCorner(torus, 64, 64), (Cell{0, 0}));
}

}  // namespace
}  // namespace gpusim::formats
