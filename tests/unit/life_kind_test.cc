// Life tasks on the CPU backend, against the reference, which is stepped and looked at one generation at a time.
#include "server/kinds/life_kind.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/rules/life_random.h"
#include "tests/reference/life_reference.h"
#include "tests/reference/philox.h"
#include "tests/testing/life_cases.h"

namespace gpusim::kinds {
namespace {

using Kind = Until::Kind;
using life::Topology;
using testing::RandomBoard;

constexpr SlotCapacity kCapacity{.camel_up_rows = 1,
                                 .simulation_rows = 1,
                                 .life_boards = 256,
                                 .life_words = 1 << 16,
                                 .life_facts = 4096,
                                 .resident_boards = 1};

struct NoListener final : Listener<LifeTask> {
  void OnTaskFinished(LifeTask& /*task*/, batching::Outcome /*outcome*/) override {}
};

struct Device {
  std::unique_ptr<Backend> backend = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot = *backend->MakeSlot(0, kCapacity, {});
};

// Chunks of so many generations at the most.
LifeChunk ChunksOf(std::uint32_t generations) {
  return {.word_steps = 1 << 22,
          .generations = generations,
          .boards = kCapacity.life_boards,
          .fact_rows = kCapacity.life_facts,
          .words = kCapacity.life_words};
}

struct Ran {
  std::vector<LifeAnswer> answers;
  int chunks = 0;
};

Ran RunOn(Slot& slot, std::vector<LifeRun> runs, const LifeChunk& chunk) {
  NoListener nobody;
  const std::size_t count = runs.size();
  LifeTask task(std::move(runs), chunk, {}, nobody);
  batching::Task* const batch = &task;
  Ran ran;
  for (batching::Chunk became = batching::Chunk::kAgain; became == batching::Chunk::kAgain;) {
    EXPECT_LE(task.cost().rows, chunk.boards);
    EXPECT_LE(task.cost().bytes, chunk.words * 8);
    LifeRunner(slot).Run({&batch, 1}, {&became, 1});
    EXPECT_NE(became, batching::Chunk::kFailed);
    ++ran.chunks;
  }
  for (std::size_t i = 0; i < count; ++i) ran.answers.push_back(task.TakeAnswer(i));
  return ran;
}

std::string Digits(std::uint16_t mask) {
  std::string digits;
  for (int n = 0; n <= 8; ++n)
    if (mask >> n & 1) digits += static_cast<char>('0' + n);
  return digits;
}

reference::LifeBoard SlowBoard(const LifeRun& run) {
  const auto width = static_cast<int>(run.board.width), height = static_cast<int>(run.board.height);
  reference::LifeBoard slow(width, height, run.topology == Topology::kTorus, Digits(run.rule.birth),
                            Digits(run.rule.survive));
  for (std::size_t cell = 0; cell < slow.cells.size(); ++cell) {
    const auto x = static_cast<std::uint32_t>(cell % run.board.width);
    const auto y = static_cast<std::uint32_t>(cell / run.board.width);
    slow.cells[cell] = run.source == life::Source::kRandom
                           ? reference::Philox(run.seed, 0, cell / 4)[cell % 4] < run.threshold
                           : run.board.Alive(x, y);
  }
  return slow;
}

life::Board FastBoard(const reference::LifeBoard& slow) {
  life::Board board = life::Board::Empty(static_cast<std::uint32_t>(slow.width),
                                         static_cast<std::uint32_t>(slow.height));
  for (int y = 0; y < slow.height; ++y)
    for (int x = 0; x < slow.width; ++x)
      board.Set(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), slow.At(x, y));
  return board;
}

LifeFacts SlowFacts(const std::vector<reference::LifeBoard>& past) {
  const reference::LifeBoard& now = past.back();
  LifeFacts facts{.generation = past.size() - 1};
  int left = now.width, top = now.height, right = -1, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const bool was = past.size() > 1 ? past[past.size() - 2].At(x, y) != 0 : now.At(x, y) != 0;
      facts.births += now.At(x, y) && !was;
      facts.deaths += !now.At(x, y) && was;
      if (!now.At(x, y)) continue;
      ++facts.population;
      left = std::min(left, x);
      top = std::min(top, y);
      right = std::max(right, x);
      bottom = std::max(bottom, y);
    }
  }
  if (facts.population == 0) return facts;
  const int box[4] = {left, top, right - left + 1, bottom - top + 1};
  for (int k = 0; k < 4; ++k) facts.box[k] = static_cast<std::uint32_t>(box[k]);
  return facts;
}

