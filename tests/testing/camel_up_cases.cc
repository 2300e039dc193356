#include "tests/testing/camel_up_cases.h"

#include <algorithm>
#include <bit>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_orders.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

LegTruth ReadTruth(const nlohmann::json& row) {
  LegTruth truth;
  truth.name = row.at("name");
  truth.position.edition = row.at("edition");
  for (const auto& [space, camels] : row.at("stacks").items())
    truth.position.stacks[std::stoi(space)] = camels;
  for (const auto& [space, effect] : row.at("tiles").items())
    truth.position.tiles[std::stoi(space)] = effect;
  truth.position.dice = row.at("dice");
  truth.odds.total_weight = row.at("total_weight");
  for (const auto& [camel, weights] : row.at("rank_weight").items())
    truth.odds.rank_weight[camel[0]] = weights;
  truth.odds.race_ends_weight = row.at("race_ends_weight");
  truth.odds.race_ends_backward_weight = row.at("race_ends_backward_weight");
  for (const auto& [space, weight] : row.at("tile_landing_weight").items())
    truth.odds.landing_weight[std::stoi(space)] = weight;
  return truth;
}

std::string Letters(int edition) { return edition == 1 ? "BGOYW" : "rbgypwk"; }

camel_up::Camel CamelOf(int edition, char letter) {
  return static_cast<camel_up::Camel>(Letters(edition).find(letter));
}

int Between(int low, int high, std::mt19937_64& random) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

reference::LegOdds ReadRow(const camel_up::OddsBatch& batch, std::size_t row,
                           const reference::Position& position) {
  using namespace camel_up;
  const std::string letters = Letters(position.edition);
  const auto answers = batch.exact_answers.view();
  const auto edition = static_cast<Edition>(position.edition);
  reference::LegOdds odds;
  odds.total_weight = TotalWeight(edition, static_cast<int>(position.dice.size()));
  for (std::size_t camel = 0; camel < kRacers; ++camel) {
    for (std::size_t other = 0; other < kRacers; ++other) {
      odds.rank_weight[letters[camel]][other] =
          answers.At<kRankWeight>(row, camel * kRacers + other);
      const std::uint32_t pair = answers.At<kPairWeight>(row, camel * kRacers + other);
      if (pair != 0) odds.pair_weight[std::string{letters[camel], letters[other]}] = pair;
    }
  }
  std::size_t tile = 0;
  for (const auto& [space, effect] : position.tiles)
    odds.landing_weight[space] = answers.At<kLandingWeight>(row, tile++);
  for (; tile < kMaxTiles; ++tile) EXPECT_EQ(answers.At<kLandingWeight>(row, tile), 0u);
  odds.race_ends_weight = answers.At<kRaceEndsWeight>(row, 0);
  odds.race_ends_backward_weight = answers.At<kRaceEndsWeight>(row, 1);
  return odds;
}

}  // namespace

std::vector<LegTruth> LoadLegTruths() {
  std::vector<LegTruth> truths;
  for (const char* name :
       {"leg_positions", "leg_random_first_edition", "leg_random_second_edition"}) {
    std::ifstream file(TestData() + "/camel_up/" + name + ".json");
    for (const auto& row : nlohmann::json::parse(file)) truths.push_back(ReadTruth(row));
  }
  return truths;
}

reference::Position RandomPosition(int edition, std::mt19937_64& random) {
  reference::Position position;
  position.edition = edition;
  std::string camels = Letters(edition);
  std::shuffle(camels.begin(), camels.end(), random);
  // A window of the track; small ones make tall stacks, those at the ends make races end.
  const int width = Between(1, 16, random);
  const int low = Between(1, 17 - width, random);
  for (char camel : camels) position.stacks[Between(low, low + width - 1, random)] += camel;
  const int tiles = Between(0, 8, random);
  for (int i = 0; i < tiles; ++i) {
    const int space = Between(std::max(2, low - 3), std::min(16, low + width + 3), random);
    const bool taken = position.stacks.count(space) || position.tiles.count(space - 1) ||
                       position.tiles.count(space) || position.tiles.count(space + 1);
    if (!taken) position.tiles[space] = Between(0, 1, random) ? 1 : -1;
  }
  std::string dice = edition == 1 ? "BGOYW" : "rbgyp*";
  std::shuffle(dice.begin(), dice.end(), random);
  position.dice = dice.substr(
      0, static_cast<std::size_t>(Between(edition, static_cast<int>(dice.size()), random)));
  return position;
}

camel_up::Position ToDomain(const reference::Position& position) {
  camel_up::Position domain;
  domain.edition = static_cast<camel_up::Edition>(position.edition);
  for (const auto& [space, camels] : position.stacks) {
    camel_up::Stack stack{space, {}};
    for (char letter : camels) stack.camels.push_back(CamelOf(position.edition, letter));
    domain.stacks.push_back(stack);
  }
  for (const auto& [space, effect] : position.tiles) domain.tiles.push_back({space, effect});
  for (char die : position.dice)
    domain.dice.push_back(die == '*' ? camel_up::kGreyDie : CamelOf(position.edition, die));
  return domain;
}

std::string StacksText(const reference::Position& position) {
  std::string text;
  for (const auto& [space, camels] : position.stacks)
    text += (text.empty() ? "" : " ") + std::to_string(space) + ":" + camels;
  return text;
}

std::string TilesText(const reference::Position& position) {
  std::string text;
  for (const auto& [space, effect] : position.tiles)
    text += (text.empty() ? "" : " ") + std::to_string(space) + (effect > 0 ? "+" : "-");
  return text;
}

std::string Describe(const reference::Position& position) {
  return "edition " + std::to_string(position.edition) + " '" + StacksText(position) + "' tiles '" +
         TilesText(position) + "' dice " + position.dice;
}

std::vector<reference::LegOdds> SolveOnSlot(Slot& slot,
                                            const std::vector<reference::Position>& positions,
                                            std::size_t batch_rows) {
  std::vector<reference::LegOdds> all;
  for (std::size_t begin = 0; begin < positions.size(); begin += batch_rows) {
    const std::size_t end = std::min(positions.size(), begin + batch_rows);
    auto& batch = slot.camel_up();
    batch.Clear();
    for (std::size_t i = begin; i < end; ++i) {
      const camel_up::LegQuery query = camel_up::Encode(ToDomain(positions[i]));
      const std::size_t row = batch.exact.Append();
      batch.exact.At<camel_up::kBoard>(row) = query.board;
      batch.exact.At<camel_up::kTiles>(row) = query.tiles;
      batch.exact.At<camel_up::kEdition>(row) = query.edition;
    }
    const auto run = slot.RunCamelUp();
    EXPECT_TRUE(run.has_value()) << run.error().what;
    for (std::size_t i = begin; i < end; ++i)
      all.push_back(ReadRow(batch, i - begin, positions[i]));
  }
  return all;
}

void ExpectSameOdds(const reference::LegOdds& actual, const reference::LegOdds& expected,
                    bool with_pairs, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(actual.total_weight, expected.total_weight);
  EXPECT_EQ(actual.rank_weight, expected.rank_weight);
  EXPECT_EQ(actual.race_ends_weight, expected.race_ends_weight);
  EXPECT_EQ(actual.race_ends_backward_weight, expected.race_ends_backward_weight);
  EXPECT_EQ(actual.landing_weight, expected.landing_weight);
  if (with_pairs) {
    EXPECT_EQ(actual.pair_weight, expected.pair_weight);
  }
}

}  // namespace gpusim::testing
