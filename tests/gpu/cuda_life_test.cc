// Boards on the GPU: the suite that every engine passes, and bit for bit the CPU backend's cells and facts on random
// boards of every shape.
#include <thread>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/batches.h"
#include "kernels/cuda/life_run.h"
#include "kernels/rules/life_random.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/life_cases.h"
#include "tests/testing/life_suite.h"

namespace gpusim {
namespace {

using testing::Cases;

class CudaLife : public testing::CudaBackends {
 protected:
  void SetUp() override {
    CudaBackends::SetUp();
    gpu_slot_ = cuda_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
    cpu_slot_ = cpu_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
  }

  std::unique_ptr<Slot> gpu_slot_, cpu_slot_;
};

TEST_F(CudaLife, LifeTruths) { testing::ExpectLifeTruths(*gpu_slot_); }
TEST_F(CudaLife, SmallBoardsOfAnyShapeAndRule) {
  testing::ExpectSmallBoardsLikeReference(*gpu_slot_);
}
TEST_F(CudaLife, LargeBoards) { testing::ExpectLargeBoardsLikeReference(*gpu_slot_); }
TEST_F(CudaLife, Facts) { testing::ExpectFactsLikeReference(*gpu_slot_); }
TEST_F(CudaLife, BoardsMadeAtRandom) { testing::ExpectRandomBoardsLikeReference(*gpu_slot_); }
TEST_F(CudaLife, ResidentBoards) { testing::ExpectResidentBoardsLikeReference(*cuda_, *gpu_slot_); }
TEST_F(CudaLife, CellsReadAndWrite) { testing::ExpectCellsReadAndWrite(*cuda_); }

// The passes of a run add up to its generations, and each row of facts ends at its own.
TEST(CudaPassPlan, EndsRowsWhereTheyAreDue) {
  for (const life::Rule rule : {life::kConway, life::Rule{1, 1}}) {
    for (const life::FactSet set : {0, 1}) {
      for (std::uint32_t every = 0; every <= 30; ++every) {
        for (std::uint32_t generations = 1; generations <= 70; ++generations) {
          cuda::BoardRun run{};
          run.rule_masks = life::RuleMasks(rule);
          run.generations = generations;
          run.facts_every = every;
          run.fact_set = set;
          const cuda::PassPlan plan(run);
          std::uint32_t done = 0, row = 0;
          for (std::uint32_t i = 0; i < plan.passes(); ++i) {
            const cuda::Pass pass = plan.At(i);
            done += pass.generations;
            const bool due = done == generations || (every != 0 && done % every == 0);
            ASSERT_EQ(pass.ends_row, due) << generations << " every " << every;
            if (!due) continue;
            ASSERT_EQ(pass.row, row++);
            ASSERT_TRUE(set == 0 || pass.generations == 1);
          }
          ASSERT_EQ(done, generations);
          ASSERT_EQ(row, life::FactRows(generations, every));
          ASSERT_EQ(plan.At(plan.passes()).generations, 0u);
          ASSERT_FALSE(plan.At(plan.passes()).ends_row);
        }
      }
    }
  }
}

std::uint32_t UpTo(std::uint32_t most, std::mt19937_64& random) {
  return static_cast<std::uint32_t>(1 + random() % most);
}

// Of every kind that a kernel treats apart: in a warp, in a block, tiles; narrow and tall, wide and flat, tori narrower or
// lower than a halo, rows that end just before and behind a word and a strip of words.
std::pair<std::uint32_t, std::uint32_t> RandomSize(std::size_t kind, std::mt19937_64& random) {
  switch (kind % 7) {
    case 0:
      return {UpTo(64, random), UpTo(64, random)};
    case 1:
      return {UpTo(400, random), UpTo(200, random)};
    case 2:
      return {UpTo(12, random), 2049 + UpTo(4000, random)};
    case 3:
      return {UpTo(300, random), 2049 + UpTo(500, random)};
    case 4:
      return {131'072 + UpTo(70'000, random), UpTo(12, random)};
    case 5:
      return {64 * UpTo(70, random) + UpTo(9, random) - 5, 300 + UpTo(300, random)};
    default:
      return {1900 + UpTo(300, random), 60 + UpTo(300, random)};
  }
}

testing::LifeCase RandomCase(std::size_t kind, std::mt19937_64& random) {
  const auto [width, height] = RandomSize(kind, random);
  const life::Rule rule{static_cast<std::uint16_t>(random() % 512),
                        static_cast<std::uint16_t>(random() % 512)};
  testing::LifeCase life_case{testing::RandomBoard(width, height, 0.3, random),
                              random() % 2 ? life::kConway : rule,
                              random() % 2 ? life::Topology::kTorus : life::Topology::kPlane,
                              static_cast<std::uint32_t>(random() % 60)};
  life_case.facts_every = random() % 2 ? static_cast<std::uint32_t>(random() % 25) : 0;
  life_case.fact_set = random() % 2 ? static_cast<life::FactSet>(random() % 16) : 0;
  life_case.seed = random();
  life_case.threshold = random() % (life::kCertain + 1);
  return life_case;
}

void ExpectSameResults(const std::vector<testing::LifeResult>& gpu,
                       const std::vector<testing::LifeResult>& cpu,
                       const std::vector<testing::LifeCase>& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_TRUE(gpu[i].board == cpu[i].board) << testing::Describe(cases[i]);
    ASSERT_EQ(gpu[i].facts.size(), cpu[i].facts.size());
    for (std::size_t row = 0; row < gpu[i].facts.size(); ++row) {
      const reference::LifeFacts& here = gpu[i].facts[row];
      const reference::LifeFacts& there = cpu[i].facts[row];
      ASSERT_TRUE(here == there) << testing::Describe(cases[i]) << " every " << cases[i].facts_every
                                 << " row " << row << " facts " << int{cases[i].fact_set}
                                 << ": population " << here.population << ' ' << there.population
                                 << ", births " << here.births << ' ' << there.births << ", left "
                                 << here.left << ' ' << there.left << ", width " << here.width
                                 << ' ' << there.width << ", digests "
                                 << (here.digest == there.digest)
                                 << (here.shape_digest == there.shape_digest);
    }
  }
}

