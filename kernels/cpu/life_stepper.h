// Generations of one board on the CPU, 64 cells a word.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/life.h"

namespace gpusim::life {

struct Grid {
  std::uint32_t width;
  std::uint32_t height;
  Topology topology;
};

// Sums of three neighbouring rows, kept while a band of rows is stepped; sized by the widest board
// so far. One a thread.
class RowSums {
 public:
  void Resize(std::uint32_t words);
  std::uint64_t* ones(std::uint32_t row) { return ones_.data() + (row % 3) * words_; }
  std::uint64_t* twos(std::uint32_t row) { return twos_.data() + (row % 3) * words_; }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> ones_;
  std::vector<std::uint64_t> twos_;
};

// Next generation of rows [begin, end) of the board into the same rows of `next`. `cells` and
// `next` do not overlap; padding bits of `cells` are 0 and of `next` become 0. Different bands may
// be stepped at the same time.
void StepRows(const std::uint64_t* cells, std::uint64_t* next, Grid grid, std::uint32_t rule_masks,
              std::uint32_t begin, std::uint32_t end, RowSums& sums);

}  // namespace gpusim::life
