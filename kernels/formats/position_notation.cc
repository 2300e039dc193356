#include "kernels/formats/position_notation.h"

#include <optional>
#include <utility>
#include <vector>

#include "kernels/formats/text_cursor.h"
#include "kernels/formats/text_error.h"

namespace gpusim::formats {
namespace {

using camel_up::Camel;
using camel_up::Die;
using camel_up::Edition;
using camel_up::Position;

// Far from every space of the track; Validate refuses what lies between.
constexpr std::uint64_t kMaxSpaceNumber = 1'000'000;

bool IsSeparator(char c) { return IsBlank(c) || c == ',' || c == '\n' || c == '\r'; }

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> entries;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && !IsSeparator(text[end])) ++end;
    if (end > at) entries.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return entries;
}

std::string EditionName(Edition edition) {
  return edition == Edition::kFirst ? "the first edition" : "the second edition";
}

std::string CamelLetters(Edition edition) {
  std::string letters;
  for (int camel = 0; camel < camel_up::CamelsOf(edition); ++camel) {
    if (camel > 0) letters += ' ';
    letters += CamelLetter(edition, static_cast<Camel>(camel));
  }
  return letters;
}

std::string DieLetters(Edition edition) {
  std::string letters;
  for (int die = 0; die < camel_up::DiceOf(edition); ++die) {
    if (die > 0) letters += ' ';
    letters += DieLetter(edition, static_cast<Die>(die));
  }
  return letters;
}

std::optional<Camel> FindCamel(Edition edition, char letter) {
  for (int camel = 0; camel < camel_up::CamelsOf(edition); ++camel) {
    const auto found = static_cast<Camel>(camel);
    if (LowerCase(CamelLetter(edition, found)) == LowerCase(letter)) return found;
  }
  return std::nullopt;
}

std::optional<Die> FindDie(Edition edition, char letter) {
  for (int die = 0; die < camel_up::DiceOf(edition); ++die) {
    const auto found = static_cast<Die>(die);
    if (LowerCase(DieLetter(edition, found)) == LowerCase(letter)) return found;
  }
  return std::nullopt;
}

class PositionReader {
 public:
  PositionReader(Edition edition, const std::string& prefix) : prefix_(prefix + "text.") {
    parsed_.position.edition = edition;
  }

  ParsedPosition Read(const PositionText& text) {
    if (Fits("stacks", text.stacks)) {
      for (const std::string_view entry : Split(text.stacks)) ReadStack(entry);
    }
    if (Fits("tiles", text.tiles)) {
      for (const std::string_view entry : Split(text.tiles)) ReadTile(entry);
    }
    if (Fits("dice", text.dice)) ReadDice(Split(text.dice));
    return std::move(parsed_);
  }

 private:
  bool Fits(const char* name, std::string_view text) {
    if (text.size() <= kMaxPositionTextBytes) return true;
    AddFault(name, text,
             "has " + std::to_string(kMaxPositionTextBytes) + " bytes at most, not " +
                 std::to_string(text.size()));
    return false;
  }

  void ReadStack(std::string_view entry) {
    constexpr const char* kRule = "a stack is written space:camels, bottom to top, such as 1:BG";
    TextCursor cursor(entry, TextCursor::Kind::kOneLine);
    const auto space = cursor.TakeNumber(kMaxSpaceNumber, "a space");
    if (!space || !cursor.Take(':') || cursor.AtEnd()) {
      AddFault("stacks", entry, IsOverlong(cursor, space.has_value()) ? kSpaceRule : kRule);
      return;
    }
    camel_up::Stack stack{static_cast<int>(*space), {}};
    for (const char letter : cursor.Rest()) {
      if (const auto camel = FindCamel(edition(), letter)) {
        stack.camels.push_back(*camel);
      } else {
        AddFault("stacks", entry,
                 "'" + Excerpt({&letter, 1}) + "' is not a camel of " + EditionName(edition()) +
                     ": " + CamelLetters(edition()));
      }
    }
    if (!stack.camels.empty()) parsed_.position.stacks.push_back(std::move(stack));
  }

  void ReadTile(std::string_view entry) {
    constexpr const char* kRule =
        "a tile is written as its space, + or -, and perhaps its owner's letter, such as 6+ or 6+a";
    TextCursor cursor(entry, TextCursor::Kind::kOneLine);
    const auto space = cursor.TakeNumber(kMaxSpaceNumber, "a space");
    const bool oasis = space && cursor.Take('+');
    if (!space || !(oasis || cursor.Take('-'))) {
      AddFault("tiles", entry, IsOverlong(cursor, space.has_value()) ? kSpaceRule : kRule);
      return;
    }
    char owner = 0;
    if (IsLetter(cursor.Peek())) {
      owner = LowerCase(cursor.Peek());
      cursor.Advance();
    }
    if (!cursor.AtEnd()) {
      AddFault("tiles", entry, kRule);
      return;
    }
    parsed_.position.tiles.push_back({static_cast<int>(*space), oasis ? +1 : -1, owner});
  }

  void ReadDice(const std::vector<std::string_view>& entries) {
    if (entries.empty()) {
      for (int die = 0; die < camel_up::DiceOf(edition()); ++die) {
        parsed_.position.dice.push_back(static_cast<Die>(die));
      }
    }
    for (const std::string_view entry : entries) {
      for (const char letter : entry) {
        if (const auto die = FindDie(edition(), letter)) {
          parsed_.position.dice.push_back(*die);
        } else {
          AddFault("dice", entry,
                   "'" + Excerpt({&letter, 1}) + "' is not a die of " + EditionName(edition()) +
                       ": " + DieLetters(edition()));
        }
      }
    }
  }

  static constexpr const char* kSpaceRule = "a space runs from 1 to 16";

  // The number of the space was too large to be taken.
  static bool IsOverlong(const TextCursor& cursor, bool taken) {
    return !taken && cursor.offset() > 0;
  }

  void AddFault(const char* name, std::string_view value, std::string rule) {
    parsed_.violations.push_back({prefix_ + name, Excerpt(value), std::move(rule)});
  }

  Edition edition() const { return parsed_.position.edition; }

  std::string prefix_;
  ParsedPosition parsed_;
};

}  // namespace

ParsedPosition ParsePosition(Edition edition, const PositionText& text, const std::string& prefix) {
  return PositionReader(edition, prefix).Read(text);
}

std::string FormatStacks(const Position& position) {
  std::string text;
  for (const camel_up::Stack& stack : position.stacks) {
    if (!text.empty()) text += ' ';
    text += std::to_string(stack.space) + ":";
    for (const Camel camel : stack.camels) text += CamelLetter(position.edition, camel);
  }
  return text;
}

std::string FormatTiles(const Position& position) {
  std::string text;
  for (std::size_t i = 0; i < position.tiles.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(position.tiles[i].space);
    text += position.tiles[i].effect > 0 ? '+' : '-';
    if (position.tiles[i].owner != 0) text += position.tiles[i].owner;
  }
  return text;
}

std::string FormatDice(const Position& position) {
  std::string text;
  for (const Die die : position.dice) text += DieLetter(position.edition, die);
  return text;
}

}  // namespace gpusim::formats
