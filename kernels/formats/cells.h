// Plaintext patterns (.cells): one line a row, `.` dead, `O` or `*` alive, `!` in front of a
// comment.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/board_region.h"
#include "kernels/formats/pattern.h"
#include "kernels/formats/text_error.h"
#include "kernels/life.h"

namespace gpusim::formats {

// No comment is needed. Dead cells at the ends of rows may be missing, an empty line is a dead row;
// empty lines at the end do not count. Errors: a byte that is no cell; more live cells than the
// limit.
tl::expected<Pattern, TextError> ReadCells(std::string_view text, const ReadLimits& limits = {});

// The region in full, so that its size can be read back: (width + 1) * height bytes. Nothing is
// allocated if that is over `max_bytes`.
tl::expected<std::string, OutputTooLarge> WriteCells(const life::Board& board, const Region& region,
                                                     std::uint64_t max_bytes);

}  // namespace gpusim::formats
