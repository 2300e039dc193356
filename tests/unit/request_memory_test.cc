// What a repeat of a call gets, for how long, and that the memory of it is bounded.
#include "server/services/request_memory.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/testing/fake_clock.h"

namespace gpusim::server {
namespace {

using Seen = RequestMemory::Seen;

class RequestMemoryTest : public ::testing::Test {
 protected:
  RequestMemory::Earlier Begin(const std::string& id, std::uint64_t fingerprint = 1) {
    return memory_.Begin({"Call", id}, fingerprint, [this] { ++told_; });
  }

  batching::FakeClock clock_;
  RequestMemory memory_{clock_, {.answers = 3, .bytes = 4096}};
  int told_ = 0;
};

TEST_F(RequestMemoryTest, ARepeatGetsTheFirstAnswerForTenMinutes) {
  EXPECT_EQ(Begin("a").seen, Seen::kFirst);
  memory_.End({"Call", "a"}, "answer", 7);
  clock_.Advance(std::chrono::minutes(10) - std::chrono::nanoseconds(1));
  const RequestMemory::Earlier earlier = Begin("a");
  EXPECT_EQ(earlier.seen, Seen::kAnswered);
  EXPECT_EQ(earlier.answer, "answer");
  EXPECT_EQ(earlier.rows, 7u);
  clock_.Advance(std::chrono::nanoseconds(1));
  EXPECT_EQ(Begin("a").seen, Seen::kFirst);
}

TEST_F(RequestMemoryTest, OtherContentsAreToldApartAlsoWhileTheFirstIsUnderWay) {
  EXPECT_EQ(Begin("a", 1).seen, Seen::kFirst);
  EXPECT_EQ(Begin("a", 2).seen, Seen::kOther);
  memory_.End({"Call", "a"}, "answer");
  EXPECT_EQ(Begin("a", 2).seen, Seen::kOther);
  EXPECT_EQ(told_, 0);
}

TEST_F(RequestMemoryTest, OneIdOfTwoCallsIsTwo) {
  EXPECT_EQ(Begin("a").seen, Seen::kFirst);
  EXPECT_EQ(memory_.Begin({"Other", "a"}, 1, [] {}).seen, Seen::kFirst);
}

TEST_F(RequestMemoryTest, WhoeverRepeatsACallUnderWayIsToldOnceOfItsEnd) {
  Begin("a");
  EXPECT_EQ(Begin("a").seen, Seen::kUnderWay);
  EXPECT_EQ(Begin("a").seen, Seen::kUnderWay);
  memory_.End({"Call", "a"}, "answer");
  EXPECT_EQ(told_, 2);
  EXPECT_EQ(Begin("a").seen, Seen::kAnswered);
}

TEST_F(RequestMemoryTest, AFailedCallIsForgotten) {
  Begin("a");
  EXPECT_EQ(Begin("a").seen, Seen::kUnderWay);
  memory_.End({"Call", "a"}, std::nullopt);
  EXPECT_EQ(told_, 1);
  EXPECT_EQ(Begin("a", 2).seen, Seen::kFirst);
}

TEST_F(RequestMemoryTest, TheOldestAnswersGoFirst) {
  for (const char* id : {"a", "b", "c", "d"}) {
    Begin(id);
    memory_.End({"Call", id}, "answer");
  }
  EXPECT_EQ(Begin("b").seen, Seen::kAnswered);
  EXPECT_EQ(Begin("a").seen, Seen::kFirst);
}

TEST_F(RequestMemoryTest, BytesAreBounded) {
  for (const char* id : {"a", "b"}) {
    Begin(id);
    memory_.End({"Call", id}, std::string(3000, 'x'));
  }
  EXPECT_EQ(Begin("b").seen, Seen::kAnswered);
  EXPECT_EQ(Begin("a").seen, Seen::kFirst);
}

}  // namespace
}  // namespace gpusim::server