LifeAnswer SlowAnswer(const LifeRun& run) {
  LifeAnswer answer;
  std::vector<reference::LifeBoard> past{SlowBoard(run)};
  for (std::uint64_t generation = 0;; ++generation) {
    answer.last = SlowFacts(past);
    if (generation > 0 && run.facts_every != 0 && generation % run.facts_every == 0)
      answer.series.push_back(answer.last);
    const LifeFacts& now = answer.last;
    switch (run.until.kind) {
      case Kind::kNever:
        break;
      case Kind::kExtinct:
        answer.met = now.population == 0;
        break;
      case Kind::kStill:
        answer.met = generation > 0 && past[generation].cells == past[generation - 1].cells;
        break;
      case Kind::kPopulationAtMost:
        answer.met = now.population <= run.until.bound;
        break;
      case Kind::kPopulationAtLeast:
        answer.met = now.population >= run.until.bound;
        break;
      case Kind::kPeriodAtMost:
        for (std::uint32_t p = 1; p <= std::min(generation, run.until.bound) && !answer.met; ++p) {
          answer.met = past[generation].cells == past[generation - p].cells;
          if (answer.met) answer.period = p;
        }
    }
    if (answer.met || generation == run.generations) break;
    past.push_back(past.back());
    past.back().Step();
  }
  answer.board = FastBoard(past.back());
  return answer;
}

void ExpectSameFacts(const LifeFacts& facts, const LifeFacts& slow, life::FactSet set) {
  EXPECT_EQ(facts.generation, slow.generation);
  EXPECT_EQ(facts.population, slow.population);
  if ((set & life::kCountChanges) != 0) {
    EXPECT_EQ(facts.births, slow.births);
    EXPECT_EQ(facts.deaths, slow.deaths);
  }
  if ((set & life::kFindBox) == 0) return;
  for (int k = 0; k < 4; ++k) EXPECT_EQ(facts.box[k], slow.box[k]) << k;
}

void ExpectSame(const LifeAnswer& answer, const LifeAnswer& slow, const LifeRun& run) {
  EXPECT_EQ(answer.met, slow.met);
  EXPECT_EQ(answer.period, slow.period);
  ExpectSameFacts(answer.last, slow.last, run.facts);
  if (run.wants_cells) {
    EXPECT_EQ(answer.board, slow.board);
  } else {
    EXPECT_TRUE(answer.board.words.empty());
  }
  ASSERT_EQ(answer.series.size(), slow.series.size());
  for (std::size_t i = 0; i < slow.series.size(); ++i)
    ExpectSameFacts(answer.series[i], slow.series[i], run.facts);
}

// Small boards come to rest, die or begin to turn within some tens of generations.
std::vector<LifeRun> MixedRuns(std::size_t count, const Until& until, std::mt19937_64& random) {
  std::vector<LifeRun> runs(count);
  constexpr life::FactSet kSets[] = {0, life::kCountChanges, life::kFindBox,
                                     life::kCountChanges | life::kFindBox};
  for (std::size_t i = 0; i < count; ++i) {
    LifeRun& run = runs[i];
    const auto width = static_cast<std::uint32_t>(1 + random() % (i % 10 == 0 ? 70 : 12));
    run.board = RandomBoard(width, static_cast<std::uint32_t>(1 + random() % 12), 0.4, random);
    if (i % 3 == 2) run.rule = {1u << 3 | 1u << 6, 1u << 2 | 1u << 3};
    run.topology = i % 2 == 0 ? Topology::kTorus : Topology::kPlane;
    run.generations = random() % 5 == 0 ? random() % 4 : random() % 90;
    run.until = until;
    run.facts = kSets[random() % 4];
    run.facts_every = random() % 3 == 0 ? 1 + random() % 20 : 0;
    run.wants_cells = random() % 2 == 0;
    if (random() % 3 != 0) continue;
    run.board.words.clear();
    run.source = life::Source::kRandom;
    run.seed = random();
    run.threshold = life::ThresholdOf(0.4);
  }
  return runs;
}

class LifeKindTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  void ExpectSlowAnswers(const Until& until, const LifeChunk& chunk) {
    std::mt19937_64 random(GetParam() + static_cast<unsigned>(until.kind));
    const std::vector<LifeRun> runs = MixedRuns(60, until, random);
    const Ran together = RunOn(*device_.slot, runs, chunk);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      SCOPED_TRACE(i);
      ExpectSame(together.answers[i], SlowAnswer(runs[i]), runs[i]);
    }
  }

  Device device_;
};

// Whatever meets a condition does so at every offset within a chunk of each of these lengths.
INSTANTIATE_TEST_SUITE_P(ChunkLengths, LifeKindTest,
                         ::testing::Values(1, 2, 3, 5, 8, 17, 64, 4096));

