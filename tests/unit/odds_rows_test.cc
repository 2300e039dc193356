// Rows of columns against Validate and Encode, which read positions one by one.
#include "server/services/odds_rows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/camel_up.h"
#include "tests/testing/odds_column_cases.h"

namespace gpusim::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Columns {
  explicit Columns(v1::GetOddsColumnsRequest columns) : request(std::move(columns)) {}

  PositionColumns view() const {
    return {.edition = request.edition() == v1::EDITION_FIRST ? camel_up::Edition::kFirst
                                                              : camel_up::Edition::kSecond,
            .rows = request.rows(),
            .spaces = request.spaces(),
            .heights = request.heights(),
            .oases = request.oases(),
            .mirages = request.mirages(),
            .dice = request.dice()};
  }
  std::size_t camels() const { return request.spaces().size() / request.rows(); }
  std::uint8_t space(std::size_t camel, std::size_t row) const {
    return static_cast<std::uint8_t>(request.spaces()[camel * request.rows() + row]);
  }
  std::uint8_t height(std::size_t camel, std::size_t row) const {
    return static_cast<std::uint8_t>(request.heights()[camel * request.rows() + row]);
  }
  std::uint8_t tiles(const std::string& column, std::size_t row, int space) const {
    return static_cast<std::uint8_t>(column[4 * row + static_cast<std::size_t>(space / 8)]) >>
               (space % 8) &
           1;
  }

  v1::GetOddsColumnsRequest request;
};

// A row as a position; nothing where its heights are none.
std::optional<camel_up::Position> PositionOfRow(const Columns& columns, std::size_t row) {
  camel_up::Position position;
  position.edition = columns.view().edition;
  std::map<int, std::map<int, camel_up::Camel>> stacks;  // by space and height
  for (std::size_t camel = 0; camel < columns.camels(); ++camel) {
    auto& stack = stacks[columns.space(camel, row)];
    if (!stack.emplace(columns.height(camel, row), static_cast<camel_up::Camel>(camel)).second)
      return std::nullopt;
  }
  for (const auto& [space, stack] : stacks) {
    if (stack.rbegin()->first != static_cast<int>(stack.size()) - 1) return std::nullopt;
    position.stacks.push_back({space, {}});
    for (const auto& [height, camel] : stack) position.stacks.back().camels.push_back(camel);
  }
  for (int space = 0; space < 32; ++space) {
    if (columns.tiles(columns.request.oases(), row, space)) position.tiles.push_back({space, 1});
    if (columns.tiles(columns.request.mirages(), row, space)) position.tiles.push_back({space, -1});
  }
  for (int die = 0; die < 8; ++die) {
    if (static_cast<std::uint8_t>(columns.request.dice()[row]) >> die & 1)
      position.dice.push_back(static_cast<camel_up::Die>(die));
  }
  return position;
}

Columns RandomColumns(int edition, std::size_t rows, std::mt19937_64& random) {
  std::vector<reference::Position> positions;
  for (std::size_t row = 0; row < rows; ++row)
    positions.push_back(testing::RandomPosition(edition, random));
  return Columns(testing::ColumnsOf(positions));
}

// Half of the rows get one or two bytes that are a little off, or far.
void Damage(Columns& columns, std::mt19937_64& random) {
  const std::size_t rows = columns.request.rows();
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::uint64_t faults = random() % 2 * (1 + random() % 2); faults > 0; --faults) {
      const std::size_t camel = random() % columns.camels() * rows + row;
      const auto bit = static_cast<char>(1u << random() % 8);
      switch (random() % 6) {
        case 0:
          (*columns.request.mutable_spaces())[camel] = static_cast<char>(random() % 19);
          break;
        case 1:
          (*columns.request.mutable_heights())[camel] = static_cast<char>(random() % 4);
          break;
        case 2:
          (*columns.request.mutable_spaces())[camel] ^= bit;
          break;
        case 3:
          (*columns.request.mutable_heights())[camel] ^= bit;
          break;
        case 4:
          (*(random() % 2 ? columns.request.mutable_oases()
                          : columns.request.mutable_mirages()))[4 * row + random() % 4] ^= bit;
          break;
        default:
          (*columns.request.mutable_dice())[row] ^= bit;
      }
    }
  }
}

