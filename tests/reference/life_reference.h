// The Game of Life once more, slow and obvious: one byte a cell, neighbours counted one by one,
// literal on boards of any size. Shares no code with the engines; tests compare the two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gpusim::reference {

struct LifeBoard {
  int width = 0;
  int height = 0;
  bool torus = true;
  std::string birth = "3";     // digits, as in B3
  std::string survive = "23";  // as in S23
  std::vector<std::uint8_t> cells;

  LifeBoard(int w, int h, bool is_torus, std::string b = "3", std::string s = "23");
  std::uint8_t& At(int x, int y) { return cells[Index(x, y)]; }
  std::uint8_t At(int x, int y) const { return cells[Index(x, y)]; }
  // The cell that (x, y) names if it lies outside: on a torus one of the board's, on a plane a dead one.
  std::uint8_t Beyond(int x, int y) const;
  void Step();

 private:
  std::size_t Index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(x);
  }
};

// What is told of a board, cell by cell from the definitions.
struct LifeFacts {
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::uint32_t left = 0, top = 0, width = 0, height = 0;
  std::uint64_t digest = 0;
  std::uint64_t shape_digest = 0;

  friend bool operator==(const LifeFacts&, const LifeFacts&) = default;
};

// `before` is the generation before; the board itself where there was none.
LifeFacts FactsOf(const LifeBoard& board, const LifeBoard& before);

// The board's cells from the words of Philox subsequence 0.
void FillAtRandom(LifeBoard& board, std::uint64_t seed, std::uint64_t threshold);

// FNV-1a over the cells packed eight to a byte, one byte at a time.
std::uint64_t HashCells(const LifeBoard& board);

}  // namespace gpusim::reference
