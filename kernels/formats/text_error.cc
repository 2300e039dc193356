#include "kernels/formats/text_error.h"

#include <cstddef>
#include <utility>

namespace gpusim::formats {
namespace {

constexpr std::size_t kExcerptBytes = 40;

std::string Place(const TextError& error) {
  const std::string column = "column " + std::to_string(error.column);
  return error.line == 0 ? column : "line " + std::to_string(error.line) + ", " + column;
}

}  // namespace

std::string TextError::Message() const { return Place(*this) + ": found '" + found + "': " + rule; }

Violation TextError::ToViolation(std::string field) const {
  return {std::move(field), found, Place(*this) + ": " + rule};
}

TextError WithinLine(TextError error, std::uint64_t line, std::uint64_t columns) {
  error.line = line;
  error.column += columns;
  return error;
}

std::string Excerpt(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string excerpt;
  for (const char c : text.substr(0, kExcerptBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      excerpt += c;
    } else {
      excerpt += "\\x";
      excerpt += kHex[byte >> 4];
      excerpt += kHex[byte & 15];
    }
  }
  if (text.size() > kExcerptBytes) excerpt += "...";
  return excerpt;
}

}  // namespace gpusim::formats