TEST(OddsRowsTest, JudgesAndPacksAsValidateAndEncodeDo) {
  std::mt19937_64 random(21);
  std::size_t good_rows = 0;
  std::size_t bad_rows = 0;
  for (const int edition : {1, 2}) {
    for (const std::size_t rows : {1u, 63u, 64u, 65u, 127u, 1000u, 20'000u}) {
      Columns columns = RandomColumns(edition, rows, random);
      Damage(columns, random);
      const OddsRows read = ReadOddsRows(columns.view(), camel_up::Scope::kLeg);
      ASSERT_EQ(read.queries.size() + read.bad.size(), rows);
      std::size_t good = 0;
      std::size_t bad = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto position = PositionOfRow(columns, row);
        const bool legal = position && camel_up::Validate(*position, "").empty();
        ASSERT_EQ(FaultsOfRow(columns.view(), row).empty(), legal) << row;
        if (legal) {
          ASSERT_LT(good, read.queries.size());
          ASSERT_EQ(read.queries[good++],
                    (camel_up::OddsQuery{camel_up::Encode(*position), camel_up::Scope::kLeg}));
        } else {
          ASSERT_LT(bad, read.bad.size());
          ASSERT_EQ(read.bad[bad++], row);
        }
      }
      good_rows += good;
      bad_rows += bad;
    }
  }
  EXPECT_GT(good_rows, 10'000u);
  EXPECT_GT(bad_rows, 10'000u);
}

TEST(OddsRowsTest, EmptyColumnsAreNoTilesAndAllDice) {
  std::mt19937_64 random(22);
  for (const int edition : {1, 2}) {
    Columns columns = RandomColumns(edition, 100, random);
    columns.request.clear_oases();
    columns.request.clear_mirages();
    columns.request.clear_dice();
    const OddsRows rows = ReadOddsRows(columns.view(), camel_up::Scope::kRace);
    ASSERT_EQ(rows.queries.size(), 100u);
    for (const camel_up::OddsQuery& query : rows.queries) {
      EXPECT_EQ(query.leg.tiles, 0u);
      EXPECT_EQ(camel_up::DiceLeft(query.leg.board), edition == 1 ? 0x1fu : 0x3fu);
      EXPECT_EQ(query.scope, camel_up::Scope::kRace);
    }
  }
}

std::vector<std::string> FaultTexts(const Columns& columns, std::size_t row) {
  std::vector<std::string> texts;
  for (const Violation& fault : FaultsOfRow(columns.view(), row))
    texts.push_back(fault.field + " " + fault.value + ": " + fault.rule);
  return texts;
}

TEST(OddsRowsTest, AllFaultsOfARowByName) {
  const reference::Position position{
      .edition = 1, .stacks = {{1, "BG"}, {5, "OYW"}}, .tiles = {{7, 1}, {9, -1}}, .dice = "BGOYW"};
  Columns columns(testing::ColumnsOf({position, position, position}));
  EXPECT_THAT(FaultTexts(columns, 2), ElementsAre());
  (*columns.request.mutable_spaces())[0 * 3 + 2] = 17;   // B
  (*columns.request.mutable_heights())[3 * 3 + 2] = 2;   // Y, as W
  (*columns.request.mutable_oases())[4 * 2 + 1] = 3;     // 8 and 9, with the mirage on 9
  (*columns.request.mutable_mirages())[4 * 2 + 0] = 32;  // 5
  (*columns.request.mutable_dice())[2] = 0;
  EXPECT_THAT(
      FaultTexts(columns, 2),
      ElementsAre("rows[2].camel B.space 17: spaces run from 1 to 16",
                  HasSubstr("rows[2].camel G.height 1: "), HasSubstr("rows[2].camel Y.height 2: "),
                  HasSubstr("rows[2].camel W.height 2: "),
                  "rows[2].oases space 8: no two tiles on neighbouring spaces",
                  "rows[2].oases space 9: no two tiles on neighbouring spaces",
                  "rows[2].mirages space 5: no tile where a camel stands",
                  "rows[2].mirages space 9: there is a tile on that space already",
                  "rows[2].mirages space 9: no two tiles on neighbouring spaces",
                  "rows[2].dice 0 dice: a leg under way has at least one die left"));
  EXPECT_THAT(FaultTexts(columns, 1), ElementsAre());
}

}  // namespace
}  // namespace gpusim::server
