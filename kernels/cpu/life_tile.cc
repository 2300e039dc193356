#include "kernels/cpu/life_tile.h"

#include <algorithm>
#include <utility>

#include "kernels/rules/life_step.h"

namespace gpusim::life {
namespace {

// Two buffers of so many words, 512 KiB together, leave room in a second-level cache of a MiB, and do no harm in a smaller one.
constexpr std::uint32_t kBufferWords = 32768;
// Before the first row: `before` and a row of its own. Behind the last: what vectors write too much.
constexpr std::size_t kAlignmentWords = 8;
// From this width on, tiles are cut across too, so that they are high enough for their margins not to count.
constexpr std::uint32_t kWidestTileWords = 192;
constexpr std::uint32_t kCutTileWords = 126;
constexpr std::uint32_t kMostGenerationsOfAPass = 16;
constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

std::size_t RoundUp(std::size_t words) {
  return (words + kAlignmentWords - 1) / kAlignmentWords * kAlignmentWords;
}

// No vector writes into the word `before` of the row below.
std::size_t StrideOf(std::uint32_t words, bool narrow) {
  return narrow ? 1 : RoundUp(std::max<std::size_t>(words, kAlignmentWords) + 2);
}

std::size_t WordsOf(std::size_t stride, std::size_t rows) {
  return RoundUp(stride) + kAlignmentWords + (rows + 1) * stride + 2 * kAlignmentWords;
}

class TileRun {
 public:
  TileRun(const Pass& pass, const Tile& tile, TileBuffers& buffers)
      : pass_(pass),
        tile_(tile),
        board_words_(static_cast<std::uint32_t>(WordsPerRow(pass.grid.width))),
        torus_(pass.grid.topology == Topology::kTorus),
        narrow_(board_words_ == 1),
        spans_width_(tile.words == board_words_),
        spans_height_(tile.rows == pass.grid.height),
        edges_(EdgesOf(pass.grid.width, pass.grid.topology)) {
    if (!spans_width_) {
      left_ = torus_ || tile.word > 0 ? 1 : 0;
      right_ = torus_ || tile.word + tile.words < board_words_ ? 1 : 0;
    }
    if (!spans_height_) {
      const std::uint32_t below = pass.grid.height - tile.y - tile.rows;
      top_ = torus_ ? pass.generations : std::min(pass.generations, tile.y);
      bottom_ = torus_ ? pass.generations : std::min(pass.generations, below);
    }
    words_ = left_ + tile.words + right_;
    rows_ = top_ + tile.rows + bottom_;
    stride_ = StrideOf(words_, narrow_);
    for (int i = 0; i < 2; ++i) row_0_[i] = buffers.buffer(i) + RoundUp(stride_) + kAlignmentWords;
  }

  LaneCounts Run() {
    Load();
    for (std::uint32_t left = pass_.generations; left > 0; --left) {
      Step(left - 1);
      std::swap(row_0_[0], row_0_[1]);
    }
    const std::size_t first = top_ * stride_ + left_;
    const bool has_last = tile_.word + tile_.words == board_words_;
    return pass_.lanes->copy({row_0_[0] + first, row_0_[1] + first, stride_,
                              pass_.to + std::size_t{tile_.y} * board_words_ + tile_.word,
                              board_words_, tile_.words, tile_.rows,
                              has_last ? LastWordMask(edges_) : ~std::uint64_t{0}, pass_.count});
  }

 private:
  std::uint64_t* Row(int buffer, std::uint32_t row) { return row_0_[buffer] + row * stride_; }

  void Load() {
    // The words before and after, and the rows above and below, are 0 at a plane's border in both buffers.
    for (int buffer = 0; buffer < 2; ++buffer)
      std::fill_n(Row(buffer, 0) - stride_ - 1, stride_ + 1, 0);
    std::uint64_t y = tile_.y;
    y += top_ <= y ? 0 : (top_ - y + pass_.grid.height - 1) / pass_.grid.height * pass_.grid.height;
    y -= top_;
    for (std::uint32_t row = 0; row < rows_; ++row) {
      LoadRow(pass_.from + y * board_words_, Row(0, row));
      if (!narrow_) Row(1, row)[-1] = Row(1, row)[words_] = 0;
      if (++y == pass_.grid.height) y = 0;
    }
    Join(0, 0, rows_);
  }

