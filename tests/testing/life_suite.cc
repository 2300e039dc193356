#include "tests/testing/life_suite.h"

#include <gtest/gtest.h>

#include "tests/testing/life_cases.h"

namespace gpusim::testing {
namespace {

const char* const kRules[] = {"B3/S23",
                              "B36/S23",
                              "B/S",
                              "B2/S",
                              "B1357/S1357",
                              "B0/S",
                              "B0123478/S34678",
                              "B012345678/S012345678",
                              "B3678/S34678",
                              "B/S012345678"};

void ExpectLikeReference(Slot& slot, const std::vector<LifeCase>& cases) {
  const auto results = StepOnSlot(slot, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const life::Board expected = StepByReference(cases[i]);
    ASSERT_TRUE(results[i].board == expected)
        << Describe(cases[i]) << " (board " << i << " of its batch)";
    ASSERT_EQ(results[i].population, life::Population(expected)) << Describe(cases[i]);
  }
}

}  // namespace

void ExpectLifeTruths(Slot& slot) {
  const auto truths = LoadLifeTruths();
  ASSERT_EQ(truths.size(), 9u);
  std::vector<LifeCase> cases;
  for (const LifeTruth& truth : truths)
    for (const auto& at : truth.generations)
      cases.push_back({truth.start, PlainRule(truth.rule), life::Topology::kTorus,
                       static_cast<std::uint32_t>(at.generation)});
  const auto results = StepOnSlot(slot, cases);
  std::size_t i = 0;
  for (const LifeTruth& truth : truths) {
    for (const auto& at : truth.generations) {
      EXPECT_EQ(results[i].population, at.population) << truth.name << " at " << at.generation;
      EXPECT_EQ(HexHash(results[i].board), at.hash) << truth.name << " at " << at.generation;
      ++i;
    }
  }
}

void ExpectSmallBoardsLikeReference(Slot& slot) {
  std::mt19937_64 random(1970);
  const std::uint32_t sizes[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127};
  for (const life::Topology topology : {life::Topology::kTorus, life::Topology::kPlane}) {
    std::vector<LifeCase> cases;
    for (const std::uint32_t width : sizes) {
      for (const std::uint32_t height : sizes) {
        for (const char* rule : kRules)
          cases.push_back({RandomBoard(width, height, 0.4, random), PlainRule(rule), topology,
                           static_cast<std::uint32_t>(random() % 8)});
      }
    }
    ExpectLikeReference(slot, cases);
  }
}

void ExpectLargeBoardsLikeReference(Slot& slot) {
  std::mt19937_64 random(1971);
  for (const life::Topology topology : {life::Topology::kTorus, life::Topology::kPlane}) {
    for (const char* rule : {"B3/S23", "B36/S23", "B0123478/S34678"}) {
      ExpectLikeReference(slot,
                          {{RandomBoard(1000, 1000, 0.4, random), PlainRule(rule), topology, 3},
                           {RandomBoard(4096, 33, 0.4, random), PlainRule(rule), topology, 4},
                           {RandomBoard(33, 4096, 0.4, random), PlainRule(rule), topology, 5},
                           {RandomBoard(2047, 1023, 0.4, random), PlainRule(rule), topology, 2},
                           {RandomBoard(64, 64, 0.4, random), PlainRule(rule), topology, 4}});
    }
  }
}

}  // namespace gpusim::testing
