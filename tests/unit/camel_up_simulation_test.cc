// Simulations on the CPU: every tally equal to the reference's, which plays by its own rules from its own
// Philox; whatever the cuts and the batch; and in the long run equal to the exact odds.

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/rules/camel_up_draws.h"
#include "tests/reference/philox.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_truths.h"
#include "tests/testing/statistics.h"

namespace gpusim {
namespace {

using camel_up::Scope;
using testing::SimulationRow;

constexpr SlotCapacity kSmall{
    .camel_up_rows = 4, .simulation_rows = 64, .life_boards = 1, .life_words = 64};

reference::PhiloxBlock OfRandom123(std::uint64_t seed, std::uint64_t subsequence,
                                   std::uint64_t block) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  const r123::Philox4x32::ctr_type counter{
      {low(block), high(block), low(subsequence), high(subsequence)}};
  const r123::Philox4x32::key_type key{{low(seed), high(seed)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

// The first three were published with Random123 (kat_vectors); the fourth begins with cuRAND's first word for
// curand_init(42, 7, 0).
TEST(CamelUpStream, GoldenWords) {
  struct Golden {
    std::uint64_t seed, subsequence, block;
    reference::PhiloxBlock words;
  };
  const std::vector<Golden> golden{
      {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {0x299f31d0a4093822,
       0x0370734413198a2e,
       0x85a308d3243f6a88,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
      {42, 7, 0, {0x67ee6f2c, 0xe55410cc, 0x6c7eca35, 0x557398d3}},
      {42, 7, 1, {0xe5dde940, 0x600f6196, 0x8fcdf8f1, 0x2c8ed839}},
      {42, 65'542, (1ull << 32) + 3, {0xa1183f12, 0x5322dded, 0xf749edc9, 0xe4066171}},
      {42, 7 + (1ull << 56), 5, {0xa1cafa03, 0x40b1998a, 0xa629c309, 0xec32da14}}};
  for (const Golden& g : golden) {
    EXPECT_EQ(reference::Philox(g.seed, g.subsequence, g.block), g.words);
    EXPECT_EQ(OfRandom123(g.seed, g.subsequence, g.block), g.words);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t seed = random(), subsequence = random(), block = random();
    EXPECT_EQ(OfRandom123(seed, subsequence, block), reference::Philox(seed, subsequence, block));
  }
}

// A position cannot force a race of more than 16 legs.
TEST(CamelUpStream, LongRacesGoOnInOtherSubsequences) {
  using camel_up::BlockPlace;
  const BlockPlace start{5, 800};
  EXPECT_EQ(LegPlace(start, 0), (BlockPlace{5, 800}));
  EXPECT_EQ(LegPlace(start, 1), (BlockPlace{5, 800}));
  EXPECT_EQ(LegPlace(start, 2), (BlockPlace{5, 801}));
  EXPECT_EQ(LegPlace(start, 15), (BlockPlace{5, 807}));
  EXPECT_EQ(LegPlace(start, 16), (BlockPlace{5 + (1ull << 56), 800}));
  EXPECT_EQ(LegPlace(start, 31), (BlockPlace{5 + (1ull << 56), 807}));
  EXPECT_EQ(LegPlace(start, 32), (BlockPlace{5 + (2ull << 56), 800}));
}

TEST(CamelUpStream, EveryWayToPlayALegIsAsLikely) {
  // Four values of u inside each of the 1080 ways of two second-edition draws.
  std::vector<int> seen(1080);
  for (std::uint64_t way = 0; way < 1080; ++way) {
    for (std::uint64_t part = 0; part < 4; ++part) {
      const auto u = static_cast<std::uint64_t>(
                         (static_cast<unsigned __int128>(4 * way + part) << 64) / 4320) +
                     1;
      camel_up::LegBits bits(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(u >> 32));
      const std::uint32_t first = bits.Take(36);
      ++seen[first * 30 + bits.Take(30)];
    }
  }
  EXPECT_EQ(seen, std::vector<int>(1080, 4));
}

class Simulations : public ::testing::Test {
 protected:
  reference::SimulatedOdds Run(const SimulationRow& row) {
    return testing::SimulateOnSlot(*slot_, {row}, 1).front();
  }
  static reference::SimulatedOdds OfReference(const SimulationRow& row) {
    return reference::Simulate(row.position, row.stream, row.scope == Scope::kRace, row.first,
                               row.count);
  }

  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, kSmall, {}).value();
};

class RandomSimulations : public Simulations, public ::testing::WithParamInterface<int> {};

TEST_P(RandomSimulations, LikeTheReference) {
  std::mt19937_64 random(2018);
  std::vector<SimulationRow> rows;
  rows.reserve(120);
  for (int i = 0; i < 120; ++i)
    rows.push_back(
        testing::RandomSimulationRow(GetParam(), 1 + static_cast<std::uint32_t>(i), random));
  const auto odds = testing::SimulateOnSlot(*slot_, rows, 64);
  for (std::size_t i = 0; i < rows.size(); ++i)
    testing::ExpectSameTallies(odds[i], OfReference(rows[i]), testing::Describe(rows[i]));
}
INSTANTIATE_TEST_SUITE_P(BothEditions, RandomSimulations, ::testing::Values(1, 2));

// Five landings on one tile in a leg: their squares count 25.
TEST_F(Simulations, EveryDrawLandsOnTheSameTile) {
  const SimulationRow row{{1, {{3, "BGOYW"}}, {{4, -1}}, "BGOYW"}, Scope::kLeg, {3, 0, 0}, 0, 4000};
  const auto odds = Run(row);
  testing::ExpectSameTallies(odds, OfReference(row), testing::Describe(row));
  bool five = false;
  for (std::uint64_t i = 0; i < row.count && !five; ++i)
    five = reference::Simulate(row.position, row.stream, false, i, 1).landing_squares.at(4) == 25;
  EXPECT_TRUE(five);
}

// A tile that the first leg cannot reach makes no difference to the race.
TEST_F(Simulations, TilesAreGoneAfterTheLeg) {
  const SimulationRow without{
      {2, {{1, "rbg"}, {2, "yp"}, {15, "wk"}}, {}, "rb"}, Scope::kRace, {4, 5, 6}, 0, 5000};
  SimulationRow with = without;
  with.position.tiles = {{7, 1}, {9, -1}};
  const auto odds = testing::SimulateOnSlot(*slot_, {without, with}, 2);
  EXPECT_EQ(odds[0].race, odds[1].race);
  EXPECT_EQ(odds[0].legs_squared, odds[1].legs_squared);
}

// The last lane's neighbour is the first lane of the next row.
TEST_F(Simulations, LanesAndRowsWrap) {
  const reference::Position start{
      2, {{1, "rbg"}, {2, "yp"}, {15, "w"}, {16, "k"}}, {{5, 1}}, "rbgyp*"};
  for (const Scope scope : {Scope::kLeg, Scope::kRace}) {
    for (const std::uint64_t first : {65'535ull, 65'536ull, 131'070ull, (1ull << 40) - 2}) {
      for (const std::uint64_t offset : {0ull, (1ull << 32) - 8, (1ull << 61) + 5}) {
        const SimulationRow row{start, scope, {9, (1ull << 48) - 1, offset}, first, 4};
        testing::ExpectSameTallies(Run(row), OfReference(row), testing::Describe(row));
      }
    }
  }
  for (const std::uint32_t count : {65'535u, 65'536u, 65'537u}) {
    const SimulationRow row{start, Scope::kLeg, {1, 2, 3}, 0, count};
    testing::ExpectSameTallies(Run(row), OfReference(row), testing::Describe(row));
  }
}

TEST_F(Simulations, TheSameBitsWhateverTheCuts) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 12; ++i) {
    const SimulationRow whole = testing::RandomSimulationRow(1 + i % 2, 150'001, random);
    const auto expected = Run(whole);
    for (const std::uint32_t cut : {1u, 8'191u, 65'537u, 149'999u}) {
      SimulationRow head = whole;
      head.count = cut;
      SimulationRow tail = whole;
      tail.first += cut;
      tail.count -= cut;
      const auto parts = testing::SimulateOnSlot(*slot_, {head, tail}, 2);
      testing::ExpectSameTallies(testing::Sum(parts[0], parts[1]), expected,
                                 testing::Describe(whole) + " cut at " + std::to_string(cut));
    }
  }
}

TEST_F(Simulations, AloneAndInABatch) {
  std::mt19937_64 random(32);
  std::vector<SimulationRow> rows;
  rows.reserve(64);
  for (int i = 0; i < 64; ++i)
    rows.push_back(testing::RandomSimulationRow(1 + i % 2, 3000, random));
  const auto together = testing::SimulateOnSlot(*slot_, rows, 64);
  for (std::size_t i = 0; i < rows.size(); ++i)
    testing::ExpectSameTallies(Run(rows[i]), together[i], testing::Describe(rows[i]));
}

// The CPU's share of what the GPU's tests do with a thousand times as many.
TEST_F(Simulations, LegsFitTheExactOdds) {
  for (const auto& position : testing::ChiSquarePositions())
    testing::ExpectLegsFitExactOdds(*slot_, position, 1'000'000);
}

TEST_F(Simulations, RacesFitTheTruths) {
  for (const auto& truth : testing::SomeRaceTruths())
    testing::ExpectRacesFit(*slot_, truth, 300'000);
}

}  // namespace
}  // namespace gpusim
