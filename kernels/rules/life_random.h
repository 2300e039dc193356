// Random boards: which word of which stream decides about a cell, for host and device.
//
// Cell i = y * width + x lives iff word i of the stream is below the threshold. The stream is subsequence 0 of
// Philox4x32-10 under the seed: word i is component i % 4 of the block with the counter (i / 4 lo, i / 4 hi, 0, 0) and
// the key (seed lo, seed hi). So any cell can be made alone, and every backend makes the same board.
#pragma once

#include <cstdint>

#include "kernels/rules/host_device.h"

namespace gpusim::life {

inline constexpr std::uint64_t kCertain = std::uint64_t{1}
                                          << 32;  // the threshold at which all cells live

// Precondition: 0 <= density <= 1.
constexpr std::uint64_t ThresholdOf(double density) {
  return static_cast<std::uint64_t>(density * static_cast<double>(kCertain));
}

GPUSIM_HOST_DEVICE constexpr std::uint64_t BlockOfCell(std::uint64_t cell) { return cell / 4; }

// Cells [first, first + count) as the low bits of a word, count at most 64. `block_of(b)` gives the four words of
// block b, found by [].
template <class BlockOf>
GPUSIM_HOST_DEVICE constexpr std::uint64_t RandomCells(std::uint64_t first, std::uint32_t count,
                                                       std::uint64_t threshold,
                                                       BlockOf&& block_of) {
  std::uint64_t cells = 0;
  for (std::uint32_t i = 0; i < count;) {
    const auto words = block_of(BlockOfCell(first + i));
    for (std::uint32_t k = (first + i) % 4; k < 4 && i < count; ++k, ++i)
      cells |= std::uint64_t{words[k] < threshold} << i;
  }
  return cells;
}

}  // namespace gpusim::life
