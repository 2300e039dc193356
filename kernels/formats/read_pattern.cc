// How formats are told apart:
//
//   #Life 1.05, #Life 1.06       say it themselves
//   ! in front of all cells      a plaintext comment
//   otherwise                    the first byte of the cells that only one kind of text has: a
//   digit, $, ! or a
//                                letter but O is RLE (also the x of its header), * is a picture;
//                                with none of them, it is a picture too
//
// A picture is plaintext, or Life 1.05 without its first line if there are lines with #.
#include "kernels/formats/read_pattern.h"

#include <optional>
#include <string>

#include "kernels/formats/cells.h"
#include "kernels/formats/life105.h"
#include "kernels/formats/life106.h"
#include "kernels/formats/rle.h"
#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

// nullopt: the question is still open.
using Detected = tl::expected<std::optional<Format>, TextError>;

Detected FromDirective(TextCursor cursor) {
  const std::string_view line = cursor.RestOfLine();
  const std::size_t from = cursor.offset();
  if (StartsWithWord(line, "#mcell")) {
    cursor.Advance(6);
    return tl::unexpected(
        cursor.ErrorFrom(from, "MCell patterns are not read; save the pattern as RLE"));
  }
  if (!StartsWithWord(line, "#life")) return std::nullopt;
  cursor.Advance(5);
  cursor.SkipBlanks();
  const std::string_view version = cursor.RestOfLine();
  if (version.starts_with("1.05")) return Format::kLife105;
  if (version.starts_with("1.06")) return Format::kLife106;
  return tl::unexpected(cursor.Error("the versions of the Life format are 1.05 and 1.06"));
}

// Leaves the cursor at the first byte that decides, or at the end of the line.
std::optional<Format> FromCells(TextCursor& cursor, Format picture) {
  for (; !cursor.AtLineEnd(); cursor.Advance()) {
    const char c = cursor.Peek();
    if (c == '*') return picture;
    if (IsDigit(c) || c == '$' || c == '!' || (IsLetter(c) && LowerCase(c) != 'o')) {
      return Format::kRle;
    }
  }
  return std::nullopt;
}

}  // namespace

tl::expected<Format, TextError> DetectFormat(std::string_view text) {
  TextCursor cursor(text);
  Format picture = Format::kCells;
  bool has_cells = false;
  for (; !cursor.AtEnd(); cursor.SkipLine()) {
    cursor.SkipBlanks();
    if (cursor.AtLineEnd()) continue;
    if (cursor.Peek() == '#') {
      const Detected detected = FromDirective(cursor);
      if (!detected) return tl::unexpected(detected.error());
      if (*detected) return **detected;
      picture = Format::kLife105;
      continue;
    }
    if (cursor.Peek() == '!') {
      if (!has_cells) return Format::kCells;
      continue;
    }
    if (!has_cells && cursor.Rest().starts_with("[M2]")) {
      return tl::unexpected(cursor.Error("macrocell files are not read; save the pattern as RLE"));
    }
    has_cells = true;
    if (const std::optional<Format> format = FromCells(cursor, picture)) return *format;
  }
  if (!has_cells) return tl::unexpected(cursor.Error("the text holds no pattern"));
  return picture;
}

tl::expected<Pattern, TextError> ReadPattern(std::string_view text, const ReadLimits& limits) {
  const auto format = DetectFormat(text);
  if (!format) return tl::unexpected(format.error());
  switch (*format) {
    case Format::kCells:
      return ReadCells(text, limits);
    case Format::kLife105:
      return ReadLife105(text, limits);
    case Format::kLife106:
      return ReadLife106(text, limits);
    case Format::kRle:
      break;
  }
  return ReadRle(text, limits);
}

}  // namespace gpusim::formats
