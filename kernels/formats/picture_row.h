// One row of a pattern drawn with a character a cell: what plaintext and Life 1.05 share. Internal.
#pragma once

#include <cstdint>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {

// Takes the rest of the cursor's line, whose first cell lies at `start`, and appends its live runs.
// Returns how many cells it names, alive or dead. `.` is dead, `O`, `o` and `*` are alive; blanks
// may end the line.
tl::expected<std::int64_t, TextError> TakePictureRow(TextCursor& cursor, Cell start,
                                                     std::vector<CellRun>& runs);

}  // namespace gpusim::formats
