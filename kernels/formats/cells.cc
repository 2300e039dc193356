#include "kernels/formats/cells.h"

#include <algorithm>

#include "kernels/formats/picture_row.h"
#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {

tl::expected<Pattern, TextError> ReadCells(std::string_view text, const ReadLimits& limits) {
  Pattern pattern;
  pattern.format = Format::kCells;
  TextCursor cursor(text);
  for (std::int64_t y = 0; !cursor.AtEnd(); cursor.SkipLine()) {
    if (cursor.Peek() == '!') continue;
    const auto cells = TakePictureRow(cursor, {0, y}, pattern.runs);
    if (!cells) return tl::unexpected(cells.error());
    ++y;
    if (*cells == 0) continue;
    pattern.box.width = std::max(pattern.box.width, *cells);
    pattern.box.height = y;
    if (pattern.box.width > kMaxExtent || y > kMaxExtent) {
      return tl::unexpected(cursor.Error(ExtentRule()));
    }
  }
  if (pattern.LiveCells() > limits.max_live_cells) {
    return tl::unexpected(cursor.Error(LiveCellsRule(limits)));
  }
  return pattern;
}

tl::expected<std::string, OutputTooLarge> WriteCells(const life::Board& board, const Region& region,
                                                     std::uint64_t max_bytes) {
  // Below 2^64: both factors are at most 2^32 and one is below it.
  const std::uint64_t line_bytes = std::uint64_t{region.width} + 1;
  if (line_bytes * region.height > max_bytes) return tl::unexpected(OutputTooLarge{max_bytes});
  std::string text(line_bytes * region.height, '.');
  const std::uint64_t x_end = std::uint64_t{region.x} + region.width;
  for (std::uint32_t row = 0; row < region.height; ++row) {
    const std::uint64_t line = row * line_bytes;
    std::uint64_t x = region.x;
    for (Columns run = NextLiveRun(board, region.y + row, x, x_end); !run.Empty();
         run = NextLiveRun(board, region.y + row, x, x_end)) {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(line + run.begin - region.x),
                  run.end - run.begin, 'O');
      x = run.end;
    }
    text[line + region.width] = '\n';
  }
  return text;
}

}  // namespace gpusim::formats
