// Texts that mean harm: they must be refused, or read, in time and memory that follow their size,
// not the numbers in them. Each runs in a child process that may take a few MiB more than the text.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernels/formats/placement.h"
#include "kernels/formats/position_notation.h"
#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"
#include "tests/testing/sanitized.h"
#include "tests/unit/formats_testing.h"

namespace gpusim::formats {
namespace {

using life::Topology;

constexpr std::size_t kMiB = 1u << 20;

// From here on, this process may map so much more memory. Sanitizers map at their own will and are
// left alone.
void LimitMemory(std::size_t more_bytes) {
  if (testing::kSanitized) return;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

// Runs `check` in a child under the memory limit; it fails by returning false, or by dying.
void ExpectWithin(std::size_t more_bytes, const std::function<bool()>& check) {
  EXPECT_EXIT(
      {
        LimitMemory(more_bytes);
        std::_Exit(check() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

double SecondsFor(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool Refused(const std::string& text) { return !ReadPattern(text); }

TEST(Hostile, ClaimsOfSizeCostNothing) {
  ExpectWithin(8 * kMiB, [] {
    const auto pattern = ReadPattern("x = 4000000000, y = 4000000000, rule = B3/S23\no!");
    return pattern && pattern->LiveCells() == 1 && pattern->box.width == 4000000000;
  });
  ExpectWithin(8 * kMiB, [] {
    const auto pattern = ReadPattern("4294967295o$4294967295o!");
    return pattern && pattern->LiveCells() == 8589934590u && pattern->runs.size() == 2;
  });
  ExpectWithin(8 * kMiB, [] {
    return Refused("x = 1, y = 1\n4294967297o!") && Refused("x = 4294967297, y = 1\no!") &&
           Refused("x = 18446744073709551617, y = 1\no!") && Refused("18446744073709551617$o!") &&
           Refused("2o4294967295$o!") && Refused("#Life 1.06\n99999999999999999999 0\n");
  });
}

TEST(Hostile, TheCellLimitStopsALongRun) {
  const auto pattern = ReadPattern("x = 3, y = 3\n2o$4294967290o!", {.max_live_cells = 1u << 26});
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().line, 2u);
  EXPECT_EQ(pattern.error().column, 4u);
  EXPECT_EQ(pattern.error().found, "4294967290o");
}

TEST(Hostile, FarCellsArePlacedOnlyWhereTheyFit) {
  life::Board board = life::Board::Empty(64, 64);
  const Pattern far = ReadPattern("4294967294bo$4294967000$4294967294bo!").value();
  EXPECT_FALSE(Place(far, Topology::kPlane, {0, 0}, "pattern", board));
  EXPECT_FALSE(Place(far, Topology::kTorus, {0, 0}, "pattern", board));
  EXPECT_EQ(life::Board::Empty(64, 64), board);
}

TEST(Hostile, TenMegabytesOfDigits) {
  const std::string digits = std::string(10 * kMiB, '7');
  for (const std::string& text :
       {digits, "x = " + digits, "x = 3, y = " + digits, "#Life 1.06\n" + digits,
        "#Life 1.05\n#P " + digits, "#CXRLE Gen=" + digits, "#CXRLE Pos=-" + digits}) {
    ExpectWithin(8 * kMiB, [&] { return Refused(text); });
    const auto error = ReadRle(text);
    EXPECT_LT(error.error().Message().size(), 300u);
  }
  // The number is refused where it stands: a thousand times takes less than reading the text once.
  EXPECT_LT(SecondsFor([&] {
              for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Refused(digits));
            }),
            1.0);
  ExpectWithin(8 * kMiB, [&] {
    return !ParseRule(digits) && !ParseRuleAndGrid("B3/S23:T" + digits.substr(0, kMiB)) &&
           !ParseTopology("torus:" + digits.substr(0, kMiB));
  });
}

TEST(Hostile, LongTextsTakeTimeAndMemoryInProportion) {
  struct Case {
    std::string unit;
    std::string head;
  };
  // At most 24 bytes a run, and as much again while a vector grows.
  for (const Case& load :
       {Case{"o$", ""}, Case{"bo", ""}, Case{"$", ""}, Case{"o", ""}, Case{"\n", ""},
        Case{"#\n", ""}, Case{"# c\r", "o"}, Case{" ", "o"}, Case{"O.", "!\n"}, Case{"\n", "!\n"},
        Case{"O\n", "!\n"}, Case{"!\n", "."}, Case{"*.", "#Life 1.05\n"},
        Case{"#P 0 0\n*\n", "#Life 1.05\n"}, Case{"0 0\n", "#Life 1.06\n"}, Case{"O", ""},
        Case{".", ""}, Case{"O\n", ""}}) {
    std::string text = load.head;
    while (text.size() < 2 * kMiB) text += load.unit;
    ExpectWithin(2 * kMiB * 60, [&] {
      static_cast<void>(ReadPattern(text));
      return true;
    });
    EXPECT_LT(SecondsFor([&] { static_cast<void>(ReadPattern(text)); }),
              testing::kSanitized ? 20.0 : 4.0)
        << load.head << load.unit;
  }
}

TEST(Hostile, WritersNeverPassTheirCap) {
  const life::Board board = RandomBoard(4096, 4096, 0.5, 4);
  ExpectWithin(8 * kMiB,
               [&] { return !WriteRle(board, WholeBoard(board), {.rule = life::kConway}, kMiB); });
}

TEST(Hostile, LongPositionTextsAreRefusedUnread) {
  const std::string text(10 * kMiB, 'B');
  const ParsedPosition parsed =
      ParsePosition(camel_up::Edition::kFirst, {text, text, text}, "position.");
  ASSERT_EQ(parsed.violations.size(), 3u);
  for (const Violation& violation : parsed.violations) EXPECT_LT(violation.value.size(), 64u);
}

// Every byte of good files changed, cut and repeated at random: no reader may trip, and what it
// accepts keeps its invariants and comes back the same through RLE.
TEST(Hostile, DamagedFilesNeverTripAReader) {
  std::vector<std::string> files;
  for (const char* name : {"glider.rle", "gosper_gun.rle", "die_hard.rle", "torus_glider.rle",
                           "acorn.cells", "pulsar.lif", "glider_106.lif"}) {
    files.push_back(ReadFile(PatternPath(name)));
    ASSERT_FALSE(files.back().empty()) << name;
  }
  const std::string alphabet = "0123456789bo$!.*O#xyPr=,:T/-+ \n\r\t\x80" + std::string(1, '\0');
  std::mt19937_64 random(20240501);
  int accepted = 0;
  for (int round = 0; round < 40'000; ++round) {
    std::string text = files[random() % files.size()];
    for (std::uint64_t changes = random() % 5; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          text.erase(at, random() % 9);
          break;
        case 2:
          text.insert(at, text.substr(at, random() % 30));
          break;
        default:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
    }
    const auto pattern = ReadPattern(text);
    if (!pattern) {
      EXPECT_GT(pattern.error().line, 0u);
      EXPECT_GT(pattern.error().column, 0u);
      continue;
    }
    ++accepted;
    ASSERT_TRUE(InvariantsHold(*pattern)) << text;
    if (pattern->box.Empty() || pattern->box.width > 500 || pattern->box.height > 500) continue;
    life::Board board = life::Board::Empty(static_cast<std::uint32_t>(pattern->box.width),
                                           static_cast<std::uint32_t>(pattern->box.height));
    ASSERT_TRUE(Place(*pattern, Topology::kPlane, {0, 0}, "pattern", board));
    const auto written = WriteRle(board, WholeBoard(board), {.rule = life::kConway}, kMiB);
    ASSERT_EQ(Draw(ReadRle(*written).value()), Draw(board));
  }
  EXPECT_GT(accepted, 5'000);
}

TEST(Hostile, DamagedNotationsNeverTripAReader) {
  const std::string alphabet = "0123456789:+-*,BGOYWrbgypwkae \t\n/ST\xff";
  std::mt19937_64 random(7);
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (std::uint64_t length = random() % 24; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    const auto edition = round % 2 == 0 ? camel_up::Edition::kFirst : camel_up::Edition::kSecond;
    const ParsedPosition parsed = ParsePosition(edition, {text, text, text}, "");
    for (const camel_up::Tile& tile : parsed.position.tiles)
      ASSERT_TRUE(tile.owner == 0 || (tile.owner >= 'a' && tile.owner <= 'z'));
    static_cast<void>(camel_up::Validate(parsed.position, ""));
    static_cast<void>(ParseTopology(text));
    static_cast<void>(ParseGridSuffix(text));
    if (const auto rule = ParseRule(text)) {
      ASSERT_EQ(ParseRule(FormatRule(*rule)), *rule);
    }
  }
}

}  // namespace
}  // namespace gpusim::formats
