// What columns can say (a space of 200, a gap in a stack) is the server's to judge. What they
// cannot is found here: its row stays 0, which no server takes for a position.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <gpusim/camel_up_columns.h>

#include "client/camel_letters.h"
#include "client/position_text.h"

namespace gpusim {
namespace {

std::string Element(const char* field, std::size_t i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

class RowPacker {
 public:
  RowPacker(std::size_t row, OddsColumnsRequest& request) : row_(row), request_(request) {}

  // The faults; none means that the row is filled.
  std::vector<FieldViolation> Pack(const Position& position) && {
    if (position.edition != request_.edition) {
      faults_.push_back({"edition", "all positions of a call are of one edition"});
      return std::move(faults_);
    }
    PackStacks(position.stacks);
    PackTiles(position.tiles);
    PackDice(position.dice);
    if (!faults_.empty()) Clear();
    return std::move(faults_);
  }

 private:
  std::size_t At(std::size_t component) const { return component * request_.rows + row_; }

  void PackStacks(const std::vector<Stack>& stacks) {
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      const Stack& stack = stacks[i];
      const std::string space = std::to_string(stack.space);
      const bool twice = std::any_of(stacks.begin(), stacks.begin() + static_cast<long>(i),
                                     [&](const Stack& s) { return s.space == stack.space; });
      if (stack.space < 1 || stack.space > kSpaces) {
        faults_.push_back(Fault(Element("stacks", i) + ".space", space, "spaces run from 1 to 16"));
      } else if (twice) {
        faults_.push_back(Fault(Element("stacks", i) + ".space", space,
                                "another stack stands on that space already"));
      }
      PackCamels(stack, i, seen);
    }
    for (std::size_t camel = 0; camel < CamelsOf(request_.edition).size(); ++camel) {
      if ((seen >> camel & 1) == 0) {
        faults_.push_back(Fault("stacks", CamelLetters(request_.edition).substr(camel, 1),
                                "the camel is missing; every camel of the edition stands on the "
                                "board once"));
      }
    }
  }

  void PackCamels(const Stack& stack, std::size_t i, std::uint32_t& seen) {
    for (std::size_t height = 0; height < stack.camels.size(); ++height) {
      const auto camel = CamelIndex(request_.edition, stack.camels[height]);
      if (!camel) {
        faults_.push_back({Element("stacks", i) + ".camels", "no camel of the edition"});
      } else if (seen >> *camel & 1) {
        faults_.push_back(Fault(Element("stacks", i) + ".camels",
                                CamelLetters(request_.edition).substr(*camel, 1),
                                "the camel is on the board already"));
      } else {
        seen |= 1u << *camel;
        request_.spaces[At(*camel)] = static_cast<std::uint8_t>(stack.space);
        request_.heights[At(*camel)] = static_cast<std::uint8_t>(height);
      }
    }
  }

  void PackTiles(const std::vector<Tile>& tiles) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const std::string field = Element("tiles", i) + ".space";
      const std::uint32_t space = tiles[i].space;
      if (space < 2 || space > kSpaces) {
        faults_.push_back(Fault(field, std::to_string(space), "tiles lie on spaces 2 to 16"));
        continue;
      }
      const std::uint32_t bit = 1u << space;
      if ((request_.oases[row_] | request_.mirages[row_]) & bit) {
        faults_.push_back(
            Fault(field, std::to_string(space), "there is a tile on that space already"));
      }
      (tiles[i].effect == TileEffect::kOasis ? request_.oases : request_.mirages)[row_] |= bit;
    }
  }

  void PackDice(const std::vector<Die>& dice) {
    std::uint8_t& set = request_.dice[row_];
    if (dice.empty()) {
      set = static_cast<std::uint8_t>((1u << DiceOf(request_.edition).size()) - 1);
    }
    for (std::size_t i = 0; i < dice.size(); ++i) {
      const auto die = DieIndex(request_.edition, dice[i]);
      if (!die) {
        faults_.push_back({Element("dice", i), "no die of the edition"});
      } else if (set >> *die & 1) {
        faults_.push_back(Fault(Element("dice", i), DieLetters(request_.edition).substr(*die, 1),
                                "the die is listed already"));
      } else {
        set = static_cast<std::uint8_t>(set | 1u << *die);
      }
    }
  }

  void Clear() {
    for (std::size_t camel = 0; camel < CamelsOf(request_.edition).size(); ++camel) {
      request_.spaces[At(camel)] = 0;
      request_.heights[At(camel)] = 0;
    }
    request_.oases[row_] = 0;
    request_.mirages[row_] = 0;
    request_.dice[row_] = 0;
  }

  static constexpr std::uint32_t kSpaces = 16;

  const std::size_t row_;
  OddsColumnsRequest& request_;
  std::vector<FieldViolation> faults_;
};

std::vector<FieldViolation> Pack(const AnyPosition& position, RowPacker packer) {
  if (const auto* structured = std::get_if<Position>(&position)) {
    return std::move(packer).Pack(*structured);
  }
  std::vector<FieldViolation> faults;
  const Position parsed = ParsePositionText(std::get<PositionText>(position), faults);
  if (faults.empty()) faults = std::move(packer).Pack(parsed);
  return faults;
}

}  // namespace

PackedPositions PackPositions(Edition edition, const std::vector<AnyPosition>& positions) {
  PackedPositions packed;
  OddsColumnsRequest& request = packed.request;
  const std::size_t rows = positions.size();
  const std::size_t camels = CamelsOf(edition).size();
  request.edition = edition;
  request.rows = static_cast<std::uint32_t>(rows);
  request.spaces.resize(camels * rows);
  request.heights.resize(camels * rows);
  request.oases.resize(rows);
  request.mirages.resize(rows);
  request.dice.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    auto faults = Pack(positions[row], RowPacker(row, request));
    if (faults.empty()) continue;
    Error error{.code = StatusCode::kInvalidArgument,
                .message = faults.front().field + " " + faults.front().description};
    error.violations = std::move(faults);
    packed.faults.push_back({static_cast<std::uint32_t>(row), std::move(error)});
  }
  return packed;
}

void MergeFaults(std::vector<RowError> faults, OddsColumns& columns) {
  std::vector<RowError> merged;
  merged.reserve(faults.size() + columns.failed.size());
  const auto by_row = [](const RowError& a, const RowError& b) { return a.row < b.row; };
  // Of equal ones, the first range's is taken.
  std::set_union(std::make_move_iterator(faults.begin()), std::make_move_iterator(faults.end()),
                 std::make_move_iterator(columns.failed.begin()),
                 std::make_move_iterator(columns.failed.end()), std::back_inserter(merged), by_row);
  columns.failed = std::move(merged);
}

}  // namespace gpusim
