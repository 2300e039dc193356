// The Camel Up commands and check as processes against gpusim-server as a process.
#include <cstdio>
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
#include "tests/integration/cli_server.h"
#include "tests/testing/process.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class CliCamelUpTest : public CliServer {
 protected:
  template <class Message>
  static Message FromJson(const std::string& json) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = true;  // the line's number
    Message message;
    const auto status = google::protobuf::util::JsonStringToMessage(json, &message, options);
    EXPECT_TRUE(status.ok()) << status.ToString() << '\n' << json;
    return message;
  }

  static v1::GetOddsResponse Odds(Arguments more) {
    more.insert(more.begin(), {"camel-up", "odds", "--format", "json"});
    const Ending ending = Client(std::move(more));
    EXPECT_EQ(ending.status, 0) << ending.err;
    return FromJson<v1::GetOddsResponse>(ending.out);
  }
};

// The first row of race_first_edition.csv: all camels in one stack on the first space.
TEST_F(CliCamelUpTest, TheRaceOfTheFirstEdition) {
  const auto odds = Odds({"--edition", "1", "--position", "1:BGOYW", "--race"});
  ASSERT_EQ(odds.camels_size(), 5);
  constexpr double kWin[] = {0.166574638637634, 0.188925728670765, 0.203659774262524,
                             0.215943555253755, 0.224896303175322};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(odds.camels(i).race_win(), kWin[i], 1e-9);
  EXPECT_NEAR(odds.expected_legs().value(), 4.878109025930, 1e-9);
  EXPECT_EQ(odds.camels(0).rank_weight(0), 2435u);
  const Ending table = Client(
      {"camel-up", "odds", "--edition", "1", "--position", "-", "--outputs", "race,race-joint"},
      "1:BGOYW\n");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, AllOf(StartsWith("race "), HasSubstr("white (W)   22.49%"),
                               HasSubstr("expected legs: 4.8781\n"), HasSubstr("\nwinner, last ")));
}

// The same stream gives the same figures, and they are near the exact ones.
TEST_F(CliCamelUpTest, MonteCarloCanBeReplayed) {
  const Arguments sampled = {"--edition", "1",           "--position",    "1:BGO 2:Y 3:W",
                             "--method",  "monte-carlo", "--simulations", "2e5",
                             "--seed",    "7",           "--offset",      "3"};
  const auto first = Odds(sampled);
  const auto second = Odds(sampled);
  EXPECT_EQ(first.simulations(), 200'000u);
  EXPECT_EQ(first.provenance().stream().seed(), 7u);
  EXPECT_EQ(first.provenance().stream().offset(), 3u);
  ASSERT_EQ(first.camels_size(), 5);
  const auto exact = Odds({"--edition", "1", "--position", "1:BGO 2:Y 3:W"});
  for (int camel = 0; camel < 5; ++camel) {
    for (int place = 0; place < 5; ++place) {
      const v1::Estimate& estimate = first.camels(camel).ranks(place);
      EXPECT_EQ(estimate.tally(), second.camels(camel).ranks(place).tally());
      const double chance = exact.camels(camel).rank_weight(place) / 29160.0;
      EXPECT_NEAR(estimate.value(), chance, 6 * estimate.standard_error());
    }
  }
}

// Race cards need the race's odds, for which this server has the first edition's table alone.
TEST_F(CliCamelUpTest, MovesBestFirst) {
  const Arguments question = {
      "camel-up", "moves", "--edition", "1",         "--position",     "1:BGO 2:Y 3:W", "--tiles",
      "6+a 8-b",  "--me",  "a",         "--tickets", "B5 G3",          "--held",        "Y5",
      "--hand",   "GYW",   "--coins",   "7",         "--winner-cards", "B! ? G"};
  const Ending table = Client(question);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out,
              AllOf(StartsWith("action "), HasSubstr("\nroll "),
                    HasSubstr("take the ticket of 5  blue (B)"), HasSubstr("bet on the winner "),
                    HasSubstr(" and "), HasSubstr("\nexpected without an action: ")));
  Arguments json = question;
  json.insert(json.end(), {"--format", "json"});
  const auto moves = FromJson<v1::EvaluateMovesResponse>(Client(json).out);
  ASSERT_GT(moves.moves_size(), 5);
  for (int i = 1; i < moves.moves_size(); ++i)
    EXPECT_GE(moves.moves(i - 1).value(), moves.moves(i).value());
  Arguments bad = question;
  bad.insert(bad.end(), {"--loser-cards", "B!"});
  const Ending refused = Client(bad);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("\n  loser_cards[0].camel: "));
}

