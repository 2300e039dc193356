// Usage: what is accepted where, and what is said about the rest. Commands that need a file get
// none here, so everything is found before a server is asked.
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/command_line.h"

namespace gpusim::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Arguments = std::vector<std::string>;

class CommandLineTest : public ::testing::Test {
 protected:
  void SetUp() override { unsetenv("GPUSIM_SERVER"); }

  // What Parse or Prepare finds wrong.
  static Failure FailureOf(Arguments arguments) {
    CommandLine command_line;
    auto invocation = command_line.Parse(std::move(arguments), Terminal{});
    if (!invocation) return invocation.error();
    if (invocation->command == nullptr) return Failure{kExitOk, {}};
    auto prepared = invocation->command->Prepare(invocation->settings);
    return prepared ? Failure{kExitOk, {}} : prepared.error();
  }

  static void ExpectUsage(const Arguments& arguments, const std::string& line) {
    const Failure failure = FailureOf(arguments);
    EXPECT_EQ(failure.status, kExitUsage) << ::testing::PrintToString(arguments);
    ASSERT_FALSE(failure.lines.empty());
    EXPECT_EQ(failure.lines[0], line);
    EXPECT_LE(failure.lines.size(), 2u);
  }

  static Arguments Odds(Arguments more) {
    Arguments all = {"camel-up", "odds", "--edition", "1", "--position", "1:BGOYW"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static Arguments Step(Arguments more) {
    Arguments all = {"life", "step", "--pattern", "/nonexistent/glider.rle"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static Settings SettingsOf(Arguments arguments) {
    CommandLine command_line;
    auto invocation = command_line.Parse(std::move(arguments), Terminal{});
    EXPECT_TRUE(invocation) << invocation.error().lines[0];
    return invocation ? invocation->settings : Settings{};
  }
};

TEST_F(CommandLineTest, GlobalOptionsStandBeforeOrBehind) {
  for (const Arguments& arguments :
       {Arguments{"--server", "h:1", "--timeout", "5s", "--format", "json", "ping"},
        Arguments{"ping", "--server", "h:1", "--timeout=5s", "--format", "json"}}) {
    const Settings settings = SettingsOf(arguments);
    EXPECT_EQ(settings.server, "h:1");
    EXPECT_EQ(settings.timeout, std::chrono::seconds(5));
    EXPECT_EQ(settings.format, Format::kJson);
  }
  Arguments nested = Odds({"--server", "unix:/x", "--format", "csv"});
  EXPECT_EQ(SettingsOf(nested).server, "unix:/x");
  EXPECT_EQ(SettingsOf(nested).format, Format::kCsv);
}

TEST_F(CommandLineTest, TheServerComesFromTheEnvironmentThenTheDefault) {
  EXPECT_EQ(SettingsOf({"ping"}).server, "127.0.0.1:50051");
  EXPECT_EQ(SettingsOf({"ping"}).timeout, std::chrono::seconds(30));
  setenv("GPUSIM_SERVER", "elsewhere:7", 1);
  EXPECT_EQ(SettingsOf({"ping"}).server, "elsewhere:7");
  EXPECT_EQ(SettingsOf({"ping", "--server", "here:8"}).server, "here:8");
  setenv("GPUSIM_SERVER", "elsewhere", 1);
  ExpectUsage({"ping"}, "GPUSIM_SERVER 'elsewhere': it has to be HOST:PORT or unix:PATH");
}

TEST_F(CommandLineTest, ServerAddresses) {
  for (const char* good : {"h:1", "127.0.0.1:65535", "[::1]:50051", "unix:/run/x", "dns:///h:1"}) {
    EXPECT_EQ(ServerAddressFault(good), "") << good;
  }
  for (const char* bad : {"h", ":1", "", "h o:1", "a/b:1"}) {
    EXPECT_EQ(ServerAddressFault(bad), "it has to be HOST:PORT or unix:PATH") << bad;
  }
  for (const char* bad : {"h:", "h:0", "h:65536", "h:x", "h:-1"}) {
    EXPECT_EQ(ServerAddressFault(bad), "the port has to be a number from 1 to 65535") << bad;
  }
  EXPECT_EQ(ServerAddressFault("unix:"), "a path has to follow unix:");
  EXPECT_EQ(ServerAddressFault("::1:50051"), "an IPv6 address has to be in brackets: [::1]:50051");
  ExpectUsage({"ping", "--server", "h"}, "--server 'h': it has to be HOST:PORT or unix:PATH");
}

TEST_F(CommandLineTest, ATimeoutThatWasGivenIsKnown) {
  EXPECT_FALSE(SettingsOf({"ping"}).timeout_given);
  EXPECT_TRUE(SettingsOf({"ping", "--timeout", "30s"}).timeout_given);
}

TEST_F(CommandLineTest, Priorities) {
  EXPECT_EQ(SettingsOf({"ping"}).priority, Priority::kUnspecified);
  EXPECT_EQ(SettingsOf({"ping", "--priority", "bulk"}).priority, Priority::kBulk);
  EXPECT_EQ(SettingsOf(Odds({"--priority=interactive"})).priority, Priority::kInteractive);
  ExpectUsage({"ping", "--priority", "high"},
              "--priority 'high' is unknown; pass interactive or bulk");
}

TEST(LocaleHasUtf8, TheFirstVariableThatIsSetSays) {
  EXPECT_TRUE(LocaleHasUtf8("", "", "en_US.UTF-8"));
  EXPECT_TRUE(LocaleHasUtf8("C.utf8", "C", "C"));
  EXPECT_TRUE(LocaleHasUtf8("", "de_DE.UTF-8@euro", "C"));
  EXPECT_FALSE(LocaleHasUtf8("C", "", "en_US.UTF-8"));
  EXPECT_FALSE(LocaleHasUtf8("", "POSIX", "en_US.UTF-8"));
  EXPECT_FALSE(LocaleHasUtf8("", "", ""));
  EXPECT_FALSE(LocaleHasUtf8("", "", "en_US.ISO-8859-1"));
}

TEST_F(CommandLineTest, GlobalValues) {
  ExpectUsage({"ping", "--timeout", "5"},
              "--timeout '5' needs a unit of ns, us, ms, s, m or h, as in 500ms or 10s");
  ExpectUsage({"ping", "--timeout", "soon"},
              "--timeout 'soon' is not a duration such as 500ms or 10s");
  ExpectUsage({"ping", "--format", "xml"}, "--format 'xml' is unknown; pass table, json or csv");
}

TEST_F(CommandLineTest, Commands) {
  ExpectUsage({}, "no command; pass one of camel-up, life, status, check, ping");
  ExpectUsage({"camel-up"}, "camel-up needs a command: odds, moves, simulate, batch");
  ExpectUsage(
      {"life"},
      "life needs a command: step, soups, create, list, show, update, stop, read, write, run, "
      "watch, fork, snapshot, snapshots, restore, delete");
  ExpectUsage({"pong"}, "unknown command 'pong'; did you mean ping?");
  ExpectUsage({"bench"},
              "unknown command 'bench'; pass one of camel-up, life, status, check, ping");
  ExpectUsage({"camel-up", "ods"}, "unknown command 'ods'; did you mean odds?");
  EXPECT_THAT(FailureOf({"ping", "status"}).lines[0], StartsWith("unexpected argument 'status'"));
}

TEST_F(CommandLineTest, UnknownOptionsAreNamedWithTheNearest) {
  ExpectUsage(Odds({"--dices", "B"}), "unknown option --dices; did you mean --dice?");
  ExpectUsage({"ping", "--sever=h:1"}, "unknown option --sever; did you mean --server?");
  ExpectUsage({"ping", "--nothing-like-it"}, "unknown option --nothing-like-it");
  ExpectUsage({"ping", "-x"}, "unknown option -x");
  ExpectUsage({"ping", "--limits"}, "unknown option --limits");
}

// CLI11 gives an option the next argument even if that is another option.
TEST_F(CommandLineTest, ForgottenValues) {
  for (const char* option : {"--server", "--timeout", "--format", "--count"}) {
    EXPECT_EQ(FailureOf({"ping", option}).lines[0], std::string(option) + " needs a value");
    EXPECT_EQ(FailureOf({"ping", option, "--format", "json"}).lines[0],
              std::string(option) + " needs a value");
  }
  for (const char* option : {"--edition", "--position", "--tiles", "--dice", "--outputs",
                             "--method", "--simulations", "--seed"}) {
    EXPECT_EQ(FailureOf({"camel-up", "odds", option}).lines[0],
              std::string(option) + " needs a value");
    EXPECT_EQ(FailureOf({"camel-up", "odds", option, "--server=h:1"}).lines[0],
              std::string(option) + " needs a value; see gpusim-client camel-up odds --help");
  }
  for (const char* option : {"--pattern", "--generations", "--rule", "--topology", "--at",
                             "--output", "--output-format"}) {
    EXPECT_EQ(FailureOf({"life", "step", option}).lines[0], std::string(option) + " needs a value");
    EXPECT_EQ(FailureOf({"life", "step", option, "--picture"}).lines[0],
              std::string(option) + " needs a value; see gpusim-client life step --help");
  }
}

TEST_F(CommandLineTest, RepeatedOptions) {
  ExpectUsage({"--server", "a:1", "ping", "--server", "b:1"},
              "--server is given more than once; pass it once");
  ExpectUsage(Odds({"--edition", "2"}), "--edition is given more than once; pass it once");
}

TEST_F(CommandLineTest, FlagsTakeNoValue) {
  ExpectUsage({"status", "--limits=all"}, "--limits takes no value");
  ExpectUsage(Step({"--generations", "1", "--picture=big"}), "--picture takes no value");
}

TEST_F(CommandLineTest, ValuesWithSpacesNeedQuotes) {
  ExpectUsage({"camel-up", "odds", "--edition", "1", "--position", "1:BGO", "2:Y"},
              "unexpected argument '2:Y'; put quotes around a value with spaces");
}

TEST_F(CommandLineTest, CamelUpOdds) {
  EXPECT_EQ(
      FailureOf(Odds({"--tiles", "6+ 8-", "--dice", "BG*", "--outputs", "ranks,pairs,landings"}))
          .status,
      kExitOk);
  EXPECT_EQ(FailureOf(Odds({"--tiles", "", "--dice", ""})).status, kExitOk);
  ExpectUsage({"camel-up", "odds", "--position", "1:BGOYW"},
              "--edition is missing; pass --edition 1 or --edition 2");
  ExpectUsage({"camel-up", "odds", "--edition", "3", "--position", "1:BGOYW"},
              "--edition '3' is unknown; pass --edition 1 or --edition 2");
  ExpectUsage({"camel-up", "odds", "--edition", "1"},
              "--position is missing; pass one such as --position '1:BGO 2:Y 3:W'");
  ExpectUsage(
      Odds({"--outputs", "ranks,win"}),
      "--outputs 'win' is unknown; pass any of ranks,pairs,landings,values,race,race-joint");
  ExpectUsage(
      Odds({"--outputs", "ranks,pairs", "--format", "csv"}),
      "--outputs 'ranks,pairs' does not fit one CSV; pass ranks, values and race, or one of "
      "the others, or --format json");
  EXPECT_EQ(FailureOf(Odds({"--outputs", "pairs", "--format", "csv"})).status, kExitOk);
}

TEST_F(CommandLineTest, LifeStepNumbers) {
  ExpectUsage({"life", "step", "--generations", "1"},
              "--pattern is missing; pass a file, - for standard input, --random with --topology, "
              "or the name of a board");
  ExpectUsage(Step({}), "--generations is missing; pass a number such as --generations 100");
  ExpectUsage(Step({"--generations", "1.5"}), "--generations '1.5' is not a whole number");
  ExpectUsage(Step({"--generations", "-1"}),
              "--generations '-1' is not a number such as 1000 or 1e9");
  ExpectUsage(Step({"--generations", "1e20"}),
              "--generations '1e20' is more than 18446744073709551615");
  ExpectUsage(Step({"--generations", "1", "--at", "3"}), "--at '3' is not X,Y such as 10,-3");
}

// Negative numbers are values, not options; the missing file is what is found then.
TEST_F(CommandLineTest, LifeStepTakesNegativeOffsets) {
  const Failure failure = FailureOf(Step({"--generations", "1e3", "--at", "-3,-4"}));
  EXPECT_EQ(failure.status, kExitFailed);
  EXPECT_THAT(failure.lines,
              ElementsAre("cannot read /nonexistent/glider.rle: No such file or directory"));
}

TEST_F(CommandLineTest, LifeStepOutputs) {
  const auto with = [](Arguments more) {
    more.insert(more.begin(), {"--generations", "1"});
    return Step(more);
  };
  ExpectUsage(
      with({"--output", "x.bmp"}),
      "--output 'x.bmp' has no known extension; use .rle, .cells, .lif, .life106, .life105, "
      ".raw or .png, or pass --output-format");
  ExpectUsage(with({"--output", "x", "--output-format", "bmp"}),
              "--output-format 'bmp' is unknown; pass rle, cells, life106, life105, raw or png");
  ExpectUsage(with({"--output-format", "rle"}),
              "--output-format needs a place for the board; pass --output or --format json");
  ExpectUsage(with({"--output", "x.rle", "--picture"}),
              "--picture goes with a plain table; leave out --output and --format");
  ExpectUsage(with({"--format", "json", "--picture"}),
              "--picture goes with a plain table; leave out --output and --format");
  EXPECT_THAT(FailureOf(with({"--output", "-", "--format", "json"})).lines[0],
              HasSubstr("would both write to stdout"));
  for (const char* name : {"x.rle", "x.cells", "x.lif", "x.life", "x.life106", "x.raw", "-"}) {
    EXPECT_EQ(FailureOf(with({"--output", name})).status, kExitFailed) << name;
  }
}

TEST_F(CommandLineTest, PingCounts) {
  for (const char* count : {"0", "1e8"}) {
    ExpectUsage({"ping", "--count", count},
                std::string("--count '") + count + "' is not from 1 to 10000000");
  }
  ExpectUsage({"ping", "--count", "some"}, "--count 'some' is not a number such as 1000 or 1e9");
}

TEST_F(CommandLineTest, HelpAndVersionAreTexts) {
  for (const Arguments& arguments : {Arguments{"--version"}, Arguments{"ping", "--version"},
                                     Arguments{"life", "step", "--version"}}) {
    CommandLine command_line;
    const auto invocation = command_line.Parse(arguments, Terminal{});
    ASSERT_TRUE(invocation);
    EXPECT_THAT(invocation->text, ::testing::MatchesRegex("gpusim-client [0-9.]+\n"));
  }
  CommandLine command_line;
  const auto invocation = command_line.Parse({"life", "step", "--help"}, Terminal{});
  ASSERT_TRUE(invocation);
  EXPECT_THAT(invocation->text, HasSubstr("--generations"));
  EXPECT_THAT(invocation->text, HasSubstr("Exit status"));
}

}  // namespace
}  // namespace gpusim::cli
