// Life 1.06 patterns (.lif): `#Life 1.06`, then one live cell a line, as `X Y`.
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

// Cells come in any order, negative ones too; one that is named twice is alive. The box is the live
// cells'.
tl::expected<Pattern, TextError> ReadLife106(std::string_view text, const ReadLimits& limits = {});

// The region's live cells by row. `corner` is what the region's corner is called, within kMaxExtent
// of 0.
tl::expected<std::string, OutputTooLarge> WriteLife106(const life::Board& board,
                                                       const Region& region, Cell corner,
                                                       std::uint64_t max_bytes);

}  // namespace gpusim::formats
