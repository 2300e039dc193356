// Run length encoded patterns (.rle), with Golly's extensions.
//
//   #C a comment, anywhere on a line of its own
//   #CXRLE Pos=-1,-1 Gen=0
//   x = 3, y = 3, rule = B3/S23:T100,200      the header, which may be missing
//   bob$2bo$3o!                               2b: two dead cells; o: a live one; $: end of row; !:
//   end
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/board_region.h"
#include "kernels/formats/pattern.h"
#include "kernels/formats/text_error.h"
#include "kernels/life.h"

namespace gpusim::formats {

// `b` and `.` are dead cells, every other letter is a live one (archives keep two-state patterns
// with A or o). The header is a claim: a pattern larger than it grows the box. A rule may also
// stand in a `#r` line; the header's is preferred. What follows `!` is ignored. Errors: a count
// that is 0, begins with 0, or is not followed by its tag at once, on the same line; a pattern past
// kMaxExtent; a byte that means nothing.
tl::expected<Pattern, TextError> ReadRle(std::string_view text, const ReadLimits& limits = {});

struct RleHeader {
  life::Rule rule;
  std::optional<BoundedGrid> grid = std::nullopt;
  std::optional<Cell> golly_position = std::nullopt;
  std::optional<std::uint64_t> generation = std::nullopt;
};

// The region as RLE: `x` and `y` are its size, dead cells at the ends of rows are left out, lines
// of cells are at most 70 characters. Memory stays within a small multiple of `max_bytes`.
tl::expected<std::string, OutputTooLarge> WriteRle(const life::Board& board, const Region& region,
                                                   const RleHeader& header,
                                                   std::uint64_t max_bytes);

}  // namespace gpusim::formats
