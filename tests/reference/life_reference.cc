#include "tests/reference/life_reference.h"

#include <utility>

namespace gpusim::reference {

LifeBoard::LifeBoard(int w, int h, bool is_torus, std::string b, std::string s)
    : width(w),
      height(h),
      torus(is_torus),
      birth(std::move(b)),
      survive(std::move(s)),
      cells(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}

void LifeBoard::Step() {
  LifeBoard next = *this;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int neighbours = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx == 0 && dy == 0) continue;
          int nx = x + dx;
          int ny = y + dy;
          if (torus) {
            nx = (nx + width) % width;
            ny = (ny + height) % height;
          } else if (nx < 0 || nx >= width || ny < 0 || ny >= height) {
            continue;
          }
          neighbours += At(nx, ny);
        }
      }
      const std::string& list = At(x, y) ? survive : birth;
      next.At(x, y) = list.find(static_cast<char>('0' + neighbours)) != std::string::npos;
    }
  }
  *this = next;
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
