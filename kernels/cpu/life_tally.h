// What is counted of a board: a sum over its rows, which may be taken in any order and in parts.
#pragma once

#include <cstdint>

#include "kernels/batches.h"
#include "kernels/life.h"
#include "kernels/rules/life_facts.h"

namespace gpusim::life {

struct Grid {
  std::uint32_t width;
  std::uint32_t height;
  Topology topology;
};

struct Tally {
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  Extent extent;
  std::uint64_t digest = 0;
  std::uint64_t shape_digest = 0;

  void Add(const Tally& part);
};

// Adds extent, digest and shape digest, those of them that are in `facts`, of the rows [begin, end) of the board.
void TallyRows(const std::uint64_t* cells, const Grid& grid, FactSet facts, std::uint32_t begin,
               std::uint32_t end, Tally& tally);

// Into row `row` of the facts: population, changes, and what else is in `facts`.
void WriteFacts(const Tally& tally, FactSet facts, const Facts::ViewType& rows, std::size_t row);

}  // namespace gpusim::life
