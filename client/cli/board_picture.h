// Boards as characters.
#pragma once

#include <cstdint>
#include <string>

#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

// A character of braille shows 2 x 4 cells.
constexpr std::uint32_t kBrailleWidth = 2;
constexpr std::uint32_t kBrailleHeight = 4;

// Lines of UTF-8 braille.
std::string BraillePicture(const v1::PackedBoard& board);

// Lines of '.' and 'O'.
std::string TextPicture(const v1::PackedBoard& board);

}  // namespace gpusim::cli
