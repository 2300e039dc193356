// The second edition's exact races against the truths. Its table comes from the folder
// GPUSIM_TEST_RACE_TABLE_DIR, else is solved on the GPU, which takes seconds and about 25 GB of its memory.
#include <cstdlib>

#include <gtest/gtest.h>

#include "kernels/race/race_table_file.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/race_truths.h"

namespace gpusim {
namespace {

constexpr SlotCapacity kRows{
    .camel_up_rows = 4096, .simulation_rows = 16, .life_boards = 1, .life_words = 64};

class CudaSecondEdition : public testing::CudaBackends {
 protected:
  std::shared_ptr<const camel_up::RaceTable> Table() {
    constexpr auto kEdition = camel_up::Edition::kSecond;
    if (const char* folder = std::getenv("GPUSIM_TEST_RACE_TABLE_DIR")) {
      const auto table =
          camel_up::OpenRaceTable(camel_up::RaceTablePath(folder, kEdition), kEdition);
      EXPECT_TRUE(table.has_value()) << table.error().what;
      return table.value_or(nullptr);
    }
    const auto go_on = [](const camel_up::RaceSolveProgress&) { return true; };
    const auto table = cuda_->SolveRaceTable(kEdition, 0, go_on);
    EXPECT_TRUE(table.has_value()) << table.error().what;
    return table.value_or(nullptr);
  }
};

TEST_F(CudaSecondEdition, RaceTruthsAtLegBoundariesAndWithinLegs) {
  const auto table = Table();
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(cuda_->UseRaceTable(table, TableMemory::kDevice).has_value());
  ASSERT_TRUE(cpu_->UseRaceTable(table, TableMemory::kHost).has_value());
  for (Backend* backend : {cuda_.get(), cpu_.get()}) {
    const auto slot = backend->MakeSlot(0, kRows, {}).value();
    testing::ExpectRaceRowsMatch(*slot, testing::LoadSecondEditionRaces(), 4096);
    testing::ExpectRaceRowsMatch(*slot, testing::LoadMidLegRaces(), 4096);
  }
}

}  // namespace
}  // namespace gpusim
