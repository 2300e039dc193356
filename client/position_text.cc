#include "client/position_text.h"

#include <charconv>
#include <optional>
#include <utility>

#include "client/camel_letters.h"

namespace gpusim {
namespace {

constexpr std::string_view kSeparators = " \t\r\n,";

// The entry that `text` begins with, which is taken off; empty at the end.
std::string_view TakeEntry(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size()));
  const std::string_view entry = text.substr(0, text.find_first_of(kSeparators));
  text.remove_prefix(entry.size());
  return entry;
}

std::optional<std::uint32_t> TakeSpace(std::string_view& text) {
  std::uint32_t space = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), space);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return space;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::string Unknown(char letter, const char* what, std::string_view letters) {
  return std::string("'") + letter + "' is not " + what +
         " of the edition: " + std::string(letters);
}

class Reader {
 public:
  Reader(Edition edition, std::vector<FieldViolation>& faults)
      : edition_(edition), faults_(faults) {}

  void ReadStack(std::string_view entry, std::vector<Stack>& stacks) {
    std::string_view rest = entry;
    const auto space = TakeSpace(rest);
    if (!space || !TakeChar(rest, ':') || rest.empty()) {
      faults_.push_back(Fault("text.stacks", entry,
                              "a stack is written space:camels, bottom to top, such as 1:BG"));
      return;
    }
    Stack stack{.space = *space, .camels = {}};
    for (const char letter : rest) {
      if (const auto camel = CamelIndex(edition_, letter)) {
        stack.camels.push_back(CamelsOf(edition_)[*camel]);
      } else {
        faults_.push_back(
            Fault("text.stacks", entry, Unknown(letter, "a camel", CamelLetters(edition_))));
      }
    }
    stacks.push_back(std::move(stack));
  }

  void ReadTile(std::string_view entry, std::vector<Tile>& tiles) {
    std::string_view rest = entry;
    const auto space = TakeSpace(rest);
    const bool oasis = space && TakeChar(rest, '+');
    if (!space || !(oasis || TakeChar(rest, '-')) || rest.size() > 1) {
      faults_.push_back(Fault("text.tiles", entry,
                              "a tile is written as its space, + or -, and perhaps its owner's "
                              "letter, such as 6+ or 6+a"));
      return;
    }
    tiles.push_back({.space = *space,
                     .effect = oasis ? TileEffect::kOasis : TileEffect::kMirage,
                     .owner = std::string(rest)});
  }

  void ReadDice(std::string_view entry, std::vector<Die>& dice) {
    for (const char letter : entry) {
      if (const auto die = DieIndex(edition_, letter)) {
        dice.push_back(DiceOf(edition_)[*die]);
      } else {
        faults_.push_back(
            Fault("text.dice", entry, Unknown(letter, "a die", DieLetters(edition_))));
      }
    }
  }

 private:
  const Edition edition_;
  std::vector<FieldViolation>& faults_;
};

}  // namespace

FieldViolation Fault(std::string field, std::string_view value, std::string_view rule) {
  constexpr std::size_t kShown = 40;
  std::string description = "'" + std::string(value.substr(0, kShown));
  if (value.size() > kShown) description += "...";
  return {std::move(field), description.append("': ").append(rule)};
}

Position ParsePositionText(const PositionText& text, std::vector<FieldViolation>& faults) {
  Position position{.edition = text.edition};
  Reader reader(text.edition, faults);
  const auto each = [](std::string_view rest, auto read) {
    for (auto entry = TakeEntry(rest); !entry.empty(); entry = TakeEntry(rest)) read(entry);
  };
  each(text.stacks, [&](std::string_view entry) { reader.ReadStack(entry, position.stacks); });
  each(text.tiles, [&](std::string_view entry) { reader.ReadTile(entry, position.tiles); });
  each(text.dice, [&](std::string_view entry) { reader.ReadDice(entry, position.dice); });
  return position;
}

}  // namespace gpusim
