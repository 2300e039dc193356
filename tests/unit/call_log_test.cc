#include "server/call_log.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include "server/calls/call_entry.h"
#include "server/logging.h"

namespace gpusim::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

CallRecord FailedStep() {
  return {.method = CallMethod::kStep,
          .code = grpc::StatusCode::INVALID_ARGUMENT,
          .took = std::chrono::microseconds(1500),
          .request_id = "7/3",
          .traceparent = "",
          .caller = "10.0.0.7",
          .reason = "pattern \"?\"\nis none"};
}
CallRecord GoodPing() {
  return {.method = CallMethod::kPing,
          .code = grpc::StatusCode::OK,
          .took = std::chrono::microseconds(20),
          .request_id = {},
          .traceparent = {},
          .caller = "unix",
          .reason = {}};
}

// What a log of that kind has written when it is gone.
class CallLogTest : public ::testing::Test {
 protected:
  template <class Record>
  std::string Written(LogCalls calls, LogFormat format, const Record& record,
                      spdlog::level::level_enum level = spdlog::level::info) {
    std::ostringstream text;
    spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
    SetFormat(log, format);
    log.set_level(level);
    {
      const CallLog call_log = MakeCallLog(calls, format, log);
      if (call_log) record(call_log);
    }
    return text.str();
  }
  std::string Written(LogCalls calls, LogFormat format, const CallRecord& record) {
    return Written(calls, format, [&](const CallLog& log) { log(record); });
  }
};

TEST_F(CallLogTest, ALineOfText) {
  const std::string text = Written(LogCalls::kFailed, LogFormat::kText, FailedStep());
  EXPECT_THAT(text, HasSubstr(" info call Step INVALID_ARGUMENT 1.500 ms, from 10.0.0.7, id 7/3, "
                              "reason pattern \"?\" is none\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(CallLogTest, ALineOfJson) {
  const auto line =
      nlohmann::json::parse(Written(LogCalls::kFailed, LogFormat::kJson, FailedStep()));
  EXPECT_EQ(line.at("message"), "call");
  EXPECT_EQ(line.at("level"), "info");
  EXPECT_EQ(line.at("method"), "Step");
  EXPECT_EQ(line.at("code"), "INVALID_ARGUMENT");
  EXPECT_EQ(line.at("duration_ms"), 1.5);
  EXPECT_EQ(line.at("caller"), "10.0.0.7");
  EXPECT_EQ(line.at("request_id"), "7/3");
  EXPECT_EQ(line.at("reason"), "pattern \"?\"\nis none");
  EXPECT_FALSE(line.contains("traceparent"));
}

TEST_F(CallLogTest, OnlyThoseAskedFor) {
  EXPECT_THAT(Written(LogCalls::kNone, LogFormat::kText, FailedStep()), IsEmpty());
  EXPECT_THAT(Written(LogCalls::kFailed, LogFormat::kText, GoodPing()), IsEmpty());
  EXPECT_THAT(Written(LogCalls::kAll, LogFormat::kText, GoodPing()),
              HasSubstr("call Ping OK 0.020 ms, from unix\n"));
}

TEST_F(CallLogTest, TheServersOwnFailuresAreWarnings) {
  CallRecord record = FailedStep();
  const auto both = [&](const CallLog& log) {
    log(record);
    record.code = grpc::StatusCode::UNAVAILABLE;
    log(record);
  };
  const std::string text = Written(LogCalls::kFailed, LogFormat::kText, both, spdlog::level::warn);
  EXPECT_THAT(text, HasSubstr(" warning call Step UNAVAILABLE"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(CallLogTest, NothingIsLostThatFitsTheQueue) {
  constexpr int kLines = 5000;
  const std::string text = Written(LogCalls::kAll, LogFormat::kText, [](const CallLog& log) {
    for (int i = 0; i < kLines; ++i) log(GoodPing());
  });
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kLines);
}

TEST(CallerOf, LeavesThePortOut) {
  EXPECT_EQ(CallerOf("ipv4:10.0.0.7:51234").name, "10.0.0.7");
  EXPECT_EQ(CallerOf("ipv6:%5B::1%5D:51234").name, "[::1]");
  EXPECT_EQ(CallerOf("ipv6:[2001:db8::7]:51234").name, "[2001:db8::7]");
  EXPECT_EQ(CallerOf("unix:").name, "unix");
  EXPECT_EQ(CallerOf("unix:/run/gpusim.sock").name, "unix");
  EXPECT_EQ(CallerOf("").name, "unknown");
}

TEST(CallerOf, OneKeyAnAddress) {
  EXPECT_EQ(CallerOf("ipv4:10.0.0.7:1").key, CallerOf("ipv4:10.0.0.7:2").key);
  EXPECT_NE(CallerOf("ipv4:10.0.0.7:1").key, CallerOf("ipv4:10.0.0.8:1").key);
  EXPECT_NE(CallerOf("").key, 0u);
}

}  // namespace
}  // namespace gpusim::server
