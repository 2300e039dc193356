// Exact leg odds: the reference against the truths, the CPU engine against both.
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim {
namespace {

constexpr SlotCapacity kSmall{.camel_up_rows = 64, .life_boards = 1, .life_words = 64};

class CamelUpLegTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, kSmall, {}).value();
};

TEST(CamelUpReference, AgreesWithTheTruths) {
  for (const testing::LegTruth& truth : testing::LoadLegTruths()) {
    if (truth.odds.total_weight > 1'000'000) continue;  // slow on purpose; the engines do those
    testing::ExpectSameOdds(reference::SolveLeg(truth.position), truth.odds, false, truth.name);
  }
}

TEST_F(CamelUpLegTest, AgreesWithEveryTruth) {
  const auto truths = testing::LoadLegTruths();
  ASSERT_EQ(truths.size(), 215u);
  std::vector<reference::Position> positions;
  for (const auto& truth : truths) {
    EXPECT_TRUE(camel_up::Validate(testing::ToDomain(truth.position), "").empty()) << truth.name;
    positions.push_back(truth.position);
  }
  const auto odds = testing::SolveOnSlot(*slot_, positions, 64);
  for (std::size_t i = 0; i < truths.size(); ++i)
    testing::ExpectSameOdds(odds[i], truths[i].odds, false, truths[i].name);
}

// The article's own position: five camels on one space, all dice.
TEST_F(CamelUpLegTest, ArticlePosition) {
  const reference::Position article{1, {{1, "BGOYW"}}, {}, "BGOYW"};
  const auto odds = testing::SolveOnSlot(*slot_, {article}, 1).front();
  EXPECT_EQ(odds.total_weight, 29'160u);
  EXPECT_EQ(odds.rank_weight.at('B')[0], 2435u);
  EXPECT_EQ(odds.rank_weight.at('G')[0], 4769u);
  EXPECT_EQ(odds.rank_weight.at('O')[0], 5956u);
  EXPECT_EQ(odds.rank_weight.at('Y')[0], 6834u);
  EXPECT_EQ(odds.rank_weight.at('W')[0], 9166u);
}

// The owner earns a coin for a unit that lands, however many camels it is.
TEST_F(CamelUpLegTest, LandingsCountUnitsNotCamels) {
  const reference::Position tower{1, {{1, "BGO"}, {8, "YW"}}, {{3, 1}}, "B"};
  const auto odds = testing::SolveOnSlot(*slot_, {tower}, 1).front();
  EXPECT_EQ(odds.total_weight, 3u);
  EXPECT_EQ(odds.landing_weight.at(3), 1u);
}

// With the grey die out, one of the two racing dice left is the leg's last: the other stays in the pyramid.
TEST_F(CamelUpLegTest, TheLastDieStaysAlsoWhenTheGreyOneIsOut) {
  const reference::Position two_left{2, {{5, "r"}, {9, "b"}, {11, "g"}, {1, "ypwk"}}, {}, "rb"};
  const auto odds = testing::SolveOnSlot(*slot_, {two_left}, 1).front();
  EXPECT_EQ(odds.total_weight, 12u);
  EXPECT_EQ(odds.rank_weight.at('b')[0], 4u);  // by a 2, onto the green one, or a 3
  EXPECT_EQ(odds.rank_weight.at('g')[0], 8u);
}

// However early the race ends, its path counts for all the paths that it cuts short.
TEST_F(CamelUpLegTest, PathsCutShortByTheFinishKeepTheirWeight) {
  const reference::Position first{1, {{16, "BGOYW"}}, {}, "BGOYW"};
  const reference::Position second{2, {{16, "rbgyp"}, {1, "wk"}}, {}, "rbgyp*"};
  const auto odds = testing::SolveOnSlot(*slot_, {first, second}, 2);
  EXPECT_EQ(odds[0].race_ends_weight, 29'160u);
  EXPECT_EQ(odds[0].rank_weight.at('W')[0], 29'160u);  // carried over by whoever moves
  EXPECT_EQ(odds[1].race_ends_weight, 5'598'720u);
  EXPECT_EQ(odds[1].rank_weight.at('p')[0], 5'598'720u);
}

class RandomLegs : public CamelUpLegTest, public ::testing::WithParamInterface<int> {};

TEST_P(RandomLegs, AgreeWithTheReference) {
  std::mt19937_64 random(20'181);
  std::vector<reference::Position> positions;
  while (positions.size() < 300) {
    const reference::Position position = testing::RandomPosition(GetParam(), random);
    ASSERT_TRUE(camel_up::Validate(testing::ToDomain(position), "").empty())
        << testing::Describe(position);
    if (GetParam() == 1 || position.dice.size() <= 4) positions.push_back(position);
  }
  const auto odds = testing::SolveOnSlot(*slot_, positions, 50);
  for (std::size_t i = 0; i < positions.size(); ++i)
    testing::ExpectSameOdds(odds[i], reference::SolveLeg(positions[i]), true,
                            testing::Describe(positions[i]));
}
INSTANTIATE_TEST_SUITE_P(BothEditions, RandomLegs, ::testing::Values(1, 2));

// Every figure of an answer adds up: each place and each camel to the total, pairs to the places
// they hold.
TEST_F(CamelUpLegTest, WeightsAddUp) {
  std::mt19937_64 random(7);
  std::vector<reference::Position> positions;
  positions.reserve(40);
  for (int i = 0; i < 40; ++i) positions.push_back(testing::RandomPosition(2, random));
  const auto all = testing::SolveOnSlot(*slot_, positions, 64);
  for (const auto& odds : all) {
    std::map<char, std::uint64_t> first, second;
    for (const auto& [pair, weight] : odds.pair_weight) {
      first[pair[0]] += weight;
      second[pair[1]] += weight;
    }
    std::array<std::uint64_t, 5> places{};
    for (const auto& [camel, weights] : odds.rank_weight) {
      std::uint64_t sum = 0;
      for (std::size_t place = 0; place < 5; ++place) {
        sum += weights[place];
        places[place] += weights[place];
      }
      EXPECT_EQ(sum, odds.total_weight);
      EXPECT_EQ(first[camel], weights[0]);
      EXPECT_EQ(second[camel], weights[1]);
    }
    for (const std::uint64_t place : places) EXPECT_EQ(place, odds.total_weight);
  }
}

// An answer does not depend on what else is in its batch.
TEST_F(CamelUpLegTest, AloneAndInABatch) {
  std::mt19937_64 random(99);
  std::vector<reference::Position> positions;
  positions.reserve(64);
  for (int i = 0; i < 64; ++i) positions.push_back(testing::RandomPosition(1 + i % 2, random));
  const auto together = testing::SolveOnSlot(*slot_, positions, 64);
  const auto alone = testing::SolveOnSlot(*slot_, positions, 1);
  for (std::size_t i = 0; i < positions.size(); ++i)
    testing::ExpectSameOdds(together[i], alone[i], true, testing::Describe(positions[i]));
}

}  // namespace
}  // namespace gpusim
