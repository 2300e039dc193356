// The CPU's inner loops: every instruction set that this processor has, and every way to cut a board into tiles, against
// the slow reference.
#include "kernels/cpu/life_lanes.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "kernels/batches.h"
#include "kernels/cpu/backend_for_testing.h"
#include "kernels/cpu/life_tile.h"
#include "tests/testing/life_cases.h"
#include "tests/testing/life_stories.h"
#include "tests/testing/life_suite.h"

namespace gpusim {
namespace {

using testing::LifeCase;
using testing::LifeResult;

class LifeLanes : public ::testing::TestWithParam<const life::Lanes*> {};

// One pass, tile by tile, into a poisoned board.
LifeResult StepInTiles(const life::Lanes& lanes, const LifeCase& life_case,
                       const life::PassShape& shape) {
  const life::Board& board = life_case.board;
  const life::Grid grid{board.width, board.height, life_case.topology};
  LifeResult result{testing::PoisonedBoard(board.width, board.height), 0, {}};
  const std::size_t words = life::BufferWords(grid, shape);
  life::TileBuffers buffers(words);
  for (int i = 0; i < 2; ++i) std::fill_n(buffers.buffer(i), words, 0xbadbadbadbadbadb);
  const life::Pass pass{&lanes,
                        board.words.data(),
                        result.board.words.data(),
                        grid,
                        life::RuleMasks(life_case.rule),
                        life_case.generations,
                        life::Count::kChanges};
  life::Tally tally;
  const std::uint64_t tiles = std::uint64_t{shape.TilesDown(grid)} * shape.TilesAcross(grid);
  for (std::uint64_t i = 0; i < tiles; ++i)
    life::StepTile(pass, shape.TileAt(grid, i), buffers, tally);
  result.population = tally.population;
  result.facts.push_back(
      {.population = tally.population, .births = tally.births, .deaths = tally.deaths});
  return result;
}

LifeCase SomeCase(std::uint32_t width, std::uint32_t height, std::mt19937_64& random) {
  const char* const rules[] = {"B3/S23", "B36/S23", "B0123478/S34678"};
  return {testing::RandomBoard(width, height, 0.4, random),
          testing::PlainRule(rules[random() % 3]),
          random() % 2 ? life::Topology::kTorus : life::Topology::kPlane,
          static_cast<std::uint32_t>(1 + random() % 19),
          0,
          life::kCountChanges};
}

// Heights of tiles that divide the board's or do not, margins higher than the board, so that they go round a torus more
// than once.
TEST_P(LifeLanes, BandsOfRows) {
  std::mt19937_64 random(11);
  for (const std::uint32_t width : {1u, 2u, 31u, 63u, 64u, 65u, 127u, 128u, 500u, 513u, 1000u}) {
    for (const std::uint32_t height : {1u, 2u, 3u, 31u, 64u, 65u}) {
      for (const std::uint32_t rows : {1u, 5u, 32u}) {
        const LifeCase life_case = SomeCase(width, height, random);
        const life::PassShape shape{rows, static_cast<std::uint32_t>(life::WordsPerRow(width)),
                                    life_case.generations};
        testing::ExpectSameResult(StepInTiles(*GetParam(), life_case, shape), life_case);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(LifeLanes, TilesOfWords) {
  std::mt19937_64 random(12);
  for (const std::uint32_t width : {129u, 160u, 192u, 193u, 511u, 576u, 700u, 1000u, 1024u}) {
    for (const std::uint32_t height : {1u, 7u, 33u}) {
      for (const std::uint32_t words : {1u, 2u, 7u, 8u, 9u}) {
        for (const std::uint32_t rows : {3u, 40u}) {
          LifeCase life_case = SomeCase(width, height, random);
          if (random() % 4 == 0) life_case.generations = 64;  // as far as the margin lasts
          const life::PassShape shape{rows, words, life_case.generations};
          testing::ExpectSameResult(StepInTiles(*GetParam(), life_case, shape), life_case);
          if (HasFailure()) return;
        }
      }
    }
  }
}

class LifeLanesSuite : public LifeLanes {
 protected:
  std::unique_ptr<Backend> backend_ = MakeCpuBackendForTesting(2, *GetParam());
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
};

TEST_P(LifeLanesSuite, Truths) { testing::ExpectLifeTruths(*slot_); }
TEST_P(LifeLanesSuite, SmallBoardsOfAnyShapeAndRule) {
  testing::ExpectSmallBoardsLikeReference(*slot_);
}
TEST_P(LifeLanesSuite, FactsOfEveryGeneration) { testing::ExpectFactsLikeReference(*slot_); }
TEST_P(LifeLanesSuite, RandomBoards) { testing::ExpectRandomBoardsLikeReference(*slot_); }

std::string NameOf(const ::testing::TestParamInfo<const life::Lanes*>& lanes) {
  return lanes.param->name;
}
INSTANTIATE_TEST_SUITE_P(OfThisProcessor, LifeLanes, ::testing::ValuesIn(life::AvailableLanes()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(OfThisProcessor, LifeLanesSuite,
                         ::testing::ValuesIn(life::AvailableLanes()), NameOf);

// The shapes that passes really use hold every cell once, and their buffers hold the shapes.
TEST(LifePassShape, TilesCoverTheBoardAndFit) {
  std::mt19937_64 random(13);
  const std::size_t room = life::BufferWords({1000, 1000, life::Topology::kTorus},
                                             {1000, 16, 1});  // one tile, so what fits
  for (int i = 0; i < 2000; ++i) {
    const auto side = [&] {
      return static_cast<std::uint32_t>(1 + random() % (1u << random() % 22));
    };
    const life::Grid grid{side(), side(), life::Topology::kTorus};
    const life::PassShape shape = life::ShapeOf(grid, static_cast<int>(1 + random() % 128));
    const std::uint32_t across = shape.TilesAcross(grid);
    const std::uint64_t tiles = std::uint64_t{shape.TilesDown(grid)} * across;
    ASSERT_GE(shape.generations, 1u);
    std::uint64_t words = 0, x = 0, y = 0;
    for (std::uint64_t t = 0; t < tiles; ++t) {
      const life::Tile tile = shape.TileAt(grid, t);
      ASSERT_EQ(tile.y, y);
      ASSERT_EQ(tile.word, x);
      ASSERT_GE(tile.rows, 1u);
      ASSERT_GE(tile.words, 1u);
      words += std::uint64_t{tile.rows} * tile.words;
      x = (t + 1) % across == 0 ? 0 : x + tile.words;
      if (x == 0) y += tile.rows;
    }
    ASSERT_EQ(words, life::WordsPerRow(grid.width) * grid.height);
    if (tiles > 1) {
      ASSERT_LE(shape.generations, 64u);
      ASSERT_LE(life::BufferWords(grid, shape), room + 9000) << grid.width << "x" << grid.height;
    }
  }
}

// Faults of other programs, on this engine.
class CpuLifeStory : public ::testing::TestWithParam<testing::LifeStory> {};

TEST_P(CpuLifeStory, IsNotOurs) {
  const auto backend = MakeCpuBackend(2);
  const auto slot = backend->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
  GetParam().expect(*slot);
}

INSTANTIATE_TEST_SUITE_P(LifeFaults, CpuLifeStory, ::testing::ValuesIn(testing::LifeStories()),
                         [](const auto& story) { return std::string(story.param.name); });

}  // namespace
}  // namespace gpusim
