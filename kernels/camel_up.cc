#include "kernels/camel_up.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace gpusim::camel_up {
namespace {

constexpr std::string_view kFirstLetters = "BGOYW";
constexpr std::string_view kSecondLetters = "rbgypwk";

constexpr std::string_view Letters(Edition edition) {
  return edition == Edition::kFirst ? kFirstLetters : kSecondLetters;
}

std::string EditionName(Edition edition) {
  return edition == Edition::kFirst ? "the first edition" : "the second edition";
}

std::string Index(const std::string& field, std::size_t i) {
  return field + "[" + std::to_string(i) + "]";
}

// Collects the faults of one position. `occupied` and `tiled` are bit sets of legal spaces seen so
// far.
class PositionCheck {
 public:
  PositionCheck(const Position& position, const std::string& prefix)
      : position_(position), prefix_(prefix) {}

  Violations Run() && {
    CheckStacks();
    CheckTiles();
    CheckDice();
    return std::move(violations_);
  }

 private:
  void Fault(const std::string& field, std::string value, std::string rule) {
    violations_.push_back({prefix_ + field, std::move(value), std::move(rule)});
  }

  void CheckStacks() {
    for (std::size_t i = 0; i < position_.stacks.size(); ++i) {
      const Stack& stack = position_.stacks[i];
      const std::string field = Index("stacks", i);
      CheckSpace(stack, field);
      if (stack.camels.empty()) Fault(field + ".camels", "", "a stack has at least one camel");
      for (std::size_t k = 0; k < stack.camels.size(); ++k)
        CheckCamel(stack.camels[k], Index(field + ".camels", k));
    }
    for (int camel = 0; camel < CamelsOf(position_.edition); ++camel) {
      if ((seen_camels_ >> camel & 1) == 0)
        Fault("stacks", std::string(1, CamelLetter(position_.edition, static_cast<Camel>(camel))),
              "the camel is missing; every camel of " + EditionName(position_.edition) +
                  " stands on the board once");
    }
  }

  void CheckSpace(const Stack& stack, const std::string& field) {
    if (stack.space < 1 || stack.space > kSpaces) {
      Fault(field + ".space", std::to_string(stack.space), "spaces run from 1 to 16");
      return;
    }
    if (occupied_ >> stack.space & 1)
      Fault(field + ".space", std::to_string(stack.space),
            "another stack stands on that space already");
    occupied_ |= 1u << stack.space;
  }

  void CheckCamel(Camel camel, const std::string& field) {
    if (camel >= CamelsOf(position_.edition)) {
      Fault(field, std::to_string(camel), "no camel of " + EditionName(position_.edition));
      return;
    }
    if (seen_camels_ >> camel & 1)
      Fault(field, std::string(1, CamelLetter(position_.edition, camel)),
            "the camel is on the board already");
    seen_camels_ |= 1u << camel;
  }

  void CheckTiles() {
    for (std::size_t i = 0; i < position_.tiles.size(); ++i) {
      const Tile& tile = position_.tiles[i];
      const std::string field = Index("tiles", i);
      const std::string space = std::to_string(tile.space);
      if (tile.effect != 1 && tile.effect != -1)
        Fault(field + ".effect", std::to_string(tile.effect),
              "a tile is +1 (oasis) or -1 (mirage)");
      if (tile.space < 2 || tile.space > kSpaces) {
        Fault(field + ".space", space, "tiles lie on spaces 2 to 16");
        continue;
      }
      if (occupied_ >> tile.space & 1)
        Fault(field + ".space", space, "no tile where a camel stands");
      if (tiled_ >> tile.space & 1)
        Fault(field + ".space", space, "there is a tile on that space already");
      if ((tiled_ >> (tile.space - 1) | tiled_ >> (tile.space + 1)) & 1)
        Fault(field + ".space", space, "no two tiles on neighbouring spaces");
      tiled_ |= 1u << tile.space;
    }
  }

  void CheckDice() {
    int good = 0;
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < position_.dice.size(); ++i) {
      const Die die = position_.dice[i];
      if (die >= DiceOf(position_.edition)) {
        Fault(Index("dice", i), std::to_string(die), "no die of " + EditionName(position_.edition));
      } else if (seen >> die & 1) {
        Fault(Index("dice", i), std::string(1, DieLetter(position_.edition, die)),
              "the die is listed already");
      } else {
        seen |= 1u << die;
        ++good;
      }
    }
    const int least = position_.edition == Edition::kFirst ? 1 : 2;
    if (good < least)
      Fault("dice", std::to_string(good) + " dice",
            least == 1 ? "a leg under way has at least one die left"
                       : "a leg is five of the six dice: with fewer than two left it is over");
  }

  const Position& position_;
  const std::string& prefix_;
  Violations violations_;
  std::uint32_t occupied_ = 0;
  std::uint32_t tiled_ = 0;
  std::uint32_t seen_camels_ = 0;
};

}  // namespace

Violations Validate(const Position& position, const std::string& prefix) {
  return PositionCheck(position, prefix).Run();
}

LegQuery Encode(const Position& position) {
  std::vector<Stack> stacks = position.stacks;
  std::sort(stacks.begin(), stacks.end(),
            [](const Stack& a, const Stack& b) { return a.space < b.space; });
  LegQuery query{.board = kSlotBytes, .tiles = 0, .edition = position.edition};
  int slot = 0;
  for (const Stack& stack : stacks) {
    for (const Camel camel : stack.camels) {
      const Board byte = static_cast<Board>(stack.space) * 8 + camel;
      query.board ^= (Board{0xff} ^ byte) << (8 * slot++);
    }
  }
  for (const Die die : position.dice) query.board |= Board{1} << (kDiceShift + die);
  for (const Tile& tile : position.tiles)
    query.tiles |= static_cast<Tiles>(tile.effect > 0 ? kOasis : kMirage) << (2 * tile.space);
  return query;
}

char CamelLetter(Edition edition, Camel camel) {
  return camel < CamelsOf(edition) ? Letters(edition)[camel] : '?';
}

char DieLetter(Edition edition, Die die) {
  if (die >= DiceOf(edition)) return '?';
  return die == kGreyDie ? '*' : Letters(edition)[die];
}

}  // namespace gpusim::camel_up
