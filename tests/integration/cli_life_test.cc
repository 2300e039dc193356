// The Life commands as processes against gpusim-server as a process: boards through their lives,
// and many random boards against one at a time.
#include <filesystem>
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

#include "gpusim/v1/life.pb.h"
#include "gpusim/v1/server.pb.h"
#include "tests/integration/cli_server.h"
#include "tests/testing/process.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class CliLifeTest : public CliServer {
 protected:
  // A server of its own, which has a place for snapshots.
  static void SetUpTestSuite() {
    state_ = ::testing::TempDir() + "gpusim-cli-life-" + std::to_string(getpid());
    std::filesystem::create_directories(state_);
    server_ = std::make_unique<Process>(
        Command{.arguments = {GPUSIM_SERVER_PROGRAM, "--backend", "cpu", "--listen", "127.0.0.1:0",
                              "--state-dir", state_, "--server-id", "home"},
                .environment = {},
                .input = {}});
    const std::string start = "listening on ";
    const auto line = server_->WaitForLine(start);
    if (line) address_ = line->substr(start.size());
  }

  static void TearDownTestSuite() {
    server_.reset();
    std::filesystem::remove_all(state_);
  }

  static std::string Suffix() { return "-" + std::to_string(getpid()); }

  // What a 'life' command prints; it has to end well.
  static std::string Life(Arguments arguments) {
    arguments.insert(arguments.begin(), "life");
    const Ending ending = Client(arguments);
    EXPECT_EQ(ending.status, 0) << ::testing::PrintToString(arguments) << ending.err;
    return ending.out;
  }

  template <class Message>
  static Message Json(Arguments arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    Message message;
    const std::string json = Life(std::move(arguments));
    const auto status = google::protobuf::util::JsonStringToMessage(json, &message);
    EXPECT_TRUE(status.ok()) << status.ToString() << '\n' << json;
    return message;
  }

  static v1::GetBoardResponse Show(const std::string& board) {
    return Json<v1::GetBoardResponse>({"show", board, "--facts", "hash"});
  }

  // The cells of a board, or of a region of it, packed.
  static std::string Raw(const std::string& board, Arguments more = {}) {
    const std::string path = ::testing::TempDir() + "raw" + Suffix();
    Arguments arguments = {"read", board, "--output", path, "--output-format", "raw"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Life(arguments);
    std::string bytes = FileText(path);
    std::filesystem::remove(path);
    return bytes;
  }

  // The same random board without a name.
  static v1::StepResponse Stepped(const std::string& topology, const std::string& seed,
                                  const std::string& generations) {
    return Json<v1::StepResponse>({"step", "--random", "0.375", "--seed", seed, "--topology",
                                   topology, "--generations", generations, "--output-format",
                                   "raw"});
  }

  static inline std::string state_;
};

