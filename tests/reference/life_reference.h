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
  std::uint8_t& At(int x, int y) {
    return cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }
  std::uint8_t At(int x, int y) const {
    return cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                 static_cast<std::size_t>(x)];
  }
  void Step();
};

// FNV-1a over the cells packed eight to a byte, one byte at a time.
std::uint64_t HashCells(const LifeBoard& board);

}  // namespace gpusim::reference
