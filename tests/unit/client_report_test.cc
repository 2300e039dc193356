// What the command line prints, without a server.
#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/board_picture.h"
#include "client/cli/json.h"
#include "client/cli/life_report.h"
#include "client/cli/odds_report.h"
#include "client/cli/status_report.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Terminal kPipe{};
constexpr Terminal kTerminal{.is_terminal = true, .color = true, .columns = 100, .rows = 24};
constexpr Terminal kNoColor{.is_terminal = true, .color = false, .columns = 100, .rows = 24};

void AddCamel(v1::GetOddsResponse& odds, v1::Camel camel,
              std::initializer_list<std::uint32_t> weights) {
  v1::CamelOdds& added = *odds.add_camels();
  added.set_camel(camel);
  for (const std::uint32_t weight : weights) added.add_rank_weight(weight);
}

// A stack of five on space 1.
v1::GetOddsResponse StackOfFive() {
  v1::GetOddsResponse odds;
  odds.set_total_weight(29160);
  AddCamel(odds, v1::CAMEL_BLUE, {2435, 2857, 4400, 7724, 11744});
  AddCamel(odds, v1::CAMEL_GREEN, {4769, 4858, 5893, 7476, 6164});
  AddCamel(odds, v1::CAMEL_ORANGE, {5956, 6076, 7337, 5287, 4504});
  AddCamel(odds, v1::CAMEL_YELLOW, {6834, 8272, 5873, 4537, 3644});
  AddCamel(odds, v1::CAMEL_WHITE, {9166, 7097, 5657, 4136, 3104});
  odds.mutable_provenance()->set_backend(v1::BACKEND_CPU);
  odds.mutable_provenance()->set_device("CPU, 2 threads");
  odds.mutable_provenance()->set_method(v1::METHOD_EXACT);
  return odds;
}

TEST(OddsTable, ShowsChancesAndWeightsLikeliestWinnerFirst) {
  EXPECT_EQ(OddsTable(StackOfFive(), v1::EDITION_FIRST, kPipe),
            R"(chance         1st     2nd     3rd     4th     5th
white (W)   31.43%  24.34%  19.40%  14.18%  10.64%
yellow (Y)  23.44%  28.37%  20.14%  15.56%  12.50%
orange (O)  20.43%  20.84%  25.16%  18.13%  15.45%
green (G)   16.35%  16.66%  20.21%  25.64%  21.14%
blue (B)     8.35%   9.80%  15.09%  26.49%  40.27%

weight of 29160   1st   2nd   3rd   4th    5th
white (W)        9166  7097  5657  4136   3104
yellow (Y)       6834  8272  5873  4537   3644
orange (O)       5956  6076  7337  5287   4504
green (G)        4769  4858  5893  7476   6164
blue (B)         2435  2857  4400  7724  11744

race ends in this leg: 0.00% (0)
exact, cpu, CPU, 2 threads
)");
}

TEST(OddsTable, HasColoursAndBarsAtATerminal) {
  const std::string table = OddsTable(StackOfFive(), v1::EDITION_FIRST, kTerminal);
  EXPECT_THAT(table, HasSubstr("\x1b[34mblue (B)\x1b[0m"));
  EXPECT_THAT(table, HasSubstr("\u2588\u2588"));
}

TEST(OddsTable, HasBarsWithoutColoursUnderNoColor) {
  const std::string table = OddsTable(StackOfFive(), v1::EDITION_FIRST, kNoColor);
  EXPECT_THAT(table, Not(HasSubstr("\x1b")));
  EXPECT_THAT(table, HasSubstr("\u2588\u2588"));
}

TEST(OddsTable, StaysWithinANarrowTerminal) {
  const Terminal narrow{.is_terminal = true, .color = false, .columns = 60, .rows = 24};
  const std::string table = OddsTable(StackOfFive(), v1::EDITION_FIRST, narrow);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    // Bytes that continue a character of UTF-8 start with the bits 10.
    const auto characters =
        std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(characters, 60) << line;
  }
}

TEST(OddsTable, SecondEditionHasSmallLettersAndTheBackwardEnd) {
  v1::GetOddsResponse odds;
  odds.set_total_weight(5598720);
  AddCamel(odds, v1::CAMEL_RED, {0, 0, 0, 0, 5598720});
  AddCamel(odds, v1::CAMEL_PURPLE, {5598720, 0, 0, 0, 0});
  odds.set_race_ends_weight(2799360);
  odds.set_race_ends_backward_weight(55987);
  EXPECT_EQ(OddsTable(odds, v1::EDITION_SECOND, kPipe),
            R"(chance          1st    2nd    3rd    4th      5th
purple (p)  100.00%  0.00%  0.00%  0.00%    0.00%
red (r)       0.00%  0.00%  0.00%  0.00%  100.00%

weight of 5598720      1st  2nd  3rd  4th      5th
purple (p)         5598720    0    0    0        0
red (r)                  0    0    0    0  5598720

race ends in this leg: 50.00% (2799360), backward: 1.00% (55987)
)");
}