TEST_F(CliCamelUpTest, ARaceWithoutATableSaysHowToGetOne) {
  const Ending ending = Client(
      {"camel-up", "odds", "--edition", "2", "--position", "1:rb 2:gy 3:p 14:w 16:k", "--race"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.err, AllOf(StartsWith("gpusim-client: the server refused "
                                           "(FAILED_PRECONDITION): "),
                                HasSubstr("--race-table-dir")));
}

TEST_F(CliCamelUpTest, AShortRun) {
  const Arguments run = {"camel-up", "simulate",      "--edition", "1",      "--position",
                         "1:BGOYW",  "--simulations", "3e5",       "--seed", "5"};
  const Ending table = Client(run);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("\n300000 simulations\n"));
  EXPECT_THAT(table.err, MatchesRegex("300000 simulations in [0-9.]+ s, [^ ]+/s: done\n"));
  // Where a run ends, the next one goes on: together they are the whole.
  const auto part = [&](const char* simulations, const char* first) {
    const Ending ending =
        Client({"camel-up", "simulate", "--edition", "1", "--position", "1:BGOYW", "--simulations",
                simulations, "--seed", "5", "--first-simulation", first, "--format", "json"});
    EXPECT_EQ(ending.status, 0) << ending.err;
    return FromJson<v1::SimulateResponse>(ending.out);
  };
  const auto whole = part("3e5", "0");
  const auto begin = part("1e5", "0");
  const auto rest = part("2e5", "100000");
  EXPECT_EQ(begin.next_simulation(), 100'000u);
  EXPECT_EQ(whole.state(), v1::SIMULATE_STATE_DONE);
  for (int camel = 0; camel < 5; ++camel) {
    EXPECT_EQ(begin.estimate().camels(camel).ranks(0).tally() +
                  rest.estimate().camels(camel).ranks(0).tally(),
              whole.estimate().camels(camel).ranks(0).tally());
  }
}

TEST_F(CliCamelUpTest, ARunEndsWithItsTimeOrItsError) {
  const Ending time = Client({"camel-up", "simulate", "--edition", "1", "--position", "1:BGOYW",
                              "--simulations", "1e13", "--max-duration", "300ms"});
  EXPECT_EQ(time.status, 0) << time.err;
  EXPECT_THAT(time.err, HasSubstr(": the time is up\n"));
  const Ending error = Client({"camel-up", "simulate", "--edition", "1", "--position", "1:BGOYW",
                               "--simulations", "1e13", "--until-error", "0.01"});
  EXPECT_EQ(error.status, 0) << error.err;
  EXPECT_THAT(error.err, HasSubstr(": the error is reached\n"));
}

// At a terminal the running estimates are redrawn; the end erases them.
TEST_F(CliCamelUpTest, ATerminalShowsARunningTable) {
  const Ending ending = RunProgramAtTerminal(
      ClientCommand({"camel-up", "simulate", "--edition", "1", "--position", "1:BGOYW",
                     "--simulations", "1e13", "--max-duration", "3s"}),
      100, 40);
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, AllOf(HasSubstr("\x1b[J"), HasSubstr("/s  0:0"), HasSubstr(" left"),
                                HasSubstr(": the time is up\n")));
}

// Ctrl-C ends the run on the server, and what was played is not lost.
TEST_F(CliCamelUpTest, AnInterruptedRunSaysHowToGoOn) {
  const auto cancelled = [] {
    const Ending status = Client({"status", "--format", "csv"});
    const auto lines = Lines(status.out);
    for (const std::string& line : lines) {
      if (line.starts_with("camel_up,")) return line;
    }
    return std::string();
  };
  const std::string before = cancelled();
  Command command = ClientCommand({"camel-up", "simulate", "--edition", "1", "--position",
                                   "1:BGOYW", "--simulations", "1e13", "--seed", "9"});
  Process client(command);
  // Until it is under way; its first estimate comes after a second at most.
  while (cancelled() == before && !HasFailure()) {
  }
  client.Signal(SIGINT);
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 130);
  EXPECT_EQ(ending.signal, 0);
  EXPECT_THAT(ending.err, StartsWith("gpusim-client: interrupted\n"));
  if (!ending.out.empty()) {
    EXPECT_THAT(ending.out, HasSubstr(" simulations\n"));
    EXPECT_THAT(ending.err, HasSubstr("go on with --seed 9 --subsequence 0 --offset 0 "
                                      "--first-simulation "));
  }
}

