#include "kernels/formats/rule_string.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

using life::Rule;

constexpr std::string_view kForms = "a rule is written like B3/S23 or 23/3";
constexpr std::string_view kHensel =
    "Hensel letters are not served: a rule counts neighbours, wherever they lie";
constexpr std::string_view kGenerations =
    "Generations rules (a third part) are not served, only two states";
constexpr std::string_view kHenselLetters = "cekainyqjrtwz-";

tl::unexpected<TextError> Fault(const TextCursor& cursor, std::string_view rule) {
  return tl::unexpected(cursor.Error(std::string(rule)));
}

// The rule against a kind of rule that its first characters give away; empty if they do not.
std::string_view OtherRuleKind(std::string_view text) {
  if (StartsWithWord(text, "map"))
    return "MAP rules are not served, only birth and survival counts";
  if (text.size() < 2 || !IsDigit(text[1])) return {};
  if (LowerCase(text[0]) == 'r') return "Larger than Life rules are not served";
  if (LowerCase(text[0]) == 'w') return "Wolfram's one-dimensional rules are not served";
  return {};
}

std::string_view TrailingFault(char c) {
  switch (LowerCase(c)) {
    case '/':
    case 'g':
      return kGenerations;
    case 'v':
      return "the von Neumann neighbourhood (V) is not served";
    case 'h':
      return "the hexagonal neighbourhood (H) is not served";
    case 'l':
      return "triangular neighbourhoods (L) are not served";
    case ':':
      return "a topology is not part of the rule here; name it apart";
    case '9':
      return "neighbour counts run from 0 to 8";
    default:
      return kForms;
  }
}

// Names such as LifeHistory or Codd. `from` is where the name begins.
tl::unexpected<TextError> NamedRuleFault(TextCursor& cursor, std::size_t from) {
  cursor.Advance(cursor.RestOfLine().size());
  return tl::unexpected(
      cursor.ErrorFrom(from, "rules are not known by name; a rule is written like B3/S23"));
}

tl::expected<std::uint16_t, TextError> TakeCounts(TextCursor& cursor) {
  std::uint32_t counts = 0;
  while (cursor.AtDigit()) {
    const int count = cursor.Peek() - '0';
    if (count == 9) return Fault(cursor, "neighbour counts run from 0 to 8");
    if (counts >> count & 1) return Fault(cursor, "a neighbour count stands once in its list");
    counts |= 1u << count;
    cursor.Advance();
  }
  if (counts != 0 && !cursor.AtEnd() &&
      kHenselLetters.find(LowerCase(cursor.Peek())) != std::string_view::npos) {
    return Fault(cursor, kHensel);
  }
  return static_cast<std::uint16_t>(counts);
}

// `B3/S23` and `S23/B3`, with or without the slash.
tl::expected<Rule, TextError> TakeLettered(TextCursor& cursor) {
  const std::size_t from = cursor.offset();
  const bool birth_first = LowerCase(cursor.Peek()) == 'b';
  cursor.Advance();
  const auto first = TakeCounts(cursor);
  if (!first) return tl::unexpected(first.error());
  cursor.Take('/');
  if (!cursor.Take(birth_first ? 's' : 'b')) {
    const std::string_view other = TrailingFault(cursor.Peek());
    if (other != kForms && cursor.Peek() != '/') return Fault(cursor, other);
    if (IsLetter(cursor.Peek())) return NamedRuleFault(cursor, from);
    return Fault(cursor, birth_first ? "the survival list, S and its digits, belongs here"
                                     : "the birth list, B and its digits, belongs here");
  }
  const auto second = TakeCounts(cursor);
  if (!second) return tl::unexpected(second.error());
  return birth_first ? Rule{*first, *second} : Rule{*second, *first};
}

// `23/3`: survival, then birth.
tl::expected<Rule, TextError> TakeBare(TextCursor& cursor) {
  if (IsLetter(cursor.Peek())) return NamedRuleFault(cursor, cursor.offset());
  const auto survive = TakeCounts(cursor);
  if (!survive) return tl::unexpected(survive.error());
  if (!cursor.Take('/')) return Fault(cursor, kForms);
  const auto birth = TakeCounts(cursor);
  if (!birth) return tl::unexpected(birth.error());
  return Rule{*birth, *survive};
}

void AppendCounts(std::string& text, std::uint32_t counts) {
  for (int count = 0; count <= 8; ++count) {
    if (counts >> count & 1) text += static_cast<char>('0' + count);
  }
}

}  // namespace

tl::expected<Rule, TextError> ParseRule(std::string_view text) {
  TextCursor cursor(text, TextCursor::Kind::kOneLine);
  cursor.SkipBlanks();
  if (const std::string_view kind = OtherRuleKind(cursor.Rest()); !kind.empty()) {
    return Fault(cursor, kind);
  }
  const char start = LowerCase(cursor.Peek());
  auto rule = start == 'b' || start == 's' ? TakeLettered(cursor) : TakeBare(cursor);
  if (!rule) return rule;
  cursor.SkipBlanks();
  if (!cursor.AtEnd()) return Fault(cursor, TrailingFault(cursor.Peek()));
  return rule;
}

std::string FormatRule(const Rule& rule) {
  std::string text = "B";
  AppendCounts(text, rule.birth);
  text += "/S";
  AppendCounts(text, rule.survive);
  return text;
}

std::string FormatOldRule(const Rule& rule) {
  std::string text;
  AppendCounts(text, rule.survive);
  text += '/';
  AppendCounts(text, rule.birth);
  return text;
}

tl::expected<RuleAndGrid, TextError> ParseRuleAndGrid(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto rule = ParseRule(text.substr(0, colon));
  if (!rule) return tl::unexpected(rule.error());
  if (colon == std::string_view::npos) return RuleAndGrid{*rule, std::nullopt};
  const auto grid = ParseGridSuffix(text.substr(colon + 1));
  if (!grid) return tl::unexpected(WithinLine(grid.error(), 0, colon + 1));
  return RuleAndGrid{*rule, *grid};
}

}  // namespace gpusim::formats
