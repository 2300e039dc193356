// The CUDA backend's exact legs against the truths, and bit for bit against the CPU backend on random positions.
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/life_suite.h"

namespace gpusim {
namespace {

using testing::Cases;

class CudaEngines : public testing::CudaBackends {
 protected:
  void SetUp() override {
    CudaBackends::SetUp();
    gpu_slot_ = cuda_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
    cpu_slot_ = cpu_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
  }

  std::unique_ptr<Slot> gpu_slot_, cpu_slot_;
};

TEST_F(CudaEngines, NamesItsDevices) {
  EXPECT_EQ(cuda_->kind(), BackendKind::kCuda);
  ASSERT_FALSE(cuda_->devices().empty());
  EXPECT_FALSE(cuda_->devices()[0].name.empty());
  EXPECT_GT(cuda_->devices()[0].memory_bytes, 1u << 30);
}

TEST_F(CudaEngines, LegTruths) {
  const auto truths = testing::LoadLegTruths();
  std::vector<reference::Position> positions;
  for (const auto& truth : truths) positions.push_back(truth.position);
  const auto odds = testing::SolveOnSlot(*gpu_slot_, positions, 4096);
  for (std::size_t i = 0; i < truths.size(); ++i)
    testing::ExpectSameOdds(odds[i], truths[i].odds, false, truths[i].name);
}

class CudaLegs : public CudaEngines, public ::testing::WithParamInterface<int> {};

TEST_P(CudaLegs, RandomPositionsLikeTheCpu) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
  std::vector<reference::Position> positions;
  for (std::size_t i = 0; i < Cases(10'000); ++i)
    positions.push_back(testing::RandomPosition(GetParam(), random));
  const auto gpu = testing::SolveOnSlot(*gpu_slot_, positions, 4096);
  const auto cpu = testing::SolveOnSlot(*cpu_slot_, positions, 4096);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    testing::ExpectSameOdds(gpu[i], cpu[i], true, testing::Describe(positions[i]));
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(BothEditions, CudaLegs, ::testing::Values(1, 2));

// Batches of 1, 31, 32, 33 rows and of several thousand: no row sees its neighbours.
TEST_F(CudaEngines, OddsAnswersDoNotDependOnTheBatch) {
  std::mt19937_64 random(4);
  std::vector<reference::Position> positions;
  for (std::size_t i = 0; i < Cases(3000); ++i)
    positions.push_back(testing::RandomPosition(static_cast<int>(1 + i % 2), random));
  const auto together = testing::SolveOnSlot(*gpu_slot_, positions, 4096);
  for (const std::size_t rows : {1u, 31u, 32u, 33u}) {
    const std::vector<reference::Position> few(
        positions.begin(), positions.begin() + static_cast<std::ptrdiff_t>(Cases(132)));
    const auto apart = testing::SolveOnSlot(*gpu_slot_, few, rows);
    for (std::size_t i = 0; i < few.size(); ++i)
      testing::ExpectSameOdds(apart[i], together[i], true, testing::Describe(few[i]));
  }
}

}  // namespace
}  // namespace gpusim
