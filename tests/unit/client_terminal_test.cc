// Boards drawn at a terminal: the program as a process with a terminal, the server in this one.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/testing/process.h"
#include "tests/unit/client_fake_server.h"

namespace gpusim::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

using WatchWriter = grpc::ServerWriterInterface<v1::WatchBoardResponse>;
using StepWriter = grpc::ServerWriterInterface<v1::StepBoardResponse>;

constexpr const char* kEnter = "\x1b[?1049h";
constexpr const char* kLeave = "\x1b[?1049l";

// One board, of which every watch gets one frame and then waits until it is left.
struct Shown {
  explicit Shown(std::uint32_t side) : side(side) {}

  v1::WatchBoardResponse Frame(const v1::WatchBoardRequest& request) const {
    v1::WatchBoardResponse frame;
    frame.mutable_facts()->set_generation(7);
    frame.mutable_facts()->set_population(5);
    if (request.density_cell() == 0) {
      frame.mutable_packed()->set_width(side);
      frame.mutable_packed()->set_height(side);
      // A full row on top.
      frame.mutable_packed()->set_rows(std::string((side + 7) / 8, '\xff'));
    } else {
      const std::uint32_t columns = (side + request.density_cell() - 1) / request.density_cell();
      frame.mutable_density()->set_columns(columns);
      frame.mutable_density()->set_rows(columns);
      frame.mutable_density()->set_density(std::string(std::size_t{columns} * columns, '\xff'));
    }
    return frame;
  }

  const std::uint32_t side;
  std::mutex mutex;
  std::vector<std::uint32_t> cells;  // density cells that were asked for
  std::atomic<int> watches_left{0};
  std::atomic<int> runs_left{0};
  std::atomic<std::uint64_t> generations{0};
  FakeServer server{{.get_board =
                         [this](grpc::ServerContext&, const v1::GetBoardRequest&,
                                v1::GetBoardResponse& response) {
                           response.mutable_board()->set_width(side);
                           response.mutable_board()->set_height(side);
                           return grpc::Status::OK;
                         },
                     .step_board =
                         [this](grpc::ServerContext& context, const v1::StepBoardRequest& request,
                                StepWriter& writer) {
                           v1::StepBoardResponse progress;
                           generations += request.generations() < 100 ? request.generations() : 0;
                           progress.mutable_facts()->set_generation(generations);
                           writer.Write(progress);
                           if (request.generations() > 100) {  // until it is stopped
                             AwaitCancel(context);
                             ++runs_left;
                             return grpc::Status::CANCELLED;
                           }
                           progress.set_stop_reason(v1::STOP_REASON_TARGET);
                           writer.Write(progress);
                           return grpc::Status::OK;
                         },
                     .watch_board =
                         [this](grpc::ServerContext& context, const v1::WatchBoardRequest& request,
                                WatchWriter& writer) {
                           {
                             const std::lock_guard lock(mutex);
                             cells.push_back(request.density_cell());
                           }
                           writer.Write(Frame(request));
                           AwaitCancel(context);
                           ++watches_left;
                           return grpc::Status::CANCELLED;
                         }}};

  Command ClientCommand(std::vector<std::string> arguments, const char* locale = "C.UTF-8") const {
    arguments.insert(arguments.begin(), GPUSIM_CLIENT_PROGRAM);
    return {.arguments = std::move(arguments),
            .environment = {{"GPUSIM_SERVER", server.address()},
                            {"NO_COLOR", ""},
                            {"TERM", "xterm"},
                            {"LC_ALL", locale}},
            .input = {}};
  }
};

std::string Repeated(const char* text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(ClientTerminal, QLeavesAWatchAndTheScreen) {
  Shown shown(32);
  Process client(shown.ClientCommand({"life", "watch", "a"}), 80, 24);
  ASSERT_TRUE(client.WaitForText(kEnter));
  // A row of 32 cells is 16 characters of braille with their upper dots.
  ASSERT_TRUE(client.WaitForText(Repeated("\u2809", 16)));
  ASSERT_TRUE(client.WaitForText("generation 7  population 5  q quits"));
  client.Type("xq");
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, EndsWith(kLeave));
  while (shown.watches_left == 0) std::this_thread::yield();
  EXPECT_EQ(shown.cells, std::vector<std::uint32_t>{0});
}

