#include "client/cli/board_picture.h"

namespace gpusim::cli {
namespace {

// Cells outside, or behind the end of a row field that is too short, are dead.
bool Alive(const v1::PackedBoard& board, std::uint64_t x, std::uint64_t y) {
  if (x >= board.width() || y >= board.height()) return false;
  const std::uint64_t row_bytes = (std::uint64_t{board.width()} + 7) / 8;
  const std::uint64_t byte = y * row_bytes + x / 8;
  if (byte >= board.rows().size()) return false;
  return (static_cast<unsigned char>(board.rows()[byte]) >> (x % 8) & 1) != 0;
}

// Dots 1 to 8 of a braille character are bits 0 to 7 of its number, and stand like this:
//   1 4
//   2 5
//   3 6
//   7 8
constexpr std::uint32_t kBrailleWidth = CellsOfCharacter(true).width;
constexpr std::uint32_t kBrailleHeight = CellsOfCharacter(true).height;
constexpr unsigned kDotBits[kBrailleHeight][kBrailleWidth] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

// U+2800 + dots in UTF-8.
void AppendBraille(unsigned dots, std::string& text) {
  text += '\xe2';
  text += static_cast<char>(0xa0 | dots >> 6);
  text += static_cast<char>(0x80 | (dots & 0x3f));
}

// Settled boards are 3% alive, soups 37%, so the steps are narrow at the lower end.
struct Shade {
  unsigned least;  // density of 255
  const char* utf8;
  const char* ascii;
};
constexpr Shade kShades[] = {{110, "\u2588", "#"},
                             {60, "\u2593", "*"},
                             {20, "\u2592", ":"},
                             {1, "\u2591", "."},
                             {0, " ", " "}};

// Outside, and behind the end of a field that is too short, nothing lives.
unsigned DensityAt(const v1::DensityFrame& frame, std::uint64_t column, std::uint64_t row) {
  const std::uint64_t index = row * frame.columns() + column;
  if (row >= frame.rows() || index >= frame.density().size()) return 0;
  return static_cast<unsigned char>(frame.density()[index]);
}

}  // namespace

std::string BraillePicture(const v1::PackedBoard& board) {
  std::string text;
  for (std::uint64_t top = 0; top < board.height(); top += kBrailleHeight) {
    for (std::uint64_t left = 0; left < board.width(); left += kBrailleWidth) {
      unsigned dots = 0;
      for (std::uint32_t y = 0; y < kBrailleHeight; ++y) {
        for (std::uint32_t x = 0; x < kBrailleWidth; ++x) {
          if (Alive(board, left + x, top + y)) dots |= kDotBits[y][x];
        }
      }
      AppendBraille(dots, text);
    }
    text += '\n';
  }
  return text;
}

std::string BoardPicture(const v1::PackedBoard& board, bool utf8) {
  return utf8 ? BraillePicture(board) : TextPicture(board);
}

std::string DensityPicture(const v1::DensityFrame& frame, bool utf8) {
  std::string text;
  for (std::uint64_t row = 0; row < frame.rows(); row += 2) {
    for (std::uint64_t column = 0; column < frame.columns(); ++column) {
      const unsigned sum = DensityAt(frame, column, row) + DensityAt(frame, column, row + 1);
      const unsigned density = (sum + 1) / 2;
      for (const Shade& shade : kShades) {
        if (density < shade.least) continue;
        text += utf8 ? shade.utf8 : shade.ascii;
        break;
      }
    }
    text += '\n';
  }
  return text;
}

std::string TextPicture(const v1::PackedBoard& board) {
  std::string text;
  for (std::uint64_t y = 0; y < board.height(); ++y) {
    for (std::uint64_t x = 0; x < board.width(); ++x) text += Alive(board, x, y) ? 'O' : '.';
    text += '\n';
  }
  return text;
}

}  // namespace gpusim::cli
