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

#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/formats/text_error.h"

namespace gpusim::formats {

// The first line may be missing. Cells in front of any #P lie at 0,0, and so does a #P without
// numbers; blocks may overlap. Unlike in plaintext, empty lines are no rows (Golly reads it so
// too): a dead row is a single dot. Lines with # that say nothing about cells are comments; XLife's
// #A, #B, #E and #I lines, which do, are errors that name them.
tl::expected<Pattern, TextError> ReadLife105(std::string_view text, const ReadLimits& limits = {});

}  // namespace gpusim::formats
