#include "server/services/board_stamp.h"

#include <algorithm>
#include <cassert>

#include "kernels/formats/placement.h"

namespace gpusim::server {
namespace {

using boards::Result;
using formats::CellRun;
using life::kCellsPerWord;

// `count` cells of the row `from`, from its column `from_x` on, come to life in `to` from `to_x` on.
void OrCells(const std::uint64_t* from, std::uint64_t from_x, std::uint64_t count,
             std::uint64_t* to, std::uint64_t to_x) {
  while (count > 0) {
    // To the end of a word on one side or the other.
    const std::uint64_t take = std::min(
        {count, kCellsPerWord - from_x % kCellsPerWord, kCellsPerWord - to_x % kCellsPerWord});
    const std::uint64_t mask = ~std::uint64_t{0} >> (kCellsPerWord - take);
    const std::uint64_t cells = from[from_x / kCellsPerWord] >> (from_x % kCellsPerWord) & mask;
    to[to_x / kCellsPerWord] |= cells << (to_x % kCellsPerWord);
    from_x += take;
    to_x += take;
    count -= take;
  }
}

}  // namespace

Result<void> BoardStamp::Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const {
  const std::uint64_t row_words = life::WordsPerRow(board_.width);
  std::copy_n(board_.words.begin() + static_cast<std::ptrdiff_t>(y * row_words), rows * row_words,
              out);
  return {};
}

PatternStamp::PatternStamp(std::vector<CellRun> runs, const formats::Box& box)
    : runs_(std::move(runs)), box_(box) {}

Result<void> PatternStamp::Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const {
  const std::int64_t top = box_.y + y;
  const auto by_row = [](const CellRun& run, std::int64_t row) { return run.y < row; };
  const auto begin = std::lower_bound(runs_.begin(), runs_.end(), top, by_row);
  const auto end = std::lower_bound(begin, runs_.end(), top + rows, by_row);
  formats::Pattern part;
  part.runs.assign(begin, end);
  part.box = {box_.x, top, box_.width, rows};
  life::Board band = life::Board::Empty(width(), rows);
  const auto placed =
      formats::Place(part, life::Topology::kPlane, {0, 0}, /*field=*/"pattern", band);
  assert(placed.has_value());
  std::copy(band.words.begin(), band.words.end(), out);
  return {};
}

Result<void> RevocableStamp::Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const {
  if (!begun_ && revoked_)
    return tl::unexpected(boards::BoardError{.reason = boards::BoardError::Reason::kCancelled,
                                             .message = "cancelled by the caller"});
  begun_ = true;
  return stamp_->Read(y, rows, out);
}

Result<void> LayStamp(const boards::StampRows& stamp, const formats::Cell& corner,
                      const boards::BoardShape& shape, std::uint32_t y, std::uint32_t rows,
                      std::vector<std::uint64_t>& out) {
  const std::uint64_t row_words = life::WordsPerRow(shape.width);
  std::fill(out.begin(), out.end(), 0);
  std::vector<std::uint64_t> cells(life::WordsPerRow(stamp.width()));
  const auto left = static_cast<std::uint64_t>(corner.x);
  const std::uint64_t to_edge = std::min<std::uint64_t>(stamp.width(), shape.width - left);
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint64_t below =
        (std::uint64_t{y} + i + shape.height - static_cast<std::uint64_t>(corner.y)) % shape.height;
    if (below >= stamp.height()) continue;
    if (auto read = stamp.Read(static_cast<std::uint32_t>(below), 1, cells.data()); !read)
      return read;
    std::uint64_t* row = out.data() + i * row_words;
    OrCells(cells.data(), 0, to_edge, row, left);
    OrCells(cells.data(), to_edge, stamp.width() - to_edge, row, 0);
  }
  return {};
}

}  // namespace gpusim::server
