#include "kernels/formats/picture_row.h"

namespace gpusim::formats {

tl::expected<std::int64_t, TextError> TakePictureRow(TextCursor& cursor, Cell start,
                                                     std::vector<CellRun>& runs) {
  const std::size_t from = cursor.offset();
  std::int64_t x = start.x;
  for (; !cursor.AtLineEnd() && !IsBlank(cursor.Peek()); cursor.Advance(), ++x) {
    const char c = cursor.Peek();
    if (c == 'O' || c == 'o' || c == '*') {
      AppendRun(runs, {start.y, x, x + 1});
    } else if (c != '.') {
      return tl::unexpected(cursor.Error("a cell is written . if dead, and O or * if alive"));
    }
  }
  const auto cells = static_cast<std::int64_t>(cursor.offset() - from);
  cursor.SkipBlanks();
  if (!cursor.AtLineEnd()) {
    return tl::unexpected(cursor.Error("blanks stand only at the end of a row"));
  }
  return cells;
}

}  // namespace gpusim::formats
