// The Life rule on packed words and the CPU engine, against the slow reference and the truths.
#include "kernels/rules/life_step.h"

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/rules/life_facts.h"
#include "tests/testing/life_cases.h"
#include "tests/testing/life_suite.h"

namespace gpusim {
namespace {

// What depends on the instruction set is in life_lanes_test.cc.
class CpuLifeTest : public ::testing::Test {
 protected:
  std::unique_ptr<Backend> backend_ = MakeCpuBackend(2);
  std::unique_ptr<Slot> slot_ = backend_->MakeSlot(0, testing::kLifeSuiteCapacity, {}).value();
};

TEST_F(CpuLifeTest, LargeBoards) { testing::ExpectLargeBoardsLikeReference(*slot_); }
TEST_F(CpuLifeTest, ResidentBoards) {
  testing::ExpectResidentBoardsLikeReference(*backend_, *slot_);
}
TEST_F(CpuLifeTest, BlocksOfResidentBoards) { testing::ExpectCellsReadAndWrite(*backend_); }

// All 512 neighbourhoods at once: cell b of word n is bit n of neighbourhood b, 512 cells in 8
// words. Every one of the 262,144 rules would take a while; each of the 18 bits alone, and all but
// it, show every entry of the table.
TEST(LifeRule, AllNeighbourhoodsUnderEveryBitOfARule) {
  auto input = [](int position, int word) {
    std::uint64_t bits = 0;
    for (int b = 0; b < 64; ++b)
      bits |= static_cast<std::uint64_t>((word * 64 + b) >> position & 1) << b;
    return bits;
  };
  auto expect_rule = [&](std::uint32_t masks) {
    const auto rule = life::MakeRuleWords<std::uint64_t>(masks);
    for (int word = 0; word < 8; ++word) {
      const auto top = life::SumRow(input(0, word), input(1, word), input(2, word));
      const auto middle = life::SumRow(input(3, word), input(4, word), input(5, word));
      const auto bottom = life::SumRow(input(6, word), input(7, word), input(8, word));
      const std::uint64_t next = life::NextCells(top, middle, bottom, input(4, word), rule);
      const std::uint64_t conway = life::NextConwayCells(top, middle, bottom, input(4, word));
      for (int b = 0; b < 64; ++b) {
        const int cells = word * 64 + b;
        const bool alive = cells >> 4 & 1;
        const int neighbours = std::popcount(static_cast<unsigned>(cells)) - alive;
        EXPECT_EQ(next >> b & 1, masks >> (neighbours + (alive ? 16 : 0)) & 1)
            << cells << " under " << masks;
        EXPECT_EQ(conway >> b & 1, neighbours == 3 || (alive && neighbours == 2));
      }
    }
  };
  constexpr std::uint32_t kAll = 0x01ff01ff;
  for (int bit = 0; bit < 9; ++bit) {
    for (const std::uint32_t one : {1u << bit, 1u << (16 + bit)}) {
      expect_rule(one);
      expect_rule(kAll & ~one);
    }
  }
  expect_rule(life::RuleMasks(life::kConway));
}

// Open plane: the board is large enough that nothing reaches the border.
TEST_F(CpuLifeTest, RPentominoAfter1103Generations) {
  life::Board board = life::Board::Empty(1200, 1200);
  for (const auto& [x, y] : {std::pair{1, 0}, {2, 0}, {0, 1}, {1, 1}, {1, 2}})
    board.Set(600 + static_cast<std::uint32_t>(x), 600 + static_cast<std::uint32_t>(y), true);
  const auto results =
      testing::StepOnSlot(*slot_, {{board, life::kConway, life::Topology::kPlane, 1102},
                                   {board, life::kConway, life::Topology::kPlane, 1103}});
  EXPECT_EQ(results[0].population, 118u);
  EXPECT_EQ(results[1].population, 116u);
}

// The vectors of kernels/README.md, which come from a program of its own.
TEST(LifeFacts, VectorsOfTheReadme) {
  EXPECT_EQ(life::Mix64(0, 1), 0xe4d971771b652c20u);
  EXPECT_EQ(life::Mix64(2, ~std::uint64_t{0}), 0x8f33834013b31f7cu);
  life::Board glider = life::Board::Empty(8, 8);
  for (const auto& [x, y] : {std::pair{1u, 0u}, {2u, 1u}, {0u, 2u}, {1u, 2u}, {2u, 2u}})
    glider.Set(x, y, true);
  const testing::LifeCase life_case{glider, life::kConway,     life::Topology::kTorus, 0,
                                    0,      testing::kAllFacts};
  const auto facts = testing::StepByReference(life_case).facts.front();
  EXPECT_EQ(facts.digest, 0xbd95cb426034849du);
  EXPECT_EQ(facts.shape_digest, 0x3e328357347f7c24u);
}

TEST(LifeBoard, HashIsFnvOverTheReferencePacking) {
  std::mt19937_64 random(5);
  for (const std::uint32_t width : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 130u}) {
    const life::Board board = testing::RandomBoard(width, 5, 0.5, random);
    reference::LifeBoard slow(static_cast<int>(width), 5, true);
    for (std::uint32_t y = 0; y < 5; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        slow.At(static_cast<int>(x), static_cast<int>(y)) = board.Alive(x, y);
    EXPECT_EQ(life::Hash(board), reference::HashCells(slow)) << width;
    // In pieces of a row and of two.
    life::Hasher hasher(width);
    const std::span<const std::uint64_t> words(board.words);
    const std::size_t row = life::WordsPerRow(width);
    for (std::size_t y = 0; y < 5; y += 2)
      hasher.AddRows(words.subspan(y * row, y < 4 ? 2 * row : row));
    EXPECT_EQ(hasher.Result(), reference::HashCells(slow)) << width;
  }
}

}  // namespace
}  // namespace gpusim
