#include "kernels/formats/text_cursor.h"

#include <utility>

namespace gpusim::formats {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool StartsWithWord(std::string_view text, std::string_view start) {
  if (text.size() < start.size()) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (LowerCase(text[i]) != start[i]) return false;
  }
  return true;
}

TextCursor::TextCursor(std::string_view text, Kind kind) : text_(text), kind_(kind) {
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
}

bool TextCursor::OnlyBlanksBefore() const {
  for (std::size_t i = line_start_; i < at_; ++i) {
    if (!IsBlank(text_[i])) return false;
  }
  return true;
}

std::string_view TextCursor::RestOfLine() const {
  std::size_t end = at_;
  while (end < text_.size() && text_[end] != '\n' && text_[end] != '\r') ++end;
  return text_.substr(at_, end - at_);
}

void TextCursor::SkipBlanks() {
  while (!AtEnd() && IsBlank(text_[at_])) ++at_;
}

void TextCursor::SkipLine() {
  while (!AtLineEnd()) ++at_;
  if (AtEnd()) return;
  const bool carriage_return = text_[at_] == '\r';
  ++at_;
  if (carriage_return && Peek() == '\n') ++at_;
  line_start_ = at_;
  ++line_;
}

bool TextCursor::Take(char c) {
  if (AtEnd() || LowerCase(text_[at_]) != c) return false;
  ++at_;
  return true;
}

tl::expected<std::uint64_t, TextError> TextCursor::TakeNumber(std::uint64_t max,
                                                              std::string_view what) {
  const auto rule = [&] { return std::string(what) + " runs from 0 to " + std::to_string(max); };
  if (!AtDigit()) return tl::unexpected(Error(rule()));
  const std::size_t from = at_;
  std::uint64_t value = 0;
  if (!TakeDigits(max, value)) return tl::unexpected(ErrorFrom(from, rule()));
  return value;
}

tl::expected<std::int64_t, TextError> TextCursor::TakeInteger(std::int64_t max,
                                                              std::string_view what) {
  const std::size_t from = at_;
  const bool negative = Take('-');
  const auto magnitude = TakeNumber(static_cast<std::uint64_t>(max), what);
  if (magnitude) {
    const auto value = static_cast<std::int64_t>(*magnitude);
    return negative ? -value : value;
  }
  const std::string limit = std::to_string(max);
  std::string rule = std::string(what) + " is a number from -" + limit + " to " + limit;
  return tl::unexpected(at_ == from ? Error(std::move(rule)) : ErrorFrom(from, std::move(rule)));
}

TextError TextCursor::Error(std::string rule) const {
  if (AtEnd()) {
    return ErrorAt(at_, "end of text", std::move(rule));
  }
  if (AtLineEnd()) return ErrorAt(at_, "end of line", std::move(rule));
  return ErrorAt(at_, Excerpt(text_.substr(at_, 1)), std::move(rule));
}

TextError TextCursor::ErrorFrom(std::size_t from, std::string rule) const {
  return ErrorAt(from, Excerpt(text_.substr(from, at_ - from)), std::move(rule));
}

TextError TextCursor::ErrorAt(std::size_t at, std::string found, std::string rule) const {
  return {kind_ == Kind::kOneLine ? 0 : line_, at - line_start_ + 1, std::move(found),
          std::move(rule)};
}

}  // namespace gpusim::formats
