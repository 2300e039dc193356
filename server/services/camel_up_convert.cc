#include "server/services/camel_up_convert.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "kernels/formats/position_notation.h"

namespace gpusim::server {
namespace {

using camel_up::Edition;
using camel_up::kRacers;

constexpr char kPrefix[] = "position.";

// In the order of the edition's letters.
constexpr std::array<v1::Camel, 5> kFirstCamels{v1::CAMEL_BLUE, v1::CAMEL_GREEN, v1::CAMEL_ORANGE,
                                                v1::CAMEL_YELLOW, v1::CAMEL_WHITE};
constexpr std::array<v1::Camel, 7> kSecondCamels{
    v1::CAMEL_RED,    v1::CAMEL_BLUE,        v1::CAMEL_GREEN,      v1::CAMEL_YELLOW,
    v1::CAMEL_PURPLE, v1::CAMEL_CRAZY_WHITE, v1::CAMEL_CRAZY_BLACK};
constexpr std::array<v1::Die, 5> kFirstDice{v1::DIE_BLUE, v1::DIE_GREEN, v1::DIE_ORANGE,
                                            v1::DIE_YELLOW, v1::DIE_WHITE};
constexpr std::array<v1::Die, 6> kSecondDice{v1::DIE_RED,    v1::DIE_BLUE,   v1::DIE_GREEN,
                                             v1::DIE_YELLOW, v1::DIE_PURPLE, v1::DIE_GREY};

std::span<const v1::Camel> ProtoCamels(Edition edition) {
  if (edition == Edition::kFirst) return kFirstCamels;
  return kSecondCamels;
}

std::span<const v1::Die> ProtoDice(Edition edition) {
  if (edition == Edition::kFirst) return kFirstDice;
  return kSecondDice;
}

// What no camel and no die is: Validate finds it a fault, and our own message about it stands.
constexpr std::uint8_t kNone = 0xff;

template <class Enum>
std::uint8_t IndexIn(std::span<const Enum> all, int value) {
  const auto found = std::find(all.begin(), all.end(), value);
  return found == all.end() ? kNone : static_cast<std::uint8_t>(found - all.begin());
}

std::string EditionName(Edition edition) {
  return edition == Edition::kFirst ? "the first edition" : "the second edition";
}

// An enumerator's name, or the number that has none.
template <class Enum>
std::string NameOf(int value, const std::string& (*name)(Enum)) {
  const std::string& known = name(static_cast<Enum>(value));
  return known.empty() ? std::to_string(value) : known;
}

std::string Element(const std::string& field, int i) {
  return field + "[" + std::to_string(i) + "]";
}

// Spaces beyond any board, without overflow: Validate names the value, so it stays as it is up to
// here.
int SpaceOf(std::uint32_t space) { return static_cast<int>(std::min(space, 0x7fff'ffffu)); }

// Reads a structured position. Lists that are longer than any position's are refused unread, so
// that a large request costs no more than its own parsing.
class PositionReader {
 public:
  PositionReader(const v1::Position& message, Edition edition)
      : message_(message), edition_(edition) {
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
    AddRuleFaults();
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return std::move(position_);
  }

 private:
  static constexpr int kMaxLength = 32;

  void CheckLength(const std::string& field, int length) {
    if (length > kMaxLength)
      violations_.push_back({kPrefix + field, std::to_string(length) + " entries",
                             "no position needs more than " + std::to_string(kMaxLength)});
  }

  void ReadStacks() {
    for (int i = 0; i < message_.stacks_size(); ++i) {
      camel_up::Stack stack{SpaceOf(message_.stacks(i).space()), {}};
      for (int k = 0; k < message_.stacks(i).camels_size(); ++k) {
        const int camel = message_.stacks(i).camels(k);
        stack.camels.push_back(IndexIn(ProtoCamels(edition_), camel));
        if (stack.camels.back() == kNone)
          violations_.push_back({kPrefix + Element(Element("stacks", i) + ".camels", k),
                                 NameOf<v1::Camel>(camel, v1::Camel_Name),
                                 "no camel of " + EditionName(edition_)});
      }
      position_.stacks.push_back(std::move(stack));
    }
  }

  void ReadTiles() {
    for (int i = 0; i < message_.tiles_size(); ++i) {
      const v1::TileEffect effect = message_.tiles(i).effect();
      const bool known = effect == v1::TILE_EFFECT_OASIS || effect == v1::TILE_EFFECT_MIRAGE;
      if (!known)
        violations_.push_back({kPrefix + Element("tiles", i) + ".effect",
                               NameOf<v1::TileEffect>(effect, v1::TileEffect_Name),
                               "a tile is TILE_EFFECT_OASIS or TILE_EFFECT_MIRAGE"});
      const int steps = effect == v1::TILE_EFFECT_OASIS ? 1 : known ? -1 : 0;
      position_.tiles.push_back({SpaceOf(message_.tiles(i).space()), steps});
    }
  }

  void ReadDice() {
    for (int i = 0; i < message_.dice_size(); ++i) {
      const int die = message_.dice(i);
      position_.dice.push_back(IndexIn(ProtoDice(edition_), die));
      if (position_.dice.back() == kNone)
        violations_.push_back({kPrefix + Element("dice", i), NameOf<v1::Die>(die, v1::Die_Name),
                               "no die of " + EditionName(edition_)});
    }
    if (message_.dice().empty()) {
      for (std::size_t die = 0; die < ProtoDice(edition_).size(); ++die)
        position_.dice.push_back(static_cast<camel_up::Die>(die));
    }
  }

  // Fields that have a fault already are not named a second time.
  void AddRuleFaults() {
    const auto read_faults = static_cast<std::ptrdiff_t>(violations_.size());
    for (Violation& violation : camel_up::Validate(position_, kPrefix)) {
      const bool named =
          std::any_of(violations_.begin(), violations_.begin() + read_faults,
                      [&](const Violation& v) { return v.field == violation.field; });
      if (!named) violations_.push_back(std::move(violation));
    }
  }

  const v1::Position& message_;
  const Edition edition_;
  camel_up::Position position_;
  Violations violations_;
};

tl::expected<camel_up::Position, Violations> ReadText(const v1::PositionText& text,
                                                      Edition edition) {
  auto parsed = formats::ParsePosition(
      edition, {.stacks = text.stacks(), .tiles = text.tiles(), .dice = text.dice()}, kPrefix);
  if (parsed.violations.empty())
    parsed.violations = camel_up::Validate(parsed.position, std::string(kPrefix) + "text.");
  if (!parsed.violations.empty()) return tl::unexpected(std::move(parsed.violations));
  return std::move(parsed.position);
}

tl::expected<camel_up::Position, Violations> ReadPosition(const v1::Position& message) {
  if (message.edition() != v1::EDITION_FIRST && message.edition() != v1::EDITION_SECOND)
    return tl::unexpected(
        Violations{{"position.edition", NameOf<v1::Edition>(message.edition(), v1::Edition_Name),
                    "EDITION_FIRST or EDITION_SECOND"}});
  const Edition edition =
      message.edition() == v1::EDITION_FIRST ? Edition::kFirst : Edition::kSecond;
  if (!message.has_text()) return PositionReader(message, edition).Run();
  if (message.stacks_size() + message.tiles_size() + message.dice_size() > 0)
    return tl::unexpected(
        Violations{{"position.text", message.text().stacks(),
                    "a position is text, or stacks, tiles and dice, but not both"}});
  return ReadText(message.text(), edition);
}

OddsOutputs ReadOutputs(const v1::GetOddsRequest& request, Violations& violations) {
  constexpr int kMaxLength = 32;
  OddsOutputs outputs;
  outputs.leg_ranks = request.outputs().empty();
  if (request.outputs_size() > kMaxLength) {
    violations.push_back({"outputs", std::to_string(request.outputs_size()) + " entries",
                          "no request needs more than " + std::to_string(kMaxLength)});
    return outputs;
  }
  for (int i = 0; i < request.outputs_size(); ++i) {
    switch (request.outputs(i)) {
      case v1::OUTPUT_LEG_RANKS:
        outputs.leg_ranks = true;
        break;
      case v1::OUTPUT_LEG_PAIRS:
        outputs.leg_pairs = true;
        break;
      case v1::OUTPUT_LANDINGS:
        outputs.landings = true;
        break;
      default:
        violations.push_back({Element("outputs", i),
                              NameOf<v1::Output>(request.outputs(i), v1::Output_Name),
                              "one of OUTPUT_LEG_RANKS, OUTPUT_LEG_PAIRS and OUTPUT_LANDINGS"});
    }
  }
  return outputs;
}

void FillPairs(const camel_up::Odds& odds, std::span<const v1::Camel> camels,
               v1::GetOddsResponse& response) {
  for (std::size_t first = 0; first < kRacers; ++first) {
    for (std::size_t second = 0; second < kRacers; ++second) {
      if (first == second) continue;
      v1::PairOdds& pair = *response.add_pairs();
      pair.set_first(camels[first]);
      pair.set_second(camels[second]);
      pair.set_weight(static_cast<std::uint32_t>(odds.pair[first][second]));
    }
  }
}

void FillLandings(camel_up::Tiles tiles, const camel_up::Odds& odds,
                  v1::GetOddsResponse& response) {
  std::size_t tile = 0;
  for (int space = 1; space <= camel_up::kSpaces; ++space) {
    const std::uint32_t kind = camel_up::TileAt(tiles, space);
    if (kind == camel_up::kNoTile) continue;
    v1::TileLandings& landings = *response.add_landings();
    landings.set_space(static_cast<std::uint32_t>(space));
    landings.set_effect(kind == camel_up::kOasis ? v1::TILE_EFFECT_OASIS : v1::TILE_EFFECT_MIRAGE);
    landings.set_landing_weight(static_cast<std::uint32_t>(odds.landing[tile++]));
  }
}

}  // namespace

tl::expected<OddsQuestion, Violations> OddsQuestionOf(const v1::GetOddsRequest& request) {
  auto position = ReadPosition(request.position());
  Violations violations;
  if (!position) violations = std::move(position.error());
  const OddsOutputs outputs = ReadOutputs(request, violations);
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  return OddsQuestion{{camel_up::Encode(*position), camel_up::Scope::kLeg}, outputs};
}

void FillOddsResponse(const OddsQuestion& question, const camel_up::Odds& odds,
                      v1::GetOddsResponse& response) {
  const camel_up::LegQuery& query = question.query.leg;
  const std::span<const v1::Camel> camels = ProtoCamels(query.edition);
  response.set_total_weight(static_cast<std::uint32_t>(odds.total));
  response.set_race_ends_weight(static_cast<std::uint32_t>(odds.race_ends));
  response.set_race_ends_backward_weight(static_cast<std::uint32_t>(odds.race_ends_backward));
  if (question.outputs.leg_ranks) {
    for (std::size_t camel = 0; camel < kRacers; ++camel) {
      v1::CamelOdds& entry = *response.add_camels();
      entry.set_camel(camels[camel]);
      for (const std::uint64_t weight : odds.rank[camel])
        entry.add_rank_weight(static_cast<std::uint32_t>(weight));
    }
  }
  if (question.outputs.leg_pairs) FillPairs(odds, camels, response);
  if (question.outputs.landings) FillLandings(query.tiles, odds, response);
}

}  // namespace gpusim::server