TEST_P(LifeKindTest, EveryConditionAsTheReferenceSays) {
  for (const Until& until :
       {Until{Kind::kNever, 0}, Until{Kind::kExtinct, 0}, Until{Kind::kStill, 0},
        Until{Kind::kPopulationAtMost, 12}, Until{Kind::kPopulationAtLeast, 20},
        Until{Kind::kPeriodAtMost, 1}, Until{Kind::kPeriodAtMost, 2},
        Until{Kind::kPeriodAtMost, 40}, Until{Kind::kPeriodAtMost, kMaxPeriod}}) {
    SCOPED_TRACE(static_cast<int>(until.kind));
    ExpectSlowAnswers(until, ChunksOf(GetParam()));
  }
}

TEST_P(LifeKindTest, NarrowChunksGiveTheSameAnswers) {
  LifeChunk chunk = ChunksOf(GetParam());
  chunk.boards = 5;
  chunk.fact_rows = 17;
  chunk.words = 40;
  chunk.word_steps = 500;
  chunk.fill_steps = 20;
  for (const Kind kind : {Kind::kNever, Kind::kStill, Kind::kPeriodAtMost})
    ExpectSlowAnswers({kind, 6}, chunk);
}

// Shape digests are dear, so a run with a condition has them of its last generation alone, and of the series.
TEST_P(LifeKindTest, DearFactsOfTheLastGenerationAreThoseOfAShorterRun) {
  std::mt19937_64 random(GetParam());
  std::vector<LifeRun> runs = MixedRuns(30, {Kind::kStill, 0}, random);
  for (LifeRun& run : runs) run.facts = life::kMakeShapeDigest | life::kMakeDigest;
  const Ran watched = RunOn(*device_.slot, runs, ChunksOf(GetParam()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].until = {};
    runs[i].generations = watched.answers[i].last.generation;
  }
  const Ran plain = RunOn(*device_.slot, runs, ChunksOf(4096));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(watched.answers[i].last.shape_digest, plain.answers[i].last.shape_digest);
    EXPECT_EQ(watched.answers[i].last.digest, plain.answers[i].last.digest);
    ASSERT_EQ(watched.answers[i].series.size(), plain.answers[i].series.size());
    for (std::size_t k = 0; k < plain.answers[i].series.size(); ++k)
      EXPECT_EQ(watched.answers[i].series[k].shape_digest, plain.answers[i].series[k].shape_digest);
  }
}

TEST(LifePeriodTest, AGliderComesBackAfterFourTimesTheSideAndNotBefore) {
  Device device;
  for (const std::uint32_t side : {8u, 16u, 33u}) {
    LifeRun run;
    run.board = life::Board::Empty(side, side);
    for (const auto& [x, y] : {std::pair{1u, 0u}, {2u, 1u}, {0u, 2u}, {1u, 2u}, {2u, 2u}})
      run.board.Set(x, y, true);
    run.generations = 1000;
    run.until = {Kind::kPeriodAtMost, 4 * side - 1};
    EXPECT_FALSE(RunOn(*device.slot, {run}, ChunksOf(100)).answers[0].met);
    run.until.bound = kMaxPeriod;
    const LifeAnswer answer = RunOn(*device.slot, {run}, ChunksOf(100)).answers[0];
    EXPECT_TRUE(answer.met);
    EXPECT_EQ(answer.period, 4 * side);
    EXPECT_EQ(answer.last.generation, 4 * side);
    EXPECT_EQ(answer.board, run.board);
  }
}

// A slot whose digests tell only two boards out of four apart: many look equal that are not.
class ForgetfulSlot final : public Slot {
 public:
  explicit ForgetfulSlot(Slot& inner) : inner_(inner) {}
  camel_up::OddsBatch& camel_up() override { return inner_.camel_up(); }
  life::StepBatch& life() override { return inner_.life(); }
  life::ResidentBatch& resident() override { return inner_.resident(); }
  DeviceResult<void> RunCamelUp() override { return inner_.RunCamelUp(); }
  DeviceResult<void> RunResident() override { return inner_.RunResident(); }
  DeviceResult<void> RunLife() override {
    auto ran = inner_.RunLife();
    const life::Facts& facts = life().facts;
    for (std::size_t row = 0; row < facts.size(); ++row) facts.At<life::kDigest>(row) &= 3;
    return ran;
  }

 private:
  Slot& inner_;
};

