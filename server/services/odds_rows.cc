#include "server/services/odds_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/camel_up.h"

namespace gpusim::server {
namespace {

using camel_up::Board;
using camel_up::Edition;
using camel_up::kSpaces;
using camel_up::Tiles;

static_assert(std::endian::native == std::endian::little, "columns are read in place");

constexpr std::uint32_t kTileSpaces = 0x1'fffc;  // 2 to 16

constexpr std::uint32_t AllDice(Edition edition) { return (1u << camel_up::DiceOf(edition)) - 1; }
constexpr int LeastDice(Edition edition) { return edition == Edition::kFirst ? 1 : 2; }

std::uint32_t Word(std::string_view column, std::size_t row) {
  std::uint32_t word = 0;
  if (!column.empty()) std::memcpy(&word, column.data() + row * sizeof word, sizeof word);
  return word;
}

std::uint8_t Byte(std::string_view column, std::size_t index) {
  return static_cast<std::uint8_t>(column[index]);
}

std::uint32_t DiceOfRow(const PositionColumns& columns, std::size_t row) {
  return columns.dice.empty() ? AllDice(columns.edition) : Byte(columns.dice, row);
}

// Bit s of 17 goes to bit 2 * s.
constexpr Tiles Spread(std::uint32_t spaces) {
  Tiles bits = spaces;
  bits = (bits | bits << 16) & 0x0000'ffff'0000'ffff;
  bits = (bits | bits << 8) & 0x00ff'00ff'00ff'00ff;
  bits = (bits | bits << 4) & 0x0f0f'0f0f'0f0f'0f0f;
  bits = (bits | bits << 2) & 0x3333'3333'3333'3333;
  return (bits | bits << 1) & 0x5555'5555'5555'5555;
}
static_assert(Spread(1u << 16 | 1u << 2) == (Tiles{1} << 32 | Tiles{1} << 4));

// 64 rows on their way into words; all loops over them have that length.
template <int kCamels>
class Block {
 public:
  static constexpr std::size_t kRows = 64;

  Block(const PositionColumns& columns, std::size_t first)
      : columns_(columns), first_(first), rows_(std::min(kRows, columns.rows - first)) {}

  void Read(camel_up::Scope scope, OddsRows& out) {
    Load();
    PlaceCamels();
    for (std::size_t i = 0; i < rows_; ++i) {
      camel_up::OddsQuery query{{0, 0, columns_.edition}, scope};
      if (Pack(i, query.leg)) {
        out.queries.push_back(query);
      } else {
        out.bad.push_back(static_cast<std::uint32_t>(first_ + i));
      }
    }
  }

 private:
  using Lane = std::array<std::uint8_t, kRows>;

  // Rows beyond the last stay 0.
  void Load() {
    for (std::size_t camel = 0; camel < kCamels; ++camel) {
      const std::size_t at = camel * columns_.rows + first_;
      std::memcpy(space_[camel].data(), columns_.spaces.data() + at, rows_);
      std::memcpy(height_[camel].data(), columns_.heights.data() + at, rows_);
    }
  }

  // A camel's slot is the number of camels that stand behind it or on its space below it. The heights of a stack are
  // in order exactly if each is the number of lower ones, and none is there twice. Sums are local, so that the compiler knows that
  // they lie apart from what is read.
  void PlaceCamels() {
    for (std::size_t camel = 0; camel < kCamels; ++camel) {
      Lane slot{};
      Lane below{};
      Lane fault{};
      for (std::size_t other = 0; other < kCamels; ++other) {
        if (other == camel) continue;
        for (std::size_t i = 0; i < kRows; ++i) {
          const bool behind = space_[other][i] < space_[camel][i];
          const bool same = space_[other][i] == space_[camel][i];
          const bool under = same & (height_[other][i] < height_[camel][i]);
          const bool twice = same & (height_[other][i] == height_[camel][i]);
          fault[i] = static_cast<std::uint8_t>(fault[i] | twice);
          below[i] = static_cast<std::uint8_t>(below[i] + under);
          slot[i] = static_cast<std::uint8_t>(slot[i] + (behind | under));
        }
      }
      slot_[camel] = slot;
      for (std::size_t i = 0; i < kRows; ++i) {
        const bool beyond = static_cast<std::uint8_t>(space_[camel][i] - 1) >= kSpaces;
        const bool apart = height_[camel][i] != below[i];
        fault[i] = static_cast<std::uint8_t>(fault[i] | beyond | apart);
      }
      for (std::size_t i = 0; i < kRows; ++i) fault_[i] |= fault[i];
    }
  }

  // False if the row is bad; the question is of no use then.
  bool Pack(std::size_t i, camel_up::LegQuery& query) const {
    Board board = camel_up::kSlotBytes;
    std::uint32_t occupied = 0;
    for (std::size_t camel = 0; camel < kCamels; ++camel) {
      const auto byte = static_cast<Board>(space_[camel][i] * 8 + camel);
      board ^= (Board{0xff} ^ byte) << (8 * slot_[camel][i]);
      occupied |= 1u << (space_[camel][i] & 31);
    }
    const std::uint32_t oases = Word(columns_.oases, first_ + i);
    const std::uint32_t mirages = Word(columns_.mirages, first_ + i);
    const std::uint32_t tiled = oases | mirages;
    const std::uint32_t dice = DiceOfRow(columns_, first_ + i);
    query.board = board | static_cast<Board>(dice) << camel_up::kDiceShift;
    query.tiles = Spread(oases) | Spread(mirages) << 1;
    const std::uint32_t tile_faults =
        (oases & mirages) | (tiled & ~kTileSpaces) | (tiled & (tiled << 1)) | (tiled & occupied);
    return fault_[i] == 0 && tile_faults == 0 && (dice & ~AllDice(columns_.edition)) == 0 &&
           std::popcount(dice) >= LeastDice(columns_.edition);
  }

