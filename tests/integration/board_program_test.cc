// Boards outlive their server: it is stopped, or killed, and started again. And large boards go in and out through a process whose
// memory is watched.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "tests/integration/board_client.h"
#include "tests/testing/process.h"
#include "tests/testing/sanitized.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using ::testing::HasSubstr;

class BoardProgram {
 public:
  explicit BoardProgram(const std::string& state_dir, std::vector<std::string> more = {})
      : process_(CommandOf(state_dir, std::move(more))) {
    const std::string start = "listening on ";
    const auto line = process_.WaitForLine(start);
    EXPECT_TRUE(line.has_value());
    const std::string address = line ? line->substr(start.size()) : "";
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    life_ = v1::LifeService::NewStub(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  }

  Process& process() { return process_; }
  BoardClient boards() { return BoardClient(*life_); }

  // Kilobytes of a line of /proc/PID/status.
  std::uint64_t StatusKilobytes(const std::string& name) const {
    std::ifstream status("/proc/" + std::to_string(process_.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1));
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }

 private:
  static Command CommandOf(const std::string& state_dir, std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        GPUSIM_SERVER_PROGRAM,  "--backend", "cpu",         "--listen", "127.0.0.1:0",
        "--race-table-solving", "off",       "--server-id", "here"};
    if (!state_dir.empty()) {
      arguments.emplace_back("--state-dir");
      arguments.push_back(state_dir);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return {.arguments = std::move(arguments), .environment = {}, .input = {}};
  }

  Process process_;
  std::unique_ptr<v1::LifeService::Stub> life_;
};

std::string Digest(BoardClient boards, const std::string& name) {
  return boards.Get(name, {v1::FACT_DIGEST}).facts().digest();
}

TEST(BoardProgramTest, AStoppedServerHasItsBoardsAgain) {
  TemporaryDirectory state;
  std::string digest;
  std::uint64_t generation = 0;
  {
    BoardProgram server(state.path());
    BoardClient boards = server.boards();
    v1::CreateBoardHeader header = RandomHeader("a", "plane:300x200", 1);
    header.set_rule("B36/S23");
    header.set_lease_s(77);
    boards.Create(header);
    boards.Step(StepRequestOf("a", 5));
    digest = Digest(boards, "a");
    boards.Create(RandomHeader("runs", "torus:64x64", 2));
    v1::StepBoardRequest request = StepRequestOf("runs", kEndlessRun);
    request.set_progress_interval_ms(10);
    BoardRun run(boards.stub(), request);
    v1::StepBoardResponse progress;
    ASSERT_TRUE(run.Read(progress));
    server.process().Signal(SIGTERM);
    const auto told = run.ReadAll();
    EXPECT_TRUE(run.Finish().ok());
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back().stop_reason(), v1::STOP_REASON_DRAINING);
    generation = told.back().facts().generation();
    EXPECT_EQ(server.process().Wait().status, 0);
  }
  BoardProgram server(state.path());
  BoardClient boards = server.boards();
  const v1::Board board = boards.Get("a").board();
  EXPECT_EQ(Digest(boards, "a"), digest);
  EXPECT_EQ(board.generation(), 5u);
  EXPECT_EQ(board.rule(), "B36/S23");
  EXPECT_EQ(board.topology(), "plane:300x200");
  EXPECT_EQ(board.lease_s(), 77u);
  EXPECT_EQ(boards.Get("runs").board().generation(), generation);
}

// With an autosave a second, a killed server loses a few seconds of a run at the most; the file that is being written when it dies
// must not harm the one before.
TEST(BoardProgramTest, AKilledServerLosesAnAutosaveInterval) {
  TemporaryDirectory state;
  std::uint64_t saved = 0;
  {
    BoardProgram server(state.path());
    BoardClient boards = server.boards();
    v1::CreateBoardHeader header = Header("a", "torus:64x64");
    header.set_pattern(kGliderRle);
    header.set_autosave_every_s(1);
    boards.Create(header);
    boards.RunDetached("a");
    const std::uint64_t first =
        boards.Await("a", [](const v1::Board& board) { return board.saved_generation() > 0; })
            .board()
            .saved_generation();
    // A second save shows that they go on during the run.
    saved = boards
                .Await("a",
                       [first](const v1::Board& board) { return board.saved_generation() > first; })
                .board()
                .saved_generation();
    server.process().Signal(SIGKILL);
    server.process().Wait();
  }
  BoardProgram server(state.path());
  BoardClient boards = server.boards();
  const v1::GetBoardResponse got = boards.Get("a");
  EXPECT_GE(got.board().generation(), saved);
  EXPECT_EQ(got.facts().population(), 5u);
  // It is the glider's board of that generation: 256 generations bring it back to where it was.
  v1::StepBoardRequest on;
  on.set_name("a");
  on.set_to_generation((got.board().generation() / 256 + 1) * 256);
  boards.Step(on);
  v1::CreateBoardHeader header = Header("b", "torus:64x64");
  header.set_pattern(kGliderRle);
  boards.Create(header);
  EXPECT_EQ(Digest(boards, "a"), Digest(boards, "b"));
}

