// Life 1.05 patterns (.lif): pictures of blocks, each at its own place.
//
//   #Life 1.05
//   #D a description
//   #N                     Conway's rule; or #R 23/3
//   #P -1 -1               the corner of the block that follows
//   .*
//   ..*
//   ***
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

// The first line may be missing. Cells in front of any #P lie at 0,0, and so does a #P without
// numbers; blocks may overlap. Unlike in plaintext, empty lines are no rows (Golly reads it so
// too): a dead row is a single dot. Lines with # that say nothing about cells are comments; XLife's
// #A, #B, #E and #I lines, which do, are errors that name them.
tl::expected<Pattern, TextError> ReadLife105(std::string_view text, const ReadLimits& limits = {});

// The region's live cells as blocks of at most 80 columns, without rows and ends of rows that are dead. `corner` is what the
// region's corner is called, within kMaxExtent of 0.
tl::expected<std::string, OutputTooLarge> WriteLife105(const life::Board& board,
                                                       const Region& region, Cell corner,
                                                       const life::Rule& rule,
                                                       std::uint64_t max_bytes);

}  // namespace gpusim::formats
