// Game of Life: what a board is, and the columns in which boards travel to a backend and back.
//
// Coordinates: x to the right, y down, both from 0. A cell is one bit, 1 is alive.
//
// A board's rows are padded to whole 64-bit words, the lowest bit is the leftmost cell, and the
// padding bits are always 0 (invariant P). 70 x 2 cells, words as they lie in memory:
//
//   word 0: x 0..63 of row 0 | word 1: x 64..69 of row 0, 58 zero bits | word 2: x 0..63 of row 1 |
//   word 3 ...
//
// The words are little-endian, so a device may read them as twice as many 32-bit words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gpusim::life {

// An outer-totalistic rule: bit n of `birth` says that a dead cell with n live neighbours comes to
// life, bit n of `survive` that a live one stays. n runs from 0 to 8; all 262,144 pairs are legal,
// B0 is taken literally.
struct Rule {
  std::uint16_t birth = 0;
  std::uint16_t survive = 0;

  friend constexpr bool operator==(const Rule&, const Rule&) = default;
};

inline constexpr Rule kConway{1u << 3, 1u << 2 | 1u << 3};

enum class Topology : std::uint8_t {
  kPlane = 0,  // everything outside the board is dead, for ever
  kTorus =
      1,  // opposite edges touch; narrower than 3, a neighbour counts as often as it is reached
};

inline constexpr std::uint32_t kCellsPerWord = 64;

constexpr std::uint64_t WordsPerRow(std::uint64_t width) {
  return (width + kCellsPerWord - 1) / kCellsPerWord;
}

// A board in host memory. Invariant P above holds; width and height are at least 1.
struct Board {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint64_t> words;  // height * WordsPerRow(width), row after row

  static Board Empty(std::uint32_t width, std::uint32_t height) {
    return {width, height, std::vector<std::uint64_t>(WordsPerRow(width) * height)};
  }
  bool Alive(std::uint32_t x, std::uint32_t y) const {
    return words[y * WordsPerRow(width) + x / kCellsPerWord] >> (x % kCellsPerWord) & 1;
  }
  void Set(std::uint32_t x, std::uint32_t y, bool alive) {
    std::uint64_t& word = words[y * WordsPerRow(width) + x / kCellsPerWord];
    const std::uint64_t bit = std::uint64_t{1} << (x % kCellsPerWord);
    word = alive ? word | bit : word & ~bit;
  }
  friend bool operator==(const Board&, const Board&) = default;
};

// Live cells of the board.
std::uint64_t Population(const Board& board);

// FNV-1a, 64 bit, over the row-major cells packed eight to a byte, least significant bit first,
// rows not padded (cell index = y * width + x). A serial chain: made on the host, about 0.5 ns a
// cell. For a board that comes in pieces; used by one thread at a time.
class Hasher {
 public:
  explicit Hasher(std::uint32_t width) : width_(width) {}

  // The next rows, whole, from top to bottom, with invariant P.
  void AddRows(std::span<const std::uint64_t> words);
  // Of the rows so far.
  std::uint64_t Result() const;

 private:
  void Add(std::uint64_t cells, std::uint32_t count);

  const std::uint32_t width_;
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::uint64_t waiting_ = 0;  // cells that are no whole byte yet, below `waiting_count_`
  std::uint32_t waiting_count_ = 0;
};

std::uint64_t Hash(const Board& board);

}  // namespace gpusim::life
