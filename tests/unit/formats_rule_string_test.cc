// Rule strings and topologies: what is read, and what every refused text is told.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/rule_string.h"
#include "kernels/formats/topology_string.h"

namespace gpusim::formats {
namespace {

using life::Rule;
using life::Topology;

Rule MakeRule(const std::string& birth, const std::string& survive) {
  Rule rule;
  for (const char c : birth) rule.birth = static_cast<std::uint16_t>(rule.birth | 1 << (c - '0'));
  for (const char c : survive) {
    rule.survive = static_cast<std::uint16_t>(rule.survive | 1 << (c - '0'));
  }
  return rule;
}

TEST(RuleString, EveryFormOfConwaysRule) {
  for (const char* text : {"B3/S23", "b3/s23", "b3s23", "B3S23", "23/3", "S23/B3", "s23/b3",
                           "S23B3", "B3/S32", "32/3", " B3/S23", "B3/S23 \t", "b3/S23"}) {
    const auto rule = ParseRule(text);
    ASSERT_TRUE(rule) << text << ": " << rule.error().Message();
    EXPECT_EQ(*rule, life::kConway) << text;
  }
}

TEST(RuleString, EmptyListsAreLists) {
  EXPECT_EQ(ParseRule("B2/S").value(), MakeRule("2", ""));
  EXPECT_EQ(ParseRule("b2s").value(), MakeRule("2", ""));
  EXPECT_EQ(ParseRule("/2").value(), MakeRule("2", ""));
  EXPECT_EQ(ParseRule("23/").value(), MakeRule("", "23"));
  EXPECT_EQ(ParseRule("B/S").value(), MakeRule("", ""));
  EXPECT_EQ(ParseRule("BS").value(), MakeRule("", ""));
  EXPECT_EQ(ParseRule("S/B").value(), MakeRule("", ""));
  EXPECT_EQ(ParseRule("/").value(), MakeRule("", ""));
  EXPECT_EQ(ParseRule("B/S012345678").value(), MakeRule("", "012345678"));
  EXPECT_EQ(ParseRule("B0/S8").value(), MakeRule("0", "8"));
}

TEST(RuleString, SurvivalComesFirstInTheBareForm) {
  EXPECT_EQ(ParseRule("1357/1358").value(), MakeRule("1358", "1357"));
  EXPECT_EQ(ParseRule("S245/B368").value(), MakeRule("368", "245"));
}

TEST(RuleString, AllRulesSurviveTheRoundTrip) {
  for (std::uint32_t birth = 0; birth < 512; ++birth) {
    for (std::uint32_t survive = 0; survive < 512; ++survive) {
      const Rule rule{static_cast<std::uint16_t>(birth), static_cast<std::uint16_t>(survive)};
      const auto parsed = ParseRule(FormatRule(rule));
      ASSERT_TRUE(parsed && *parsed == rule) << FormatRule(rule);
    }
  }
  EXPECT_EQ(FormatRule(life::kConway), "B3/S23");
  EXPECT_EQ(FormatRule({}), "B/S");
}

struct BadText {
  std::string text;
  std::uint64_t column;
  std::string found;
  std::string rule_part;
};

void ExpectError(const TextError& error, const BadText& bad) {
  EXPECT_EQ(error.line, 0u) << bad.text;
  EXPECT_EQ(error.column, bad.column) << bad.text;
  EXPECT_EQ(error.found, bad.found) << bad.text;
  EXPECT_NE(error.rule.find(bad.rule_part), std::string::npos) << bad.text << ": " << error.rule;
}

TEST(RuleString, WhatIsNotServedIsNamed) {
  const std::vector<BadText> bad_texts = {
      {"B2n3/S23", 3, "n", "Hensel"},
      {"B3/S23-a", 7, "-", "Hensel"},
      {"b3s2-i34q", 5, "-", "Hensel"},
      {"2-a3/3", 2, "-", "Hensel"},
      {"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA",
       1, "M", "MAP"},
      {"23/3/4", 5, "/", "Generations"},
      {"B3/S23/4", 7, "/", "Generations"},
      {"B3/S23/C4", 7, "/", "Generations"},
      {"B2/S/G3", 5, "/", "Generations"},
      {"B2/S/3", 5, "/", "Generations"},
      {"B3/S23G4", 7, "G", "Generations"},
      {"B3/S23V", 7, "V", "von Neumann"},
      {"23/3v", 5, "v", "von Neumann"},
      {"B2/S34H", 7, "H", "hexagonal"},
      {"B2/S34h", 7, "h", "hexagonal"},
      {"B3/S23L", 7, "L", "triangular"},
      {"R5,C0,M1,S34..58,B34..45,NM", 1, "R", "Larger than Life"},
      {"W110", 1, "W", "Wolfram"},
      {"B3/S23:T30,20", 7, ":", "topology"},
      {"LifeHistory", 1, "LifeHistory", "by name"},
      {"Byl-Loop", 1, "Byl-Loop", "by name"},
      {"SDSR-Loop", 1, "SDSR-Loop", "by name"},
  };
  for (const BadText& bad : bad_texts) {
    const auto rule = ParseRule(bad.text);
    ASSERT_FALSE(rule) << bad.text;
    ExpectError(rule.error(), bad);
  }
}

TEST(RuleString, FaultsAreNamedWithTheirColumn) {
  const std::vector<BadText> bad_texts = {
      {"", 1, "end of text", "written like"},
      {"   ", 4, "end of text", "written like"},
      {"B9/S23", 2, "9", "0 to 8"},
      {"B3/S29", 6, "9", "0 to 8"},
      {"239/3", 3, "9", "0 to 8"},
      {"B33/S23", 3, "3", "once"},
      {"B3/S232", 7, "2", "once"},
      {"23/33", 5, "3", "once"},
      {"B3", 3, "end of text", "survival list"},
      {"B3/", 4, "end of text", "survival list"},
      {"S23/", 5, "end of text", "birth list"},
      {"B3/23", 4, "2", "survival list"},
      {"B3//S23", 4, "/", "survival list"},
      {"23", 3, "end of text", "written like"},
      {"B3/S23 B3", 8, "B", "written like"},
      {"B3 /S23", 3, " ", "survival list"},
      {"-3/2", 1, "-", "written like"},
      {std::string("B3/S23\0", 7), 7, "\\x00", "written like"},
      {"B3\n/S23", 3, "end of line", "survival list"},
      {"\xC3\xA9", 1, "\\xc3", "written like"},
  };
  for (const BadText& bad : bad_texts) {
    const auto rule = ParseRule(bad.text);
    ASSERT_FALSE(rule) << bad.text;
    ExpectError(rule.error(), bad);
  }
}

TEST(RuleString, AnErrorBecomesAMessageAndAViolation) {
  const TextError error = ParseRule("B9/S").error();
  EXPECT_EQ(error.Message(), "column 2: found '9': neighbour counts run from 0 to 8");
  EXPECT_EQ(error.ToViolation("rule"),
            (Violation{"rule", "9", "column 2: neighbour counts run from 0 to 8"}));
  EXPECT_EQ(WithinLine(error, 3, 10).Message(),
            "line 3, column 12: found '9': neighbour counts run from 0 to 8");
}

TEST(RuleString, ExcerptsArePrintableAndShort) {
  EXPECT_EQ(Excerpt("plain"), "plain");
  EXPECT_EQ(Excerpt(std::string_view("\0\n\x7f\xff", 4)), "\\x00\\x0a\\x7f\\xff");
  EXPECT_EQ(Excerpt(std::string(1000, 'a')), std::string(40, 'a') + "...");
}

TEST(RuleString, ARuleMayCarryAGrid) {
  EXPECT_EQ(ParseRuleAndGrid("B3/S23").value(), (RuleAndGrid{life::kConway, std::nullopt}));
  for (const char* text : {"B3/S23:T100,200", "23/3:t100,200", "b3s23:T100,200 "}) {
    const auto parsed = ParseRuleAndGrid(text);
    ASSERT_TRUE(parsed) << parsed.error().Message();
    EXPECT_EQ(parsed->rule, life::kConway);
    EXPECT_EQ(parsed->grid, (BoundedGrid{Topology::kTorus, 100, 200}));
  }
  EXPECT_EQ(ParseRuleAndGrid("B3/S23:p30,20")->grid, (BoundedGrid{Topology::kPlane, 30, 20}));
}

TEST(RuleString, FaultsOfTheGridCountFromTheStartOfTheRule) {
  const std::vector<BadText> bad_texts = {
      {"B3/S23:K30*,20", 8, "K", "Klein bottle"},
      {"B3/S23:C30,20", 8, "C", "cross-surface"},
      {"B3/S23:s30", 8, "s", "sphere"},
      {"B3/S23:H30,20", 8, "H", "topology suffix"},
      {"B3/S23:", 8, "end of text", "topology suffix"},
      {"B3/S23:T", 9, "end of text", "a width runs from 0 to 4294967295"},
      {"B3/S23:T30", 11, "end of text", "topology suffix"},
      {"B3/S23:T30,", 12, "end of text", "a height"},
      {"B3/S23:T30+5,20", 11, "+", "shifted"},
      {"B3/S23:T30,20-2", 14, "-", "shifted"},
      {"B3/S23:T30*,20", 11, "*", "twisted"},
      {"B3/S23:T0,20", 9, "0", "infinite"},
      {"B3/S23:P30,0", 12, "0", "infinite"},
      {"B3/S23:T4294967296,1", 9, "4294967296", "4294967295"},
      {"B3/S23:T30,20x", 14, "x", "topology suffix"},
      {"B3/S23:T30x20", 11, "x", "topology suffix"},
      {"B3/S23:T30,20:P3,3", 14, ":", "topology suffix"},
      {"B9/S23:T30,20", 2, "9", "0 to 8"},
  };
  for (const BadText& bad : bad_texts) {
    const auto rule = ParseRuleAndGrid(bad.text);
    ASSERT_FALSE(rule) << bad.text;
    ExpectError(rule.error(), bad);
  }
}

TEST(TopologyString, WhatIsWrittenIsRead) {
  const std::vector<std::pair<std::string, std::optional<BoundedGrid>>> texts = {
      {"torus:64x48", BoundedGrid{Topology::kTorus, 64, 48}},
      {"plane:64x48", BoundedGrid{Topology::kPlane, 64, 48}},
      {"plane:auto", std::nullopt},
      {"torus:1x1", BoundedGrid{Topology::kTorus, 1, 1}},
      {"plane:4294967295x4294967295", BoundedGrid{Topology::kPlane, 4294967295u, 4294967295u}},
  };
  for (const auto& [text, grid] : texts) {
    const auto parsed = ParseTopology(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().Message();
    EXPECT_EQ(*parsed, grid) << text;
    EXPECT_EQ(FormatTopology(grid), text);
  }
  EXPECT_EQ(ParseTopology(" Torus:64X48 ").value(), (BoundedGrid{Topology::kTorus, 64, 48}));
  EXPECT_EQ(ParseTopology("PLANE:AUTO").value(), std::nullopt);
  EXPECT_EQ(FormatGridSuffix({Topology::kTorus, 100, 200}), "T100,200");
  EXPECT_EQ(FormatGridSuffix({Topology::kPlane, 30, 20}), "P30,20");
}

TEST(TopologyString, FaultsAreNamed) {
  const std::vector<BadText> bad_texts = {
      {"", 1, "end of text", "a topology is"},
      {"torus", 1, "t", "a topology is"},
      {"torus:", 7, "end of text", "a width"},
      {"torus:auto", 7, "a", "a width"},
      {"torus:64", 9, "end of text", "a topology is"},
      {"torus:64x", 10, "end of text", "a height"},
      {"torus:64,48", 9, ",", "a topology is"},
      {"torus:0x48", 7, "0", "at least one"},
      {"plane:64x00", 10, "00", "at least one"},
      {"plane:64x48x2", 12, "x", "a topology is"},
      {"plane:-1x48", 7, "-", "a width"},
      {"plane:4294967296x1", 7, "4294967296", "4294967295"},
      {"plane:18446744073709551617x1", 7, "18446744073709551617", "4294967295"},
      {"plane:automatic", 11, "m", "a topology is"},
      {"klein:30x20", 1, "klein", "Klein bottle"},
      {"cross-surface:30x20", 1, "cross", "cross-surface"},
      {"Sphere:30x30", 1, "Sphere", "sphere"},
      {"cylinder:30x30", 1, "c", "a topology is"},
  };
  for (const BadText& bad : bad_texts) {
    const auto topology = ParseTopology(bad.text);
    ASSERT_FALSE(topology) << bad.text;
    ExpectError(topology.error(), bad);
  }
}

}  // namespace
}  // namespace gpusim::formats
