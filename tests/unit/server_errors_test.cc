// How faults become statuses: what travels, how much of it, and what is made printable.
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/services/error_mapping.h"
#include "server/services/printable.h"

namespace gpusim::server {
namespace {

using ::testing::HasSubstr;

google::rpc::BadRequest BadRequestOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::BadRequest bad;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), status.error_code());
  EXPECT_EQ(details.message(), status.error_message());
  EXPECT_EQ(details.details_size(), 1);
  EXPECT_TRUE(details.details(0).UnpackTo(&bad));
  return bad;
}

TEST(PrintableTest, EscapesWhatIsNotText) {
  EXPECT_EQ(Printable("a\nb\x7f", 64), "a\\x0ab\\x7f");
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f", 64), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(Printable("\xc3", 64), "\\xc3");                    // cut short
  EXPECT_EQ(Printable("\xc0\xaf", 64), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(Printable("\xed\xa0\x80", 64), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80", 64), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("\xc2\x85", 64), "\\xc2\\x85");  // a control character
  EXPECT_EQ(Printable(std::string("\0", 1), 64), "\\x00");
}

TEST(PrintableTest, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdef", 5), "abcde...");
  EXPECT_EQ(Printable("abc\xc3\xbc", 4), "abc...");
  EXPECT_EQ(Printable("", 0), "");
}

TEST(ErrorMappingTest, OneFault) {
  const grpc::Status status = BadInput({{"position.dice[1]", "Q", "no die of the first edition"}});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "position.dice[1] 'Q': no die of the first edition");
  const auto bad = BadRequestOf(status);
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), "position.dice[1]");
  EXPECT_EQ(bad.field_violations(0).description(), "'Q': no die of the first edition");
}

TEST(ErrorMappingTest, ARaceTableOnItsWay) {
  using std::chrono::milliseconds;
  const RaceTableReport report{.state = RaceTableState::kSolving,
                               .fraction = 0.425,
                               .remaining = milliseconds(61'500),
                               .file = {},
                               .reason = {}};
  const grpc::Status status = RaceTableMissing(camel_up::Edition::kSecond, report);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(),
            "the race table of the second edition is being solved, 42% done; retry after 61500 ms");
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_EQ(details.details_size(), 1);
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 61);
  EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);
}

TEST(ErrorMappingTest, NoRaceTable) {
  const RaceTableReport report{.state = RaceTableState::kOff, .file = {}, .reason = "it was eaten"};
  const grpc::Status status = RaceTableMissing(camel_up::Edition::kFirst, report);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.error_message(),
            "the race table of the first edition is not there: it was eaten");
}

TEST(ErrorMappingTest, ManyFaultsAreCounted) {
  const Violations violations(40, Violation{"f", "v", "r"});
  const grpc::Status status = BadInput(violations);
  EXPECT_EQ(status.error_message(), "f 'v': r (and 39 more)");
  EXPECT_EQ(BadRequestOf(status).field_violations_size(), 32);
}

TEST(ErrorMappingTest, LargeFaultsStayBelowTheLimitOfTrailers) {
  const Violations violations(40, Violation{"position.stacks[15].camels[3]",
                                            std::string(9999, '\n'), std::string(9999, 'r')});
  const grpc::Status status = BadInput(violations);
  EXPECT_GE(BadRequestOf(status).field_violations_size(), 8);
  EXPECT_LT(status.error_details().size() * 4 / 3 + status.error_message().size(), 8192u);
}

