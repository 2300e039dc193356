// Lines of positions in, lines of odds out: the pieces, and the command against a server in this
// process.
#include <atomic>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "client/cli/line_reader.h"
#include "client/cli/odds_line.h"
#include "client/cli/position_line.h"
#include "tests/unit/client_run_command.h"

namespace gpusim {
namespace {

using cli::LineReader;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    CloseWriting();
  }
  void Write(const std::string& text) {
    EXPECT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void CloseWriting() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  int ends[2] = {-1, -1};
};

TEST(LineReader, ReadsLinesPausesAndTheEnd) {
  Pipe pipe;
  LineReader reader(pipe.ends[0], Cancellation());
  std::string_view line;
  EXPECT_EQ(reader.Next(false, line), LineReader::Found::kPause);
  pipe.Write("one\r\n\nthr");
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kLine);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kLine);
  EXPECT_EQ(line, "");
  EXPECT_EQ(reader.Next(false, line), LineReader::Found::kPause);
  pipe.Write("ee\nlast");
  pipe.CloseWriting();
  EXPECT_EQ(reader.Next(false, line), LineReader::Found::kLine);
  EXPECT_EQ(line, "three");
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kLine);
  EXPECT_EQ(line, "last");
  EXPECT_EQ(reader.number(), 4u);
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kEnd);
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
  Pipe pipe;
  std::thread writer([&] {
    pipe.Write(std::string(300'000, 'x') + "\nshort\n" + std::string(300'000, 'y'));
    pipe.CloseWriting();
  });
  LineReader reader(pipe.ends[0], Cancellation());
  std::string_view line;
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kTooLong);
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kLine);
  EXPECT_EQ(line, "short");
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kTooLong);
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kEnd);
  EXPECT_EQ(reader.number(), 3u);
  writer.join();
}

TEST(LineReader, ACancellationEndsTheWait) {
  Pipe pipe;
  Cancellation cancellation;
  std::thread canceller([&] { cancellation.Cancel(); });
  LineReader reader(pipe.ends[0], cancellation);
  std::string_view line;
  EXPECT_EQ(reader.Next(true, line), LineReader::Found::kCancelled);
  canceller.join();
}

TEST(PositionLine, TakesTheNotationAndProtobufJson) {
  const auto text =
      cli::ParsePositionLine(R"({"edition": 2, "position": "1:rb", "tiles": "6+", "dice": "rb*"})");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(std::get<PositionText>(*text).edition, Edition::kSecond);
  EXPECT_EQ(std::get<PositionText>(*text).stacks, "1:rb");
  EXPECT_EQ(std::get<PositionText>(*text).tiles, "6+");
  EXPECT_EQ(std::get<PositionText>(*text).dice, "rb*");
  const auto structured = cli::ParsePositionLine(
      R"({"edition":"EDITION_FIRST","stacks":[{"space":3,"camels":["CAMEL_BLUE","CAMEL_WHITE"]}],)"
      R"("tiles":[{"space":5,"effect":"TILE_EFFECT_MIRAGE"}],"dice":["DIE_WHITE"]})");
  ASSERT_TRUE(structured) << structured.error().message;
  const auto& position = std::get<Position>(*structured);
  EXPECT_THAT(position.stacks.at(0).camels, ElementsAre(Camel::kBlue, Camel::kWhite));
  EXPECT_EQ(position.tiles.at(0).effect, TileEffect::kMirage);
  EXPECT_THAT(position.dice, ElementsAre(Die::kWhite));
  const auto nested =
      cli::ParsePositionLine(R"({"edition":"EDITION_FIRST","text":{"stacks":"1:BGOYW"}})");
  ASSERT_TRUE(nested);
  EXPECT_EQ(std::get<PositionText>(*nested).stacks, "1:BGOYW");
}

TEST(PositionLine, SaysWhatIsWrong) {
  const auto fault = [](std::string_view line) {
    const auto position = cli::ParsePositionLine(line);
    return position ? "nothing" : position.error().message;
  };
  EXPECT_THAT(fault("1:BGOYW"), StartsWith("no JSON object: "));
  EXPECT_THAT(fault("[1]"), StartsWith("no JSON object: "));
  EXPECT_EQ(fault(R"({"position":"1:BGOYW"})"), "'edition' has to be 1 or 2");
  EXPECT_EQ(fault(R"({"edition":3,"position":"1:BGOYW"})"), "'edition' has to be 1 or 2");
  EXPECT_EQ(fault(R"({"edition":1,"position":5})"), "'position' has to be a string");
  EXPECT_EQ(fault(R"({"edition":1,"position":"","die":"B"})"),
            "'die' is unknown; the fields are edition, position, tiles and dice");
  EXPECT_EQ(fault("{}"), "'edition' has to be EDITION_FIRST or EDITION_SECOND");
  EXPECT_THAT(fault(R"({"edition":1,"stack":[]})"),
              StartsWith("neither has it the field 'position', nor is it a Position: "));
}

