// What the tests of the text formats share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/formats/board_region.h"
#include "kernels/formats/pattern.h"
#include "kernels/formats/placement.h"
#include "kernels/life.h"

namespace gpusim::formats {

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::filesystem::path PatternPath(const std::string& name) {
#ifdef GPUSIM_TEST_DATA
  return std::filesystem::path(GPUSIM_TEST_DATA) / "patterns" / name;
#else
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "data" / "patterns" / name;
#endif
}

inline life::Board RandomBoard(std::uint32_t width, std::uint32_t height, double density,
                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution alive(density);
  life::Board board = life::Board::Empty(width, height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) board.Set(x, y, alive(random));
  }
  return board;
}

// One row of '.' and 'O' per line.
inline std::string Draw(const life::Board& board) {
  std::string text;
  for (std::uint32_t y = 0; y < board.height; ++y) {
    for (std::uint32_t x = 0; x < board.width; ++x) text += board.Alive(x, y) ? 'O' : '.';
    text += '\n';
  }
  return text;
}

// The box of the pattern, drawn.
inline std::string Draw(const Pattern& pattern) {
  if (pattern.box.Empty()) return "";
  life::Board board = life::Board::Empty(static_cast<std::uint32_t>(pattern.box.width),
                                         static_cast<std::uint32_t>(pattern.box.height));
  const auto placed = Place(pattern, life::Topology::kPlane, {0, 0}, "pattern", board);
  return placed ? Draw(board) : placed.error().rule;
}

// Invariants R and B of a pattern.
inline bool InvariantsHold(const Pattern& pattern) {
  const Box& box = pattern.box;
  if (box.width < 0 || box.height < 0 || box.width > kMaxExtent || box.height > kMaxExtent) {
    return false;
  }
  const CellRun* last = nullptr;
  for (const CellRun& run : pattern.runs) {
    if (run.x_begin >= run.x_end || run.x_begin < box.x || run.x_end > box.x + box.width ||
        run.y < box.y || run.y >= box.y + box.height) {
      return false;
    }
    if (last != nullptr && (run.y < last->y || (run.y == last->y && run.x_begin <= last->x_end))) {
      return false;
    }
    last = &run;
  }
  return true;
}

}  // namespace gpusim::formats
