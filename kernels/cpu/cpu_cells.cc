#include "kernels/cpu/cpu_cells.h"

#include <algorithm>
#include <exception>
#include <string>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/cpu/fork_join.h"
#include "kernels/cpu/life_fill.h"

namespace gpusim::life {
namespace {

// Rows of so many words together are filled by one thread: long enough that handing them out costs nothing.
constexpr std::uint64_t kWordsOfAPart = 4096;

}  // namespace

CpuCells::CpuCells(std::uint32_t width, std::uint32_t height, const Lanes& lanes,
                   tbb::task_arena& arena)
    : DeviceCells(0, width, height), lanes_(lanes), arena_(arena), memory_(words()) {}

DeviceResult<void> CpuCells::Read(const WordBlock& block, std::uint64_t* out) const {
  const std::uint64_t row_words = WordsPerRow(width());
  const std::uint64_t* from = data() + block.y * row_words + block.word;
  if (block.words == row_words) {
    std::copy_n(from, block.size(), out);
    return {};
  }
  for (std::uint32_t row = 0; row < block.rows; ++row, from += row_words)
    out = std::copy_n(from, block.words, out);
  return {};
}

DeviceResult<void> CpuCells::Write(const WordBlock& block, const std::uint64_t* in) {
  const std::uint64_t row_words = WordsPerRow(width());
  std::uint64_t* to = data() + block.y * row_words + block.word;
  if (block.words == row_words) {
    std::copy_n(in, block.size(), to);
    return {};
  }
  for (std::uint32_t row = 0; row < block.rows; ++row, to += row_words, in += block.words)
    std::copy_n(in, block.words, to);
  return {};
}

DeviceResult<void> CpuCells::Fill(std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
                                  std::uint64_t threshold) {
  const std::uint64_t row_words = WordsPerRow(width());
  const std::uint64_t rows_of_a_part = std::max<std::uint64_t>(1, kWordsOfAPart / row_words);
  try {
    ForkJoin loop;
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::uint64_t>(y, std::uint64_t{y} + rows, rows_of_a_part),
          [&](const auto& part) {
            loop.Run([&] {
              FillRows(lanes_, width(), static_cast<std::uint32_t>(part.begin()),
                       static_cast<std::uint32_t>(part.size()), seed, threshold,
                       data() + part.begin() * row_words);
            });
          });
    });
    loop.Join();
  } catch (const std::exception& error) {
    return tl::unexpected(DeviceFault{std::string("CPU backend: ") + error.what()});
  }
  return {};
}

}  // namespace gpusim::life