TEST_F(CliLifeTest, ABoardLivesAsLongAsItIsWanted) {
  Life({"create", "big", "--topology", "torus:1000x700", "--random", "0.375", "--seed", "1"});
  const v1::StepResponse expected = Stepped("torus:1000x700", "1", "64");
  const auto end = Json<v1::StepBoardResponse>({"step", "big", "--generations", "64"});
  EXPECT_EQ(end.stop_reason(), v1::STOP_REASON_TARGET);
  EXPECT_EQ(end.facts().generation(), 64u);
  EXPECT_EQ(Show("big").facts().hash(), expected.hash());
  EXPECT_EQ(end.facts().population(), expected.population());
  EXPECT_EQ(Raw("big"), expected.packed().rows());

  // A board read as a pattern is the board again.
  const std::string rle = ::testing::TempDir() + "big" + Suffix() + ".rle";
  Life({"read", "big", "--output", rle});
  EXPECT_EQ(Json<v1::StepResponse>({"step", "--pattern", rle, "--generations", "0", "--topology",
                                    "torus:1000x700", "--at", "0,0"})
                .hash(),
            expected.hash());
  std::filesystem::remove(rle);

  // Itself over itself kills all of a copy, and nothing of the board.
  const std::string raw = ::testing::TempDir() + "stamp" + Suffix() + ".raw";
  Life({"read", "big", "--output", raw});
  Life({"fork", "big", "copy"});
  Life({"write", "copy", "--pattern", raw, "--size", "1000x700", "--at", "0,0", "--mode", "xor"});
  EXPECT_EQ(Show("copy").facts().population(), 0u);
  EXPECT_EQ(Show("big").facts().hash(), expected.hash());
  Life({"create", "third", "--topology", "torus:1000x700", "--from", raw, "--generation", "64"});
  EXPECT_EQ(Show("third").facts().hash(), expected.hash());
  EXPECT_EQ(Show("third").facts().generation(), 64u);
  std::filesystem::remove(raw);

  // What is saved comes back.
  Life({"snapshot", "big", "saved"});
  EXPECT_THAT(Life({"snapshots"}), HasSubstr("home/saved"));
  Life({"delete", "big"});
  EXPECT_EQ(Client({"life", "show", "big"}).status, 1);
  Life({"restore", "saved"});
  EXPECT_EQ(Show("big").facts().hash(), expected.hash());
  EXPECT_EQ(Show("big").board().generation(), 64u);
  Life({"step", "big", "--to", "100"});
  EXPECT_EQ(Show("big").facts().hash(), Stepped("torus:1000x700", "1", "100").hash());

  const auto list = Json<v1::ListBoardsResponse>({"list"});
  EXPECT_THAT(list.boards(), SizeIs(3));
  for (const v1::Board& board : list.boards()) Life({"delete", board.name()});
  Life({"delete", "saved", "--snapshot"});
  EXPECT_THAT(Json<v1::ListSnapshotsResponse>({"snapshots"}).snapshots(), IsEmpty());
}

TEST_F(CliLifeTest, PatternsRegionsAndConditions) {
  Life(
      {"create", "p", "--topology", "plane:64x48", "--from", TestData() + "/patterns/acorn.cells"});
  Life({"write", "p", "--clear"});
  Life({"write", "p", "--pattern", TestData() + "/patterns/glider.rle", "--at", "10,20"});
  EXPECT_EQ(Life({"read", "p", "--region", "9,20,5,3"}), "..O..\n...O.\n.OOO.\n");
  // A glider that meets the dead border becomes a block.
  const auto end = Json<v1::StepBoardResponse>(
      {"step", "p", "--generations", "1000", "--until", "still", "--facts", "box,changes"});
  EXPECT_EQ(end.stop_reason(), v1::STOP_REASON_CONDITION);
  EXPECT_EQ(end.facts().population(), 4u);
  EXPECT_EQ(end.facts().box().width(), 2u);
  EXPECT_EQ(end.facts().births(), 0u);
  EXPECT_THAT(Life({"update", "p", "--lease", "none"}), HasSubstr("lease       none\n"));
  const std::string png = ::testing::TempDir() + "p" + Suffix() + ".png";
  Life({"read", "p", "--output", png, "--scale", "4"});
  EXPECT_THAT(FileText(png), StartsWith("\x89PNG"));
  Life({"read", "p", "--output", png, "--density", "8"});
  EXPECT_THAT(FileText(png), StartsWith("\x89PNG"));
  std::filesystem::remove(png);
  Life({"delete", "p"});
}

TEST_F(CliLifeTest, ARunWithoutItsCallerIsStopped) {
  Life({"create", "run", "--topology", "torus:512x512", "--random", "0.375"});
  const Ending detached = Client({"life", "step", "run", "--generations", "1e15", "--detached"});
  EXPECT_EQ(detached.status, 0) << detached.err;
  EXPECT_THAT(detached.err, HasSubstr("it runs on the server"));
  const Ending busy = Client({"life", "step", "run", "--generations", "1"});
  EXPECT_EQ(busy.status, 1);
  EXPECT_THAT(busy.err, HasSubstr("the server refused (ABORTED)"));
  EXPECT_TRUE(Show("run").board().has_run());
  Life({"stop", "run"});
  const v1::Board board = Show("run").board();
  EXPECT_FALSE(board.has_run());
  EXPECT_EQ(board.last_run().stop_reason(), v1::STOP_REASON_STOPPED);
  Life({"delete", "run"});
}