  const PositionColumns& columns_;
  const std::size_t first_;
  const std::size_t rows_;
  std::array<Lane, kCamels> space_{};
  std::array<Lane, kCamels> height_{};
  std::array<Lane, kCamels> slot_{};
  Lane fault_{};
};

template <int kCamels>
void ReadBlocks(const PositionColumns& columns, camel_up::Scope scope, OddsRows& rows) {
  for (std::size_t first = 0; first < columns.rows; first += Block<kCamels>::kRows)
    Block<kCamels>(columns, first).Read(scope, rows);
}

class RowCheck {
 public:
  RowCheck(const PositionColumns& columns, std::size_t row)
      : columns_(columns), row_(row), prefix_("rows[" + std::to_string(row) + "].") {}

  Violations Run() && {
    CheckCamels();
    CheckTiles("oases", columns_.oases);
    CheckTiles("mirages", columns_.mirages);
    CheckDice();
    return std::move(violations_);
  }

 private:
  void Fault(const std::string& field, std::string value, std::string rule) {
    violations_.push_back({prefix_ + field, std::move(value), std::move(rule)});
  }

  int Space(int camel) const { return Byte(columns_.spaces, Index(camel)); }
  int Height(int camel) const { return Byte(columns_.heights, Index(camel)); }
  std::size_t Index(int camel) const {
    return static_cast<std::size_t>(camel) * columns_.rows + row_;
  }

  void CheckCamels() {
    const int camels = camel_up::CamelsOf(columns_.edition);
    for (int camel = 0; camel < camels; ++camel) {
      const std::string name =
          std::string("camel ") +
          camel_up::CamelLetter(columns_.edition, static_cast<camel_up::Camel>(camel));
      const int space = Space(camel);
      if (space < 1 || space > kSpaces) {
        Fault(name + ".space", std::to_string(space), "spaces run from 1 to 16");
        continue;
      }
      occupied_ |= 1u << space;
      int below = 0;
      bool twice = false;
      for (int other = 0; other < camels; ++other) {
        if (other == camel || Space(other) != space) continue;
        below += Height(other) < Height(camel);
        twice |= Height(other) == Height(camel);
      }
      if (twice || below != Height(camel))
        Fault(name + ".height", std::to_string(Height(camel)),
              "the heights of a stack are 0, 1, 2 ... without gaps, each once");
    }
  }

  void CheckTiles(const char* field, std::string_view column) {
    const std::uint32_t tiles = Word(column, row_);
    for (std::uint32_t left = tiles; left != 0; left &= left - 1) {
      const std::uint32_t tile = left & ~(left - 1);
      const std::string value = "space " + std::to_string(std::countr_zero(tile));
      if ((tile & kTileSpaces) == 0) {
        Fault(field, value, "tiles lie on spaces 2 to 16");
        continue;
      }
      if (tile & occupied_) Fault(field, value, "no tile where a camel stands");
      if (tile & tiled_) Fault(field, value, "there is a tile on that space already");
      if (((tile << 1) | (tile >> 1)) & (tiled_ | (tiles & (tile - 1))))
        Fault(field, value, "no two tiles on neighbouring spaces");
    }
    tiled_ |= tiles & kTileSpaces;
  }

  void CheckDice() {
    const std::uint32_t dice = DiceOfRow(columns_, row_);
    const std::uint32_t known = dice & AllDice(columns_.edition);
    if (dice != known)
      Fault("dice", std::to_string(dice),
            std::string("bits 0 to ") + std::to_string(camel_up::DiceOf(columns_.edition) - 1) +
                " are dice, the others 0");
    if (std::popcount(known) < LeastDice(columns_.edition))
      Fault("dice", std::to_string(std::popcount(known)) + " dice",
            columns_.edition == Edition::kFirst
                ? "a leg under way has at least one die left"
                : "a leg is five of the six dice: with fewer than two left it is over");
  }

  const PositionColumns& columns_;
  const std::size_t row_;
  const std::string prefix_;
  Violations violations_;
  std::uint32_t occupied_ = 0;
  std::uint32_t tiled_ = 0;
};

}  // namespace

std::uint32_t PositionColumns::TiledSpaces(std::size_t row) const {
  return Word(oases, row) | Word(mirages, row);
}

OddsRows ReadOddsRows(const PositionColumns& columns, camel_up::Scope scope) {
  OddsRows rows;
  rows.queries.reserve(columns.rows);
  if (columns.edition == Edition::kFirst) {
    ReadBlocks<camel_up::kRacers>(columns, scope, rows);
  } else {
    ReadBlocks<camel_up::kMaxCamels>(columns, scope, rows);
  }
  return rows;
}

Violations FaultsOfRow(const PositionColumns& columns, std::size_t row) {
  return RowCheck(columns, row).Run();
}

}  // namespace gpusim::server
