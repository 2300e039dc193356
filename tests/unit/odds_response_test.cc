// Odds as a response: hand-made integers against figures worked out by hand, and the rounding of doubles.
#include "server/services/odds_response.h"

#include <cmath>
#include <cstdint>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/race_table.h"
#include "server/services/odds_figures.h"

namespace gpusim::server {
namespace {

using ::testing::ElementsAre;

__extension__ using Wide = __int128;

// |sum - quotient * total|, in units of the last place of the quotient.
Wide Distance(std::uint64_t sum, std::uint64_t total, double quotient) {
  int exponent = 0;
  const double fraction = std::frexp(quotient, &exponent);
  const auto mantissa =
      static_cast<Wide>(std::ldexp(fraction, 53));  // quotient = mantissa * 2^(exponent - 53)
  const int shift = exponent - 53;
  const Wide product = mantissa * static_cast<Wide>(total);
  const Wide distance = shift >= 0 ? static_cast<Wide>(sum) - (product << shift)
                                   : (static_cast<Wide>(sum) << -shift) - product;
  return distance < 0 ? -distance : distance;
}

TEST(OddsFiguresTest, RatiosAreTheNearestDoubles) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t total = 1 + random() % ((1u << 24) - 1);
    const std::uint64_t sum = random() >> (1 + random() % 11);  // from 2^53 on: the long division
    if (sum >> 53 == 0) continue;
    const double ratio = Ratio(sum, total);
    for (const double next : {std::nextafter(ratio, 0.0), std::nextafter(ratio, HUGE_VAL)}) {
      int exponent = 0;
      int next_exponent = 0;
      static_cast<void>(std::frexp(ratio, &exponent));
      static_cast<void>(std::frexp(next, &next_exponent));
      if (exponent != next_exponent) continue;  // distances are in units of the last place
      ASSERT_LE(Distance(sum, total, ratio), Distance(sum, total, next)) << sum << " / " << total;
    }
  }
}