// Every column, two rows: what protobuf reads from the second's line.
TEST(OddsLine, IsTheJsonOfAnAnswer) {
  const auto packed = PackPositions(
      Edition::kFirst,
      {PositionText{.stacks = "1:BGOYW"}, PositionText{.stacks = "2:BGOYW", .tiles = "6- 8+"}});
  OddsColumns columns;
  columns.rows = 2;
  const auto fill = [](auto& column, std::size_t components) {
    for (std::size_t i = 0; i < components * 2; ++i)
      column.push_back(static_cast<std::remove_reference_t<decltype(column[0])>>(i + 1));
  };
  fill(columns.total_weight, 1);
  fill(columns.race_ends_weight, 2);
  fill(columns.rank_weight, 25);
  fill(columns.pair_weight, 25);
  fill(columns.landing_weight, 16);
  fill(columns.ticket_value_weight, 15);
  fill(columns.race_win, 5);
  fill(columns.race_last, 5);
  fill(columns.expected_legs, 1);
  fill(columns.race_joint, 25);
  columns.race_win[1] = 0.1;
  std::string line;
  cli::AppendOddsLine(7, packed.request, columns, 1, line);
  EXPECT_THAT(line, AllOf(StartsWith("{\"line\":7,\"totalWeight\":2,"), HasSubstr("}\n")));
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::GetOddsResponse odds;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &odds, options).ok()) << line;
  EXPECT_EQ(odds.total_weight(), 2u);
  EXPECT_EQ(odds.race_ends_weight(), 2u);
  EXPECT_EQ(odds.race_ends_backward_weight(), 4u);
  ASSERT_EQ(odds.camels_size(), 5);
  EXPECT_EQ(odds.camels(4).camel(), v1::CAMEL_WHITE);
  EXPECT_THAT(odds.camels(1).rank_weight(), ElementsAre(12, 14, 16, 18, 20));
  EXPECT_EQ(odds.camels(0).race_win(), 0.1);
  EXPECT_EQ(odds.camels(4).race_last(), 10);
  ASSERT_EQ(odds.camels(1).tickets_size(), 3);
  EXPECT_EQ(odds.camels(1).tickets(0).face(), 5u);
  EXPECT_EQ(odds.camels(1).tickets(0).value_weight(), 8);
  EXPECT_EQ(odds.camels(1).tickets(0).value(), 4);
  ASSERT_EQ(odds.pairs_size(), 20);
  EXPECT_EQ(odds.pairs(0).first(), v1::CAMEL_BLUE);
  EXPECT_EQ(odds.pairs(0).second(), v1::CAMEL_GREEN);
  EXPECT_EQ(odds.pairs(0).weight(), 4u);
  ASSERT_EQ(odds.landings_size(), 2);
  EXPECT_EQ(odds.landings(0).space(), 6u);
  EXPECT_EQ(odds.landings(0).effect(), v1::TILE_EFFECT_MIRAGE);
  EXPECT_EQ(odds.landings(1).landing_weight(), 16u);
  EXPECT_EQ(odds.expected_legs().value(), 2);
  ASSERT_EQ(odds.race_pairs_size(), 20);
  EXPECT_EQ(odds.race_pairs(19).winner(), v1::CAMEL_WHITE);
  EXPECT_EQ(odds.race_pairs(19).last(), v1::CAMEL_YELLOW);
  EXPECT_EQ(odds.race_pairs(19).probability().value(), 48);
}

TEST(OddsLine, ErrorsAreEscaped) {
  std::string line;
  cli::AppendErrorLine(3,
                       {.code = StatusCode::kInvalidArgument,
                        .message = "a \"b\"\n\\",
                        .violations = {{"x", "y"}, {"z", ""}}},
                       line);
  EXPECT_EQ(line,
            "{\"line\":3,\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"a "
            "\\\"b\\\"\\u000a\\\\\",\"violations\":[{\"field\":\"x\",\"description\":\"y\"},{"
            "\"field\":\"z\",\"description\":\"\"}]}}\n");
}

// Answers every row with its lowest camel's space as the total weight; a row of zeros fails.
struct ColumnServer {
  std::atomic<int> calls{0};
  std::atomic<std::uint32_t> most_rows{0};
  std::atomic<int> fail_edition{0};
  std::uint64_t max_reply_bytes = 4 << 20;
  FakeServer server{
      {.get_odds_columns =
           [this](grpc::ServerContext&, const v1::GetOddsColumnsRequest& request,
                  v1::GetOddsColumnsResponse& response) {
             ++calls;
             most_rows = std::max(most_rows.load(), request.rows());
             if (request.edition() == fail_edition)
               return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "no table");
             std::string status;
             std::vector<std::uint32_t> totals;
             for (std::uint32_t row = 0; row < request.rows(); ++row) {
               totals.push_back(static_cast<std::uint8_t>(request.spaces()[row]));
               status += totals.back() == 0 ? '\3' : '\0';
             }
             response.set_rows(request.rows());
             response.set_row_status(status);
             response.set_total_weight(
                 std::string(reinterpret_cast<const char*>(totals.data()), totals.size() * 4));
             return grpc::Status::OK;
           },
       .get_info =
           [this](grpc::ServerContext&, const v1::GetInfoRequest&, v1::GetInfoResponse& response) {
             v1::Limit& limit = *response.add_limits();
             limit.set_flag("max-columns-reply-bytes");
             limit.set_value(max_reply_bytes);
             return grpc::Status::OK;
           }}};
};

