// A warm-up runs each call of a slot with its smallest batch and with its largest.
#include "server/kinds/warm_up.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "server/kinds/kinds.h"
#include "tests/testing/sanitized.h"
#include "tests/testing/wrapped_backend.h"

namespace gpusim::kinds {
namespace {

using camel_up::Edition;
using camel_up::Scope;

struct CamelUpRun {
  std::size_t exact = 0;
  std::size_t simulations = 0;
  std::set<std::pair<Edition, Scope>> exact_questions;
  std::set<std::pair<Edition, Scope>> simulated_questions;
};
struct LifeRunSeen {
  std::size_t boards = 0;
  std::size_t words = 0;
  std::size_t facts = 0;
};

// What a slot was asked for.
struct Record {
  std::vector<CamelUpRun> camel_up;
  std::vector<LifeRunSeen> life;
  // Side, topology, Conway or not, with facts, random, generations.
  std::set<std::tuple<std::uint32_t, life::Topology, bool, bool, bool, std::uint32_t>> single;
  std::vector<std::size_t> resident;
  std::set<std::tuple<std::uint32_t, life::Topology, bool, bool, std::uint32_t>> single_resident;
};

template <class Queries>
std::set<std::pair<Edition, Scope>> QuestionsOf(const Queries& queries) {
  std::set<std::pair<Edition, Scope>> questions;
  for (std::size_t i = 0; i < queries.size(); ++i)
    questions.emplace(queries.template At<camel_up::kEdition>(i),
                      queries.template At<camel_up::kScope>(i));
  return questions;
}

class RecordingSlot final : public Slot {
 public:
  RecordingSlot(std::unique_ptr<Slot> inner, Record& record)
      : inner_(std::move(inner)), record_(record) {}

  camel_up::OddsBatch& camel_up() override { return inner_->camel_up(); }
  life::StepBatch& life() override { return inner_->life(); }
  life::ResidentBatch& resident() override { return inner_->resident(); }

  DeviceResult<void> RunCamelUp() override {
    const camel_up::OddsBatch& batch = camel_up();
    record_.camel_up.push_back({batch.exact.size(), batch.simulations.size(),
                                QuestionsOf(batch.exact), QuestionsOf(batch.simulations)});
    return inner_->RunCamelUp();
  }
  DeviceResult<void> RunLife() override {
    const life::StepBatch& batch = life();
    record_.life.push_back({batch.boards.size(), batch.cells.size(), batch.facts.size()});
    if (batch.boards.size() == 1) {
      record_.single.emplace(batch.boards.At<life::kWidth>(0), batch.boards.At<life::kTopology>(0),
                             batch.boards.At<life::kRuleMasks>(0) == life::RuleMasks(life::kConway),
                             batch.boards.At<life::kFactSet>(0) != 0,
                             batch.boards.At<life::kSource>(0) == life::Source::kRandom,
                             batch.boards.At<life::kGenerations>(0));
    }
    return inner_->RunLife();
  }
  DeviceResult<void> RunResident() override {
    const auto& steps = resident().steps;
    record_.resident.push_back(steps.size());
    if (steps.size() == 1) {
      record_.single_resident.emplace(
          steps[0].from->width(), steps[0].topology,
          life::RuleMasks(steps[0].rule) == life::RuleMasks(life::kConway), steps[0].fact_set != 0,
          steps[0].generations);
    }
    return inner_->RunResident();
  }

 private:
  const std::unique_ptr<Slot> inner_;
  Record& record_;
};

// With the chunks of a GPU.
class FastBackend final : public testing::WrappedBackend {
 public:
  FastBackend() : WrappedBackend(MakeCpuBackend(2)) {}
  std::uint64_t life_chunk_word_steps() const override { return 540'000'000; }
};

class WarmUpTest : public ::testing::Test {
 protected:
  void WarmUpSlot(std::uint64_t max_step_words = (1u << 24) / life::kCellsPerWord) {
    sizes_ = BatchSizesFor(*backend_, max_step_words);
    auto slot = backend_->MakeSlot(0, sizes_.capacity, {});
    ASSERT_TRUE(slot.has_value());
    RecordingSlot recording(*std::move(slot), record_);
    const auto warm = WarmUp(*backend_, 0, recording, sizes_.capacity, {});
    ASSERT_TRUE(warm.has_value()) << warm.error().what;
  }