TEST(OddsFiguresTest, RatiosAtTheEdges) {
  EXPECT_EQ(Ratio(0, 7, 40), 0.0);
  EXPECT_EQ(Ratio(1, 3), 1.0 / 3);
  EXPECT_EQ(Ratio(std::uint64_t{29'160} << 40, 29'160, 40), 1.0);
  EXPECT_EQ(Ratio(std::uint64_t{5'598'720} << 40, 5'598'720, 40), 1.0);
  // One unit less than certain is not certain.
  EXPECT_LT(Ratio((std::uint64_t{5'598'720} << 40) - 5'598'720, 5'598'720, 40), 1.0);
  EXPECT_EQ(Ratio((std::uint64_t{1} << 62) + (std::uint64_t{1} << 9), 1),
            std::ldexp(1, 62));  // half: even
  EXPECT_EQ(Ratio((std::uint64_t{1} << 62) + (std::uint64_t{1} << 9) + 1, 1),
            std::ldexp(1, 62) + 1024);
  EXPECT_EQ(Ratio((std::uint64_t{1} << 62) + (std::uint64_t{3} << 9), 1), std::ldexp(1, 62) + 2048);
}

TEST(OddsFiguresTest, StandardErrorsAreThoseOfTheSample) {
  // Tallies: sqrt(p (1 - p) / n).
  EXPECT_DOUBLE_EQ(StandardError(std::uint64_t{250}, 250, 1000), std::sqrt(0.25 * 0.75 / 1000));
  EXPECT_EQ(StandardError(std::uint64_t{0}, 0, 1000), 0.0);
  EXPECT_EQ(StandardError(std::uint64_t{1000}, 1000, 1000), 0.0);
  // Figures 0, 1, 1, 2, 5: mean 1.8, mean square 6.2.
  EXPECT_DOUBLE_EQ(StandardError(std::uint64_t{9}, 31, 5), std::sqrt((6.2 - 1.8 * 1.8) / 5));
  // Losses on the whole: -1, -1, -1, 1.
  EXPECT_DOUBLE_EQ(StandardError(std::int64_t{-2}, 4, 4), std::sqrt((1 - 0.25) / 4));
  // As many simulations as any call plays: no overflow, no cancellation.
  const std::uint64_t n = 10'000'000'000'000;
  EXPECT_DOUBLE_EQ(StandardError(n / 2, n / 2, n), 0.5 / std::sqrt(1e13));
  EXPECT_DOUBLE_EQ(StandardError(n - 1, n - 1, n), std::sqrt(1e-13 * (1 - 1e-13) / 1e13));
}

OddsQuestion AllOfFirstEdition() {
  OddsQuestion question;
  question.query.leg.tiles =
      camel_up::Tiles{camel_up::kMirage} << (2 * 4) | camel_up::Tiles{camel_up::kOasis} << (2 * 9);
  question.query.scope = camel_up::Scope::kRace;
  question.outputs = {.leg_ranks = true,
                      .leg_pairs = true,
                      .landings = true,
                      .leg_values = true,
                      .race = true,
                      .race_joint = true};
  return question;
}

// Out of `total` = 100, `unit` of the race: camel 0 is first in 60, 1 in 30, 2 in 10.
camel_up::Odds HandMade(std::uint64_t unit, std::uint64_t legs_unit) {
  camel_up::Odds odds;
  odds.total = 100;
  odds.rank[0] = {60, 25, 15, 0, 0};
  odds.rank[1] = {30, 50, 20, 0, 0};
  odds.rank[2] = {10, 25, 65, 0, 0};
  odds.rank[3] = {0, 0, 0, 100, 0};
  odds.rank[4] = {0, 0, 0, 0, 100};
  odds.pair[0][1] = 45;
  odds.landing = {40, 120};
  odds.landing_squares = {40, 200};
  odds.race_ends = 12;
  odds.race_ends_backward = 3;
  odds.race_joint[0][3] = 25 * unit;
  odds.race_joint[0][4] = 35 * unit;
  odds.race_joint[1][4] = 40 * unit;
  odds.race_legs = 250 * legs_unit;
  odds.race_legs_squares = 700;
  return odds;
}

TEST(OddsResponseTest, ExactFigures) {
  v1::GetOddsResponse response;
  FillOddsResponse(AllOfFirstEdition(),
                   HandMade(std::uint64_t{1} << camel_up::kJointUnitBits,
                            std::uint64_t{1} << camel_up::kLegsUnitBits),
                   response);
  EXPECT_EQ(response.total_weight(), 100u);
  EXPECT_EQ(response.simulations(), 0u);
  EXPECT_EQ(response.race_ends_weight(), 12u);
  EXPECT_EQ(response.race_ends_backward_weight(), 3u);
  EXPECT_EQ(response.race_ends().value(), 0.12);
  EXPECT_FALSE(response.race_ends().has_standard_error());
  EXPECT_FALSE(response.race_ends().has_tally());

  ASSERT_EQ(response.camels_size(), 5);
  const v1::CamelOdds& blue = response.camels(0);
  EXPECT_EQ(blue.camel(), v1::CAMEL_BLUE);
  EXPECT_THAT(blue.rank_weight(), ElementsAre(60, 25, 15, 0, 0));
  ASSERT_EQ(blue.ranks_size(), 5);
  EXPECT_EQ(blue.ranks(1).value(), 0.25);
  ASSERT_EQ(blue.tickets_size(), 3);
  EXPECT_EQ(blue.tickets(0).face(), 5u);
  EXPECT_EQ(blue.tickets(0).value_weight(), 5 * 60 + 25 - 15);
  EXPECT_EQ(blue.tickets(0).value(), 3.1);
  EXPECT_EQ(blue.tickets(1).value_weight(), 3 * 60 + 25 - 15);
  EXPECT_EQ(blue.tickets(2).value_weight(), 2 * 60 + 25 - 15);
  EXPECT_EQ(response.camels(4).tickets(2).value_weight(), -100);
  EXPECT_EQ(response.camels(4).tickets(2).value(), -1.0);
  EXPECT_FALSE(blue.tickets(0).has_standard_error());
  EXPECT_EQ(blue.race_win(), 0.6);
  EXPECT_EQ(blue.race_last(), 0.0);
  EXPECT_FALSE(blue.has_race_win_standard_error());
  EXPECT_FALSE(blue.has_race_win_tally());
  EXPECT_EQ(response.camels(4).race_last(), 0.75);

  ASSERT_EQ(response.pairs_size(), 20);
  EXPECT_EQ(response.pairs(0).first(), v1::CAMEL_BLUE);
  EXPECT_EQ(response.pairs(0).second(), v1::CAMEL_GREEN);
  EXPECT_EQ(response.pairs(0).weight(), 45u);
  EXPECT_EQ(response.pairs(0).probability().value(), 0.45);
  ASSERT_EQ(response.landings_size(), 2);
  EXPECT_EQ(response.landings(0).space(), 4u);
  EXPECT_EQ(response.landings(0).effect(), v1::TILE_EFFECT_MIRAGE);
  EXPECT_EQ(response.landings(1).landing_weight(), 120u);
  EXPECT_EQ(response.landings(1).expected().value(), 1.2);
  EXPECT_EQ(response.expected_legs().value(), 2.5);
  EXPECT_FALSE(response.expected_legs().has_standard_error());
  ASSERT_EQ(response.race_pairs_size(), 20);
  EXPECT_EQ(response.race_pairs(2).winner(), v1::CAMEL_BLUE);
  EXPECT_EQ(response.race_pairs(2).last(), v1::CAMEL_YELLOW);
  EXPECT_EQ(response.race_pairs(2).probability().value(), 0.25);
}

TEST(OddsResponseTest, MonteCarloFigures) {
  camel_up::Odds odds = HandMade(1, 1);
  odds.exact = false;
  v1::GetOddsResponse response;
  FillOddsResponse(AllOfFirstEdition(), odds, response);
  EXPECT_EQ(response.total_weight(), 0u);
  EXPECT_EQ(response.race_ends_weight(), 0u);
  EXPECT_EQ(response.simulations(), 100u);
  EXPECT_EQ(response.race_ends().tally(), 12u);
  EXPECT_DOUBLE_EQ(response.race_ends().standard_error(), std::sqrt(0.12 * 0.88 / 100));
  const v1::CamelOdds& blue = response.camels(0);
  EXPECT_EQ(blue.rank_weight_size(), 0);
  EXPECT_EQ(blue.ranks(0).tally(), 60u);
  EXPECT_EQ(blue.ranks(0).value(), 0.6);
  EXPECT_DOUBLE_EQ(blue.ranks(0).standard_error(), std::sqrt(0.6 * 0.4 / 100));
  EXPECT_EQ(blue.tickets(0).value_weight(), 0);
  EXPECT_EQ(blue.tickets(0).value(), 3.1);
  // 5 in 60, 1 in 25, -1 in 15 of 100.
  EXPECT_DOUBLE_EQ(blue.tickets(0).standard_error(),
                   std::sqrt((0.6 * 25 + 0.25 + 0.15 - 3.1 * 3.1) / 100));
  EXPECT_EQ(blue.race_win_tally(), 60u);
  EXPECT_EQ(blue.race_win(), 0.6);
  EXPECT_DOUBLE_EQ(blue.race_win_standard_error(), std::sqrt(0.6 * 0.4 / 100));
  EXPECT_EQ(response.camels(4).race_last_tally(), 75u);
  EXPECT_DOUBLE_EQ(response.camels(4).race_last_standard_error(), std::sqrt(0.75 * 0.25 / 100));
  EXPECT_EQ(response.pairs(0).weight(), 0u);
  EXPECT_EQ(response.pairs(0).probability().tally(), 45u);
  EXPECT_EQ(response.landings(1).landing_weight(), 0u);
  EXPECT_EQ(response.landings(1).expected().tally(), 120u);
  EXPECT_DOUBLE_EQ(response.landings(1).expected().standard_error(),
                   std::sqrt((2.0 - 1.2 * 1.2) / 100));
  EXPECT_EQ(response.expected_legs().tally(), 250u);
  EXPECT_EQ(response.expected_legs().value(), 2.5);
  EXPECT_DOUBLE_EQ(response.expected_legs().standard_error(), std::sqrt((7.0 - 6.25) / 100));
  EXPECT_EQ(response.race_pairs(2).probability().tally(), 25u);
}

TEST(OddsResponseTest, WhatIsNotAskedForIsNotThere) {
  OddsQuestion question = AllOfFirstEdition();
  question.outputs = {.leg_values = true};
  v1::GetOddsResponse response;
  FillOddsResponse(question, HandMade(0, 0), response);
  ASSERT_EQ(response.camels_size(), 5);
  EXPECT_EQ(response.camels(0).rank_weight_size(), 0);
  EXPECT_EQ(response.camels(0).ranks_size(), 0);
  EXPECT_EQ(response.camels(0).tickets_size(), 3);
  EXPECT_FALSE(response.camels(0).has_race_win());
  EXPECT_EQ(response.pairs_size(), 0);
  EXPECT_EQ(response.landings_size(), 0);
  EXPECT_FALSE(response.has_expected_legs());
  EXPECT_EQ(response.race_pairs_size(), 0);
  EXPECT_TRUE(response.has_race_ends());
}

}  // namespace
}  // namespace gpusim::server
