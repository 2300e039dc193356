// gpusim-client as a process against gpusim-server as a process: what is printed where, and the
// exit status.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/life.pb.h"
#include "gpusim/v1/server.pb.h"
#include "tests/integration/cli_server.h"
#include "tests/testing/process.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

// Nobody listens on port 1 of the loopback.
constexpr const char* kAbsent = "127.0.0.1:1";
const std::string kGlider = TestData() + "/patterns/glider.rle";

class CliTest : public CliServer {
 protected:
  template <class Message>
  static Message FromJson(const std::string& json) {
    Message message;
    const auto status = google::protobuf::util::JsonStringToMessage(json, &message);
    EXPECT_TRUE(status.ok()) << status.ToString() << '\n' << json;
    return message;
  }

  static v1::StepResponse StepJson(Arguments arguments) {
    arguments.insert(arguments.begin(), {"life", "step", "--format", "json"});
    const Ending ending = Client(std::move(arguments));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return FromJson<v1::StepResponse>(ending.out);
  }
};

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Five camels in one stack on the first space, all dice in.
TEST_F(CliTest, OddsOfAStackOfFiveAsJson) {
  const Ending ending =
      Client({"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW", "--format", "json"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.err, "");
  const auto odds = FromJson<v1::GetOddsResponse>(ending.out);
  EXPECT_EQ(odds.total_weight(), 29160u);
  std::vector<std::string> names;
  std::vector<std::uint32_t> wins;
  for (const v1::CamelOdds& camel : odds.camels()) {
    names.push_back(v1::Camel_Name(camel.camel()));
    wins.push_back(camel.rank_weight(0));
  }
  EXPECT_THAT(names, ElementsAre("CAMEL_BLUE", "CAMEL_GREEN", "CAMEL_ORANGE", "CAMEL_YELLOW",
                                 "CAMEL_WHITE"));
  EXPECT_THAT(wins, ElementsAre(2435, 4769, 5956, 6834, 9166));
  EXPECT_THAT(ending.out, AllOf(HasSubstr("\"totalWeight\": 29160"), HasSubstr("\"rankWeight\""),
                                HasSubstr("\"raceEndsWeight\": 0"), HasSubstr("\"pairs\": []")));
}

TEST_F(CliTest, OddsOfAStackOfFiveAsTable) {
  const Ending ending =
      Client({"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW", "--dice", "BGOYW"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(ending.err, "");
  EXPECT_THAT(ending.out, StartsWith(R"(chance         1st     2nd     3rd     4th     5th
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
exact, cpu, )"));
}

TEST_F(CliTest, OddsOfAStackOfFiveAsCsv) {
  const Ending ending =
      Client({"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW", "--format", "csv"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(Lines(ending.out),
              ElementsAre("camel,first,second,third,fourth,fifth,total_weight,race_ends_weight,"
                          "race_ends_backward_weight",
                          "CAMEL_BLUE,2435,2857,4400,7724,11744,29160,0,0",
                          "CAMEL_GREEN,4769,4858,5893,7476,6164,29160,0,0",
                          "CAMEL_ORANGE,5956,6076,7337,5287,4504,29160,0,0",
                          "CAMEL_YELLOW,6834,8272,5873,4537,3644,29160,0,0",
                          "CAMEL_WHITE,9166,7097,5657,4136,3104,29160,0,0"));
}

TEST_F(CliTest, SecondEditionWithTilesAndAllOutputs) {
  const Ending ending =
      Client({"camel-up", "odds", "--edition", "2", "--position", "1:rb 2:gy 3:p 14:w 16:k",
              "--tiles", "6+ 8-", "--outputs", "ranks,pairs,landings", "--format", "json"});
  ASSERT_EQ(ending.status, 0) << ending.err;
  const auto odds = FromJson<v1::GetOddsResponse>(ending.out);
  EXPECT_EQ(odds.total_weight(), 5598720u);
  EXPECT_EQ(odds.camels_size(), 5);
  EXPECT_EQ(odds.pairs_size(), 20);
  EXPECT_EQ(odds.landings_size(), 2);
}

TEST_F(CliTest, ABadPositionIsRefusedFaultByFault) {
  const Ending ending =
      Client({"camel-up", "odds", "--edition", "1", "--position", "1:BGO 2:B", "--tiles", "1+"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.out, "");
  const auto lines = Lines(ending.err);
  ASSERT_GE(lines.size(), 2u) << ending.err;
  EXPECT_THAT(lines[0], StartsWith("gpusim-client: the server refused (INVALID_ARGUMENT): "));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_THAT(lines[i], MatchesRegex("  position[^ ]*: '.*': .+"));
  }
}

// 256 generations move a glider by (64, 64), which is nowhere on this torus.
TEST_F(CliTest, AGliderComesHome) {
  const auto run = [](const char* generations) {
    return StepJson({"--pattern", kGlider, "--topology", "torus:64x64", "--at", "62,62",
                     "--generations", generations});
  };
  const v1::StepResponse start = run("0");
  const v1::StepResponse half = run("128");
  const v1::StepResponse end = run("2.56e2");
  EXPECT_EQ(start.hash(), "51d0362745189885");
  EXPECT_EQ(end.hash(), start.hash());
  EXPECT_NE(half.hash(), start.hash());
  EXPECT_EQ(end.generation(), 256u);
  EXPECT_EQ(end.population(), 5u);
}

TEST_F(CliTest, APatternFromStdin) {
  const Ending ending =
      Client({"life", "step", "--pattern", "-", "--generations", "1", "--topology", "torus:5x5"},
             "x = 3, y = 1, rule = B3/S23\n3o!\n");
  EXPECT_EQ(ending.status, 0) << ending.err;
  const auto lines = Lines(ending.out);
  ASSERT_GE(lines.size(), 6u);
  EXPECT_EQ(lines[0], "generation  1");
  EXPECT_EQ(lines[1], "population  3");
  EXPECT_THAT(lines[2], MatchesRegex("hash        [0-9a-f]{16}"));
  EXPECT_EQ(lines[3], "box         5 x 5");
  EXPECT_EQ(lines[4], "rule        B3/S23");
  EXPECT_EQ(lines[5], "topology    torus:5x5");
}

TEST_F(CliTest, PicturesAreDrawnOnRequestWhenPiped) {
  const Arguments arguments = {"life",          "step", "--pattern",  "-",
                               "--generations", "1",    "--topology", "torus:5x5"};
  const std::string blinker = "3o!";
  EXPECT_THAT(Client(arguments, blinker).out, Not(HasSubstr("O")));
  Arguments with_picture = arguments;
  with_picture.push_back("--picture");
  EXPECT_THAT(Client(with_picture, blinker).out,
              HasSubstr("\n\n.....\n..O..\n..O..\n..O..\n.....\n"));
}

TEST_F(CliTest, TheBoardGoesToAFileInItsFormat) {
  const std::string stem = ::testing::TempDir() + "gpusim_cli_" + std::to_string(getpid());
  const auto write = [&](const std::string& extension) {
    const std::string path = stem + extension;
    const Ending ending = Client({"life", "step", "--pattern", kGlider, "--topology", "torus:8x8",
                                  "--generations", "4", "--output", path});
    EXPECT_EQ(ending.status, 0) << ending.err;
    EXPECT_THAT(ending.out, StartsWith("generation  4\n"));
    std::string text = FileText(path);
    unlink(path.c_str());
    return text;
  };
  EXPECT_THAT(write(".rle"), HasSubstr("!"));
  EXPECT_THAT(write(".cells"), HasSubstr("O"));
  EXPECT_THAT(write(".lif"), StartsWith("#Life 1.06"));
  EXPECT_EQ(write(".life106"), write(".lif"));
  EXPECT_EQ(write(".raw").size(), 8u);
}

TEST_F(CliTest, TheBoardGoesToStdoutAndTheFactsGoAside) {
  const Ending ending = Client({"life", "step", "--pattern", kGlider, "--topology", "torus:8x8",
                                "--generations", "4", "--output", "-"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, AllOf(HasSubstr("x = "), HasSubstr("!"), Not(HasSubstr("population"))));
  EXPECT_THAT(ending.err, StartsWith("generation  4\n"));
  // What was written is a pattern again, and lies where it lay.
  const Ending again = Client(
      {"life", "step", "--pattern", "-", "--generations", "0", "--format", "json"}, ending.out);
  EXPECT_EQ(
      FromJson<v1::StepResponse>(again.out).hash(),
      StepJson({"--pattern", kGlider, "--topology", "torus:8x8", "--generations", "4"}).hash());
}

TEST_F(CliTest, TheBoardComesInTheJson) {
  const v1::StepResponse step = StepJson({"--pattern", kGlider, "--topology", "torus:8x8",
                                          "--generations", "0", "--output-format", "raw"});
  EXPECT_EQ(step.packed().width(), 8u);
  EXPECT_EQ(step.packed().rows().size(), 8u);
}

TEST_F(CliTest, ABadRuleOrPatternIsRefused) {
  const Ending rule =
      Client({"life", "step", "--pattern", kGlider, "--generations", "1", "--rule", "B9/S23"});
  EXPECT_EQ(rule.status, 1);
  EXPECT_THAT(rule.err, HasSubstr("\n  rule: '9': column 2: "));
  const Ending pattern =
      Client({"life", "step", "--pattern", "-", "--generations", "1"}, "x = 3, y = 3\n3z%!\n");
  EXPECT_EQ(pattern.status, 1);
  EXPECT_THAT(pattern.err, HasSubstr("\n  pattern: "));
  EXPECT_EQ(pattern.out, "");
}

TEST_F(CliTest, AFileThatCannotBeReadOrWritten) {
  const Ending read =
      Client({"life", "step", "--pattern", "/nonexistent.rle", "--generations", "1"});
  EXPECT_EQ(read.status, 1);
  EXPECT_EQ(read.err, "gpusim-client: cannot read /nonexistent.rle: No such file or directory\n");
  const Ending write = Client({"life", "step", "--pattern", kGlider, "--generations", "1",
                               "--output", "/nonexistent/x.rle"});
  EXPECT_EQ(write.status, 1);
  EXPECT_EQ(write.err,
            "gpusim-client: cannot write /nonexistent/x.rle: No such file or directory\n");
}

TEST_F(CliTest, Status) {
  const Ending table = Client({"status"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(StartsWith("version "), HasSubstr("\nbackend       cpu\n"),
                               HasSubstr("\nrace table 1  ready, "), HasSubstr("\ncache "),
                               HasSubstr("camel_up"), Not(HasSubstr("\nlimit"))));
  EXPECT_THAT(Client({"status", "--limits"}).out, HasSubstr("\nlimit "));
  const Ending json = Client({"status", "--format", "json"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"backend\": \"BACKEND_CPU\""), HasSubstr("\"limits\": ["),
                              HasSubstr("\"kinds\": [")));
  EXPECT_THAT(Client({"status", "--format", "csv"}).out, StartsWith("kind,requests,"));
  EXPECT_THAT(Client({"status", "--limits", "--format", "csv"}).out,
              StartsWith("flag,value,used\n"));
}

TEST_F(CliTest, Ping) {
  const Ending table = Client({"ping", "--count", "3"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, StartsWith("3 answers; first, with connecting, "));
  EXPECT_THAT(Client({"ping", "--format", "json"}).out, StartsWith("{\n \"count\": 10,\n"));
}

TEST_F(CliTest, PipedOutputIsPlain) {
  for (const Arguments& arguments :
       {Arguments{"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW"},
        Arguments{"life", "step", "--pattern", kGlider, "--generations", "4"},
        Arguments{"status"}}) {
    const Ending ending = Client(arguments);
    EXPECT_EQ(ending.status, 0) << ending.err;
    for (const char c : ending.out) {
      ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << ending.out;
    }
  }
}

TEST_F(CliTest, ATerminalHasColoursAndBars) {
  Command command = ClientCommand({"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW"});
  const Ending coloured = RunProgramAtTerminal(command, 100, 30);
  EXPECT_EQ(coloured.status, 0);
  EXPECT_THAT(coloured.out, AllOf(HasSubstr("\x1b[34mblue (B)\x1b[0m"), HasSubstr("\u2588\u2588")));
  command.environment["NO_COLOR"] = "1";
  const Ending plain = RunProgramAtTerminal(command, 100, 30);
  EXPECT_THAT(plain.out, AllOf(Not(HasSubstr("\x1b")), HasSubstr("\u2588\u2588")));
}

TEST_F(CliTest, ATerminalHasAPictureThatFits) {
  const Command command =
      ClientCommand({"life", "step", "--pattern", kGlider, "--generations", "0"});
  EXPECT_THAT(RunProgramAtTerminal(command, 100, 30).out, HasSubstr("\n\n\u282c\u2806\n"));
  const Command big = ClientCommand(
      {"life", "step", "--pattern", kGlider, "--generations", "0", "--topology", "torus:256x256"});
  const Ending ending = RunProgramAtTerminal(big, 100, 30);
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, AllOf(HasSubstr("torus:256x256"), Not(HasSubstr("\u2800"))));
}

TEST_F(CliTest, ServerAbsent) {
  const Ending ending = Client({"ping", "--server", kAbsent});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(ending.err,
            "gpusim-client: no server answers at 127.0.0.1:1: connection refused; start "
            "gpusim-server or pass --server\n");
}

TEST_F(CliTest, WrongUsage) {
  const Ending ending = Client({"camel-up", "odds", "--edition", "3"});
  EXPECT_EQ(ending.status, 2);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(ending.err,
            "gpusim-client: --edition '3' is unknown; pass --edition 1 or --edition 2\n");
  EXPECT_EQ(Client({"--version"}).status, 0);
  EXPECT_THAT(Client({"--version"}).out, MatchesRegex("gpusim-client [0-9.]+\n"));
}

TEST_F(CliTest, TheTimeoutEndsALongRun) {
  const Ending ending = Client({"life", "step", "--pattern", kGlider, "--topology", "torus:64x64",
                                "--generations", "1e18", "--timeout", "300ms"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.err, "gpusim-client: no answer from " + address_ +
                            " within 300ms; pass a longer --timeout\n");
}

std::uint64_t Count(const v1::GetStatisticsResponse& statistics, const std::string& kind,
                    std::uint64_t (v1::KindStatistics::*figure)() const) {
  for (const v1::KindStatistics& found : statistics.kinds()) {
    if (found.kind() == kind) return (found.*figure)();
  }
  return 0;
}

// Ctrl-C ends the run on the server too: its counter of cancelled calls says so.
TEST_F(CliTest, InterruptedCallsAreCancelledOnTheServer) {
  const auto life = [](std::uint64_t (v1::KindStatistics::*figure)() const) {
    const Ending ending = Client({"status", "--format", "json"});
    EXPECT_EQ(ending.status, 0) << ending.err;
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;
    v1::GetStatisticsResponse statistics;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(ending.out, &statistics, options).ok());
    return Count(statistics, "life", figure);
  };
  const std::uint64_t requests = life(&v1::KindStatistics::requests);
  const std::uint64_t cancelled = life(&v1::KindStatistics::cancelled);
  Process client(ClientCommand({"life", "step", "--pattern", kGlider, "--topology", "torus:64x64",
                                "--generations", "1e18", "--timeout", "50s"}));
  while (life(&v1::KindStatistics::requests) == requests && !HasFailure()) {
  }
  client.Signal(SIGINT);
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 130);
  EXPECT_EQ(ending.signal, 0);
  EXPECT_EQ(ending.out, "");
  EXPECT_EQ(ending.err, "gpusim-client: interrupted\n");
  while (life(&v1::KindStatistics::cancelled) == cancelled && !HasFailure()) {
  }
}

}  // namespace
}  // namespace gpusim::testing