TEST_F(CliLifeTest, AWatchOfARunAndARunBeforeOnesEyes) {
  Life({"create", "w", "--topology", "torus:64x64", "--random", "0.375"});
  Life({"step", "w", "--generations", "1e15", "--detached"});
  Process watch(ClientCommand({"life", "watch", "w", "--rate", "50", "--format", "csv"}));
  ASSERT_TRUE(watch.WaitForLine("generation,population,"));
  watch.Signal(SIGINT);
  EXPECT_EQ(watch.Wait().status, 130);
  Life({"stop", "w"});
  Process run(ClientCommand({"life", "run", "w", "--rate", "60"}), 80, 24);
  // Braille of 64 x 64 cells fits.
  ASSERT_TRUE(run.WaitForText("q quits"));
  ASSERT_TRUE(run.WaitForText("q quits"));
  run.Type("q");
  const Ending ending = run.Wait();
  EXPECT_EQ(ending.status, 0) << ending.out;
  EXPECT_FALSE(Show("w").board().has_run());
  Life({"delete", "w"});
}

// A soup of a column is the board of its seed.
TEST_F(CliLifeTest, SoupsAreTheBoardsOfTheirSeeds) {
  const auto lines =
      Lines(Life({"soups", "--count", "300", "--size", "48x40", "--seed", "11", "--until",
                  "period<=2", "--generations", "600", "--facts", "hash", "--format", "csv"}));
  ASSERT_THAT(lines, SizeIs(301));
  EXPECT_EQ(lines[0], "seed,generation,population,stop_reason,period,hash");
  for (const int index : {0, 1, 255, 256, 299}) {
    const auto one = Json<v1::StepResponse>(
        {"step", "--random", "0.375", "--seed", std::to_string(11 + index), "--topology",
         "torus:48x40", "--generations", "600", "--until", "period<=2"});
    const std::string reason = v1::StopReason_Name(one.stop_reason()).substr(12);
    EXPECT_EQ(lines[static_cast<std::size_t>(index) + 1],
              std::to_string(11 + index) + "," + std::to_string(one.generation()) + "," +
                  std::to_string(one.population()) + "," + reason + "," +
                  std::to_string(one.period()) + "," + one.hash());
  }
}

TEST_F(CliLifeTest, WhatIsWrongIsSaid) {
  const auto fails = [](Arguments arguments) {
    arguments.insert(arguments.begin(), "life");
    const Ending ending = Client(std::move(arguments));
    EXPECT_EQ(ending.status, 1);
    EXPECT_EQ(ending.out, "");
    return ending.err;
  };
  EXPECT_THAT(fails({"show", "nobody"}), HasSubstr("the server refused (NOT_FOUND)"));
  EXPECT_THAT(fails({"create", "bad name", "--topology", "torus:8x8"}),
              AllOf(HasSubstr("(INVALID_ARGUMENT)"), HasSubstr("\n  name: ")));
  EXPECT_THAT(fails({"create", "--topology", "torus:4000000000x4000000000"}),
              HasSubstr("the server refused"));
  Life({"create", "e", "--topology", "torus:8x8"});
  EXPECT_THAT(fails({"create", "e", "--topology", "torus:8x8"}), HasSubstr("(ALREADY_EXISTS)"));
  EXPECT_THAT(fails({"read", "e", "--region", "0,0,9,9", "--output", "/dev/null", "--output-format",
                     "raw"}),
              HasSubstr("\n  region"));
  EXPECT_THAT(fails({"step", "e", "--to", "1", "--if-generation", "7"}), HasSubstr("(ABORTED)"));
  Life({"delete", "e"});
}

TEST_F(CliLifeTest, StatusCountsTheBoards) {
  Life({"create", "s", "--topology", "torus:64x64"});
  const Ending status = Client({"status"});
  EXPECT_THAT(status.out, AllOf(HasSubstr("owner "), HasSubstr("home"), HasSubstr("boards ")));
  Life({"delete", "s"});
  EXPECT_THAT(Client({"check"}).out, HasSubstr("ok       life, glider on a resident board\n"));
}

}  // namespace
}  // namespace gpusim::testing
