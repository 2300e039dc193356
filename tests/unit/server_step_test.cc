// Boards as bytes, and the chunks of a Life task.
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "server/kinds/life_kind.h"
#include "server/services/life_convert.h"
#include "server/services/packed_rows.h"
#include "server/services/step_plan.h"
#include "tests/testing/life_cases.h"

namespace gpusim::server {
namespace {

using testing::RandomBoard;

TEST(PackedRowsTest, ThereAndBackAtEveryWidth) {
  std::mt19937_64 random(3);
  for (const std::uint32_t width :
       {1u, 7u, 8u, 9u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 200u}) {
    const life::Board board = RandomBoard(width, 5, 0.5, random);
    const std::string rows = PackRows(board);
    ASSERT_EQ(rows.size(), PackedBytes(width, 5));
    for (std::uint32_t x = 0; x < width; ++x)
      ASSERT_EQ(rows[2 * PackedRowBytes(width) + x / 8] >> (x % 8) & 1, board.Alive(x, 2));
    const auto back = UnpackRows(width, 5, rows);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, board);
  }
}

TEST(PackedRowsTest, PaddingBitsNameTheirRow) {
  EXPECT_EQ(UnpackRows(4, 3, std::string("\x0f\x0f\x10", 3)).error(), 2u);
}

TEST(PackedRowsTest, CropsAnywhere) {
  std::mt19937_64 random(4);
  const life::Board board = RandomBoard(300, 6, 0.5, random);
  for (const std::uint32_t x : {0u, 1u, 63u, 64u, 65u, 130u}) {
    for (const std::uint32_t width : {1u, 63u, 64u, 65u, 128u, 170u}) {
      const life::Board crop = Crop(board, {x, 2, width, 3});
      life::Board expected = life::Board::Empty(width, 3);
      for (std::uint32_t row = 0; row < 3; ++row) {
        for (std::uint32_t column = 0; column < width; ++column)
          expected.Set(column, row, board.Alive(x + column, row + 2));
      }
      EXPECT_EQ(crop, expected) << x << " " << width;
    }
  }
}

TEST(StepPlanTest, PaddedCellsCannotOverflow) {
  constexpr std::uint64_t kSide = 4'294'967'295;
  EXPECT_EQ(PaddedCells(65, 2), 256u);
  EXPECT_EQ(PaddedCells(kSide, kSide), (std::uint64_t{1} << 32) * kSide);
}

std::uint64_t PeakKilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss);
}

// Sizes in a request are claims: they are compared with the limit before anything is made of them.
TEST(StepPlanTest, ClaimsOfSizeAreRefusedWithMemoryFlat) {
  const std::uint64_t before = PeakKilobytes();
  const StepLimits limits{.max_step_cells = std::uint64_t{1} << 24, .max_reply_bytes = 4u << 20};
  const std::string digits(10u << 20, '7');
  for (const auto& [pattern, topology] :
       {std::pair<std::string, std::string>{"x = 4000000000, y = 4000000000\n4294967297o!", ""},
        {"x = 4000000000, y = 4000000000, rule = B3/S23:T4000000000,4000000000\no!", ""},
        {"x = 3, y = 3\n4000000000o!", "plane:auto"},
        {"o4000000000$4000000000bo!", "plane:auto"},
        {"o!", "torus:4294967295x4294967295"},
        {digits, ""},
        {"x = " + digits + ", y = 1\no!", ""}}) {
    v1::StepRequest request;
    request.set_pattern(pattern);
    request.set_topology(topology);
    EXPECT_FALSE(PlanOf(request, limits)) << pattern.substr(0, 40);
  }
  v1::StepRequest random;
  random.mutable_random()->set_density(0.5);
  random.set_topology("plane:4294967295x4294967295");
  EXPECT_FALSE(PlanOf(random, limits));
  // Texts of ten megabytes are held a few times; a board of the least of these claims would be 500 MB.
  EXPECT_LT(PeakKilobytes(), before + 256 * 1024);
}

class NoListener final : public kinds::Listener<kinds::LifeTask> {
 public:
  void OnTaskFinished(kinds::LifeTask& /*task*/, batching::Outcome /*outcome*/) override {}
};

std::uint64_t ChunkWork(std::uint32_t width, std::uint64_t generations,
                        const kinds::LifeChunk& chunk) {
  NoListener listener;
  std::vector<kinds::LifeRun> runs(1);
  runs[0].board = life::Board::Empty(width, width);
  runs[0].generations = generations;
  const kinds::LifeTask task(std::move(runs), chunk, {}, listener);
  return task.cost().work;
}

TEST(LifeTaskTest, ChunksStayWithinTheirBudget) {
  const kinds::LifeChunk chunk{.word_steps = 6400, .generations = 50};
  EXPECT_EQ(ChunkWork(64, 10, chunk), 640u);        // all of it
  EXPECT_EQ(ChunkWork(64, 1000, chunk), 64u * 50);  // by generations
  EXPECT_EQ(ChunkWork(64, ~std::uint64_t{0}, chunk), 64u * 50);
  EXPECT_EQ(ChunkWork(256, 1000, chunk), 1024u * 6);    // by words
  EXPECT_EQ(ChunkWork(1024, 1000, chunk), 16u * 1024);  // at least one generation
  EXPECT_EQ(ChunkWork(64, 0, chunk), 64u);              // a count is work too
}

}  // namespace
}  // namespace gpusim::server
