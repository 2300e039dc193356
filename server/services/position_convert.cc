#include "server/services/position_convert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/formats/position_notation.h"
#include "server/services/camel_up_names.h"

namespace gpusim::server {
namespace {

using camel_up::Edition;

// Spaces beyond any board, without overflow: Validate names the value, so it stays as it is up to
// here.
int SpaceNumber(std::uint32_t space) { return static_cast<int>(std::min(space, 0x7fff'ffffu)); }

class PositionReader {
 public:
  PositionReader(const v1::Position& message, Edition edition, const std::string& prefix)
      : message_(message), edition_(edition), prefix_(prefix) {
    position_.edition = edition;
  }

  tl::expected<camel_up::Position, Violations> Run() && {
    CheckLength("stacks", message_.stacks_size());
    CheckLength("tiles", message_.tiles_size());
    CheckLength("dice", message_.dice_size());
    for (int i = 0; violations_.empty() && i < message_.stacks_size(); ++i)
      CheckLength(Element("stacks", i) + ".camels", message_.stacks(i).camels_size());
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    ReadStacks();
    ReadTiles();
    ReadDice();
    AddRuleFaults(camel_up::Validate(position_, prefix_), violations_);
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return std::move(position_);
  }

 private:
  static constexpr int kMaxLength = 32;

  void AddFault(const std::string& field, std::string value, std::string rule) {
    violations_.push_back({prefix_ + field, std::move(value), std::move(rule)});
  }

  void CheckLength(const std::string& field, int length) {
    if (length > kMaxLength)
      AddFault(field, std::to_string(length) + " entries",
               "no position needs more than " + std::to_string(kMaxLength));
  }

  void ReadStacks() {
    for (int i = 0; i < message_.stacks_size(); ++i) {
      camel_up::Stack stack{SpaceNumber(message_.stacks(i).space()), {}};
      for (int k = 0; k < message_.stacks(i).camels_size(); ++k) {
        const int camel = message_.stacks(i).camels(k);
        stack.camels.push_back(CamelOf(edition_, camel));
        if (stack.camels.back() == kNotOfEdition)
          AddFault(Element(Element("stacks", i) + ".camels", k),
                   NameOf<v1::Camel>(camel, v1::Camel_Name),
                   "no camel of " + EditionName(edition_));
      }
      position_.stacks.push_back(std::move(stack));
    }
  }

  void ReadTiles() {
    for (int i = 0; i < message_.tiles_size(); ++i) {
      const v1::Tile& tile = message_.tiles(i);
      const bool oasis = tile.effect() == v1::TILE_EFFECT_OASIS;
      const bool mirage = tile.effect() == v1::TILE_EFFECT_MIRAGE;
      if (!oasis && !mirage)
        AddFault(Element("tiles", i) + ".effect",
                 NameOf<v1::TileEffect>(tile.effect(), v1::TileEffect_Name),
                 "a tile is TILE_EFFECT_OASIS or TILE_EFFECT_MIRAGE");
      position_.tiles.push_back({SpaceNumber(tile.space()),
                                 oasis    ? 1
                                 : mirage ? -1
                                          : 0,
                                 ReadOwner(i, tile.owner())});
    }
  }

  char ReadOwner(int i, const std::string& owner) {
    if (owner.empty()) return 0;
    if (owner.size() == 1 && owner[0] >= 'a' && owner[0] <= 'z') return owner[0];
    AddFault(Element("tiles", i) + ".owner", owner,
             "a player's name is one lower-case letter; empty: not known");
    return 0;
  }

  void ReadDice() {
    for (int i = 0; i < message_.dice_size(); ++i) {
      const int die = message_.dice(i);
      position_.dice.push_back(DieOf(edition_, die));
      if (position_.dice.back() == kNotOfEdition)
        AddFault(Element("dice", i), NameOf<v1::Die>(die, v1::Die_Name),
                 "no die of " + EditionName(edition_));
    }
    if (message_.dice().empty()) {
      for (int die = 0; die < camel_up::DiceOf(edition_); ++die)
        position_.dice.push_back(static_cast<camel_up::Die>(die));
    }
  }

  const v1::Position& message_;
  const Edition edition_;
  const std::string& prefix_;
  camel_up::Position position_;
  Violations violations_;
};

tl::expected<camel_up::Position, Violations> ReadText(const v1::PositionText& text, Edition edition,
                                                      const std::string& prefix) {
  auto parsed = formats::ParsePosition(
      edition, {.stacks = text.stacks(), .tiles = text.tiles(), .dice = text.dice()}, prefix);
  if (parsed.violations.empty())
    parsed.violations = camel_up::Validate(parsed.position, prefix + "text.");
  if (!parsed.violations.empty()) return tl::unexpected(std::move(parsed.violations));
  return std::move(parsed.position);
}

}  // namespace

tl::expected<Edition, Violations> ReadEdition(v1::Edition edition, const std::string& field) {
  if (edition == v1::EDITION_FIRST) return Edition::kFirst;
  if (edition == v1::EDITION_SECOND) return Edition::kSecond;
  return tl::unexpected(Violations{
      {field, NameOf<v1::Edition>(edition, v1::Edition_Name), "EDITION_FIRST or EDITION_SECOND"}});
}

tl::expected<camel_up::Position, Violations> ReadPosition(const v1::Position& message,
                                                          const std::string& prefix) {
  const auto edition = ReadEdition(message.edition(), prefix + "edition");
  if (!edition) return tl::unexpected(edition.error());
  if (!message.has_text()) return PositionReader(message, *edition, prefix).Run();
  if (message.stacks_size() + message.tiles_size() + message.dice_size() > 0)
    return tl::unexpected(
        Violations{{prefix + "text", message.text().stacks(),
                    "a position is text, or stacks, tiles and dice, but not both"}});
  return ReadText(message.text(), *edition, prefix);
}

void AddRuleFaults(Violations found, Violations& violations) {
  const auto read_faults = static_cast<std::ptrdiff_t>(violations.size());
  for (Violation& violation : found) {
    const bool named = std::any_of(violations.begin(), violations.begin() + read_faults,
                                   [&](const Violation& v) { return v.field == violation.field; });
    if (!named) violations.push_back(std::move(violation));
  }
}

}  // namespace gpusim::server