TEST(BoardProgramTest, AStateDirThatCannotBeMadeIsOneClearLine) {
  TemporaryDirectory state;
  const std::string file = state.path() + "/file";
  std::ofstream(file) << "no directory";
  Process server({.arguments = {GPUSIM_SERVER_PROGRAM, "--backend", "cpu", "--listen",
                                "127.0.0.1:0", "--race-table-solving", "off", "--state-dir", file},
                  .environment = {},
                  .input = {}});
  const Ending ended = server.Wait();
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr(file));
}

// A board goes in as bands of rows and comes out again. The server's memory grows by the board's own and no more than 64 MiB.
void StreamThrough(std::uint32_t side) {
  const std::uint64_t board_bytes = std::uint64_t{side} * side / 8;
  BoardProgram server("");
  BoardClient boards = server.boards();
  // Nobody's first: what every server needs once.
  boards.Create(RandomHeader("warm", "torus:1024x1024", 1));
  boards.Read("warm");
  boards.Delete("warm");
  const std::uint64_t before = server.StatusKilobytes("VmRSS");

  std::mt19937_64 random(side);
  std::uint64_t sent = 14695981039346656037u;
  const auto mix = [](std::uint64_t& hash, const std::string& bytes) {
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      hash = (hash ^ word) * 1099511628211u;
    }
  };
  {
    grpc::ClientContext context;
    v1::CreateBoardResponse response;
    const auto writer = boards.stub().CreateBoard(&context, &response);
    v1::CreateBoardRequest request;
    *request.mutable_header() =
        Header("big", "torus:" + std::to_string(side) + "x" + std::to_string(side));
    request.mutable_header()->set_streamed(true);
    ASSERT_TRUE(writer->Write(request));
    for (std::uint64_t at = 0; at < board_bytes; at += kBand) {
      std::string band(kBand, '\0');
      for (std::size_t i = 0; i < kBand; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(band.data() + i, &word, 8);
      }
      mix(sent, band);
      request.set_rows(std::move(band));
      ASSERT_TRUE(writer->Write(request));
    }
    writer->WritesDone();
    const grpc::Status status = writer->Finish();
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  std::uint64_t read = 14695981039346656037u;
  std::uint64_t bytes = 0;
  {
    grpc::ClientContext context;
    v1::ReadRegionRequest request;
    request.set_name("big");
    const auto reader = boards.stub().ReadRegion(&context, request);
    for (v1::ReadRegionResponse response; reader->Read(&response);) {
      mix(read, response.data());
      bytes += response.data().size();
    }
    ASSERT_TRUE(reader->Finish().ok());
  }
  EXPECT_EQ(bytes, board_bytes);
  EXPECT_EQ(read, sent);
  const std::uint64_t peak = server.StatusKilobytes("VmHWM");
  const std::uint64_t buffers = boards.Get("big").board().memory_bytes() / 1024;
  if (!kSanitized) {
    EXPECT_LE(peak, before + buffers + (64u << 10));
  }
  std::printf("%ux%u: before %lu KiB, peak %lu KiB, buffers %lu KiB\n", side, side,
              static_cast<unsigned long>(before), static_cast<unsigned long>(peak),
              static_cast<unsigned long>(buffers));
}

TEST(BoardProgramTest, ALargeBoardGoesThroughInBands) { StreamThrough(16384); }

TEST(BoardProgramTest, AGiantBoardGoesThroughInBands) {
  if (std::getenv("GPUSIM_TEST_GIANT") == nullptr)
    GTEST_SKIP() << "takes 1 GiB and a minute: set GPUSIM_TEST_GIANT";
  StreamThrough(65536);
}

}  // namespace
}  // namespace gpusim::testing
