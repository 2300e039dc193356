// One pass over the bytes. The header and comments are taken by line, the body by byte, so that a
// body that is one endless line is refused where its fault stands, however long the rest of it is.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"
#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

constexpr std::string_view kGollyLine = "#CXRLE";
constexpr std::string_view kHeaderRule = "a header is written x = WIDTH, y = HEIGHT, rule = RULE";
constexpr std::string_view kBodyRule =
    "cells are written with letters, counts, $ for the end of a row and ! for the end";
// Far beyond every board, and far below overflow.
constexpr std::int64_t kMaxGollyPosition = std::int64_t{1} << 62;

using Done = tl::expected<void, TextError>;

class RleReader {
 public:
  RleReader(std::string_view text, const ReadLimits& limits) : cursor_(text), limits_(limits) {
    pattern_.format = Format::kRle;
  }

  tl::expected<Pattern, TextError> Read();

 private:
  Done ReadComment();
  Done ReadGollyLine();
  Done ReadHeader();
  Done ReadSide(char name, std::int64_t& side);
  Done ReadHeaderRule();

  // The body, byte by byte: cheaper without an expected for every token. False leaves a fault in
  // `fault_`.
  bool ReadCountedTag();
  bool ReadTag(std::int64_t count, std::size_t from);
  bool AddCells(bool alive, std::int64_t count, std::size_t from);
  bool Refuse(std::string_view rule) {
    fault_ = cursor_.Error(std::string(rule));
    return false;
  }
  bool RefuseFrom(std::size_t from, std::string_view rule) {
    fault_ = cursor_.ErrorFrom(from, std::string(rule));
    return false;
  }

  bool AtHeader() const;
  tl::unexpected<TextError> Fault(std::string_view rule) const {
    return tl::unexpected(cursor_.Error(std::string(rule)));
  }

  TextCursor cursor_;
  ReadLimits limits_;
  Pattern pattern_;
  std::optional<life::Rule> comment_rule_;
  std::int64_t x_ = 0;  // of the next cell
  std::int64_t y_ = 0;
  std::uint64_t live_cells_ = 0;
  bool has_content_ = false;  // a header, a tag or the end mark has been seen
  bool ended_ = false;
  TextError fault_;
};

tl::expected<Pattern, TextError> RleReader::Read() {
  while (!ended_ && !cursor_.AtEnd()) {
    if (cursor_.AtDigit()) {
      if (!ReadCountedTag()) return tl::unexpected(std::move(fault_));
    } else if (IsBlank(cursor_.Peek())) {
      cursor_.SkipBlanks();
    } else if (cursor_.AtLineEnd()) {
      cursor_.SkipLine();
    } else if (cursor_.Peek() == '#' && cursor_.OnlyBlanksBefore()) {
      if (Done done = ReadComment(); !done) return tl::unexpected(std::move(done.error()));
    } else if (!has_content_ && AtHeader()) {
      if (Done done = ReadHeader(); !done) return tl::unexpected(std::move(done.error()));
    } else if (!ReadTag(1, cursor_.offset())) {
      return tl::unexpected(std::move(fault_));
    }
  }
  if (!has_content_) return Fault("the text holds no pattern");
  if (!pattern_.rule) pattern_.rule = comment_rule_;
  return std::move(pattern_);
}

// `x` alone is a live cell; with `=` behind it, it opens the header.
bool RleReader::AtHeader() const {
  TextCursor ahead = cursor_;
  if (!ahead.Take('x')) return false;
  ahead.SkipBlanks();
  return ahead.Peek() == '=';
}

Done RleReader::ReadComment() {
  if (cursor_.Rest().starts_with(kGollyLine)) {
    if (Done done = ReadGollyLine(); !done) return done;
  } else if (cursor_.Rest().starts_with("#r ")) {
    cursor_.Advance(3);
    const auto rule = ParseRule(cursor_.RestOfLine());
    if (!rule) {
      return tl::unexpected(WithinLine(rule.error(), cursor_.line(), cursor_.columns_before()));
    }
    comment_rule_ = *rule;
  }
  cursor_.SkipLine();
  return {};
}

// #CXRLE Pos=X,Y Gen=N, in any order; keywords that are not known are left alone.
Done RleReader::ReadGollyLine() {
  cursor_.Advance(kGollyLine.size());
  while (!cursor_.AtLineEnd()) {
    if (cursor_.Rest().starts_with("Pos=")) {
      cursor_.Advance(4);
      const auto x = cursor_.TakeInteger(kMaxGollyPosition, "the x of Pos");
      if (!x) return tl::unexpected(x.error());
      if (!cursor_.Take(',')) return Fault("a position is written Pos=X,Y");
      const auto y = cursor_.TakeInteger(kMaxGollyPosition, "the y of Pos");
      if (!y) return tl::unexpected(y.error());
      pattern_.golly_position = Cell{*x, *y};
    } else if (cursor_.Rest().starts_with("Gen=")) {
      cursor_.Advance(4);
      const auto generation =
          cursor_.TakeNumber(std::numeric_limits<std::uint64_t>::max(), "a generation");
      if (!generation) return tl::unexpected(generation.error());
      pattern_.generation = *generation;
    } else {
      cursor_.Advance();
    }
  }
  return {};
}

