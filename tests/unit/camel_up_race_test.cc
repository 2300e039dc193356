// Exact race rows: the CPU engine against the reference, both with the same table.
#include <cstdlib>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/race/race_table_file.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_truths.h"

namespace gpusim {
namespace {

constexpr SlotCapacity kSmall{
    .camel_up_rows = 64, .simulation_rows = 1, .life_boards = 1, .life_words = 64};

// Its numbers mean nothing, so every one of them has to arrive where it belongs.
class SyntheticRaces : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    const auto table = testing::MakeSyntheticTable(static_cast<camel_up::Edition>(GetParam()));
    ASSERT_TRUE(backend_->UseRaceTable(table, TableMemory::kHost).has_value());
  }

  void ExpectLikeReference(const std::vector<reference::Position>& positions) {
    const auto units = testing::SyntheticUnits(GetParam());
    const auto answers = testing::SolveRacesOnSlot(*slot_, positions, 50, true);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::string what = testing::Describe(positions[i]);
      const reference::RaceOdds expected = reference::SolveRace(positions[i], units);
      EXPECT_EQ(answers[i].race.joint, expected.joint) << what;
      EXPECT_EQ(answers[i].race.legs, expected.legs) << what;
      testing::ExpectSameOdds(answers[i].leg, reference::SolveLeg(positions[i]), true, what);
    }
  }

  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, kSmall, {}).value();
};

TEST_P(SyntheticRaces, RandomPositionsLikeTheReference) {
  std::mt19937_64 random(77);
  std::vector<reference::Position> positions;
  while (positions.size() < 200) {
    const auto position = testing::RandomPosition(GetParam(), random);
    if (position.dice.size() <= 3) positions.push_back(position);
  }
  ExpectLikeReference(positions);
}

// All dice of the first edition, four of the second, some races ending on the way.
TEST_P(SyntheticRaces, LongLegsLikeTheReference) {
  if (GetParam() == 1) {
    ExpectLikeReference({{1, {{1, "BGOYW"}}, {}, "BGOYW"},
                         {1, {{12, "BG"}, {13, "O"}, {15, "YW"}}, {{14, -1}, {16, 1}}, "BGOYW"}});
  } else {
    ExpectLikeReference({{2, {{1, "rbw"}, {2, "gy"}, {3, "p"}, {9, "k"}}, {{5, 1}}, "rbg*"},
                         {2, {{12, "rb"}, {14, "gywk"}, {15, "p"}}, {{16, -1}}, "gyp*"}});
  }
}
// A tile that the leg cannot reach makes no difference to the race.
TEST_P(SyntheticRaces, TilesAreGoneAfterTheLeg) {
  const reference::Position without =
      GetParam() == 1 ? reference::Position{1, {{1, "BGO"}, {2, "YW"}}, {}, "B"}
                      : reference::Position{2, {{1, "rbg"}, {2, "yp"}, {15, "wk"}}, {}, "rb"};
  reference::Position with = without;
  with.tiles = {{7, 1}, {9, -1}};
  const auto answers = testing::SolveRacesOnSlot(*slot_, {without, with}, 2, false);
  EXPECT_EQ(answers[0].race, answers[1].race);
}
INSTANTIATE_TEST_SUITE_P(BothEditions, SyntheticRaces, ::testing::Values(1, 2));

class RaceTables : public ::testing::Test {
 protected:
  void Ask(camel_up::Scope scope) {
    const camel_up::LegQuery query =
        camel_up::Encode(testing::ToDomain({1, {{1, "BGOYW"}}, {}, "BGOYW"}));
    auto& exact = slot_->camel_up().exact;
    exact.Clear();
    exact.Append();
    exact.At<camel_up::kBoard>(0) = query.board;
    exact.At<camel_up::kTiles>(0) = query.tiles;
    exact.At<camel_up::kEdition>(0) = query.edition;
    exact.At<camel_up::kScope>(0) = scope;
  }

  std::unique_ptr<Backend> backend_ = MakeCpuBackend(1);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, kSmall, {}).value();
};

TEST_F(RaceTables, ARaceRowWithoutItsTableIsAFaultThatNamesIt) {
  Ask(camel_up::Scope::kRace);
  const auto run = slot_->RunCamelUp();
  ASSERT_FALSE(run.has_value());
  EXPECT_NE(run.error().what.find("the race table of the first edition"), std::string::npos)
      << run.error().what;
  EXPECT_FALSE(run.error().sticky);
  Ask(camel_up::Scope::kLeg);
  EXPECT_TRUE(slot_->RunCamelUp().has_value());
}

// The slot was there before the table.
TEST_F(RaceTables, AreUsedFromThenOnAndNeverReplaced) {
  const auto table = testing::MakeSyntheticTable(camel_up::Edition::kFirst);
  EXPECT_TRUE(backend_->UseRaceTable(table, TableMemory::kHost).has_value());
  Ask(camel_up::Scope::kRace);
  EXPECT_TRUE(slot_->RunCamelUp().has_value());
  EXPECT_FALSE(backend_->UseRaceTable(table, TableMemory::kHost).has_value());
}

// With the first edition's own table.
class SolvedRaces : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto go_on = [](const camel_up::RaceSolveProgress&) { return true; };
    const auto table = backend_->SolveRaceTable(camel_up::Edition::kFirst, 2, go_on);
    ASSERT_TRUE(table.has_value()) << table.error().what;
    ASSERT_TRUE(backend_->UseRaceTable(*table, TableMemory::kHost).has_value());
  }

  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, kSmall, {}).value();
};

TEST_F(SolvedRaces, AgreeWithEveryTruth) {
  const auto truths = testing::LoadFirstEditionRaces();
  ASSERT_EQ(truths.size(), 388u);
  testing::ExpectRaceRowsMatch(*slot_, truths, 64);
}

// Within a leg, tiles and all, where the truths of the first edition do not go.
TEST_F(SolvedRaces, FitSimulatedRaces) {
  for (const auto& position : testing::RacePositions())
    testing::ExpectRacesFit(*slot_, testing::ExactRace(*slot_, position), 300'000);
}

TEST(SecondEditionRaces, AgreeWithEveryTruth) {
  constexpr auto kEdition = camel_up::Edition::kSecond;
  const char* folder = std::getenv("GPUSIM_TEST_RACE_TABLE_DIR");
  if (folder == nullptr)
    GTEST_SKIP() << "not run: GPUSIM_TEST_RACE_TABLE_DIR names no folder with the second edition's "
                    "race table, which takes minutes to solve";
  const auto table = camel_up::OpenRaceTable(camel_up::RaceTablePath(folder, kEdition), kEdition);
  ASSERT_TRUE(table.has_value()) << table.error().what;
  const auto backend = MakeCpuBackend(2);
  ASSERT_TRUE(backend->UseRaceTable(*table, TableMemory::kHost).has_value());
  const auto slot = backend->MakeSlot(0, kSmall, {}).value();
  testing::ExpectRaceRowsMatch(*slot, testing::LoadSecondEditionRaces(), 64);
  testing::ExpectRaceRowsMatch(*slot, testing::LoadMidLegRaces(), 64);
}

}  // namespace
}  // namespace gpusim
