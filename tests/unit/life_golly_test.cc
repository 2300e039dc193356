// A large soup against Golly's bgolly, an engine that shares nothing with ours. Skipped where Golly is not installed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rle.h"
#include "tests/testing/life_cases.h"

namespace gpusim {
namespace {

constexpr std::uint32_t kSide = 4096;
constexpr std::uint32_t kGenerations = 100;
const char* const kProgram = "/usr/bin/bgolly";

// The live cells from the corner of their box: bgolly's files have no position.
std::vector<formats::CellRun> Shape(const formats::Pattern& pattern) {
  const formats::Box live = pattern.LiveBox();
  std::vector<formats::CellRun> runs = pattern.runs;
  for (formats::CellRun& run : runs) {
    run.x_begin -= live.x;
    run.x_end -= live.x;
    run.y -= live.y;
  }
  return runs;
}

std::string Rle(const life::Board& board, life::Rule rule, life::Topology topology) {
  const formats::RleHeader header{.rule = rule,
                                  .grid = formats::BoundedGrid{topology, board.width, board.height},
                                  .golly_position = formats::Cell{-std::int64_t{board.width / 2},
                                                                  -std::int64_t{board.height / 2}},
                                  .generation = 0};
  return formats::WriteRle(board, formats::WholeBoard(board), header, std::size_t{1} << 27).value();
}

std::string StepByGolly(const std::string& rle) {
  std::string folder = (std::filesystem::temp_directory_path() / "gpusim-life-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return "";
  std::ofstream(folder + "/in.rle", std::ios::binary) << rle;
  const std::string generations = std::to_string(kGenerations);
  const std::string command = std::string(kProgram) + " -a QuickLife -q -q -i " + generations +
                              " -m " + generations + " -o " + folder + "/out.rle " + folder +
                              "/in.rle >/dev/null 2>&1";
  std::stringstream text;
  if (std::system(command.c_str()) == 0) text << std::ifstream(folder + "/out.rle").rdbuf();
  std::filesystem::remove_all(folder);
  return text.str();
}

class LifeLikeGolly : public ::testing::TestWithParam<std::pair<const char*, life::Topology>> {};

TEST_P(LifeLikeGolly, LargeSoup) {
  if (!std::filesystem::exists(kProgram))
    GTEST_SKIP() << "bgolly (Debian's package golly) is not installed";
  const auto& [rule_name, topology] = GetParam();
  const life::Rule rule = testing::PlainRule(rule_name);
  std::mt19937_64 random(1970);
  const life::Board soup = testing::RandomBoard(kSide, kSide, 0.35, random);

  const auto backend = MakeCpuBackend(0);
  const auto slot = backend->MakeSlot(
      0, {.life_boards = 1, .life_words = soup.words.size(), .life_facts = 1}, {});
  const auto ours = testing::StepOnSlot(**slot, {{soup, rule, topology, kGenerations}}).front();

  const auto theirs = formats::ReadPattern(StepByGolly(Rle(soup, rule, topology)));
  ASSERT_TRUE(theirs) << theirs.error().Message();
  const auto ours_read = formats::ReadPattern(Rle(ours.board, rule, topology));
  ASSERT_TRUE(ours_read);
  EXPECT_GT(ours.population, 100'000u);
  EXPECT_TRUE(Shape(*theirs) == Shape(*ours_read));
}

INSTANTIATE_TEST_SUITE_P(Soups, LifeLikeGolly,
                         ::testing::Values(std::pair{"B3/S23", life::Topology::kTorus},
                                           std::pair{"B36/S23", life::Topology::kTorus},
                                           std::pair{"B3/S23", life::Topology::kPlane}),
                         [](const auto& soup) {
                           return std::string(soup.param.first == std::string("B3/S23")
                                                  ? "Conway"
                                                  : "HighLife") +
                                  (soup.param.second == life::Topology::kTorus ? "Torus" : "Plane");
                         });

}  // namespace
}  // namespace gpusim
