// Reads a pattern in whatever format it comes.
//
// All functions are pure and thread-safe.
#pragma once

#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/formats/text_error.h"

namespace gpusim::formats {

// Which format a text is in. It looks no further than needed. Patterns of other programs' formats
// (macrocell, MCell) and texts without any content are errors.
tl::expected<Format, TextError> DetectFormat(std::string_view text);

tl::expected<Pattern, TextError> ReadPattern(std::string_view text, const ReadLimits& limits = {});

}  // namespace gpusim::formats