  void LoadRow(const std::uint64_t* row, std::uint64_t* out) {
    if (!narrow_) out[-1] = out[words_] = 0;
    if (left_ != 0)
      out[0] = tile_.word > 0
                   ? row[tile_.word - 1]
                   : row[board_words_ - 1] << (64 - edges_.last_bits) |
                         (edges_.last_bits < 64 ? row[board_words_ - 2] >> edges_.last_bits : 0);
    std::copy_n(row + tile_.word, tile_.words, out + left_);
    if (spans_width_ || !torus_) {
      if (right_ != 0) out[words_ - 1] = row[tile_.word + tile_.words];
      return;
    }
    // A torus's last word, here or as the margin, goes on with its first cells.
    const bool has_last = tile_.word + tile_.words == board_words_;
    if (has_last) {
      out[words_ - 2] |= row[0] << 1 << (edges_.last_bits - 1);
      out[words_ - 1] = edges_.last_bits == 64
                            ? row[0]
                            : row[0] >> (64 - edges_.last_bits) | row[1] << edges_.last_bits;
      return;
    }
    out[words_ - 1] = row[tile_.word + tile_.words];
    if (tile_.word + tile_.words + 1 == board_words_)
      out[words_ - 1] |= row[0] << 1 << (edges_.last_bits - 1);
  }

  // From buffer 0 to 1 the rows that are still needed when `left` more generations follow.
  void Step(std::uint32_t left) {
    const std::uint32_t begin = top_ > left ? top_ - left : 0;
    const std::uint32_t end = bottom_ > left ? rows_ - (bottom_ - left) : rows_;
    if (narrow_) {
      pass_.lanes->step_narrow(Row(0, begin), Row(1, begin), end - begin, pass_.grid.width, torus_,
                               pass_.rule_masks);
    } else {
      pass_.lanes->step({Row(0, begin), Row(1, begin), stride_, words_, end - begin},
                        pass_.rule_masks);
    }
    Join(1, begin, end);
  }

  // Makes the buffer's rows [begin, end) end as the topology says, and, where the tile spans the board's height, the rows
  // above and below.
  void Join(int buffer, std::uint32_t begin, std::uint32_t end) {
    if (!narrow_ && torus_ && spans_width_) JoinTorusRows(Row(buffer, begin), end - begin);
    if (!narrow_ && !torus_ && tile_.word + tile_.words + right_ == board_words_)
      EndPlaneRows(Row(buffer, begin), end - begin);
    const std::size_t before = narrow_ ? 0 : 1;
    const std::size_t words = words_ + 2 * before;
    if (torus_ && spans_height_) {
      std::copy_n(Row(buffer, rows_ - 1) - before, words, Row(buffer, 0) - stride_ - before);
      std::copy_n(Row(buffer, 0) - before, words, Row(buffer, rows_) - before);
    } else if (end == rows_) {
      std::fill_n(Row(buffer, rows_) - before, words, 0);
    }
  }

  void JoinTorusRows(std::uint64_t* row, std::uint32_t rows) const {
    const std::uint64_t mask = LastWordMask(edges_);
    for (std::uint32_t y = 0; y < rows; ++y, row += stride_) {
      const std::uint64_t first = row[0];
      const std::uint64_t last = row[words_ - 1] & mask;
      row[-1] = last << (64 - edges_.last_bits);
      row[words_ - 1] = last | first << 1 << (edges_.last_bits - 1);
      row[words_] = first;
    }
  }

