// Walks a text byte by byte and knows the line and column. Internal to the formats.
//
// Lines end with LF, CR LF or CR, so that files from every system count alike. A byte order mark in
// front is skipped. Classification is plain ASCII: no locale has a say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/text_error.h"

namespace gpusim::formats {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
constexpr char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool IsLetter(char c) { return LowerCase(c) >= 'a' && LowerCase(c) <= 'z'; }

// True if `text` begins with `start`, which is lower case, in either case.
bool StartsWithWord(std::string_view text, std::string_view start);

class TextCursor {
 public:
  enum class Kind : std::uint8_t { kFile, kOneLine };  // errors of the latter name no line

  // The text must outlive the cursor.
  explicit TextCursor(std::string_view text, Kind kind = Kind::kFile);

  bool AtEnd() const { return at_ == text_.size(); }
  bool AtLineEnd() const { return AtEnd() || text_[at_] == '\n' || text_[at_] == '\r'; }
  bool AtDigit() const { return !AtEnd() && IsDigit(text_[at_]); }
  // Nothing but blanks lies between the start of the line and the cursor.
  bool OnlyBlanksBefore() const;
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  std::string_view RestOfLine() const;
  std::string_view Rest() const { return text_.substr(at_); }

  std::uint64_t line() const { return line_; }
  std::uint64_t columns_before() const { return at_ - line_start_; }
  std::size_t offset() const { return at_; }

  // Precondition: as many bytes are left in the line.
  void Advance(std::size_t bytes = 1) { at_ += bytes; }
  void SkipBlanks();
  // To the start of the next line, or to the end.
  void SkipLine();
  // Past `c`, a lower-case letter or another byte, in either case; false, and nothing moves, if it
  // is not there.
  bool Take(char c);

  // Past digits, into `value`; false, and somewhere within the number, if it is over `max`.
  bool TakeDigits(std::uint64_t max, std::uint64_t& value);
  // Past a number of 0 to `max`, or of -max to max. `what` names it in the error. Cost and memory
  // do not grow with a number that is too large.
  tl::expected<std::uint64_t, TextError> TakeNumber(std::uint64_t max, std::string_view what);
  tl::expected<std::int64_t, TextError> TakeInteger(std::int64_t max, std::string_view what);

  // An error at the cursor, that names the byte there, or from `from`, an offset in this line, up
  // to the cursor.
  TextError Error(std::string rule) const;
  TextError ErrorFrom(std::size_t from, std::string rule) const;

 private:
  TextError ErrorAt(std::size_t at, std::string found, std::string rule) const;

  std::string_view text_;
  Kind kind_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint64_t line_ = 1;
};

inline bool TextCursor::TakeDigits(std::uint64_t max, std::uint64_t& value) {
  value = 0;
  for (; AtDigit(); ++at_) {
    const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
    if (value > max / 10 || value * 10 > max - digit) {
      // As many digits as an excerpt can show, and no further.
      for (int shown = 0; shown < 48 && AtDigit(); ++shown) ++at_;
      return false;
    }
    value = value * 10 + digit;
  }
  return true;
}

}  // namespace gpusim::formats
