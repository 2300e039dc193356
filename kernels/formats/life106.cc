#include "kernels/formats/life106.h"

#include <charconv>
#include <iterator>

#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

constexpr std::string_view kHeader = "#Life 1.06\n";

tl::expected<Cell, TextError> TakeCell(TextCursor& cursor) {
  const auto x = cursor.TakeInteger(kMaxExtent, "the x of a cell");
  if (!x) return tl::unexpected(x.error());
  if (!IsBlank(cursor.Peek())) return tl::unexpected(cursor.Error("a cell is written X Y"));
  cursor.SkipBlanks();
  const auto y = cursor.TakeInteger(kMaxExtent, "the y of a cell");
  if (!y) return tl::unexpected(y.error());
  cursor.SkipBlanks();
  if (!cursor.AtLineEnd()) return tl::unexpected(cursor.Error("a line holds one cell, X Y"));
  return Cell{*x, *y};
}

void AppendNumber(std::string& text, std::int64_t number) {
  char digits[24];
  const char* end = std::to_chars(digits, std::end(digits), number).ptr;
  text.append(digits, static_cast<std::size_t>(end - digits));
}

void AppendCell(std::string& text, std::int64_t x, std::int64_t y) {
  AppendNumber(text, x);
  text += ' ';
  AppendNumber(text, y);
  text += '\n';
}

}  // namespace

tl::expected<Pattern, TextError> ReadLife106(std::string_view text, const ReadLimits& limits) {
  Pattern pattern;
  pattern.format = Format::kLife106;
  TextCursor cursor(text);
  for (; !cursor.AtEnd(); cursor.SkipLine()) {
    cursor.SkipBlanks();
    if (cursor.AtLineEnd() || cursor.Peek() == '#') continue;
    const auto cell = TakeCell(cursor);
    if (!cell) return tl::unexpected(cell.error());
    const CellRun run{cell->y, cell->x, cell->x + 1};
    if (!Grow(pattern.box, run)) return tl::unexpected(cursor.Error(ExtentRule()));
    AppendRun(pattern.runs, run);
  }
  SortAndJoin(pattern.runs);
  if (pattern.LiveCells() > limits.max_live_cells) {
    return tl::unexpected(cursor.Error(LiveCellsRule(limits)));
  }
  return pattern;
}

tl::expected<std::string, OutputTooLarge> WriteLife106(const life::Board& board,
                                                       const Region& region, Cell corner,
                                                       std::uint64_t max_bytes) {
  std::string text(kHeader);
  const std::uint64_t x_end = std::uint64_t{region.x} + region.width;
  for (std::uint32_t row = 0; row < region.height; ++row) {
    std::uint64_t x = region.x;
    for (Columns run = NextLiveRun(board, region.y + row, x, x_end); !run.Empty();
         run = NextLiveRun(board, region.y + row, x, x_end)) {
      for (x = run.begin; x < run.end && text.size() <= max_bytes; ++x) {
        AppendCell(text, corner.x + static_cast<std::int64_t>(x - region.x), corner.y + row);
      }
      if (text.size() > max_bytes) return tl::unexpected(OutputTooLarge{max_bytes});
    }
  }
  if (text.size() > max_bytes) return tl::unexpected(OutputTooLarge{max_bytes});
  return text;
}

}  // namespace gpusim::formats
