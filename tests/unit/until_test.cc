// UntilWatch against a slow reading of the same conditions, over made-up facts: it knows no boards.
#include "server/kinds/until.h"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace gpusim::kinds {
namespace {

using Kind = Until::Kind;

struct Told {
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::uint64_t digest = 0;
};

life::Facts ColumnsOf(const std::vector<Told>& run) {
  life::Facts facts;
  for (const Told& told : run) {
    const std::size_t row = facts.Append();
    facts.At<life::kPopulation>(row) = told.population;
    facts.At<life::kChanges>(row, 0) = told.births;
    facts.At<life::kChanges>(row, 1) = told.deaths;
    facts.At<life::kDigest>(row) = told.digest;
  }
  return facts;
}

// At every generation: the smallest period by digests, 0 for the other conditions, nothing where it does not hold.
std::vector<std::optional<std::uint32_t>> SlowAnswers(const Until& until,
                                                      const std::vector<Told>& run) {
  std::vector<std::optional<std::uint32_t>> answers(run.size());
  for (std::size_t g = 0; g < run.size(); ++g) {
    const Told& now = run[g];
    const auto holds = [&](bool condition) {
      if (condition) answers[g] = 0;
    };
    if (until.kind == Kind::kExtinct) holds(now.population == 0);
    if (until.kind == Kind::kStill) holds(g > 0 && now.births + now.deaths == 0);
    if (until.kind == Kind::kPopulationAtMost) holds(now.population <= until.bound);
    if (until.kind == Kind::kPopulationAtLeast) holds(now.population >= until.bound);
    if (until.kind != Kind::kPeriodAtMost) continue;
    for (std::uint32_t period = 1; period <= until.bound && period <= g && !answers[g]; ++period)
      if (run[g - period].digest == now.digest) answers[g] = period;
  }
  return answers;
}

void ExpectSlowAnswers(const Until& until, const std::vector<Told>& run) {
  const life::Facts facts = ColumnsOf(run);
  const auto expected = SlowAnswers(until, run);
  UntilWatch watch(until);
  for (std::size_t g = 0; g < run.size(); ++g) {
    const auto met = watch.Look(facts, g);
    ASSERT_EQ(met.has_value(), expected[g].has_value()) << "generation " << g;
    if (met) {
      ASSERT_EQ(met->period, *expected[g]) << "generation " << g;
    }
  }
}

std::vector<Told> RandomRun(std::size_t generations, std::uint64_t values,
                            std::mt19937_64& random) {
  std::vector<Told> run(generations);
  for (Told& told : run)
    told = {random() % values, random() % 2, random() % 2, random() % values * 0x9e3779b97f4a7c15};
  return run;
}

TEST(UntilTest, EveryConditionAsTheSlowReadingSays) {
  std::mt19937_64 random(1);
  for (const Kind kind : {Kind::kNever, Kind::kExtinct, Kind::kStill, Kind::kPopulationAtMost,
                          Kind::kPopulationAtLeast}) {
    for (int round = 0; round < 20; ++round) ExpectSlowAnswers({kind, 3}, RandomRun(50, 7, random));
  }
}

// Values collide, in the same buckets and in others, and come back after the ring has turned.
TEST(UntilTest, PeriodsAsTheSlowReadingSays) {
  std::mt19937_64 random(2);
  for (const std::uint64_t bound : {1u, 2u, 3u, 7u, 8u, 9u, 60u, 100u}) {
    for (const std::uint64_t values : {3u, 20u, 200u, 5000u})
      ExpectSlowAnswers({Kind::kPeriodAtMost, bound}, RandomRun(700, values, random));
  }
}

TEST(UntilTest, TheLongestPeriodIsFoundAndOneMoreIsNot) {
  for (const std::uint32_t period : {kMaxPeriod, kMaxPeriod + 1}) {
    std::vector<Told> run(2 * period + 10);
    for (std::size_t g = 0; g < run.size(); ++g)
      run[g].digest = (g % period + 1) * 0x9e3779b97f4a7c15;
    const life::Facts facts = ColumnsOf(run);
    UntilWatch watch({Kind::kPeriodAtMost, kMaxPeriod});
    std::size_t first = 0;
    while (first < run.size() && !watch.Look(facts, first)) ++first;
    EXPECT_EQ(first, period == kMaxPeriod ? period : run.size());
  }
}

// Digests that all fall into one bucket: slower, and as right.
TEST(UntilTest, OneBucketForAll) {
  std::mt19937_64 random(3);
  std::vector<Told> run(300);
  for (Told& told : run) told.digest = random() % 50 << 32;
  ExpectSlowAnswers({Kind::kPeriodAtMost, 40}, run);
}

TEST(UntilTest, AsksForTheFactsItNeeds) {
  EXPECT_EQ(FactsFor({Kind::kNever, 0}), 0);
  EXPECT_EQ(FactsFor({Kind::kExtinct, 0}), 0);
  EXPECT_EQ(FactsFor({Kind::kPopulationAtLeast, 5}), 0);
  EXPECT_EQ(FactsFor({Kind::kStill, 0}), life::kCountChanges);
  EXPECT_EQ(FactsFor({Kind::kPeriodAtMost, 5}), life::kMakeDigest);
}

}  // namespace
}  // namespace gpusim::kinds
