#include "tests/reference/life_reference.h"

#include <utility>

#include "tests/reference/philox.h"

namespace gpusim::reference {
namespace {

// A step of the SplitMix64 generator from the state that is `number` steps after 0, with the word's bits flipped in.
std::uint64_t MixWord(std::uint64_t number, std::uint64_t word) {
  const std::uint64_t golden = 11400714819323198485u;  // 2^64 divided by the golden ratio
  std::uint64_t z = golden * number + golden;
  z ^= word;
  z ^= z >> 30;
  z *= 13787848793156543929u;
  z ^= z >> 27;
  z *= 10723151780598845931u;
  z ^= z >> 31;
  return z;
}

std::uint64_t DigestOf(const LifeBoard& board) {
  std::uint64_t sum = 0, number = 0;
  for (int y = 0; y < board.height; ++y) {
    for (int begin = 0; begin < board.width; begin += 64, ++number) {
      std::uint64_t word = 0;
      for (int x = begin; x < begin + 64 && x < board.width; ++x)
        if (board.At(x, y)) word += std::uint64_t{1} << (x - begin);
      sum += MixWord(number, word);
    }
  }
  return sum;
}

std::uint64_t ShapeDigestOf(const LifeBoard& board) {
  std::uint64_t sum = 0;
  for (int y = 0; y < board.height; ++y) {
    for (int x = 0; x < board.width; ++x) {
      if (!board.At(x, y)) continue;
      std::uint64_t around = 0;
      for (int i = 0; i < 25; ++i)
        if (board.Beyond(x + i % 5 - 2, y + i / 5 - 2)) around += std::uint64_t{1} << i;
      sum += MixWord(0, around);
    }
  }
  return sum;
}

void FindBox(const LifeBoard& board, LifeFacts& facts) {
  int left = board.width, top = board.height, right = -1, bottom = -1;
  for (int y = 0; y < board.height; ++y) {
    for (int x = 0; x < board.width; ++x) {
      if (!board.At(x, y)) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  if (right < 0) return;
  facts.left = static_cast<std::uint32_t>(left);
  facts.top = static_cast<std::uint32_t>(top);
  facts.width = static_cast<std::uint32_t>(right - left + 1);
  facts.height = static_cast<std::uint32_t>(bottom - top + 1);
}

}  // namespace

LifeBoard::LifeBoard(int w, int h, bool is_torus, std::string b, std::string s)
    : width(w),
      height(h),
      torus(is_torus),
      birth(std::move(b)),
      survive(std::move(s)),
      cells(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}

std::uint8_t LifeBoard::Beyond(int x, int y) const {
  const bool outside = x < 0 || x >= width || y < 0 || y >= height;
  if (!outside) return At(x, y);
  if (!torus) return 0;
  return At((x % width + width) % width, (y % height + height) % height);
}

// The cells with a frame of one more on every side, so that the eight neighbours can simply be added.
void LifeBoard::Step() {
  const std::size_t stride = static_cast<std::size_t>(width) + 2;
  std::vector<std::uint8_t> framed;
  framed.reserve(stride * (static_cast<std::size_t>(height) + 2));
  for (int y = -1; y <= height; ++y)
    for (int x = -1; x <= width; ++x) framed.push_back(Beyond(x, y));

  bool lives[2][9] = {};
  for (const char digit : birth) lives[0][digit - '0'] = true;
  for (const char digit : survive) lives[1][digit - '0'] = true;
  const std::uint8_t* cell = framed.data() + stride + 1;
  for (int y = 0; y < height; ++y, cell += 2) {
    for (int x = 0; x < width; ++x, ++cell) {
      const std::uint8_t* above = cell - stride;
      const std::uint8_t* below = cell + stride;
      const int neighbours =
          above[-1] + above[0] + above[1] + cell[-1] + cell[1] + below[-1] + below[0] + below[1];
      At(x, y) = lives[*cell][neighbours];
    }
  }
}

LifeFacts FactsOf(const LifeBoard& board, const LifeBoard& before) {
  LifeFacts facts;
  for (std::size_t i = 0; i < board.cells.size(); ++i) {
    if (board.cells[i]) ++facts.population;
    if (board.cells[i] && !before.cells[i]) ++facts.births;
    if (!board.cells[i] && before.cells[i]) ++facts.deaths;
  }
  FindBox(board, facts);
  facts.digest = DigestOf(board);
  facts.shape_digest = ShapeDigestOf(board);
  return facts;
}

void FillAtRandom(LifeBoard& board, std::uint64_t seed, std::uint64_t threshold) {
  for (std::uint64_t i = 0; i < board.cells.size(); ++i)
    board.cells[i] = Philox(seed, 0, i / 4)[i % 4] < threshold;
}

std::uint64_t HashCells(const LifeBoard& board) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < board.cells.size(); i += 8) {
    std::uint64_t byte = 0;
    for (std::size_t bit = 0; bit < 8 && i + bit < board.cells.size(); ++bit)
      if (board.cells[i + bit]) byte += 1u << bit;
    hash ^= byte;
    hash *= 1099511628211u;
  }
  return hash;
}

}  // namespace gpusim::reference