TEST(ClientTerminal, CtrlCLeavesTheScreenToo) {
  Shown shown(32);
  Process client(shown.ClientCommand({"life", "watch", "a"}), 80, 24);
  ASSERT_TRUE(client.WaitForText("q quits"));
  client.Type("\x03");
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.out, HasSubstr(std::string(kLeave) + "gpusim-client: interrupted"));
}

TEST(ClientTerminal, ASignalLeavesTheScreenToo) {
  for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
    Shown shown(32);
    Process client(shown.ClientCommand({"life", "watch", "a"}), 80, 24);
    ASSERT_TRUE(client.WaitForText("q quits"));
    client.Signal(number);
    const Ending ending = client.Wait();
    EXPECT_EQ(ending.signal, number);
    EXPECT_THAT(ending.out, EndsWith(kLeave));
  }
}

// 1000 cells on 80 columns and 23 lines of two squares: squares of 22 cells, 46 a side.
TEST(ClientTerminal, ALargeBoardIsShades) {
  Shown shown(1000);
  Process client(shown.ClientCommand({"life", "watch", "a"}), 80, 24);
  ASSERT_TRUE(client.WaitForText(Repeated("\u2588", 46)));
  ASSERT_TRUE(client.WaitForText("q quits"));
  // Another size needs other squares, without another frame to wait for.
  client.Resize(40, 6);
  ASSERT_TRUE(client.WaitForText(Repeated("\u2588", 10)));
  client.Type("q");
  EXPECT_EQ(client.Wait().status, 0);
  const std::lock_guard lock(shown.mutex);
  EXPECT_EQ(shown.cells, (std::vector<std::uint32_t>{22, 100}));
}

// Braille came out as rubbish where the locale has no UTF-8.
TEST(ClientTerminal, ALocaleWithoutUtf8HasAsciiPictures) {
  Shown small(16);
  Process cells(small.ClientCommand({"life", "watch", "a"}, "C"), 80, 24);
  ASSERT_TRUE(cells.WaitForText("OOOOOOOOOOOOOOOO"));
  ASSERT_TRUE(cells.WaitForText("................"));
  cells.Type("q");
  const Ending ending = cells.Wait();
  EXPECT_TRUE(std::all_of(ending.out.begin(), ending.out.end(), [](char c) { return c > 0; }));
  Shown large(100);
  Process shades(large.ClientCommand({"life", "watch", "a"}, "POSIX"), 80, 24);
  ASSERT_TRUE(shades.WaitForText("####"));
  shades.Type("q");
  EXPECT_EQ(shades.Wait().status, 0);
}

TEST(ClientTerminal, QStopsARunOnTheServer) {
  Shown shown(32);
  Process client(shown.ClientCommand({"life", "run", "a", "--step", "max"}), 80, 24);
  ASSERT_TRUE(client.WaitForText("q quits"));
  client.Type("q");
  EXPECT_EQ(client.Wait().status, 0);
  while (shown.runs_left == 0) std::this_thread::yield();
}

TEST(ClientTerminal, ARunEndsWithItsGenerations) {
  Shown shown(32);
  Process client(shown.ClientCommand(
                     {"life", "run", "a", "--rate", "120", "--step", "3", "--generations", "10"}),
                 80, 24);
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 0);
  EXPECT_EQ(shown.generations, 10u);
  EXPECT_THAT(ending.out, HasSubstr("generation 10, population 0\r\n"));
}

TEST(ClientTerminal, NoScreenBeforeTheBoardIsKnown) {
  FakeServer server(
      {.get_board = [](grpc::ServerContext&, const v1::GetBoardRequest&, v1::GetBoardResponse&) {
        return grpc::Status(grpc::StatusCode::NOT_FOUND, "no board a\x1b[31m");
      }});
  const Command command{.arguments = {GPUSIM_CLIENT_PROGRAM, "life", "watch", "a"},
                        .environment = {{"GPUSIM_SERVER", server.address()}, {"TERM", "xterm"}},
                        .input = {}};
  Process client(command, 80, 24);
  const Ending ending = client.Wait();
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(ending.out, HasSubstr("NOT_FOUND): no board a\\x1b[31m"));
}

}  // namespace
}  // namespace gpusim::testing
