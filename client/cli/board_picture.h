// Boards as characters.
#pragma once

#include <cstdint>
#include <string>

#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

// Cells that a character shows: 2 x 4 in braille, else one.
struct CharacterCells {
  std::uint32_t width;
  std::uint32_t height;
};
constexpr CharacterCells CellsOfCharacter(bool utf8) {
  return utf8 ? CharacterCells{2, 4} : CharacterCells{1, 1};
}

// Lines of UTF-8 braille.
std::string BraillePicture(const v1::PackedBoard& board);

// Lines of '.' and 'O'.
std::string TextPicture(const v1::PackedBoard& board);

// Either of them.
std::string BoardPicture(const v1::PackedBoard& board, bool utf8);

// Lines of shades: a character for two squares, one above the other, for characters are about
// twice as high as wide. Any live cell shows.
std::string DensityPicture(const v1::DensityFrame& frame, bool utf8);

}  // namespace gpusim::cli