TEST(ErrorMappingTest, Refusals) {
  using batching::Refusal;
  const grpc::Status full = Refused({.reason = Refusal::Reason::kQueueFull,
                                     .limit = 7,
                                     .value = 0,
                                     .retry_after = std::chrono::milliseconds(1250)},
                                    "life");
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("max-queued-calls of life is 7"));
  EXPECT_THAT(full.error_message(), HasSubstr("retry after 1250 ms"));
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.ParseFromString(full.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
  EXPECT_EQ(retry.retry_delay().nanos(), 250'000'000);

  const grpc::Status bytes = Refused({.reason = Refusal::Reason::kBytesFull,
                                      .limit = 4096,
                                      .value = 0,
                                      .retry_after = std::chrono::milliseconds(1)},
                                     "life");
  EXPECT_EQ(bytes.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(bytes.error_message(), HasSubstr("max-queued-bytes of life is 4096"));

  const grpc::Status work = Refused({.reason = Refusal::Reason::kWorkFull,
                                     .limit = 10'000,
                                     .value = 10'400,
                                     .retry_after = std::chrono::milliseconds(5)},
                                    "life");
  EXPECT_EQ(work.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(work.error_message(),
            "max-queued-work of life is 10000 ms, and with this call 10400 ms of work would be "
            "queued; retry after 5 ms");

  const grpc::Status draining = Refused(
      {.reason = Refusal::Reason::kDraining, .limit = 0, .value = 0, .retry_after = {}}, "life");
  EXPECT_EQ(draining.error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST(ErrorMappingTest, BoardErrors) {
  using Reason = boards::BoardError::Reason;
  const std::pair<Reason, grpc::StatusCode> cases[] = {
      {Reason::kUnknown, grpc::StatusCode::NOT_FOUND},
      {Reason::kExists, grpc::StatusCode::ALREADY_EXISTS},
      {Reason::kBusy, grpc::StatusCode::ABORTED},
      {Reason::kWrongGeneration, grpc::StatusCode::ABORTED},
      {Reason::kNoMemory, grpc::StatusCode::RESOURCE_EXHAUSTED},
      {Reason::kNoRoom, grpc::StatusCode::RESOURCE_EXHAUSTED},
      {Reason::kElsewhere, grpc::StatusCode::FAILED_PRECONDITION},
      {Reason::kOff, grpc::StatusCode::FAILED_PRECONDITION},
      {Reason::kDraining, grpc::StatusCode::UNAVAILABLE},
      {Reason::kExpired, grpc::StatusCode::DEADLINE_EXCEEDED},
      {Reason::kCancelled, grpc::StatusCode::CANCELLED},
      {Reason::kDevice, grpc::StatusCode::UNAVAILABLE},
  };
  for (const auto& [reason, code] : cases) {
    const grpc::Status status = BoardFailed({.reason = reason, .message = "why"});
    EXPECT_EQ(status.error_code(), code) << static_cast<int>(reason);
    EXPECT_NE(status.error_message(), "");
  }
  const grpc::Status bad = BoardFailed({.reason = Reason::kBadInput,
                                        .message = {},
                                        .violations = {{"name", "-", "a letter first"}}});
  EXPECT_EQ(BadRequestOf(bad).field_violations(0).field(), "name");
}

TEST(ErrorMappingTest, ABoardElsewhereNamesItsOwner) {
  const grpc::Status status = BoardFailed({.reason = boards::BoardError::Reason::kElsewhere,
                                           .message = "b/x belongs to the server b",
                                           .owner = "b",
                                           .address = "b.example:50051"});
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "BOARD_ELSEWHERE");
  EXPECT_EQ(info.metadata().at("owner"), "b");
  EXPECT_EQ(info.metadata().at("address"), "b.example:50051");
}

TEST(ErrorMappingTest, NoMemoryForABoardSaysWhenTheNextLeaseEnds) {
  const grpc::Status status = BoardFailed({.reason = boards::BoardError::Reason::kNoMemory,
                                           .message = "too little",
                                           .retry_after = std::chrono::milliseconds(1500)});
  google::rpc::Status details;
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
  EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);
}

TEST(ErrorMappingTest, Outcomes) {
  using batching::Outcome;
  EXPECT_EQ(NotAnswered(Outcome::kCancelled, "").error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(NotAnswered(Outcome::kExpired, "").error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(NotAnswered(Outcome::kDraining, "").error_code(), grpc::StatusCode::UNAVAILABLE);
  const grpc::Status failed = NotAnswered(Outcome::kFailed, "out of luck");
  EXPECT_EQ(failed.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(failed.error_message(), HasSubstr("out of luck"));
}

}  // namespace
}  // namespace gpusim::server