TEST(OddsTable, ShowsPairsAndLandingsWhereTheAnswerHasThem) {
  v1::GetOddsResponse odds;
  odds.set_total_weight(100);
  for (const std::uint32_t weight : {25u, 75u}) {
    v1::PairOdds& pair = *odds.add_pairs();
    pair.set_first(weight == 25 ? v1::CAMEL_BLUE : v1::CAMEL_GREEN);
    pair.set_second(v1::CAMEL_WHITE);
    pair.set_weight(weight);
  }
  v1::TileLandings& tile = *odds.add_landings();
  tile.set_space(6);
  tile.set_effect(v1::TILE_EFFECT_MIRAGE);
  tile.set_landing_weight(150);
  EXPECT_EQ(OddsTable(odds, v1::EDITION_FIRST, kPipe), R"(first      second     chance  weight
green (G)  white (W)  75.00%      75
blue (B)   white (W)  25.00%      25

space  tile        expected landings  weight
    6  mirage (-)             1.5000     150

race ends in this leg: 0.00% (0)
)");
}

TEST(OddsCsv, HasTheAnswersOrder) {
  const std::string csv = OddsCsv(StackOfFive());
  EXPECT_THAT(csv, HasSubstr("camel,first,second,third,fourth,fifth,total_weight,race_ends_weight,"
                             "race_ends_backward_weight\n"
                             "CAMEL_BLUE,2435,2857,4400,7724,11744,29160,0,0\n"
                             "CAMEL_GREEN,4769,"));
}

TEST(Json, PrintsZerosCamelCaseAndNames) {
  const std::string json = ToJson(StackOfFive());
  EXPECT_THAT(json, HasSubstr("\"totalWeight\": 29160"));
  EXPECT_THAT(json, HasSubstr("\"camel\": \"CAMEL_BLUE\""));
  EXPECT_THAT(json, HasSubstr("\"raceEndsWeight\": 0"));
  EXPECT_THAT(json, HasSubstr("\"pairs\": []"));
}

TEST(Json, MergesTwoObjects) {
  EXPECT_EQ(MergeJson("{\n \"a\": 1\n}\n", "{\n \"b\": {}\n}\n"), "{\n \"a\": 1,\n \"b\": {}\n}\n");
  EXPECT_EQ(MergeJson("{}", "{\n \"b\": 2\n}\n"), "{\n \"b\": 2\n}\n");
  EXPECT_EQ(MergeJson("{\n \"a\": 1\n}\n", "{}\n"), "{\n \"a\": 1\n}\n");
}

v1::StepResponse Glider() {
  v1::StepResponse step;
  step.set_generation(256);
  step.set_population(5);
  step.set_hash("51d0362745189885");
  step.set_rule("B3/S23");
  step.set_topology("plane:auto");
  step.set_width(3);
  step.set_height(3);
  step.mutable_origin()->set_x(64);
  step.mutable_origin()->set_y(-64);
  step.mutable_packed()->set_width(3);
  step.mutable_packed()->set_height(3);
  step.mutable_packed()->set_rows("\x02\x04\x07");
  return step;
}

TEST(StepTable, ShowsFactsAndNotes) {
  v1::StepResponse step = Glider();
  step.add_notes("rule B3/S23 of the request used\x1b[2J, the file says B36/S23");
  EXPECT_EQ(StepTable(step, {}, Picture::kNone, kPipe), R"(generation  256
population  5
hash        51d0362745189885
box         3 x 3 at 64,-64
rule        B3/S23
topology    plane:auto
note        rule B3/S23 of the request used\x1b[2J, the file says B36/S23
)");
}

TEST(StepTable, DrawsTextWhenPipedAndBrailleAtATerminal) {
  EXPECT_THAT(StepTable(Glider(), {}, Picture::kAlways, kPipe), HasSubstr("\n\n.O.\n..O\nOOO\n"));
  EXPECT_THAT(StepTable(Glider(), {}, Picture::kIfItFits, kTerminal),
              HasSubstr("\n\n\u282c\u2806\n"));
}

TEST(StepTable, LeavesOutAPictureThatDoesNotFit) {
  v1::StepResponse step = Glider();
  step.mutable_packed()->set_width(201);
  EXPECT_THAT(StepTable(step, {}, Picture::kIfItFits, kTerminal), Not(HasSubstr("\u2800")));
  step.mutable_packed()->set_width(200);
  EXPECT_THAT(StepTable(step, {}, Picture::kIfItFits, kTerminal), HasSubstr("\u2800"));
  step.mutable_packed()->set_height(93);
  EXPECT_THAT(StepTable(step, {}, Picture::kIfItFits, kTerminal), Not(HasSubstr("\u2800")));
}

TEST(StepTable, DrawsNothingWhereNothingLives) {
  v1::StepResponse step = Glider();
  step.mutable_packed()->set_width(0);
  step.mutable_packed()->set_height(0);
  step.mutable_packed()->set_rows("");
  EXPECT_EQ(StepTable(step, {}, Picture::kAlways, kPipe).find("\n\n"), std::string::npos);
}

TEST(StepCsv, IsAHeaderAndARow) {
  EXPECT_EQ(StepCsv(Glider(), {}),
            "generation,population,hash,rule,topology,width,height,x,y,stop_reason,"
            "period\n"
            "256,5,51d0362745189885,B3/S23,plane:auto,3,3,64,-64,UNSPECIFIED,0\n");
}

TEST(BoardPicture, BraillePutsEveryDotWhereTheCellIs) {
  v1::PackedBoard board;
  board.set_width(2);
  board.set_height(4);
  constexpr unsigned kBits[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 2; ++x) {
      std::string rows(4, '\0');
      rows[y] = static_cast<char>(1 << x);
      board.set_rows(rows);
      const unsigned dots = 1u << kBits[y][x];
      const std::string expected = {'\xe2', static_cast<char>(0xa0 | dots >> 6),
                                    static_cast<char>(0x80 | (dots & 0x3f)), '\n'};
      EXPECT_EQ(BraillePicture(board), expected) << x << ',' << y;
    }
  }
}

