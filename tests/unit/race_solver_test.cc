// The CPU's solver, on the first edition, which takes a second.
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_tables.h"

namespace gpusim::camel_up {
namespace {

using Table = std::shared_ptr<const RaceTable>;

bool GoOn(const RaceSolveProgress&) { return true; }

Table SolveFirst(int threads) {
  return MakeCpuBackend(1)->SolveRaceTable(Edition::kFirst, threads, GoOn).value();
}

class FirstEditionRace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { table_ = SolveFirst(2); }
  static void TearDownTestSuite() { table_.reset(); }

  static const RaceRow& RowOf(const reference::Position& position, std::string* racers) {
    return table_->rows()[testing::ShapeOf(position, racers)];
  }

  // Within one unit of sums out of `total`.
  static void ExpectRow(const reference::Position& position, const reference::RaceOdds& odds,
                        std::uint64_t total) {
    std::string racers;
    const RaceRow& row = RowOf(position, &racers);
    for (int winner = 0; winner < kRacers; ++winner) {
      for (int last = 0; last < kRacers; ++last) {
        if (winner == last) continue;
        const std::string pair{racers[static_cast<std::size_t>(winner)],
                               racers[static_cast<std::size_t>(last)]};
        const auto found = odds.joint.find(pair);
        const std::uint64_t weight = found == odds.joint.end() ? 0 : found->second;
        ExpectUnits(row.joint[JointComponent(winner, last)], weight, total, kJointUnitBits, pair);
      }
    }
    ExpectUnits(row.legs, odds.legs, total, kLegsUnitBits, "legs");
  }

  static void ExpectUnits(std::uint64_t entry, std::uint64_t weight, std::uint64_t total, int bits,
                          const std::string& what) {
    using Wide = unsigned __int128;
    const Wide expected = (Wide{weight} << bits) / total;
    EXPECT_LE(Wide{entry}, expected + 1) << what;
    EXPECT_LE(expected, Wide{entry} + 1) << what;
  }

  static Table table_;
};
Table FirstEditionRace::table_;

TEST_F(FirstEditionRace, HasTheTruths) {
  testing::ExpectTruths(*table_, testing::LoadFirstEditionRaces(), 2e-12);
}

TEST_F(FirstEditionRace, IsItsOwnMeanOverALeg) { testing::ExpectFixedPoints(*table_, 100, 17); }

TEST_F(FirstEditionRace, RowsAreDistributions) {
  for (const RaceRow& row : table_->rows()) {
    std::uint64_t sum = 0;
    for (std::uint64_t entry : row.joint) sum += entry;
    ASSERT_LE(sum, (std::uint64_t{1} << kJointUnitBits) + kJointNumbers);
    ASSERT_GE(sum, (std::uint64_t{1} << kJointUnitBits) - kJointNumbers);
    ASSERT_GE(row.legs, std::uint64_t{1} << kLegsUnitBits);
  }
}

// All five dice are rolled, so with a camel on 16 the race ends in this leg: chances are integers out
// of 29,160.
TEST_F(FirstEditionRace, EndsWithinALegAsExactFractions) {
  const reference::RaceUnits units{[](const reference::Stacks&) {
                                     ADD_FAILURE() << "the race goes on";
                                     return reference::RaceOdds{};
                                   },
                                   1, 1};
  for (const reference::Stacks& stacks : {reference::Stacks{{16, "BGOYW"}},
                                          {{1, "BG"}, {2, "O"}, {13, "Y"}, {16, "W"}},
                                          {{12, "W"}, {14, "YB"}, {16, "OG"}}}) {
    const reference::Position position{1, stacks, {}, "BGOYW"};
    SCOPED_TRACE(testing::Describe(position));
    ExpectRow(position, reference::SolveRace(position, units), 29'160);
  }
}

// From one stack on 15 the race goes on after this leg only if every die shows 1, all camels then
// standing on 16: integers out of 29,160 squared.
TEST_F(FirstEditionRace, EndsWithinTwoLegsAsExactFractions) {
  constexpr std::uint64_t kLeg = 29'160;
  const reference::RaceUnits last_leg{[](const reference::Stacks&) {
                                        ADD_FAILURE() << "the race goes on";
                                        return reference::RaceOdds{};
                                      },
                                      1, 1};
  std::map<reference::Stacks, reference::RaceOdds> known;
  const auto boundary = [&](const reference::Stacks& stacks) {
    const auto [at, is_new] = known.emplace(stacks, reference::RaceOdds{});
    if (is_new) at->second = reference::SolveRace({1, stacks, {}, "BGOYW"}, last_leg);
    return at->second;
  };
  const reference::Position position{1, {{15, "BGOYW"}}, {}, "BGOYW"};
  ExpectRow(position, reference::SolveRace(position, {boundary, kLeg, kLeg}), kLeg * kLeg);
  EXPECT_FALSE(known.empty());
}

TEST_F(FirstEditionRace, HasTheSameBytesForAnyNumberOfThreads) {
  for (int threads : {1, 3}) {
    const Table other = SolveFirst(threads);
    EXPECT_EQ(std::memcmp(other->rows().data(), table_->rows().data(), table_->bytes()), 0)
        << threads << " threads";
  }
}

TEST(RaceSolve, TellsProgressThatNeverFallsAndEndsAtOne) {
  RaceSolveProgress last;
  last.missing = 2;
  const auto solved =
      MakeCpuBackend(1)->SolveRaceTable(Edition::kFirst, 2, [&](const RaceSolveProgress& progress) {
        EXPECT_GE(progress.fraction, last.fraction);
        EXPECT_LE(progress.fraction, 1);
        EXPECT_GE(progress.sweeps, last.sweeps);
        EXPECT_LE(progress.missing, last.missing);
        last = progress;
        return true;
      });
  ASSERT_TRUE(solved.has_value());
  EXPECT_EQ(last.fraction, 1);
  EXPECT_GT(last.sweeps, 10);
  EXPECT_LE(last.missing, 1e-12);
}

// In either part: whenever it is told to.
TEST(RaceSolve, StopsWhenItIsTold) {
  for (int most_sweeps : {0, 1, 12}) {
    const auto solved = MakeCpuBackend(1)->SolveRaceTable(
        Edition::kFirst, 2,
        [&](const RaceSolveProgress& progress) { return progress.sweeps < most_sweeps; });
    ASSERT_TRUE(solved.has_value());
    EXPECT_EQ(*solved, nullptr) << most_sweeps;
  }
}

}  // namespace
}  // namespace gpusim::camel_up