class BatchCommand : public ::testing::Test {
 protected:
  ~BatchCommand() override { unlink(path_.c_str()); }

  testing::CommandEnding Run(const std::string& lines, std::vector<std::string> more = {}) {
    std::ofstream(path_) << lines;
    more.insert(more.begin(), {"camel-up", "batch", path_});
    return testing::RunCommand(columns_.server, std::move(more));
  }

  static std::string Line(int space, int edition = 1) {
    return "{\"edition\":" + std::to_string(edition) + ",\"position\":\"" + std::to_string(space) +
           (edition == 1 ? ":BGOYW" : ":rbgypwk") + "\"}\n";
  }

  const std::string path_ =
      ::testing::TempDir() + "gpusim_batch_" + std::to_string(getpid()) + ".jsonl";
  ColumnServer columns_;
};

TEST_F(BatchCommand, AnswersInTheOrderOfTheInput) {
  const auto ending = Run(Line(3) + Line(5) + "\n" + Line(7, 2) + Line(2));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(ending.out,
            "{\"line\":1,\"totalWeight\":3}\n{\"line\":2,\"totalWeight\":5}\n"
            "{\"line\":4,\"totalWeight\":7}\n{\"line\":5,\"totalWeight\":2}\n");
  EXPECT_THAT(ending.err,
              ::testing::MatchesRegex("4 positions in [0-9.]+ s: [0-9]+ positions/s\n"));
  EXPECT_EQ(columns_.calls, 3);
}

TEST_F(BatchCommand, ABadLineFailsAlone) {
  const auto ending =
      Run(Line(3) + "nonsense\n" + "{\"edition\":1,\"position\":\"1:BGOY\"}\n" + Line(4));
  EXPECT_EQ(ending.status, 1);
  std::istringstream lines(ending.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "{\"line\":1,\"totalWeight\":3}");
  std::getline(lines, line);
  EXPECT_THAT(line, StartsWith("{\"line\":2,\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":"
                               "\"no JSON object: "));
  std::getline(lines, line);
  EXPECT_THAT(line, AllOf(StartsWith("{\"line\":3,\"error\":"), HasSubstr("'W': the camel is ")));
  std::getline(lines, line);
  EXPECT_EQ(line, "{\"line\":4,\"totalWeight\":4}");
  EXPECT_THAT(ending.err, HasSubstr("; failed lines: 2\n"));
}

TEST_F(BatchCommand, OnlyBadLinesAskForNothing) {
  const auto ending = Run("a\nb\n");
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(columns_.calls, 0);
  EXPECT_EQ(std::count(ending.out.begin(), ending.out.end(), '\n'), 2);
}

TEST_F(BatchCommand, ACallThatCannotBeAnsweredFailsItsLines) {
  columns_.fail_edition = 2;
  const auto ending = Run(Line(3) + Line(7, 2) + Line(4), {"--race"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.out,
            "{\"line\":1,\"totalWeight\":3}\n"
            "{\"line\":2,\"error\":{\"code\":\"FAILED_PRECONDITION\",\"message\":\"no table\","
            "\"violations\":[]}}\n{\"line\":3,\"totalWeight\":4}\n");
}

// A call takes as many rows as its reply may have bytes.
TEST_F(BatchCommand, ManyLinesGoInCallsThatTheReplyFits) {
  columns_.max_reply_bytes = 1 << 20;
  constexpr int kLines = 20'000;
  std::string lines;
  std::string expected;
  for (int i = 0; i < kLines; ++i) {
    lines += Line(i % 16 + 1);
    expected += "{\"line\":" + std::to_string(i + 1) +
                ",\"totalWeight\":" + std::to_string(i % 16 + 1) + "}\n";
  }
  const auto ending = Run(lines);
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_TRUE(ending.out == expected);
  EXPECT_GE(columns_.calls, 3);
  EXPECT_LE(columns_.most_rows * 113u, 1u << 20);
}

TEST_F(BatchCommand, NeedsAFile) {
  EXPECT_EQ(testing::RunCommand(columns_.server, {"camel-up", "batch"}).err,
            "no file of positions; pass one, or - for standard input\n");
  const auto absent = testing::RunCommand(columns_.server, {"camel-up", "batch", "/nonexistent"});
  EXPECT_EQ(absent.status, 1);
  EXPECT_EQ(absent.err, "cannot read /nonexistent: No such file or directory\n");
}

}  // namespace
}  // namespace gpusim