Done RleReader::ReadHeader() {
  has_content_ = true;
  if (Done done = ReadSide('x', pattern_.box.width); !done) return done;
  cursor_.SkipBlanks();
  if (!cursor_.Take(',')) return Fault(kHeaderRule);
  cursor_.SkipBlanks();
  if (Done done = ReadSide('y', pattern_.box.height); !done) return done;
  cursor_.SkipBlanks();
  if (cursor_.Take(',')) {
    if (Done done = ReadHeaderRule(); !done) return done;
  } else if (!cursor_.AtLineEnd()) {
    return Fault(kHeaderRule);
  }
  cursor_.SkipLine();
  return {};
}

Done RleReader::ReadSide(char name, std::int64_t& side) {
  if (!cursor_.Take(name)) return Fault(kHeaderRule);
  cursor_.SkipBlanks();
  if (!cursor_.Take('=')) return Fault(kHeaderRule);
  cursor_.SkipBlanks();
  const auto number =
      cursor_.TakeNumber(kMaxExtent, name == 'x' ? "a pattern's width" : "a pattern's height");
  if (!number) return tl::unexpected(number.error());
  side = static_cast<std::int64_t>(*number);
  return {};
}

Done RleReader::ReadHeaderRule() {
  cursor_.SkipBlanks();
  if (!StartsWithWord(cursor_.Rest(), "rule")) return Fault(kHeaderRule);
  cursor_.Advance(4);
  cursor_.SkipBlanks();
  if (!cursor_.Take('=')) return Fault(kHeaderRule);
  cursor_.SkipBlanks();
  const auto rule = ParseRuleAndGrid(cursor_.RestOfLine());
  if (!rule) {
    return tl::unexpected(WithinLine(rule.error(), cursor_.line(), cursor_.columns_before()));
  }
  pattern_.rule = rule->rule;
  pattern_.grid = rule->grid;
  return {};
}

bool RleReader::ReadCountedTag() {
  const std::size_t from = cursor_.offset();
  if (cursor_.Peek() == '0') return Refuse("a count is at least 1 and does not begin with 0");
  std::uint64_t count = 0;
  if (!cursor_.TakeDigits(kMaxExtent, count)) {
    return RefuseFrom(from, "a count runs from 1 to " + std::to_string(kMaxExtent));
  }
  if (cursor_.AtLineEnd() || IsBlank(cursor_.Peek())) {
    return RefuseFrom(from, "a count and its tag stand together on one line");
  }
  if (cursor_.Peek() == '!') return RefuseFrom(from, "the end mark ! takes no count");
  return ReadTag(static_cast<std::int64_t>(count), from);
}

// `from` is where the count begins, if there is one.
bool RleReader::ReadTag(std::int64_t count, std::size_t from) {
  const char tag = cursor_.Peek();
  if (tag == '!') {
    ended_ = true;
  } else if (tag == '$') {
    y_ += count;
    x_ = 0;
    if (y_ > kMaxExtent) {
      cursor_.Advance();
      return RefuseFrom(from, ExtentRule());
    }
  } else if (tag == '.' || IsLetter(tag)) {
    if (!AddCells(tag != '.' && tag != 'b', count, from)) return false;
  } else {
    return Refuse(kBodyRule);
  }
  has_content_ = true;
  cursor_.Advance();
  return true;
}

bool RleReader::AddCells(bool alive, std::int64_t count, std::size_t from) {
  const CellRun run{y_, x_, x_ + count};
  x_ = run.x_end;
  pattern_.box.width = std::max(pattern_.box.width, run.x_end);
  pattern_.box.height = std::max(pattern_.box.height, y_ + 1);
  if (pattern_.box.width > kMaxExtent || pattern_.box.height > kMaxExtent) {
    cursor_.Advance();
    return RefuseFrom(from, ExtentRule());
  }
  if (!alive) return true;
  live_cells_ += static_cast<std::uint64_t>(count);
  if (live_cells_ > limits_.max_live_cells) {
    cursor_.Advance();
    return RefuseFrom(from, LiveCellsRule(limits_));
  }
  AppendRun(pattern_.runs, run);
  return true;
}

}  // namespace

tl::expected<Pattern, TextError> ReadRle(std::string_view text, const ReadLimits& limits) {
  return RleReader(text, limits).Read();
}

}  // namespace gpusim::formats
