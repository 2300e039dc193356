// The inner loops of a step, for each instruction set the processor may have.
//
// Every set is a translation unit of its own, compiled for that set, around one source (life_lanes_loops.h). Nothing of
// such a unit but its table of functions is seen by others, so that the linker never takes a copy of a shared inline
// function that some processor cannot run; a test looks at the symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpusim::life {

// What is counted while rows are copied out.
enum class Count : std::uint8_t { kNothing, kPopulation, kChanges };  // kChanges: and population

struct LaneCounts {
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
};

// Rows of words, `stride` words from row to row.
struct LaneRows {
  const std::uint64_t* from;
  std::uint64_t* to;
  std::size_t stride;
  std::uint32_t words;
  std::uint32_t rows;
};

struct LaneCopy {
  const std::uint64_t* now;
  const std::uint64_t*
      before;          // the generation before, in the same place; of Count::kChanges alone
  std::size_t stride;  // of both
  std::uint64_t* out;
  std::size_t out_stride;
  std::uint32_t words;
  std::uint32_t rows;
  std::uint64_t last_mask;  // cells of a row's last word
  Count count;
};

struct Lanes {
  const char* name;
  std::uint32_t words;  // in a vector

  // The next generation of `words` words of each row. Reads a row and a word more on every side. Writes the words up to
  // the next multiple of a vector where `words` is less than one vector, else no more than asked for.
  void (*step)(const LaneRows& rows, std::uint32_t rule_masks);

  // The same of rows of one word, which lie behind one another, for a board `width` wide at most 64. Padding bits are
  // 0 and become 0. Writes up to a vector more of rows.
  void (*step_narrow)(const std::uint64_t* from, std::uint64_t* to, std::uint32_t rows,
                      std::uint32_t width, bool torus, std::uint32_t rule_masks);

  // Copies rows, their last words masked, and counts.
  LaneCounts (*copy)(const LaneCopy& copy);

  // Cells [64 first, 64 (first + words)) of the stream of random cells of kernels/rules/life_random.h, as if on a board
  // without rows.
  void (*random)(std::uint64_t seed, std::uint64_t threshold, std::uint64_t first,
                 std::uint64_t words, std::uint64_t* out);
};

// The widest set that this processor has. Thread-safe.
const Lanes& BestLanes();

// All sets that this processor has, the widest last.
std::vector<const Lanes*> AvailableLanes();

}  // namespace gpusim::life
