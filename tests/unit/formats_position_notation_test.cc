// Camel Up positions in text: what is read, and that every fault reaches the caller.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/position_notation.h"

namespace gpusim::formats {
namespace {

using camel_up::Camel;
using camel_up::Die;
using camel_up::Edition;
using camel_up::Position;

bool SameStacks(const Position& position,
                const std::vector<std::pair<int, std::vector<Camel>>>& stacks) {
  return std::equal(position.stacks.begin(), position.stacks.end(), stacks.begin(), stacks.end(),
                    [](const camel_up::Stack& a, const auto& b) {
                      return a.space == b.first && a.camels == b.second;
                    });
}

ParsedPosition Parse(Edition edition, const PositionText& text) {
  return ParsePosition(edition, text, "");
}

TEST(PositionNotation, FirstEdition) {
  const ParsedPosition parsed = Parse(Edition::kFirst, {"1:BGO 2:Y 3:W", "6+ 8-", "BGOYW"});
  EXPECT_TRUE(parsed.violations.empty());
  EXPECT_TRUE(SameStacks(parsed.position, {{1, {0, 1, 2}}, {2, {3}}, {3, {4}}}));
  ASSERT_EQ(parsed.position.tiles.size(), 2u);
  EXPECT_EQ(parsed.position.tiles[0].space, 6);
  EXPECT_EQ(parsed.position.tiles[0].effect, 1);
  EXPECT_EQ(parsed.position.tiles[1].space, 8);
  EXPECT_EQ(parsed.position.tiles[1].effect, -1);
  EXPECT_EQ(parsed.position.dice, (std::vector<Die>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(camel_up::Validate(parsed.position, "").empty());
}

TEST(PositionNotation, SecondEdition) {
  const ParsedPosition parsed = Parse(Edition::kSecond, {"1:rb,2:gy,3:p,14:w,16:k", "", "*rb"});
  EXPECT_TRUE(parsed.violations.empty());
  EXPECT_TRUE(
      SameStacks(parsed.position, {{1, {0, 1}}, {2, {2, 3}}, {3, {4}}, {14, {5}}, {16, {6}}}));
  EXPECT_EQ(parsed.position.dice, (std::vector<Die>{5, 0, 1}));
  EXPECT_TRUE(camel_up::Validate(parsed.position, "").empty());
}

TEST(PositionNotation, EitherCaseAndManySeparators) {
  const ParsedPosition first =
      Parse(Edition::kFirst, {" 01:bgo,, 2:y\t3:W\n", ",6+, 8-", "b g,Oy"});
  EXPECT_TRUE(first.violations.empty());
  EXPECT_TRUE(SameStacks(first.position, {{1, {0, 1, 2}}, {2, {3}}, {3, {4}}}));
  EXPECT_EQ(first.position.tiles.size(), 2u);
  EXPECT_EQ(first.position.dice, (std::vector<Die>{0, 1, 2, 3}));
  const ParsedPosition second = Parse(Edition::kSecond, {"1:RBGYPWK", "", "RP"});
  EXPECT_TRUE(SameStacks(second.position, {{1, {0, 1, 2, 3, 4, 5, 6}}}));
  EXPECT_EQ(second.position.dice, (std::vector<Die>{0, 4}));
}

TEST(PositionNotation, NoDiceAreAllDice) {
  EXPECT_EQ(Parse(Edition::kFirst, {"", "", ""}).position.dice.size(), 5u);
  EXPECT_EQ(Parse(Edition::kSecond, {"", "", " , "}).position.dice.size(), 6u);
}

TEST(PositionNotation, TilesMayNameTheirOwners) {
  const ParsedPosition parsed = Parse(Edition::kSecond, {"", "6+a 8-B 10-", ""});
  EXPECT_TRUE(parsed.violations.empty());
  std::string owners;
  for (const camel_up::Tile& tile : parsed.position.tiles)
    owners += tile.owner == 0 ? '?' : tile.owner;
  EXPECT_EQ(owners, "ab?");
  EXPECT_EQ(FormatTiles(parsed.position), "6+a 8-b 10-");
}

TEST(PositionNotation, WhatIsReadIsWritten) {
  for (const char* stacks : {"1:BGOYW", "1:BG 2:OY 3:W", "16:W 15:Y 1:BGO"}) {
    const ParsedPosition parsed = Parse(Edition::kFirst, {stacks, "3+ 5-", "WB"});
    EXPECT_EQ(FormatStacks(parsed.position), stacks);
    EXPECT_EQ(FormatTiles(parsed.position), "3+ 5-");
    EXPECT_EQ(FormatDice(parsed.position), "WB");
  }
  const ParsedPosition second = Parse(Edition::kSecond, {"10:rwbkgyp", "", ""});
  EXPECT_EQ(FormatStacks(second.position), "10:rwbkgyp");
  EXPECT_EQ(FormatDice(second.position), "rbgyp*");
}

TEST(PositionNotation, FaultsOfTheTextAreAllNamed) {
  const ParsedPosition parsed = ParsePosition(
      Edition::kFirst,
      {"1:BQR 2Y :G 3: x:W -4:O 99999999999999999999:B", "6 +8 9*  7+1 10-ab 4294967302+", "BR*"},
      "positions[3].");
  std::vector<std::string> values;
  for (const Violation& violation : parsed.violations) {
    values.push_back(violation.field + "=" + violation.value);
  }
  const std::string stacks = "positions[3].text.stacks=";
  const std::string tiles = "positions[3].text.tiles=";
  const std::string dice = "positions[3].text.dice=";
  EXPECT_EQ(values,
            (std::vector<std::string>{stacks + "1:BQR", stacks + "1:BQR", stacks + "2Y",
                                      stacks + ":G", stacks + "3:", stacks + "x:W", stacks + "-4:O",
                                      stacks + "99999999999999999999:B", tiles + "6", tiles + "+8",
                                      tiles + "9*", tiles + "7+1", tiles + "10-ab",
                                      tiles + "4294967302+", dice + "BR*", dice + "BR*"}));
  EXPECT_EQ(parsed.violations[0].rule, "'Q' is not a camel of the first edition: B G O Y W");
  EXPECT_EQ(parsed.violations[7].rule, "a space runs from 1 to 16");
  EXPECT_EQ(parsed.violations[15].rule, "'*' is not a die of the first edition: B G O Y W");
  EXPECT_TRUE(SameStacks(parsed.position, {{1, {0}}}));
  EXPECT_TRUE(parsed.position.tiles.empty());
  EXPECT_EQ(parsed.position.dice, (std::vector<Die>{0}));
}

TEST(PositionNotation, CrazyCamelsHaveNoDiceOfTheirOwn) {
  const ParsedPosition parsed = Parse(Edition::kSecond, {"1:rbgyp 15:k 16:w", "", "rbwk"});
  ASSERT_EQ(parsed.violations.size(), 2u);
  EXPECT_EQ(parsed.violations[0].rule, "'w' is not a die of the second edition: r b g y p *");
}

// What Validate can judge must reach it: a repeated camel or die must not be lost on the way.
TEST(PositionNotation, FaultsOfThePositionReachValidate) {
  const auto faults = [](const PositionText& text) {
    const ParsedPosition parsed = Parse(Edition::kFirst, text);
    EXPECT_TRUE(parsed.violations.empty());
    return camel_up::Validate(parsed.position, "");
  };
  EXPECT_EQ(faults({"1:BGOYWB", "", ""}).size(), 1u);
  EXPECT_EQ(faults({"1:BGOYW 2:B", "", ""}).size(), 1u);
  EXPECT_EQ(faults({"1:BGO 1:YW", "", ""}).size(), 1u);
  EXPECT_EQ(faults({"0:BGO 17:YW", "", ""}).size(), 2u);
  EXPECT_EQ(faults({"1:BGOYW", "", "BGB"}).size(), 1u);
  EXPECT_EQ(faults({"1:BGOYW", "1+ 5+ 5- 6- 17-", ""}).size(), 4u);
  EXPECT_EQ(faults({"1:BGO", "", ""}).size(), 2u);
  EXPECT_EQ(faults({"", "", ""}).size(), 5u);
  EXPECT_EQ(Parse(Edition::kFirst, {"1:BB", "", "YY"}).position.stacks[0].camels,
            (std::vector<Camel>{0, 0}));
}

TEST(PositionNotation, ValuesArePrintable) {
  const ParsedPosition parsed = Parse(Edition::kFirst, {"1:B\xC3\xA9", "6\xE2\x88\x92", ""});
  ASSERT_EQ(parsed.violations.size(), 3u);
  EXPECT_EQ(parsed.violations[0].value, "1:B\\xc3\\xa9");
  EXPECT_EQ(parsed.violations[0].rule, "'\\xc3' is not a camel of the first edition: B G O Y W");
  EXPECT_EQ(parsed.violations[2].value, "6\\xe2\\x88\\x92");
}

}  // namespace
}  // namespace gpusim::formats
