// Golly's bgolly as a foreign reader and writer: it must see the cells that we wrote, and we must
// see those that it wrote. Skipped where Golly is not installed.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"
#include "tests/unit/formats_testing.h"

namespace gpusim::formats {
namespace {

using life::Board;
using life::Topology;

std::string FindBgolly() {
  for (const char* path : {"/usr/bin/bgolly", "/usr/games/bgolly", "/usr/local/bin/bgolly"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

class Golly : public testing::Test {
 protected:
  void SetUp() override {
    bgolly_ = FindBgolly();
    if (bgolly_.empty()) GTEST_SKIP() << "bgolly (Debian's package golly) is not installed";
    std::string name = (std::filesystem::temp_directory_path() / "gpusim-golly-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // The RLE that bgolly writes after reading `path` and stepping; empty if it fails.
  std::string RunFile(const std::filesystem::path& path, int generations) {
    const std::filesystem::path out = folder_ / "out.rle";
    std::filesystem::remove(out);
    const std::string command = bgolly_ + " -a QuickLife -q -q -i 1 -m " +
                                std::to_string(generations) + " -o " + out.string() + " '" +
                                path.string() + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) != 0 || !std::filesystem::exists(out)) return "";
    return ReadFile(out);
  }
  std::string RunText(const std::string& text, const std::string& name, int generations) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return RunFile(folder_ / name, generations);
  }

  std::string bgolly_;
  std::filesystem::path folder_;
};

// The live cells from the corner of their box: bgolly's files have no position.
std::vector<CellRun> Shape(const Pattern& pattern) {
  const Box live = pattern.LiveBox();
  std::vector<CellRun> runs = pattern.runs;
  for (CellRun& run : runs) {
    run.x_begin -= live.x;
    run.x_end -= live.x;
    run.y -= live.y;
  }
  return runs;
}

Board Step(const Board& board, const life::Rule& rule) {
  Board next = Board::Empty(board.width, board.height);
  for (std::uint32_t y = 0; y < board.height; ++y) {
    for (std::uint32_t x = 0; x < board.width; ++x) {
      int neighbours = 0;
      for (const std::uint32_t dy : {board.height - 1, 0u, 1u}) {
        for (const std::uint32_t dx : {board.width - 1, 0u, 1u}) {
          if (dx == 0 && dy == 0) continue;
          neighbours += board.Alive((x + dx) % board.width, (y + dy) % board.height) ? 1 : 0;
        }
      }
      next.Set(x, y, (board.Alive(x, y) ? rule.survive : rule.birth) >> neighbours & 1);
    }
  }
  return next;
}

std::vector<CellRun> ShapeOf(const Board& board) {
  const auto text = WriteRle(board, WholeBoard(board), {.rule = life::kConway}, 1u << 24);
  return Shape(ReadRle(*text).value());
}

TEST_F(Golly, ReadsWhatWeWriteAndWeReadWhatItWrites) {
  for (const std::uint32_t size : {5u, 33u, 64u, 100u, 257u}) {
    for (const double density : {0.05, 0.4, 0.9}) {
      const Board board = RandomBoard(size, size + 3, density, size);
      const RleHeader header{.rule = life::kConway,
                             .grid = BoundedGrid{Topology::kTorus, size, size + 3},
                             .golly_position = Cell{-static_cast<std::int64_t>(size / 2),
                                                    -static_cast<std::int64_t>((size + 3) / 2)},
                             .generation = 0};
      const auto text = WriteRle(board, WholeBoard(board), header, 1u << 24);
      ASSERT_TRUE(text);
      const auto still = ReadPattern(RunText(*text, "in.rle", 0));
      ASSERT_TRUE(still) << still.error().Message();
      EXPECT_EQ(Shape(*still), ShapeOf(board));
      EXPECT_EQ(still->rule, life::kConway);
      EXPECT_EQ(still->grid, header.grid);
      // A step across the seam shows that it lay where we said.
      const auto stepped = ReadPattern(RunText(*text, "in.rle", 1));
      ASSERT_TRUE(stepped) << stepped.error().Message();
      EXPECT_EQ(Shape(*stepped), ShapeOf(Step(board, life::kConway)));
    }
  }
}

TEST_F(Golly, OurPatternFilesLookTheSame) {
  for (const char* name : {"glider.rle", "gosper_gun.rle", "die_hard.rle", "replicator.rle",
                           "torus_glider.rle", "lightweight_spaceship.lif", "pulsar.lif",
                           "glider_106.lif", "acorn.cells", "r_pentomino_crlf.cells"}) {
    const auto ours = ReadPattern(ReadFile(PatternPath(name)));
    ASSERT_TRUE(ours) << name << ": " << ours.error().Message();
    const auto golly = ReadPattern(RunFile(PatternPath(name), 0));
    ASSERT_TRUE(golly) << name << ": " << golly.error().Message();
    EXPECT_EQ(Shape(*ours), Shape(*golly)) << name;
    if (ours->rule) {
      EXPECT_EQ(ours->rule, golly->rule) << name;
    }
  }
}

// Golly's own collection: what we accept must be the cells that Golly sees, and what we refuse must
// be of a kind that is not served.
TEST_F(Golly, ItsCollectionLooksTheSame) {
  const std::filesystem::path collection = "/usr/share/golly/Patterns";
  if (!std::filesystem::exists(collection)) GTEST_SKIP() << "Golly's patterns are not installed";
  int same = 0;
  int refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(collection)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".rle" && path.extension() != ".lif") continue;
    if (entry.file_size() > 300'000) continue;
    const auto ours = ReadPattern(ReadFile(path));
    if (!ours) {
      ++refused;
      const std::string& rule = ours.error().rule;
      const bool known = rule.find("by name") != std::string::npos ||
                         rule.find("served") != std::string::npos ||
                         rule.find("list") != std::string::npos;
      EXPECT_TRUE(known) << path << ": " << ours.error().Message();
      continue;
    }
    const auto golly = ReadPattern(RunFile(path, 0));
    ASSERT_TRUE(golly) << path << ": " << golly.error().Message();
    EXPECT_EQ(Shape(*ours), Shape(*golly)) << path;
    ++same;
  }
  EXPECT_GT(same, 100);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace gpusim::formats
