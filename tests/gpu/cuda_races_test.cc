// Exact race rows on the GPU: bit for bit like the CPU's with tables of meaningless numbers, and the truths
// with the first edition's own. The second edition's is in cuda_second_edition_test.cc.
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_truths.h"

namespace gpusim {
namespace {

constexpr SlotCapacity kRows{
    .camel_up_rows = 4096, .simulation_rows = 16, .life_boards = 1, .life_words = 64};

void ExpectSameRaces(Slot& gpu_slot, Slot& cpu_slot,
                     const std::vector<reference::Position>& positions, std::size_t gpu_rows) {
  const auto gpu = testing::SolveRacesOnSlot(gpu_slot, positions, gpu_rows, gpu_rows > 1);
  const auto cpu = testing::SolveRacesOnSlot(cpu_slot, positions, 4096, false);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::string what = testing::Describe(positions[i]);
    testing::ExpectSameOdds(gpu[i].leg, cpu[i].leg, true, what);
    ASSERT_EQ(gpu[i].race, cpu[i].race) << what;
  }
}

// Where the GPU reads its tables.
class CudaRaces : public ::testing::TestWithParam<TableMemory> {
 protected:
  void SetUp() override {
    auto gpu = MakeCudaBackend();
    ASSERT_TRUE(gpu.has_value()) << gpu.error().what;
    gpu_ = std::move(*gpu);
    gpu_slot_ = gpu_->MakeSlot(0, kRows, {}).value();  // before there is a table
    cpu_slot_ = cpu_->MakeSlot(0, kRows, {}).value();
    for (const auto edition : {camel_up::Edition::kFirst, camel_up::Edition::kSecond}) {
      const auto table = testing::MakeSyntheticTable(edition);
      const auto used = gpu_->UseRaceTable(table, GetParam());
      ASSERT_TRUE(used.has_value()) << used.error().what;
      EXPECT_FALSE(gpu_->UseRaceTable(table, GetParam()).has_value());
      ASSERT_TRUE(cpu_->UseRaceTable(table, TableMemory::kHost).has_value());
    }
  }

  std::unique_ptr<Backend> gpu_, cpu_ = MakeCpuBackend(0);
  std::unique_ptr<Slot> gpu_slot_, cpu_slot_;
};

TEST_P(CudaRaces, RandomPositionsLikeTheCpu) {
  std::mt19937_64 random(5);
  std::vector<reference::Position> positions;
  for (std::size_t i = 0; i < testing::Cases(20'000); ++i)
    positions.push_back(testing::RandomPosition(static_cast<int>(1 + i % 2), random));
  ExpectSameRaces(*gpu_slot_, *cpu_slot_, positions, 4096);
}

// Alone, where a row has several blocks; and few, with and without leg rows beside them.
TEST_P(CudaRaces, SmallBatches) {
  std::mt19937_64 random(6);
  std::vector<reference::Position> positions;
  for (std::size_t i = 0; i < testing::Cases(64); ++i)
    positions.push_back(testing::RandomPosition(static_cast<int>(1 + i % 2), random));
  for (const std::size_t rows : {1u, 2u, 33u})
    ExpectSameRaces(*gpu_slot_, *cpu_slot_, positions, rows);
}
INSTANTIATE_TEST_SUITE_P(Tables, CudaRaces,
                         ::testing::Values(TableMemory::kDevice, TableMemory::kHost));

class CudaFirstEdition : public testing::CudaBackends {
 protected:
  void SetUp() override {
    CudaBackends::SetUp();
    slot_ = cuda_->MakeSlot(0, kRows, {}).value();
  }
  std::unique_ptr<Slot> slot_;
};

TEST_F(CudaFirstEdition, RaceTruthsAndSimulatedRaces) {
  const auto truths = testing::LoadFirstEditionRaces();
  auto& exact = slot_->camel_up().exact;
  const camel_up::LegQuery query = camel_up::Encode(testing::ToDomain(truths[0].position));
  exact.Append();
  exact.At<camel_up::kBoard>(0) = query.board;
  exact.At<camel_up::kTiles>(0) = query.tiles;
  exact.At<camel_up::kEdition>(0) = query.edition;
  exact.At<camel_up::kScope>(0) = camel_up::Scope::kRace;
  const auto too_early = slot_->RunCamelUp();
  ASSERT_FALSE(too_early.has_value());
  EXPECT_NE(too_early.error().what.find("the race table of the first edition"), std::string::npos);
  EXPECT_FALSE(too_early.error().sticky);

  const auto go_on = [](const camel_up::RaceSolveProgress&) { return true; };
  const auto table = cuda_->SolveRaceTable(camel_up::Edition::kFirst, 0, go_on);
  ASSERT_TRUE(table.has_value()) << table.error().what;
  ASSERT_TRUE(cuda_->UseRaceTable(*table, TableMemory::kDevice).has_value());
  testing::ExpectRaceRowsMatch(*slot_, truths, 4096);
  for (const auto& position : testing::RacePositions())
    testing::ExpectRacesFit(*slot_, testing::ExactRace(*slot_, position), 50'000'000);
}

}  // namespace
}  // namespace gpusim