  std::unique_ptr<Backend> backend_ = std::make_unique<FastBackend>();
  BatchSizes sizes_;
  Record record_;
};

TEST_F(WarmUpTest, AsksEveryQuestionOfCamelUpOnceAndManyTimes) {
  WarmUpSlot();
  const std::set<std::pair<Edition, Scope>> legs = {{Edition::kFirst, Scope::kLeg},
                                                    {Edition::kSecond, Scope::kLeg}};
  std::set<std::pair<Edition, Scope>> all = legs;
  all.insert({{Edition::kFirst, Scope::kRace}, {Edition::kSecond, Scope::kRace}});
  ASSERT_EQ(record_.camel_up.size(), 2u);
  EXPECT_LE(record_.camel_up[0].exact, 4u);
  EXPECT_LE(record_.camel_up[0].simulations, 4u);
  EXPECT_EQ(record_.camel_up[1].exact, sizes_.capacity.camel_up_rows);
  EXPECT_EQ(record_.camel_up[1].simulations, sizes_.capacity.simulation_rows);
  for (const CamelUpRun& run : record_.camel_up) {
    EXPECT_EQ(run.exact_questions, legs) << "there is no race table";
    EXPECT_EQ(run.simulated_questions, all);
  }
}

TEST_F(WarmUpTest, StepsBoardsOfEverySizeAlone) {
  WarmUpSlot();
  for (const std::uint32_t side : {64u, 100u, 384u}) {
    for (const auto topology : {life::Topology::kPlane, life::Topology::kTorus}) {
      for (const bool conway : {false, true}) {
        for (const std::uint32_t generations : {0u, 15u}) {
          EXPECT_TRUE(record_.single.contains({side, topology, conway, false, false, generations}));
          EXPECT_TRUE(record_.single.contains({side, topology, conway, true, true, generations}));
          for (const bool facts : {false, true})
            EXPECT_TRUE(
                record_.single_resident.contains({side, topology, conway, facts, generations}));
        }
      }
    }
  }
}

TEST_F(WarmUpTest, FillsBatchesOfBoards) {
  WarmUpSlot();
  const auto seen = [&](const auto& wanted) {
    return std::any_of(record_.life.begin(), record_.life.end(), wanted);
  };
  EXPECT_TRUE(seen([&](const LifeRunSeen& run) {
    return run.boards == sizes_.capacity.life_boards && run.facts == sizes_.capacity.life_facts;
  }));
  EXPECT_TRUE(seen([&](const LifeRunSeen& run) {
    return run.boards == 1 && run.words == sizes_.capacity.life_words;
  }));
  EXPECT_TRUE(
      std::any_of(record_.resident.begin(), record_.resident.end(),
                  [&](std::size_t boards) { return boards == sizes_.capacity.resident_boards; }));
}

// Whatever --max-step-cells says.
TEST_F(WarmUpTest, IsQuickHoweverLargeABoardMayBe) {
  backend_ = MakeCpuBackend(1);
  const auto start = std::chrono::steady_clock::now();
  WarmUpSlot(std::uint64_t{1} << 25);
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took, std::chrono::seconds(testing::kSanitized ? 60 : 10));
  for (const LifeRunSeen& run : record_.life) EXPECT_LE(run.words, std::uint64_t{1} << 22);
}

class BrokenSlotBackend final : public testing::WrappedBackend {
 public:
  BrokenSlotBackend() : WrappedBackend(MakeCpuBackend(1)) {}
  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t /*device*/,
                                                             std::uint32_t /*width*/,
                                                             std::uint32_t /*height*/) override {
    return tl::unexpected(DeviceFault{.what = "no cells today", .sticky = false});
  }
};

TEST(WarmUpFaultTest, SaysWhatTheDeviceSaid) {
  BrokenSlotBackend backend;
  const SlotCapacity capacity = BatchSizesFor(backend, 1024).capacity;
  auto slot = backend.MakeSlot(0, capacity, {});
  ASSERT_TRUE(slot.has_value());
  const auto warm = WarmUp(backend, 0, **slot, capacity, {});
  ASSERT_FALSE(warm.has_value());
  EXPECT_EQ(warm.error().what, "no cells today");
}

}  // namespace
}  // namespace gpusim::kinds