TEST(BoardPicture, RowsOfSeveralBytesAndShortRows) {
  v1::PackedBoard board;
  board.set_width(9);
  board.set_height(2);
  board.set_rows(std::string("\x01\x01\x80\x00", 4));
  EXPECT_EQ(TextPicture(board), "O.......O\n.......O.\n");
  board.set_rows("\x01");
  EXPECT_EQ(TextPicture(board), "O........\n.........\n");
}

TEST(StatusReport, ShowsKindsAsColumns) {
  v1::GetInfoResponse info;
  info.set_version("0.1.0");
  info.set_backend(v1::BACKEND_CUDA);
  info.set_uptime_ms(90'061'999);
  v1::Device& device = *info.add_devices();
  device.set_name("NVIDIA H200");
  device.set_slots(2);
  device.set_memory_bytes(std::uint64_t{3} << 29);
  v1::Limit& limit = *info.add_limits();
  limit.set_flag("max-queued-calls");
  limit.set_value(10000);
  limit.set_used(3);
  v1::GetStatisticsResponse statistics;
  for (const char* name : {"camel_up", "life"}) {
    v1::KindStatistics& kind = *statistics.add_kinds();
    kind.set_kind(name);
  }
  v1::KindStatistics& first = *statistics.mutable_kinds(0);
  first.set_requests(10);
  first.set_bulk_requests(2);
  first.set_answered(9);
  first.set_refused_work_full(1);
  first.set_batches(4);
  first.set_batched(10);
  first.set_queue_ns(50'000);
  first.set_compute_ns(1'000'000);
  EXPECT_EQ(StatusTable(info, statistics, true), R"(version   0.1.0
backend   cuda
uptime    1 d 01:01:01
device 0  NVIDIA H200, 2 slots, 1.5 GiB

                     camel_up  life
requests                   10     0
of them bulk                2     0
answered                    9     0
failed                      0     0
cancelled                   0     0
expired                     0     0
refused, queue full         0     0
refused, work full          1     0
refused, draining           0     0
batches                     4     0
mean batch                2.5     -
largest batch               0     0
mean queue time        5.0 us     -
mean compute time    250.0 us     -

limit             value  used
max-queued-calls  10000     3
)");
  EXPECT_THAT(StatusTable(info, statistics, false), Not(HasSubstr("max-queued-calls")));
  EXPECT_EQ(LimitsCsv(info), "flag,value,used\nmax-queued-calls,10000,3\n");
  EXPECT_THAT(StatisticsCsv(statistics),
              HasSubstr("\ncamel_up,10,9,0,0,0,0,0,4,10,0,50000,1000000,1,2\n"));
}

TEST(Text, PrintableKeepsALineOneLine) {
  EXPECT_EQ(Printable("a\nb\x1b[31m\x7f\t"), "a\\nb\\x1b[31m\\x7f\\x09");
  EXPECT_EQ(Printable("\u00e9"), "\u00e9");
}

TEST(Text, PercentOfNothingIsZero) {
  EXPECT_EQ(Percent(5, 0), "0.00%");
  EXPECT_EQ(Percent(4294967295u, 4294967295u), "100.00%");
}

TEST(Text, BarsCountEighths) {
  EXPECT_EQ(Bar(0, 1, true), "");
  EXPECT_EQ(Bar(0.125, 1, true), "\u258f");
  EXPECT_EQ(Bar(1, 2, true), "\u2588\u2588");
  EXPECT_EQ(Bar(7, 1, true), "\u2588");
  EXPECT_EQ(Bar(1, 0, true), "");
}

TEST(Text, BarsOfAsciiAreWholeCharacters) {
  EXPECT_EQ(Bar(0, 4, false), "");
  EXPECT_EQ(Bar(0.5, 4, false), "##");
  EXPECT_EQ(Bar(7, 4, false), "####");
}

TEST(Text, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(CsvLine({"a", "b,c", "d\"e", ""}), "a,\"b,c\",\"d\"\"e\",\n");
}

}  // namespace
}  // namespace gpusim::cli
