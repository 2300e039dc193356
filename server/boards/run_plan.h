// How many generations a chunk of a run makes, and which of them are told of.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/batches.h"
#include "server/boards/board_types.h"
#include "server/kinds/resident_kind.h"

namespace gpusim::boards {

// What a run looks at on its way.
struct RunPace {
  std::uint64_t words = 1;  // of the board
  std::uint64_t every = 0;  // a row of `row_facts` every so many generations of the run; 0: none
  life::FactSet row_facts = 0;   // of these rows
  life::FactSet last_facts = 0;  // of the last generation of a chunk, always
  bool watch = false;            // every generation is looked at, by `watch_facts`
  life::FactSet watch_facts = 0;
};

// A chunk of the numbers of ResidentStep.
struct RunChunk {
  std::uint32_t generations = 0;
  std::uint32_t facts_every = 0;
  life::FactSet facts = 0;
  std::uint64_t cost = 0;  // in word-steps
};

// Of the chunk that begins `done` generations after the run did, `left` before its target; left > 0. At least one
// generation, else within `limit`. Rows of `every` come out where they belong: a chunk either ends at the next one, or before it, or
// begins at one.
RunChunk NextRunChunk(const RunPace& pace, std::uint64_t done, std::uint64_t left,
                      const kinds::ResidentChunk& limit);

// Row `row` of such a chunk is about this many generations after its start.
std::uint64_t RowGeneration(std::uint32_t generations, std::uint32_t facts_every, std::size_t row);

// The facts of a row; what is not in `set` is 0.
BoardFacts FactsOf(const life::Facts& facts, std::size_t row, life::FactSet set,
                   std::uint64_t generation);

}  // namespace gpusim::boards
