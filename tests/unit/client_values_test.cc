// Values of the command line's options.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "client/cli/values.h"
#include "client/duration_text.h"

namespace gpusim::cli {
namespace {

using std::chrono::nanoseconds;

TEST(ParseCount, TakesWholeNumbersHoweverTheyAreWritten) {
  EXPECT_EQ(ParseCount("0").value(), 0u);
  EXPECT_EQ(ParseCount("000").value(), 0u);
  EXPECT_EQ(ParseCount("0e5").value(), 0u);
  EXPECT_EQ(ParseCount("256").value(), 256u);
  EXPECT_EQ(ParseCount("007").value(), 7u);
  EXPECT_EQ(ParseCount("1e9").value(), 1'000'000'000u);
  EXPECT_EQ(ParseCount("1E9").value(), 1'000'000'000u);
  EXPECT_EQ(ParseCount("1e+9").value(), 1'000'000'000u);
  EXPECT_EQ(ParseCount("2.5e3").value(), 2500u);
  EXPECT_EQ(ParseCount("1.0").value(), 1u);
  EXPECT_EQ(ParseCount("1500e-2").value(), 15u);
}

// 2^53 + 1 and 2^64 - 1 are lost in a double.
TEST(ParseCount, IsExactBeyondDoubles) {
  EXPECT_EQ(ParseCount("9007199254740993").value(), 9007199254740993u);
  EXPECT_EQ(ParseCount("18446744073709551615").value(), 18446744073709551615u);
  EXPECT_EQ(ParseCount("1.8446744073709551615e19").value(), 18446744073709551615u);
}

TEST(ParseCount, RefusesFractions) {
  for (const char* text : {"1.5", "1e-1", "0.1", "1.23e1"}) {
    EXPECT_EQ(ParseCount(text).error(), "is not a whole number") << text;
  }
}

TEST(ParseCount, RefusesWhatDoesNotFit) {
  for (const char* text : {"18446744073709551616", "2e19", "1e20", "1e1000000"}) {
    EXPECT_EQ(ParseCount(text).error(), "is more than 18446744073709551615") << text;
  }
}

TEST(ParseCount, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "ten", "0x10", "1e", "e9", ".", ".5", "1.",
                           "1e9e9", "1,000", "1_000", "inf", "nan", "1e99999999999"}) {
    EXPECT_EQ(ParseCount(text).error(), "is not a number such as 1000 or 1e9") << text;
  }
}

TEST(ParseDuration, KnowsItsUnits) {
  EXPECT_EQ(ParseDuration("1ns").value().count(), 1);
  EXPECT_EQ(ParseDuration("250us").value().count(), 250'000);
  EXPECT_EQ(ParseDuration("500ms").value().count(), 500'000'000);
  EXPECT_EQ(ParseDuration("10s").value().count(), 10'000'000'000);
  EXPECT_EQ(ParseDuration("1.5m").value().count(), 90'000'000'000);
  EXPECT_EQ(ParseDuration("2h").value().count(), 7'200'000'000'000);
  EXPECT_EQ(ParseDuration("0.25s").value().count(), 250'000'000);
  EXPECT_EQ(ParseDuration("8760h").value(), std::chrono::hours(8760));
}

TEST(ParseDuration, SaysWhatIsWrong) {
  const std::string unit = "needs a unit of ns, us, ms, s, m or h, as in 500ms or 10s";
  EXPECT_EQ(ParseDuration("5").error(), unit);
  EXPECT_EQ(ParseDuration("5 s").error(), unit);
  EXPECT_EQ(ParseDuration("5S").error(), unit);
  EXPECT_EQ(ParseDuration("5sec").error(), unit);
  EXPECT_EQ(ParseDuration("").error(), "is not a duration such as 500ms or 10s");
  EXPECT_EQ(ParseDuration("s").error(), "is not a duration such as 500ms or 10s");
  EXPECT_EQ(ParseDuration("-5s").error(), "is not a duration such as 500ms or 10s");
  EXPECT_EQ(ParseDuration("0s").error(), "has to be more than 0");
  EXPECT_EQ(ParseDuration("0.0ms").error(), "has to be more than 0");
  EXPECT_EQ(ParseDuration("0.5ns").error(), "is finer than a nanosecond");
  EXPECT_EQ(ParseDuration("8761h").error(), "is longer than a year");
  EXPECT_EQ(ParseDuration("99999999999999999999999s").error(), "is longer than a year");
}

TEST(ParsePositive, TakesDecimals) {
  EXPECT_EQ(ParsePositive("1e-6"), 1e-6);
  EXPECT_EQ(ParsePositive("0.25"), 0.25);
  for (const char* bad : {"", "0", "-1", "nan", "inf", "1e999", "1x", "x"})
    EXPECT_FALSE(ParsePositive(bad)) << bad;
}

TEST(ParseOffset, TakesTwoIntegers) {
  EXPECT_EQ(ParseOffset("3,4").value().x, 3);
  EXPECT_EQ(ParseOffset("3,4").value().y, 4);
  EXPECT_EQ(ParseOffset("-10,-20").value().x, -10);
  EXPECT_EQ(ParseOffset("-10,-20").value().y, -20);
  EXPECT_EQ(ParseOffset("-9223372036854775808,0").value().x, INT64_MIN);
}

TEST(ParseOffset, RefusesTheRest) {
  for (const char* text : {"", ",", "3", "3,", ",4", "3,4,5", "3;4", "3, 4", "a,b", "1.5,2",
                           "9223372036854775808,0"}) {
    EXPECT_EQ(ParseOffset(text).error(), "is not X,Y such as 10,-3") << text;
  }
}

TEST(DurationText, UsesTheUnitThatReadsBest) {
  EXPECT_EQ(DurationText(nanoseconds(0)), "0s");
  EXPECT_EQ(DurationText(nanoseconds(-5)), "0s");
  EXPECT_EQ(DurationText(nanoseconds(7)), "7ns");
  EXPECT_EQ(DurationText(std::chrono::microseconds(250)), "250us");
  EXPECT_EQ(DurationText(nanoseconds(1'500)), "1.5us");
  EXPECT_EQ(DurationText(std::chrono::milliseconds(500)), "500ms");
  EXPECT_EQ(DurationText(std::chrono::milliseconds(1500)), "1.5s");
  EXPECT_EQ(DurationText(std::chrono::milliseconds(1005)), "1.005s");
  EXPECT_EQ(DurationText(std::chrono::seconds(30)), "30s");
  EXPECT_EQ(DurationText(std::chrono::hours(1)), "3600s");
  EXPECT_EQ(DurationText(nanoseconds(1'000'000'001)), "1000000.001us");
}

}  // namespace
}  // namespace gpusim::cli