TEST_F(CliCamelUpTest, ABatchIsAnsweredLineByLine) {
  const std::string input =
      "{\"edition\":1,\"position\":\"1:BGO 2:Y 3:W\"}\n"
      "{\"edition\":1,\"position\":\"4:BG 5:O 7:YW\",\"tiles\":\"6+ 8- 10+\"}\n"
      "{\"edition\":1,\"position\":\"1:BGOYW 17:B\"}\n"
      "\n"
      "{\"edition\":2,\"position\":\"1:rb 2:gy 3:p 14:w 16:k\",\"dice\":\"rgy*\"}\n"
      "{\"edition\":1,\"position\":\"1:BGOYW\",\"tiles\":\"4+ 5+\"}\n";
  const Ending ending =
      Client({"camel-up", "batch", "-", "--outputs", "ranks,pairs,landings,values"}, input);
  EXPECT_EQ(ending.status, 1);
  const auto lines = Lines(ending.out);
  ASSERT_EQ(lines.size(), 5u) << ending.out << ending.err;
  EXPECT_THAT(lines[2], AllOf(StartsWith("{\"line\":3,\"error\":"), HasSubstr("17")));
  EXPECT_THAT(lines[4], AllOf(StartsWith("{\"line\":6,\"error\":"), HasSubstr("INVALID_ARGUMENT")));
  EXPECT_THAT(ending.err, HasSubstr("3 positions in "));
  // The lines say what the single call says.
  const Arguments asked[] = {
      {"--edition", "1", "--position", "1:BGO 2:Y 3:W"},
      {"--edition", "1", "--position", "4:BG 5:O 7:YW", "--tiles", "6+ 8- 10+"},
      {"--edition", "2", "--position", "1:rb 2:gy 3:p 14:w 16:k", "--dice", "rgy*"}};
  const std::string answered[] = {lines[0], lines[1], lines[3]};
  for (int i = 0; i < 3; ++i) {
    Arguments single = asked[i];
    single.insert(single.end(), {"--outputs", "ranks,pairs,landings,values"});
    const auto line = FromJson<v1::GetOddsResponse>(answered[i]);
    const auto odds = Odds(single);
    EXPECT_EQ(line.total_weight(), odds.total_weight());
    EXPECT_EQ(line.race_ends_weight(), odds.race_ends_weight());
    for (int camel = 0; camel < 5; ++camel) {
      EXPECT_EQ(line.camels(camel).camel(), odds.camels(camel).camel());
      for (int place = 0; place < 5; ++place)
        EXPECT_EQ(line.camels(camel).rank_weight(place), odds.camels(camel).rank_weight(place));
      for (int ticket = 0; ticket < 3; ++ticket)
        EXPECT_EQ(line.camels(camel).tickets(ticket).value_weight(),
                  odds.camels(camel).tickets(ticket).value_weight());
    }
    ASSERT_EQ(line.pairs_size(), odds.pairs_size());
    for (int pair = 0; pair < line.pairs_size(); ++pair)
      EXPECT_EQ(line.pairs(pair).weight(), odds.pairs(pair).weight());
    ASSERT_EQ(line.landings_size(), odds.landings_size());
    for (int tile = 0; tile < line.landings_size(); ++tile)
      EXPECT_EQ(line.landings(tile).landing_weight(), odds.landings(tile).landing_weight());
  }
}

TEST_F(CliCamelUpTest, ABatchOfRaces) {
  const Ending ending =
      Client({"camel-up", "batch", "-", "--race"}, "{\"edition\":1,\"position\":\"1:BGOYW\"}\n");
  EXPECT_EQ(ending.status, 0) << ending.err << ending.out;
  const auto odds = FromJson<v1::GetOddsResponse>(ending.out);
  EXPECT_NEAR(odds.camels(4).race_win(), 0.224896303175322, 1e-9);
  EXPECT_NEAR(odds.expected_legs().value(), 4.878109025930, 1e-9);
}

TEST_F(CliCamelUpTest, CheckFindsNothingWrong) {
  const Ending ending = Client({"check"});
  EXPECT_EQ(ending.status, 0) << ending.out << ending.err;
  EXPECT_THAT(ending.out, AllOf(StartsWith("ok "), Not(HasSubstr("differs")),
                                Not(HasSubstr("failed")), HasSubstr("race, edition 1: 1:BGOYW\n")));
  EXPECT_THAT(ending.err, HasSubstr(" 0 differs, 0 failed, "));
}

}  // namespace
}  // namespace gpusim::testing