// The cells decide: a period that digests alone believe in is not reported.
TEST(LifePeriodTest, EqualDigestsOfOtherCellsAreNoPeriod) {
  Device device;
  ForgetfulSlot slot(*device.slot);
  std::mt19937_64 random(5);
  std::vector<LifeRun> runs = MixedRuns(60, {Kind::kPeriodAtMost, 3}, random);
  for (LifeRun& run : runs) {
    run.wants_cells = true;
    run.facts = 0;
  }
  int met = 0;
  for (const std::uint32_t length : {1u, 7u, 100u}) {
    const Ran ran = RunOn(slot, runs, ChunksOf(length));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      SCOPED_TRACE(i);
      const LifeAnswer& answer = ran.answers[i];
      LifeRun shorter = runs[i];
      shorter.until = {};
      shorter.generations = answer.last.generation;
      EXPECT_EQ(answer.board, SlowAnswer(shorter).board);
      if (!answer.met) {
        EXPECT_EQ(answer.last.generation, runs[i].generations);
        continue;
      }
      ++met;
      shorter.generations += answer.period;
      EXPECT_EQ(answer.board, SlowAnswer(shorter).board);
    }
  }
  EXPECT_GT(met, 30);
}

TEST(LifeTaskCostTest, FactsAndMemoryCount) {
  NoListener nobody;
  const auto cost_of = [&](const LifeRun& run) {
    std::vector<LifeRun> runs(1, run);
    return LifeTask(std::move(runs), ChunksOf(100), {}, nobody).cost();
  };
  LifeRun run;
  run.board = life::Board::Empty(64, 64);
  run.generations = 10;
  EXPECT_EQ(cost_of(run).work, 64u * 10);
  EXPECT_EQ(cost_of(run).bytes, 64u * 8);
  run.facts = life::kMakeDigest;
  EXPECT_EQ(cost_of(run).work, 64u * (10 + kDigestSteps));
  run.facts = life::kCountChanges | life::kMakeShapeDigest;
  EXPECT_EQ(cost_of(run).work, 64u * (10 + kChangesSteps + kShapeDigestSteps));
  run.facts_every = 5;
  EXPECT_EQ(cost_of(run).work, 64u * (10 + 2 * (kChangesSteps + kShapeDigestSteps)));
  const std::uint64_t held = cost_of(run).held_bytes;
  run.until = {Kind::kPeriodAtMost, kMaxPeriod};
  run.generations = kMaxPeriod;
  EXPECT_GE(cost_of(run).held_bytes, held + kMaxPeriod * 16 + 64 * 8);
}

// Long runs of few boards fill a chunk, and many boards share it.
TEST(LifeTaskCostTest, AChunkIsFilledAndNotOverfilled) {
  NoListener nobody;
  for (const std::size_t count : {1u, 3u, 100u, 1000u}) {
    std::vector<LifeRun> runs(count);
    for (LifeRun& run : runs) {
      run.board = life::Board::Empty(64, 64);
      run.generations = 1'000'000;
    }
    LifeChunk chunk = ChunksOf(1'000'000);
    chunk.word_steps = 1 << 20;
    const LifeTask task(std::move(runs), chunk, {}, nobody);
    EXPECT_LE(task.cost().work, chunk.word_steps) << count;
    EXPECT_GE(task.cost().work, chunk.word_steps * 9 / 10) << count;
  }
}

TEST(LifeTaskFaultTest, ABrokenDeviceFailsTheTask) {
  class BrokenSlot final : public Slot {
   public:
    explicit BrokenSlot(Slot& inner) : inner_(inner) {}
    camel_up::OddsBatch& camel_up() override { return inner_.camel_up(); }
    life::StepBatch& life() override { return inner_.life(); }
    life::ResidentBatch& resident() override { return inner_.resident(); }
    DeviceResult<void> RunCamelUp() override { return tl::unexpected(DeviceFault{"gone"}); }
    DeviceResult<void> RunResident() override { return tl::unexpected(DeviceFault{"gone"}); }
    DeviceResult<void> RunLife() override { return tl::unexpected(DeviceFault{"gone"}); }

   private:
    Slot& inner_;
  };
  Device device;
  BrokenSlot slot(*device.slot);
  NoListener nobody;
  std::vector<LifeRun> runs(1);
  runs[0].board = life::Board::Empty(8, 8);
  LifeTask task(std::move(runs), ChunksOf(1), {}, nobody);
  batching::Task* const batch = &task;
  batching::Chunk became{};
  LifeRunner(slot).Run({&batch, 1}, {&became, 1});
  EXPECT_EQ(became, batching::Chunk::kFailed);
  EXPECT_EQ(task.fault(), "gone");
}

}  // namespace
}  // namespace gpusim::kinds