TEST_F(CudaLife, RandomBoardsLikeTheCpu) {
  constexpr std::size_t kBoardsOfBatch = 21;
  std::mt19937_64 random(64);
  for (std::size_t done = 0; done < Cases(420); done += kBoardsOfBatch) {
    std::vector<testing::LifeCase> cases;
    for (std::size_t i = 0; i < kBoardsOfBatch; ++i) {
      cases.push_back(RandomCase(i, random));
      if (random() % 4 == 0) cases.back().source = life::Source::kRandom;
    }
    ExpectSameResults(testing::StepOnSlot(*gpu_slot_, cases),
                      testing::StepOnSlot(*cpu_slot_, cases), cases);
    if (HasFatalFailure()) return;
  }
}

TEST_F(CudaLife, ResidentRandomBoardsLikeTheCpu) {
  constexpr std::size_t kBoardsOfBatch = 14;
  std::mt19937_64 random(65);
  for (std::size_t done = 0; done < Cases(140); done += kBoardsOfBatch) {
    std::vector<testing::LifeCase> cases;
    for (std::size_t i = 0; i < kBoardsOfBatch; ++i) cases.push_back(RandomCase(i, random));
    const auto buffers =
        done % 2 == 0 ? testing::WorkBuffers::kTwoOthers : testing::WorkBuffers::kOtherAndFrom;
    ExpectSameResults(testing::StepResidents(*cuda_, *gpu_slot_, cases, buffers),
                      testing::StepOnSlot(*cpu_slot_, cases), cases);
    if (HasFatalFailure()) return;
  }
}

// A board that no other test has the size of, from one seed on both sides: memory beyond 2^32 bits, all tiles of a launch.
TEST_F(CudaLife, GiantBoardLikeTheCpu) {
  constexpr std::uint32_t kSide = 65'536;
  constexpr std::uint32_t kGenerations = 11;
  constexpr life::FactSet kSet =
      life::kCountChanges | life::kFindBox | life::kMakeDigest | life::kMakeShapeDigest;
  Backend* const backends[] = {cuda_.get(), cpu_.get()};
  Slot* const slots[] = {gpu_slot_.get(), cpu_slot_.get()};
  std::vector<std::uint64_t> answers[2];
  for (int i = 0; i < 2; ++i) {
    auto from = backends[i]->MakeCells(0, kSide, kSide).value();
    auto other = backends[i]->MakeCells(0, kSide, kSide).value();
    ASSERT_TRUE(from->Fill(0, kSide, 42, life::ThresholdOf(0.05)));
    life::ResidentBatch& batch = slots[i]->resident();
    batch.Clear();
    batch.steps.push_back({from.get(),
                           {other.get(), from.get()},
                           life::kConway,
                           life::Topology::kTorus,
                           kGenerations,
                           0,
                           kSet,
                           0,
                           nullptr});
    batch.facts.Resize(1);
    const auto run = slots[i]->RunResident();
    ASSERT_TRUE(run.has_value()) << run.error().what;
    const life::Facts& facts = batch.facts;
    answers[i] = {facts.At<life::kPopulation>(0), facts.At<life::kChanges>(0, 0),
                  facts.At<life::kChanges>(0, 1), facts.At<life::kBox>(0, 2),
                  facts.At<life::kBox>(0, 3),     facts.At<life::kDigest>(0),
                  facts.At<life::kShapeDigest>(0)};
  }
  EXPECT_GT(answers[0][0], 0u);
  EXPECT_EQ(answers[0], answers[1]);
}

// More than the device has: said, and forgotten.
TEST_F(CudaLife, CellsBeyondTheMemoryAreAFault) {
  const std::uint64_t rows = cuda_->FreeMemory(0) / (std::uint64_t{1} << 20);  // of 1 MiB each
  const auto cells = cuda_->MakeCells(0, 1u << 23, static_cast<std::uint32_t>(2 * rows));
  ASSERT_FALSE(cells.has_value());
  EXPECT_FALSE(cells.error().sticky);
  EXPECT_TRUE(cuda_->MakeCells(0, 1u << 10, 1u << 10).has_value());
}

// What is given back can be had again.
TEST_F(CudaLife, FreedCellsAreFree) {
  const std::uint64_t before = cuda_->FreeMemory(0);
  {
    const auto cells = cuda_->MakeCells(0, 1u << 17, 1u << 17).value();  // 2 GiB
    EXPECT_LE(cuda_->FreeMemory(0), before - (std::uint64_t{1} << 31));
  }
  EXPECT_GE(cuda_->FreeMemory(0) + (std::uint64_t{1} << 26), before);
}

// Two slots of a device at once: each gets the answers that one gets alone.
TEST_F(CudaLife, TwoSlotsAtOnce) {
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
