// Plaintext, Life 1.05, Life 1.06, and telling the formats apart.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/cells.h"
#include "kernels/formats/life105.h"
#include "kernels/formats/life106.h"
#include "kernels/formats/read_pattern.h"
#include "tests/unit/formats_testing.h"

namespace gpusim::formats {
namespace {

using life::Board;

constexpr const char* kGlider = ".O.\n..O\nOOO\n";

Pattern Checked(tl::expected<Pattern, TextError> pattern) {
  EXPECT_TRUE(pattern) << pattern.error().Message();
  if (!pattern) return {};
  EXPECT_TRUE(InvariantsHold(*pattern));
  return *std::move(pattern);
}

void ExpectFault(const tl::expected<Pattern, TextError>& pattern, std::uint64_t line,
                 std::uint64_t column, const std::string& found, const std::string& rule_part) {
  ASSERT_FALSE(pattern) << rule_part;
  EXPECT_EQ(pattern.error().line, line) << pattern.error().Message();
  EXPECT_EQ(pattern.error().column, column) << pattern.error().Message();
  EXPECT_EQ(pattern.error().found, found) << pattern.error().Message();
  EXPECT_NE(pattern.error().rule.find(rule_part), std::string::npos) << pattern.error().Message();
}

TEST(ReadCells, TheGliderInManyDresses) {
  for (const char* text : {
           "!Name: Glider\n!\n.O.\n..O\nOOO\n",
           ".O\n..O\nOOO",
           ".O.\r\n..O\r\nOOO\r\n",
           ".*.\n..*\n***\n",
           ".o  \n..o\t\nooo\n\n\n",
           ".O.\n!a comment\n..O\nOOO\n",
       }) {
    EXPECT_EQ(Draw(Checked(ReadCells(text))), kGlider) << text;
  }
}

TEST(ReadCells, EmptyLinesAreRows) {
  EXPECT_EQ(Draw(Checked(ReadCells("O\n\n.O\n"))), "O.\n..\n.O\n");
  EXPECT_EQ(Draw(Checked(ReadCells("!\n\nO\n"))), ".\nO\n");
  EXPECT_TRUE(Checked(ReadCells("!Name only\n")).runs.empty());
}

TEST(ReadCells, Faults) {
  ExpectFault(ReadCells("!x\n.O.\n.X.\n"), 3, 2, "X", "a cell is written");
  ExpectFault(ReadCells(".O .O\n"), 1, 4, ".", "at the end of a row");
  ExpectFault(ReadCells("OOO\nOO", {.max_live_cells = 4}), 2, 3, "end of text", "4 live cells");
  EXPECT_TRUE(ReadCells("OOO\nOO", {.max_live_cells = 5}));
}

TEST(WriteCells, RandomBoardsComeBack) {
  for (const std::uint32_t width : {1u, 63u, 64u, 65u, 130u}) {
    for (const double density : {0.0, 0.5, 1.0}) {
      const Board board = RandomBoard(width, 13, density, width);
      const std::string text = WriteCells(board, WholeBoard(board), 1u << 20).value();
      EXPECT_EQ(text, Draw(board));
      EXPECT_EQ(Draw(Checked(ReadCells(text))), text);
      const Pattern pattern = Checked(ReadPattern(text));
      EXPECT_EQ(pattern.format, Format::kCells);
      EXPECT_EQ(pattern.box, (Box{0, 0, width, 13}));
    }
  }
}

TEST(WriteCells, TheCapIsCheckedFirst) {
  const Board board = RandomBoard(10, 10, 0.5, 3);
  EXPECT_TRUE(WriteCells(board, WholeBoard(board), 110));
  EXPECT_EQ(WriteCells(board, WholeBoard(board), 109).error().max_bytes, 109u);
  EXPECT_EQ(WriteCells(board, {2, 3, 4, 5}, 25)->size(), 25u);
}

TEST(ReadLife105, BlocksLieWhereTheySay) {
  const Pattern pattern = Checked(
      ReadLife105("#Life 1.05\n#D text\n#N\n#P -3 -2\n.*\n*.\n#P 2 1\n.\n**\n#P -3 -2\n*\n"));
  EXPECT_EQ(pattern.runs, (std::vector<CellRun>{{-2, -3, -1}, {-1, -3, -2}, {2, 2, 4}}));
  EXPECT_EQ(pattern.box, (Box{-3, -2, 7, 5}));
  EXPECT_EQ(pattern.rule, life::kConway);
  EXPECT_TRUE(pattern.HasOwnCoordinates());
}

TEST(ReadLife105, RuleAndMissingPlaces) {
  const Pattern pattern = Checked(ReadLife105("#Life 1.05\r\n#R 125/36\r\n***\r\n"));
  EXPECT_EQ(pattern.rule->birth, 1 << 3 | 1 << 6);
  EXPECT_EQ(pattern.rule->survive, 1 << 1 | 1 << 2 | 1 << 5);
  EXPECT_EQ(pattern.runs, (std::vector<CellRun>{{0, 0, 3}}));
}

TEST(ReadLife105, EmptyLinesAreNoRows) {
  EXPECT_EQ(Checked(ReadLife105("#P\n\n*\n\n.*\n  \n")).runs,
            (std::vector<CellRun>{{0, 0, 1}, {1, 1, 2}}));
}

TEST(ReadLife105, Faults) {
  ExpectFault(ReadLife105("#Life 1.05\n#P 1\n*"), 2, 5, "end of line", "#P X Y");
  ExpectFault(ReadLife105("#Life 1.05\n#P 1 2 3\n*"), 2, 8, "3", "#P X Y");
  ExpectFault(ReadLife105("#Life 1.05\n#P a 2\n*"), 2, 4, "a", "the x of #P");
  ExpectFault(ReadLife105("#Life 1.05\n#P 1 -4294967296\n*"), 2, 6, "-4294967296", "the y of #P");
  ExpectFault(ReadLife105("#Life 1.05\n#R 23/9\n*"), 2, 7, "9", "0 to 8");
  ExpectFault(ReadLife105("#Life 1.05\n#P 0 0\n.b*\n"), 3, 2, "b", "a cell is written");
  ExpectFault(ReadLife105("#Life 1.05\n#I file\n"), 2, 1, "#I", "XLife");
  ExpectFault(ReadLife105("#P -4294967295 0\n*\n#P 4294967295 0\n*\n"), 4, 2, "end of line",
              "wide and high");
  ExpectFault(ReadLife105("***", {.max_live_cells = 2}), 1, 4, "end of text", "2 live cells");
  // A cell that two blocks name counts once.
  EXPECT_TRUE(ReadLife105("#P 0 0\n***\n#P 0 0\n***", {.max_live_cells = 3}));
}

// Cells around 0,0 used to come out shifted by readers that dropped signs or the box.
TEST(WriteLife105, BlocksOfLiveRows) {
  Board board = Board::Empty(9, 7);
  for (const auto& [x, y] : {std::pair{2u, 1u}, {4u, 1u}, {0u, 2u}, {8u, 5u}})
    board.Set(x, y, true);
  EXPECT_EQ(WriteLife105(board, WholeBoard(board), {-4, 10}, life::kConway, 1000).value(),
            "#Life 1.05\n#N\n#P -4 11\n..*.*\n*\n#P -4 15\n........*\n");
  EXPECT_EQ(WriteLife105(board, {1, 1, 4, 2}, {0, 0}, {1u << 2, 0}, 1000).value(),
            "#Life 1.05\n#R /2\n#P 0 0\n.*.*\n");
  const Board empty = Board::Empty(3, 3);
  EXPECT_EQ(WriteLife105(empty, WholeBoard(empty), {0, 0}, life::kConway, 14).value(),
            "#Life 1.05\n#N\n");
}

TEST(WriteLife105, RandomBoardsComeBackAtTheirPlace) {
  for (const std::uint32_t width : {1u, 79u, 80u, 81u, 160u, 200u}) {
    for (const double density : {0.0, 0.02, 0.5, 1.0}) {
      const Board board = RandomBoard(width, 30, density, width);
      const std::string text =
          WriteLife105(board, WholeBoard(board), {-7, 3}, {1u << 3 | 1u << 6, 1u << 2}, 1u << 20)
              .value();
      const Pattern pattern = Checked(ReadPattern(text));
      EXPECT_EQ(pattern.format, Format::kLife105);
      EXPECT_EQ(pattern.rule, (life::Rule{1u << 3 | 1u << 6, 1u << 2}));
      Board back = Board::Empty(width, 30);
      const Cell corner{pattern.box.x + 7, pattern.box.y - 3};
      ASSERT_TRUE(Place(pattern, life::Topology::kPlane, corner, "pattern", back));
      EXPECT_EQ(back, board);
      std::size_t longest = 0;
      for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
           begin = end + 1)
        longest = std::max(longest, end - begin);
      EXPECT_LE(longest, 80u);
    }
  }
}

TEST(WriteLife105, TheCapIsExact) {
  const Board board = RandomBoard(100, 100, 0.5, 3);
  const std::string text =
      WriteLife105(board, WholeBoard(board), {0, 0}, life::kConway, 1u << 20).value();
  EXPECT_TRUE(WriteLife105(board, WholeBoard(board), {0, 0}, life::kConway, text.size()));
  EXPECT_FALSE(WriteLife105(board, WholeBoard(board), {0, 0}, life::kConway, text.size() - 1));
}

TEST(ReadLife106, NegativeCoordinatesKeepTheirPlace) {
  const Pattern pattern = Checked(ReadLife106("#Life 1.06\n0 -1\n1 0\n-1 1\n0 1\n1 1\n"));
  EXPECT_EQ(pattern.box, (Box{-1, -1, 3, 3}));
  EXPECT_EQ(pattern.runs, (std::vector<CellRun>{{-1, 0, 1}, {0, 1, 2}, {1, -1, 2}}));
  EXPECT_EQ(Draw(pattern), kGlider);
  EXPECT_TRUE(pattern.HasOwnCoordinates());
}

TEST(ReadLife106, AnyOrderAndTwiceAndBlanks) {
  EXPECT_EQ(Draw(Checked(ReadLife106(
                "#Life 1.06\r\n 1 1\r\n0 1 \r\n-1\t1\r\n\r\n#C\r\n1 0\r\n0 -1\r\n0 -1\r\n"))),
            kGlider);
  EXPECT_TRUE(Checked(ReadLife106("#Life 1.06\n")).runs.empty());
  EXPECT_TRUE(ReadLife106("0 0\n0 0\n", {.max_live_cells = 1}));
}

TEST(ReadLife106, Faults) {
  ExpectFault(ReadLife106("#Life 1.06\n1\n"), 2, 2, "end of line", "a cell is written X Y");
  ExpectFault(ReadLife106("#Life 1.06\n1,2\n"), 2, 2, ",", "a cell is written X Y");
  ExpectFault(ReadLife106("#Life 1.06\n1 2 3\n"), 2, 5, "3", "one cell");
  ExpectFault(ReadLife106("#Life 1.06\n1 b\n"), 2, 3, "b", "the y of a cell");
  ExpectFault(ReadLife106("#Life 1.06\n- 1\n"), 2, 1, "-", "the x of a cell");
  ExpectFault(ReadLife106("#Life 1.06\n4294967296 1\n"), 2, 1, "4294967296",
              "-4294967295 to 4294967295");
  ExpectFault(ReadLife106("0 0\n-9223372036854775809 1\n"), 2, 1, "-9223372036854775809",
              "the x of a cell");
  ExpectFault(ReadLife106("-4294967295 0\n4294967295 0\n"), 2, 13, "end of line", "wide and high");
  ExpectFault(ReadLife106("0 0\n1 0\n", {.max_live_cells = 1}), 3, 1, "end of text", "1 live");
}

TEST(WriteLife106, RandomBoardsComeBackAtTheirPlace) {
  const Board board = RandomBoard(70, 9, 0.4, 8);
  const std::string text = WriteLife106(board, WholeBoard(board), {-35, -4}, 1u << 20).value();
  const Pattern pattern = Checked(ReadPattern(text));
  EXPECT_EQ(pattern.format, Format::kLife106);
  Board again = Board::Empty(70, 9);
  ASSERT_TRUE(Place(pattern, life::Topology::kPlane, {pattern.box.x + 35, pattern.box.y + 4},
                    "pattern", again));
  EXPECT_EQ(again, board);
  EXPECT_TRUE(WriteLife106(board, WholeBoard(board), {-35, -4}, text.size()));
  EXPECT_FALSE(WriteLife106(board, WholeBoard(board), {-35, -4}, text.size() - 1));
  EXPECT_FALSE(WriteLife106(board, WholeBoard(board), {-35, -4}, 3));
}

TEST(DetectFormat, TellsThemApart) {
  const std::vector<std::pair<std::string, Format>> texts = {
      {"x = 3, y = 3\nbo!", Format::kRle},
      {"#N name\n#CXRLE Pos=0,0\nx=3,y=3\nbo!", Format::kRle},
      {"bo$2bo$3o!", Format::kRle},
      {"3o", Format::kRle},
      {"O$O", Format::kRle},
      {"OOO!", Format::kRle},
      {".A.$", Format::kRle},
      {"!Name: x\n.O\n", Format::kCells},
      {"!", Format::kCells},
      {".O.\n..O\nOOO\n", Format::kCells},
      {"\n\n.O.\n", Format::kCells},
      {"ooo\noo\n", Format::kCells},
      {"..*\n", Format::kCells},
      {"#Life 1.05\n*", Format::kLife105},
      {"#P -1 -1\n.*\n", Format::kLife105},
      {"#D only a picture\n.*\n", Format::kLife105},
      {"#Life 1.06\n0 0\n", Format::kLife106},
      {"#life  1.06\n0 0\n", Format::kLife106},
      {"\xEF\xBB\xBF#Life 1.06\n0 0\n", Format::kLife106},
  };
  for (const auto& [text, format] : texts) {
    const auto detected = DetectFormat(text);
    ASSERT_TRUE(detected) << text << ": " << detected.error().Message();
    EXPECT_EQ(*detected, format) << text;
  }
}

TEST(DetectFormat, WhatIsNotReadIsNamed) {
  ExpectFault(ReadPattern(""), 1, 1, "end of text", "no pattern");
  ExpectFault(ReadPattern(" \n\n#C a\n"), 4, 1, "end of text", "no pattern");
  ExpectFault(ReadPattern("[M2] (golly 2.0)\n"), 1, 1, "[", "macrocell");
  ExpectFault(ReadPattern("#MCell 4.00\n"), 1, 1, "#MCell", "MCell");
  ExpectFault(ReadPattern("#Life 1.07\n"), 1, 7, "1", "1.05 and 1.06");
  ExpectFault(ReadPattern("\x1f\x8b\x08"), 1, 1, "\\x1f", "a cell is written");
}

TEST(PatternFiles, OfEveryFormat) {
  const auto read = [](const std::string& name) {
    return Checked(ReadPattern(ReadFile(PatternPath(name))));
  };
  EXPECT_EQ(Draw(read("glider_106.lif")), kGlider);
  EXPECT_EQ(Draw(read("glider.rle")), kGlider);
  EXPECT_EQ(Draw(read("acorn.cells")), ".O.....\n...O...\nOO..OOO\n");
  EXPECT_EQ(Draw(read("r_pentomino_crlf.cells")), ".OO\nOO.\n.O.\n");
  EXPECT_EQ(Draw(read("lightweight_spaceship.lif")), ".O..O\nO....\nO...O\nOOOO.\n");
  const Pattern pulsar = read("pulsar.lif");
  EXPECT_EQ(pulsar.format, Format::kLife105);
  EXPECT_EQ(pulsar.LiveCells(), 48u);
  EXPECT_EQ(pulsar.LiveBox(), (Box{-6, -6, 13, 13}));
  EXPECT_EQ(pulsar.rule, life::kConway);
}

}  // namespace
}  // namespace gpusim::formats