  void EndPlaneRows(std::uint64_t* row, std::uint32_t rows) const {
    const std::uint64_t mask = LastWordMask(edges_);
    for (std::uint32_t y = 0; y < rows; ++y, row += stride_) {
      row[words_ - 1] &= mask;
      row[words_] = 0;
    }
  }

  const Pass& pass_;
  const Tile& tile_;
  std::uint32_t board_words_;
  bool torus_, narrow_, spans_width_, spans_height_;
  RowEdges edges_;
  std::uint32_t left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;  // of the margin, in words and rows
  std::uint32_t words_, rows_;                                 // with the margin
  std::size_t stride_;
  std::uint64_t* row_0_[2];  // of the generation that is there, and of the other one
};

}  // namespace

std::uint32_t PassShape::TilesDown(const Grid& grid) const {
  return (grid.height - 1) / tile_rows + 1;
}
std::uint32_t PassShape::TilesAcross(const Grid& grid) const {
  return static_cast<std::uint32_t>((WordsPerRow(grid.width) - 1) / tile_words + 1);
}

Tile PassShape::TileAt(const Grid& grid, std::uint64_t i) const {
  const std::uint32_t across = TilesAcross(grid);
  const auto y = static_cast<std::uint32_t>(i / across * tile_rows);
  const auto word = static_cast<std::uint32_t>(i % across * tile_words);
  return {y, std::min(tile_rows, grid.height - y), word,
          std::min(tile_words, static_cast<std::uint32_t>(WordsPerRow(grid.width)) - word)};
}

PassShape ShapeOf(const Grid& grid, int threads) {
  const auto words = static_cast<std::uint32_t>(WordsPerRow(grid.width));
  if (BufferWords(grid, {grid.height, words, 0}) <= kBufferWords)
    return {grid.height, words, kUnlimited};
  // Equal tiles; of those that fit no larger than gives every thread two.
  const bool cut = words > kWidestTileWords;
  const std::uint32_t across = cut ? (words - 1) / kCutTileWords + 1 : 1;
  const std::uint32_t tile_words = (words - 1) / across + 1;
  const std::size_t stride = StrideOf(tile_words + (cut ? 2 : 0), words == 1);
  const auto rows_that_fit =
      static_cast<std::uint32_t>((kBufferWords - WordsOf(stride, 0)) / stride);
  const auto tiles = 2 * static_cast<std::uint32_t>(threads);
  const std::uint32_t rows_for_all = (grid.height - 1) / ((tiles - 1) / across + 1) + 1;
  // Margins of a sixth of the rows at the most.
  const std::uint32_t generations =
      std::clamp(std::min(rows_that_fit, rows_for_all) / 12, 1u, kMostGenerationsOfAPass);
  const std::uint32_t most_rows =
      std::max(1u, std::min(rows_that_fit - 2 * generations, rows_for_all));
  const std::uint32_t down = (grid.height - 1) / most_rows + 1;
  return {(grid.height - 1) / down + 1, tile_words, generations};
}

std::size_t BufferWords(const Grid& grid, const PassShape& shape) {
  const auto words = static_cast<std::uint32_t>(WordsPerRow(grid.width));
  const bool spans_width = shape.tile_words >= words;
  const bool spans_height = shape.tile_rows >= grid.height;
  const std::size_t rows = spans_height
                               ? grid.height
                               : std::size_t{shape.tile_rows} + 2 * std::size_t{shape.generations};
  return WordsOf(StrideOf(spans_width ? words : shape.tile_words + 2, words == 1), rows);
}

TileBuffers::TileBuffers() : TileBuffers(kBufferWords) {}
TileBuffers::TileBuffers(std::size_t buffer_words)
    : words_(RoundUp(buffer_words)), memory_(2 * words_) {}

void StepTile(const Pass& pass, const Tile& tile, TileBuffers& buffers, Tally& tally) {
  const LaneCounts counts = TileRun(pass, tile, buffers).Run();
  tally.population += counts.population;
  tally.births += counts.births;
  tally.deaths += counts.deaths;
}

}  // namespace gpusim::life
