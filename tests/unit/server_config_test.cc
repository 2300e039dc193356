// Durations, listen addresses and option parsing of the server.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/listen_address.h"
#include "server/config/server_options.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DurationTest, NeedsAUnit) {
  EXPECT_EQ(ParseDuration("500ms"), milliseconds(500));
  EXPECT_EQ(ParseDuration("10s"), milliseconds(10'000));
  EXPECT_EQ(ParseDuration("2m"), milliseconds(120'000));
  EXPECT_EQ(ParseDuration("1h"), milliseconds(3'600'000));
  for (const char* bad : {"", "10", "s", "-1s", "1.5s", "1 s", "1sec", " 1s",
                          "99999999999999999999s", "9223372036854775807h"})
    EXPECT_EQ(ParseDuration(bad), std::nullopt) << bad;
}

TEST(DurationTest, IsWrittenInTheLargestUnitThatFits) {
  EXPECT_EQ(FormatDuration(milliseconds(0)), "0ms");
  EXPECT_EQ(FormatDuration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(FormatDuration(milliseconds(90'000)), "90s");
  EXPECT_EQ(FormatDuration(milliseconds(7'200'000)), "2h");
}

TEST(ListenAddressTest, Forms) {
  EXPECT_EQ(ParseListenAddress("127.0.0.1:50051")->port, 50051);
  EXPECT_EQ(ParseListenAddress("[::1]:0")->host, "::1");
  EXPECT_EQ(ParseListenAddress("unix:/run/x")->unix_path, "/run/x");
  for (const char* bad : {"", ":1", "host", "host:", "host:x", "host:65536", "::1:5",
                          "unix:", "[::1]", "http://a:1", "a b:1"})
    EXPECT_FALSE(ParseListenAddress(bad).has_value()) << bad;
  EXPECT_FALSE(ParseListenAddress("unix:" + std::string(200, 'x')).has_value());
}

TEST(ListenAddressTest, WhatIsLocal) {
  for (const char* local : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1", "unix:/x"})
    EXPECT_TRUE(ParseListenAddress(local)->IsLocal()) << local;
  for (const char* open : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "127.example.org:1", "host:1"})
    EXPECT_FALSE(ParseListenAddress(open)->IsLocal()) << open;
}

TEST(ListenAddressTest, IsWrittenWithItsPort) {
  EXPECT_EQ(FormatListenAddress(*ParseListenAddress("[::1]:0"), 7), "[::1]:7");
  EXPECT_EQ(FormatListenAddress(*ParseListenAddress("unix:/x"), 0), "unix:/x");
}

tl::expected<ServerOptions, ParseExit> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "gpusim-server");
  return ParseServerOptions(static_cast<int>(arguments.size()), arguments.data());
}

TEST(ServerOptionsTest, Defaults) {
  const auto options = Parse({});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->listen, ElementsAre("127.0.0.1:50051"));
  EXPECT_EQ(options->drain_time, milliseconds(10'000));
  EXPECT_EQ(DescribeOptions(*options), DescribeOptions(ServerOptions{}));
}

TEST(ServerOptionsTest, ListsReplaceTheDefault) {
  const auto options = Parse({"--listen", "127.0.0.1:1,unix:/x", "--listen", "localhost:2"});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->listen, ElementsAre("127.0.0.1:1", "unix:/x", "localhost:2"));
}

// Metrics are for operators and hold no client's data, so any address goes without --insecure.
TEST(ServerOptionsTest, MetricsListenIsAnIpv4AddressOrNothing) {
  EXPECT_EQ(Parse({})->metrics_listen, "");
  EXPECT_EQ(Parse({"--metrics-listen", "0.0.0.0:9464"})->metrics_listen, "0.0.0.0:9464");
  EXPECT_EQ(Parse({"--metrics-listen", "localhost:0"})->metrics_listen, "localhost:0");
  EXPECT_EQ(Parse({"--metrics-listen", ""})->metrics_listen, "");
  for (const char* bad : {"9464", "unix:/x", "[::1]:9464", "localhost:65536", "localhost"})
    EXPECT_EQ(Parse({"--metrics-listen", bad}).error().status, 2) << bad;
}

TEST(ServerOptionsTest, PlaintextElsewhereNeedsInsecure) {
  EXPECT_EQ(Parse({"--listen", "0.0.0.0:1"}).error().status, 2);
  EXPECT_TRUE(Parse({"--listen", "0.0.0.0:1", "--insecure"}).has_value());
}

TEST(ServerOptionsTest, Boards) {
  const auto options = Parse({"--boards", "off", "--server-id", "gpusim-boards-0",
                              "--advertise-address", "gpusim-boards-0.gpusim:50051",
                              "--device-memory", "1073741824", "--state-dir", "/srv/b"});
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_FALSE(options->boards);
  EXPECT_EQ(options->server_id, "gpusim-boards-0");
  EXPECT_EQ(options->advertise_address, "gpusim-boards-0.gpusim:50051");
  EXPECT_EQ(options->device_memory, std::uint64_t{1} << 30);
  EXPECT_EQ(options->state_dir, "/srv/b");
  EXPECT_EQ(ServerOptions{}.max_state_bytes, std::uint64_t{64} << 30);
  EXPECT_EQ(ServerOptions{}.max_boards, 100'000u);
  const std::vector<std::vector<const char*>> bad = {{"--boards", "yes"},
                                                     {"--server-id", "a/b"},
                                                     {"--server-id", "-a"},
                                                     {"--advertise-address", "host:0"},
                                                     {"--advertise-address", "host"},
                                                     {"--device-memory", "-1"},
                                                     {"--device-memory", "1g"},
                                                     {"--max-boards", "0"}};
  for (const auto& arguments : bad) {
    const auto refused = Parse(arguments);
    ASSERT_FALSE(refused.has_value()) << arguments[1];
    EXPECT_THAT(refused.error().text, HasSubstr(arguments[0]));
    EXPECT_THAT(refused.error().text, HasSubstr("'" + std::string(arguments[1]) + "'"));
  }
}

TEST(ServerOptionsTest, AHostsNameIsAServersId) {
  EXPECT_TRUE(IsServerId(HostId()));
  EXPECT_FALSE(IsServerId(""));
  EXPECT_FALSE(IsServerId(std::string(64, 'a')));
  EXPECT_TRUE(IsServerId(std::string(63, 'a')));
}

TEST(ServerOptionsTest, TlsFilesGoTogether) {
  EXPECT_TRUE(Parse({"--tls-certificate", "c", "--tls-key", "k", "--tls-client-ca", "a", "--listen",
                     "0.0.0.0:1"})
                  .has_value());
  const std::vector<std::vector<const char*>> bad = {{"--tls-certificate", "c"},
                                                     {"--tls-key", "k"},
                                                     {"--tls-client-ca", "a"},
                                                     {"--max-connection-age", "30"},
                                                     {"--probe-listen", "unix:/x"}};
  for (const auto& arguments : bad) {
    const auto refused = Parse(arguments);
    ASSERT_FALSE(refused.has_value()) << arguments[0];
    EXPECT_EQ(refused.error().status, 2);
    EXPECT_THAT(refused.error().text, HasSubstr(arguments[0]));
  }
}

// With lines of that text in the file of --config.
class ConfigFileTest : public ::testing::Test {
 protected:
  tl::expected<ServerOptions, ParseExit> ParseWith(const std::string& text,
                                                   std::vector<const char*> arguments = {}) {
    std::ofstream(path_) << text;
    arguments.insert(arguments.end(), {"--config", path_.c_str()});
    return Parse(std::move(arguments));
  }

  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/config";
};

TEST_F(ConfigFileTest, ComesAfterTheEnvironmentAndThatAfterTheCommandLine) {
  const std::string text =
      "# which\n\n slots=3\nmax-boards = 7 \r\n\tcpu-threads =\t5\n"
      "listen = 127.0.0.1:1,unix:/x y\ninsecure = true\nstate-dir =\n";
  setenv("GPUSIM_MAX_BOARDS", "8", 1);
  setenv("GPUSIM_CPU_THREADS", "6", 1);
  const auto options = ParseWith(text, {"--cpu-threads", "9"});
  unsetenv("GPUSIM_MAX_BOARDS");
  unsetenv("GPUSIM_CPU_THREADS");
  ASSERT_TRUE(options.has_value()) << options.error().text;
  EXPECT_EQ(options->slots, 3);
  EXPECT_EQ(options->max_boards, 8u);
  EXPECT_EQ(options->cpu_threads, 9);
  EXPECT_THAT(options->listen, ElementsAre("127.0.0.1:1", "unix:/x y"));
  EXPECT_TRUE(options->insecure);
}

TEST_F(ConfigFileTest, TakesBackWhatPrintConfigWrites) {
  ServerOptions options;
  options.slots = 5;
  options.insecure = true;
  options.listen = {"0.0.0.0:7", "unix:/x"};
  options.max_connection_age = milliseconds(0);
  const auto again = ParseWith(DescribeOptions(options));
  ASSERT_TRUE(again.has_value()) << again.error().text;
  EXPECT_EQ(DescribeOptions(*again), DescribeOptions(options));
}

TEST_F(ConfigFileTest, EveryFaultNamesTheLine) {
  const auto fault = [&](const std::string& text) {
    const auto options = ParseWith(text);
    EXPECT_EQ(options ? 0 : options.error().status, 2) << text;
    return options ? "" : options.error().text;
  };
  EXPECT_THAT(fault("slots = 1\nslot = 2\n"), HasSubstr(path_ + ":2: slot: no such flag"));
  EXPECT_THAT(fault("slots = 17\n"),
              HasSubstr(path_ + ":1: slots: '17': it has to be a whole number from 1 to 16"));
  EXPECT_THAT(fault("\nslots\n"), HasSubstr(path_ + ":2: a line is FLAG = VALUE"));
  EXPECT_THAT(fault("slots = 1\nslots = 2\n"), HasSubstr(path_ + ":2: slots: line 1 has it too"));
  EXPECT_THAT(fault("insecure = yes\n"), HasSubstr("true or false"));
  EXPECT_THAT(fault("listen = 127.0.0.1:1,,\n"), HasSubstr("HOST:PORT"));
  const auto missing = Parse({"--config", "/nowhere/config"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().text, HasSubstr("/nowhere/config: No such file or directory"));
}

TEST(UnknownVariablesTest, AreThoseThatNobodyReads) {
  const char* const environment[] = {"PATH=/bin",          "GPUSIM_SLOTS=1", "GPUSIM_SERVER=x",
                                     "GPUSIM_TOKEN=x",     "GPUSIM_CONFIG=", "GPUSIM_SERVER_PORT=1",
                                     "GPUSIM_MAX_BORDS=1", "XGPUSIM_A=1",    nullptr};
  EXPECT_THAT(UnknownVariables(environment), ElementsAre("GPUSIM_MAX_BORDS", "GPUSIM_SERVER_PORT"));
}

TEST(ServerOptionsTest, FaultsNameFlagValueAndRule) {
  const auto fault = Parse({"--slots", "17"});
  ASSERT_FALSE(fault.has_value());
  EXPECT_EQ(fault.error().status, 2);
  EXPECT_THAT(fault.error().text,
              HasSubstr("--slots: '17': it has to be a whole number from 1 to 16"));
}

}  // namespace
}  // namespace gpusim::server
