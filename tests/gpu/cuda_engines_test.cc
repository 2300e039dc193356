// The CUDA backend against the truths, and bit for bit against the CPU backend on random positions
// and boards.
#include <thread>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/batches.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/life_cases.h"
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

TEST_F(CudaEngines, LifeTruths) { testing::ExpectLifeTruths(*gpu_slot_); }
TEST_F(CudaEngines, SmallBoardsOfAnyShapeAndRule) {
  testing::ExpectSmallBoardsLikeReference(*gpu_slot_);
}
TEST_F(CudaEngines, LargeBoards) { testing::ExpectLargeBoardsLikeReference(*gpu_slot_); }

// Random shapes on both sides of the border between small and large boards, random rules of all
// 262,144, both topologies, long runs, all in shared batches.
TEST_F(CudaEngines, RandomBoardsLikeTheCpu) {
  std::mt19937_64 random(64);
  for (std::size_t batch = 0; batch < Cases(20) / 2; ++batch) {
    std::vector<testing::LifeCase> cases;
    for (std::size_t i = 0; i < 40; ++i) {
      const auto width = static_cast<std::uint32_t>(1 + random() % 500);
      const auto height = static_cast<std::uint32_t>(1 + random() % 500);
      const life::Rule rule{static_cast<std::uint16_t>(random() % 512),
                            static_cast<std::uint16_t>(random() % 512)};
      cases.push_back({testing::RandomBoard(width, height, 0.3, random),
                       i % 4 == 0 ? life::kConway : rule,
                       random() % 2 ? life::Topology::kTorus : life::Topology::kPlane,
                       static_cast<std::uint32_t>(random() % 100)});
    }
    const auto gpu = testing::StepOnSlot(*gpu_slot_, cases);
    const auto cpu = testing::StepOnSlot(*cpu_slot_, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ASSERT_TRUE(gpu[i].board == cpu[i].board) << testing::Describe(cases[i]);
      ASSERT_EQ(gpu[i].population, cpu[i].population) << testing::Describe(cases[i]);
    }
  }
}

// Two slots of a device at once: each gets the answers that one gets alone.
TEST_F(CudaEngines, TwoSlotsAtOnce) {
  auto other_slot = cuda_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
  std::mt19937_64 random(11);
  std::vector<testing::LifeCase> cases;
  for (int i = 0; i < 8; ++i)
    cases.push_back(
        {testing::RandomBoard(700, 300, 0.4, random), life::kConway, life::Topology::kTorus, 50});
  const auto alone = testing::StepOnSlot(*gpu_slot_, cases);
  std::vector<testing::LifeResult> here, there;
  std::thread thread([&] { there = testing::StepOnSlot(*other_slot, cases); });
  here = testing::StepOnSlot(*gpu_slot_, cases);
  thread.join();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(here[i].board == alone[i].board);
    EXPECT_TRUE(there[i].board == alone[i].board);
  }
}

}  // namespace
}  // namespace gpusim
