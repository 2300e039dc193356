// From a status to an Error, to another attempt, and to what people read.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/call_error.h"
#include "client/cli/error_report.h"
#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

Error FromStatus(const grpc::Status& status,
                 grpc_connectivity_state connection = GRPC_CHANNEL_READY) {
  return ErrorFromStatus(status, "127.0.0.1:50051", seconds(30), connection);
}

TEST(ErrorFromStatus, TakesTheViolationsInOrder) {
  const Error error = FromStatus(testing::BadFields(
      "2 faults", {{"position.text.stacks", "'1:BG': camel O is missing"}, {"rule", "'x': bad"}}));
  EXPECT_EQ(error.code, StatusCode::kInvalidArgument);
  EXPECT_EQ(error.message, "2 faults");
  EXPECT_THAT(error.violations,
              ElementsAre(FieldViolation{"position.text.stacks", "'1:BG': camel O is missing"},
                          FieldViolation{"rule", "'x': bad"}));
  EXPECT_FALSE(error.retry_after);
  EXPECT_TRUE(error.connected);
}

TEST(ErrorFromStatus, TakesTheDelay) {
  EXPECT_EQ(FromStatus(testing::QueueFull(milliseconds(1250))).retry_after, milliseconds(1250));
}

TEST(ErrorFromStatus, BrokenDetailsAreLeftOut) {
  const Error error =
      FromStatus({grpc::StatusCode::INVALID_ARGUMENT, "bad", "\xff\xff not a message"});
  EXPECT_EQ(error.message, "bad");
  EXPECT_TRUE(error.violations.empty());
}

TEST(ErrorFromStatus, NamesTheAddressWhenNobodyIsThere) {
  const Error error = FromStatus({grpc::StatusCode::UNAVAILABLE,
                                  "connections to all backends failing; last error: UNKNOWN: "
                                  "ipv4:127.0.0.1:50051: Failed to connect to "
                                  "remote host: Connection refused"});
  EXPECT_FALSE(error.connected);
  EXPECT_EQ(error.message, "no server answers at 127.0.0.1:50051: connection refused");
}

TEST(ErrorFromStatus, AServerThatIsThereKeepsItsWords) {
  const Error error = FromStatus({grpc::StatusCode::UNAVAILABLE, "the server is draining"});
  EXPECT_TRUE(error.connected);
  EXPECT_EQ(error.message, "the server is draining");
}

TEST(ErrorFromStatus, ADeadlineSaysWhetherAServerWasThere) {
  const grpc::Status status(grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded");
  EXPECT_EQ(FromStatus(status).message, "no answer from 127.0.0.1:50051 within 30s");
  const Error error = FromStatus(status, GRPC_CHANNEL_CONNECTING);
  EXPECT_EQ(error.message, "no server answers at 127.0.0.1:50051 within 30s");
  EXPECT_FALSE(error.connected);
}

TEST(WaitBeforeRepeat, OnlyWithADelayThatFits) {
  Error error = FromStatus(testing::QueueFull(milliseconds(20)));
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), milliseconds(20));
  EXPECT_EQ(WaitBeforeRepeat(error, false, seconds(1)), std::nullopt);
  EXPECT_EQ(WaitBeforeRepeat(error, true, milliseconds(20)), std::nullopt);
  error.retry_after = nanoseconds(0);
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), milliseconds(1));
  error.retry_after.reset();
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), std::nullopt);
  error.code = StatusCode::kFailedPrecondition;
  error.retry_after = milliseconds(1);
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), std::nullopt);
}

TEST(WaitBeforeRepeat, ATableThatIsBeingSolvedIsWorthWaitingFor) {
  Error error = FromStatus(testing::TableBeingSolved(milliseconds(20)));
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), milliseconds(20));
  error.retry_after.reset();
  EXPECT_EQ(WaitBeforeRepeat(error, true, seconds(1)), std::nullopt);
}

TEST(StatusName, NamesEveryCode) {
  EXPECT_EQ(StatusName(StatusCode::kCancelled), "CANCELLED");
  EXPECT_EQ(StatusName(StatusCode::kUnauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(StatusName(static_cast<StatusCode>(99)), "UNKNOWN");
}

TEST(Report, PutsTheReasonFirstAndEachViolationOnItsLine) {
  const Error error = FromStatus(
      testing::BadFields("bad position", {{"a", "'1': too\nsmall"}, {"b", "'\x1b': x"}}));
  const cli::Failure failure = cli::Report(error);
  EXPECT_EQ(failure.status, 1);
  EXPECT_THAT(failure.lines, ElementsAre("the server refused (INVALID_ARGUMENT): bad position",
                                         "  a: '1': too\\nsmall", "  b: '\\x1b': x"));
}

TEST(Report, SaysWhatToDo) {
  Error error{.code = StatusCode::kUnavailable,
              .message = "no server answers at x:1: connection refused",
              .violations = {},
              .retry_after = {},
              .connected = false};
  EXPECT_THAT(
      cli::Report(error).lines,
      ElementsAre(
          "no server answers at x:1: connection refused; start gpusim-server or pass --server"));
  error = FromStatus({grpc::StatusCode::DEADLINE_EXCEEDED, ""});
  EXPECT_THAT(cli::Report(error).lines,
              ElementsAre("no answer from 127.0.0.1:50051 within 30s; pass a longer --timeout"));
  error = FromStatus({grpc::StatusCode::UNAVAILABLE, "the server is draining"});
  EXPECT_THAT(cli::Report(error).lines,
              ElementsAre("the server is unavailable: the server is draining"));
  error = FromStatus({grpc::StatusCode::INTERNAL, "oh"});
  EXPECT_THAT(cli::Report(error).lines, ElementsAre("the server failed (INTERNAL): oh"));
  error = FromStatus(testing::QueueFull(milliseconds(20)));
  EXPECT_THAT(cli::Report(error).lines,
              ElementsAre("the server refused (RESOURCE_EXHAUSTED): the queue is full",
                          "  come again in 20ms"));
}

TEST(Report, AnInterruptedCallHasItsOwnStatus) {
  const cli::Failure failure = cli::Report(FromStatus(grpc::Status::CANCELLED));
  EXPECT_EQ(failure.status, 130);
  EXPECT_THAT(failure.lines, ElementsAre("interrupted"));
}

}  // namespace
}  // namespace gpusim
