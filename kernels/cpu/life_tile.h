// Several generations of a part of a board, in memory that stays in a core's own cache.
//
// A pass takes a board n generations on. It cuts the board into tiles, which any threads may step in any order: each copies
// its cells with a margin as wide as what they can see in n generations, steps the copy to and fro between two
// buffers while the margin shrinks, and copies the tile out, once a pass:
//
//      from                     a thread's buffers                          to
//   +---------+          . . . . . . . .
//   | +- - -+ |          .  margin     .   n rows above and below, and a word (64 cells) left and right, where the
//   | :     : |   copy   .  +------+   .   tile ends before the board does
//   | +- - -+ |  ----->  .  | tile |   .            copy +---------+
//   |         |          .  +------+   .          -----> | +-----+ |
//   +---------+          . . . . . . . .                 | +-----+ |
//
// A margin is cut off at a plane's border, and goes on at the other side of a torus, however often. Where a tile spans the
// board there is no margin that way: a torus's ends are joined anew each generation. So a board that is one tile
// may run any number of generations in one pass.
//
// A row in a buffer, of `words` words, the left margin first:
//
//   | .. | before | word 0 | word 1 | ... | last | after | ..
//
// `before` and `after` lend their nearest bit to the step. Where the tile spans the board they are what the topology says; at a
// margin's end they are garbage, which comes in one cell a generation and never gets through the margin's 64.
// In a last word that is not full the bits beyond are the torus's first cells, or 0 on a plane. Rows of a board of one word need
// none of this: they lie word behind word, and the step knows the width.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/life_lanes.h"
#include "kernels/cpu/life_tally.h"
#include "kernels/life.h"
#include "kernels/race/huge_array.h"

namespace gpusim::life {

// Words [word, word + words) of the rows [y, y + rows).
struct Tile {
  std::uint32_t y;
  std::uint32_t rows;
  std::uint32_t word;
  std::uint32_t words;
};

// How passes cut a board.
struct PassShape {
  std::uint32_t tile_rows;
  std::uint32_t tile_words;
  std::uint32_t generations;  // at most so many a pass

  std::uint32_t TilesDown(const Grid& grid) const;
  std::uint32_t TilesAcross(const Grid& grid) const;
  // Tile number i of TilesDown * TilesAcross.
  Tile TileAt(const Grid& grid, std::uint64_t i) const;
};

// The shape for so many threads.
PassShape ShapeOf(const Grid& grid, int threads);

// Words that a buffer needs for the largest tile of the shape.
std::size_t BufferWords(const Grid& grid, const PassShape& shape);

// A thread's two buffers.
class TileBuffers {
 public:
  // Throws std::bad_alloc. Room for every tile of ShapeOf.
  TileBuffers();
  // The same of any shape, for tests.
  explicit TileBuffers(std::size_t buffer_words);

  std::uint64_t* buffer(int i) { return memory_.data() + static_cast<std::size_t>(i) * words_; }

 private:
  std::size_t words_;
  HugeArray<std::uint64_t> memory_;
};

struct Pass {
  const Lanes* lanes;
  const std::uint64_t* from;  // the whole board
  std::uint64_t* to;
  Grid grid;
  std::uint32_t rule_masks;
  // At least 1; where a tile does not span the board's width, of three words or more, at most 64.
  std::uint32_t generations;
  Count count;
};

// Takes the tile through the pass and adds what is counted of it at its end.
void StepTile(const Pass& pass, const Tile& tile, TileBuffers& buffers, Tally& tally);

}  // namespace gpusim::life
