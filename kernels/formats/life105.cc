#include "kernels/formats/life105.h"

#include <algorithm>

#include "kernels/formats/picture_row.h"
#include "kernels/formats/rule_string.h"
#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

using Done = tl::expected<void, TextError>;

Done TakeRule(TextCursor& cursor, Pattern& pattern) {
  const auto rule = ParseRule(cursor.RestOfLine());
  if (!rule) {
    return tl::unexpected(WithinLine(rule.error(), cursor.line(), cursor.columns_before()));
  }
  pattern.rule = *rule;
  return {};
}

Done TakeBlockCorner(TextCursor& cursor, Cell& corner) {
  cursor.SkipBlanks();
  corner = {0, 0};
  if (cursor.AtLineEnd()) return {};
  const auto x = cursor.TakeInteger(kMaxExtent, "the x of #P");
  if (!x) return tl::unexpected(x.error());
  if (!IsBlank(cursor.Peek())) return tl::unexpected(cursor.Error("a block is placed by #P X Y"));
  cursor.SkipBlanks();
  const auto y = cursor.TakeInteger(kMaxExtent, "the y of #P");
  if (!y) return tl::unexpected(y.error());
  cursor.SkipBlanks();
  if (!cursor.AtLineEnd()) return tl::unexpected(cursor.Error("a block is placed by #P X Y"));
  corner = {*x, *y};
  return {};
}

// A line that begins with #. `row` is where the next row of cells lies.
Done TakeDirective(TextCursor& cursor, Cell& row, Pattern& pattern) {
  if (StartsWithWord(cursor.RestOfLine(), "#life")) return {};
  const std::size_t from = cursor.offset();
  cursor.Advance();
  const char letter = cursor.Peek();
  if (cursor.AtLineEnd()) return {};
  cursor.Advance();
  switch (letter) {
    case 'N':
      pattern.rule = life::kConway;
      return {};
    case 'R':
      return TakeRule(cursor, pattern);
    case 'P':
      return TakeBlockCorner(cursor, row);
    case 'A':
    case 'B':
    case 'E':
    case 'I':
      return tl::unexpected(cursor.ErrorFrom(
          from, "XLife's lines #A, #B, #E and #I are not read; save the pattern as RLE"));
    default:
      return {};
  }
}

// The columns of a region whose blocks are written, and where they begin.
struct Strip {
  std::uint64_t x = 0;
  std::uint64_t x_end = 0;
  Cell corner;  // what its first cell is called
};

// Rows with live cells that follow one another are one block.
bool WriteStrip(const life::Board& board, const Region& region, const Strip& strip,
                std::uint64_t max_bytes, std::string& text) {
  bool in_block = false;
  for (std::uint32_t row = 0; row < region.height && text.size() <= max_bytes; ++row) {
    const std::uint32_t y = region.y + row;
    Columns run = NextLiveRun(board, y, strip.x, strip.x_end);
    if (!run.Empty() && !in_block)
      text += "#P " + std::to_string(strip.corner.x) + " " + std::to_string(strip.corner.y + row) +
              "\n";
    in_block = !run.Empty();
    if (!in_block) continue;
    for (std::uint64_t x = strip.x; !run.Empty(); run = NextLiveRun(board, y, x, strip.x_end)) {
      text.append(run.begin - x, '.').append(run.end - run.begin, '*');
      x = run.end;
    }
    text += '\n';
  }
  return text.size() <= max_bytes;
}

}  // namespace

tl::expected<std::string, OutputTooLarge> WriteLife105(const life::Board& board,
                                                       const Region& region, Cell corner,
                                                       const life::Rule& rule,
                                                       std::uint64_t max_bytes) {
  constexpr std::uint64_t kColumns = 80;
  std::string text = "#Life 1.05\n";
  text += rule == life::kConway ? "#N\n" : "#R " + FormatOldRule(rule) + "\n";
  for (std::uint64_t left = 0; left < region.width; left += kColumns) {
    const std::uint64_t right = std::min<std::uint64_t>(left + kColumns, region.width);
    const Strip strip{
        region.x + left, region.x + right, {corner.x + static_cast<std::int64_t>(left), corner.y}};
    if (!WriteStrip(board, region, strip, max_bytes, text))
      return tl::unexpected(OutputTooLarge{max_bytes});
  }
  if (text.size() > max_bytes) return tl::unexpected(OutputTooLarge{max_bytes});
  return text;
}

tl::expected<Pattern, TextError> ReadLife105(std::string_view text, const ReadLimits& limits) {
  Pattern pattern;
  pattern.format = Format::kLife105;
  TextCursor cursor(text);
  Cell row;
  for (; !cursor.AtEnd(); cursor.SkipLine()) {
    if (cursor.Peek() == '#') {
      if (Done done = TakeDirective(cursor, row, pattern); !done) {
        return tl::unexpected(done.error());
      }
      continue;
    }
    const auto cells = TakePictureRow(cursor, row, pattern.runs);
    if (!cells) return tl::unexpected(cells.error());
    if (*cells == 0) continue;
    if (!Grow(pattern.box, {row.y, row.x, row.x + *cells})) {
      return tl::unexpected(cursor.Error(ExtentRule()));
    }
    ++row.y;
  }
  SortAndJoin(pattern.runs);
  if (pattern.LiveCells() > limits.max_live_cells) {
    return tl::unexpected(cursor.Error(LiveCellsRule(limits)));
  }
  return pattern;
}

}  // namespace gpusim::formats
