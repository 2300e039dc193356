#include "tests/testing/camel_up_cases.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_shape.h"
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

// Everything of an answer but the total weight.
reference::LegOdds ReadLeg(const camel_up::OddsAnswers::ViewType& answers, std::size_t row,
                           const reference::Position& position) {
  using namespace camel_up;
  const std::string letters = Letters(position.edition);
  reference::LegOdds odds;
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

reference::LegOdds ReadExactLeg(const camel_up::OddsAnswers::ViewType& answers, std::size_t row,
                                const reference::Position& position) {
  reference::LegOdds odds = ReadLeg(answers, row, position);
  odds.total_weight = camel_up::TotalWeight(static_cast<camel_up::Edition>(position.edition),
                                            static_cast<int>(position.dice.size()));
  for (std::size_t tile = 0; tile < camel_up::kMaxTiles; ++tile)
    EXPECT_EQ(answers.At<camel_up::kLandingSquares>(row, tile), 0u);
  return odds;
}

reference::RaceOdds ReadRace(const camel_up::OddsAnswers::ViewType& answers, std::size_t row,
                             int edition) {
  using namespace camel_up;
  const std::string letters = Letters(edition);
  reference::RaceOdds race;
  for (std::size_t winner = 0; winner < kRacers; ++winner) {
    for (std::size_t last = 0; last < kRacers; ++last) {
      const std::uint64_t weight = answers.At<kRaceJoint>(row, winner * kRacers + last);
      if (weight != 0) race.joint[std::string{letters[winner], letters[last]}] = weight;
    }
  }
  race.legs = answers.At<kRaceLegs>(row, 0);
  return race;
}

// Component c of the synthetic table's row of a shape; 20 is the legs.
std::uint64_t SyntheticNumber(std::uint32_t shape, std::uint64_t c) {
  std::uint64_t bits = (std::uint64_t{shape} * 21 + c + 1) * 0x9E3779B97F4A7C15;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9;
  bits ^= bits >> 27;
  return c < 20 ? bits >> 24 : (bits >> 28) + (std::uint64_t{1} << camel_up::kLegsUnitBits);
}

template <class Queries>
std::size_t AppendRow(Queries& queries, const reference::Position& position,
                      camel_up::Scope scope) {
  const camel_up::LegQuery query = camel_up::Encode(ToDomain(position));
  const std::size_t row = queries.Append();
  queries.template At<camel_up::kBoard>(row) = query.board;
  queries.template At<camel_up::kTiles>(row) = query.tiles;
  queries.template At<camel_up::kEdition>(row) = query.edition;
  queries.template At<camel_up::kScope>(row) = scope;
  return row;
}

void ExpectRun(Slot& slot) {
  const auto run = slot.RunCamelUp();
  EXPECT_TRUE(run.has_value()) << run.error().what;
}

template <class Key, class Value>
void AddAll(const std::map<Key, Value>& more, std::map<Key, Value>& sums) {
  for (const auto& [key, value] : more) sums[key] += value;
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
    for (std::size_t i = begin; i < end; ++i)
      AppendRow(batch.exact, positions[i], camel_up::Scope::kLeg);
    ExpectRun(slot);
    for (std::size_t i = begin; i < end; ++i)
      all.push_back(ReadExactLeg(batch.exact_answers.view(), i - begin, positions[i]));
  }
  return all;
}

std::vector<RaceAnswer> SolveRacesOnSlot(Slot& slot,
                                         const std::vector<reference::Position>& positions,
                                         std::size_t batch_rows, bool with_leg_rows) {
  const std::size_t rows_each = with_leg_rows ? 2 : 1;
  std::vector<RaceAnswer> all;
  for (std::size_t begin = 0; begin < positions.size(); begin += batch_rows / rows_each) {
    const std::size_t end = std::min(positions.size(), begin + batch_rows / rows_each);
    auto& batch = slot.camel_up();
    batch.Clear();
    for (std::size_t i = begin; i < end; ++i) {
      AppendRow(batch.exact, positions[i], camel_up::Scope::kRace);
      if (with_leg_rows) AppendRow(batch.exact, positions[i], camel_up::Scope::kLeg);
    }
    ExpectRun(slot);
    const auto answers = batch.exact_answers.view();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = (i - begin) * rows_each;
      all.push_back(
          {ReadExactLeg(answers, row, positions[i]), ReadRace(answers, row, positions[i].edition)});
      EXPECT_EQ(answers.At<camel_up::kRaceLegs>(row, 1), 0u);
      if (with_leg_rows)
        ExpectSameOdds(ReadExactLeg(answers, row + 1, positions[i]), all.back().leg, true,
                       "leg row of " + Describe(positions[i]));
    }
  }
  return all;
}

std::shared_ptr<const camel_up::RaceTable> MakeSyntheticTable(camel_up::Edition edition) {
  auto rows = std::make_shared<std::vector<camel_up::RaceRow>>(camel_up::ShapesOf(edition));
  for (std::uint32_t shape = 0; shape < rows->size(); ++shape) {
    camel_up::RaceRow& row = (*rows)[shape];
    for (std::uint64_t c = 0; c < camel_up::kJointNumbers; ++c)
      row.joint[c] = SyntheticNumber(shape, c);
    row.legs = SyntheticNumber(shape, camel_up::kJointNumbers);
  }
  const std::span<const camel_up::RaceRow> span(*rows);
  return std::make_shared<const camel_up::RaceTable>(edition, std::move(rows), span);
}

reference::RaceUnits SyntheticUnits(int edition) {
  const auto odds_of = [edition](const reference::Stacks& stacks) {
    const std::uint32_t shape = reference::ShapeNumber(edition, stacks);
    std::string racers;  // rearmost first
    for (const auto& [space, stack] : stacks)
      for (char camel : stack)
        if (edition == 1 || (camel != 'w' && camel != 'k')) racers += camel;
    reference::RaceOdds odds;
    std::uint64_t c = 0;
    for (char winner : racers)
      for (char last : racers)
        if (winner != last) odds.joint[{winner, last}] = SyntheticNumber(shape, c++);
    odds.legs = SyntheticNumber(shape, c);
    return odds;
  };
  return {odds_of, std::uint64_t{1} << camel_up::kJointUnitBits,
          std::uint64_t{1} << camel_up::kLegsUnitBits};
}

std::vector<reference::SimulatedOdds> SimulateOnSlot(Slot& slot,
                                                     const std::vector<SimulationRow>& rows,
                                                     std::size_t batch_rows) {
  using namespace camel_up;
  std::vector<reference::SimulatedOdds> all;
  for (std::size_t begin = 0; begin < rows.size(); begin += batch_rows) {
    const std::size_t end = std::min(rows.size(), begin + batch_rows);
    auto& batch = slot.camel_up();
    batch.Clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = AppendRow(batch.simulations, rows[i].position, rows[i].scope);
      batch.simulations.At<kSeed>(row) = rows[i].stream.seed;
      batch.simulations.At<kSubsequence>(row) = rows[i].stream.subsequence;
      batch.simulations.At<kOffset>(row) = rows[i].stream.offset;
      batch.simulations.At<kFirst>(row) = rows[i].first;
      batch.simulations.At<kCount>(row) = rows[i].count;
    }
    ExpectRun(slot);
    const auto answers = batch.simulation_answers.view();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = i - begin;
      reference::SimulatedOdds odds;
      odds.leg = ReadLeg(answers, row, rows[i].position);
      odds.leg.total_weight = rows[i].count;
      std::size_t tile = 0;
      for (const auto& [space, effect] : rows[i].position.tiles)
        odds.landing_squares[space] = answers.At<kLandingSquares>(row, tile++);
      if (rows[i].scope == Scope::kRace) {
        odds.race = ReadRace(answers, row, rows[i].position.edition);
        odds.legs_squared = answers.At<kRaceLegs>(row, 1);
      }
      all.push_back(std::move(odds));
    }
  }
  return all;
}

SimulationRow RandomSimulationRow(int edition, std::uint32_t count, std::mt19937_64& random) {
  SimulationRow row;
  row.position = RandomPosition(edition, random);
  row.scope = random() % 2 == 0 ? camel_up::Scope::kLeg : camel_up::Scope::kRace;
  row.stream = {random(), random() >> 16, random() >> Between(2, 63, random)};
  if (random() % 4 == 0) row.stream.offset = (std::uint64_t{1} << 32) - random() % 16;
  row.stream.offset = std::min(row.stream.offset, camel_up::kBlockLimit - (std::uint64_t{1} << 40));
  row.first = random() % 3 == 0 ? random() % 200'000 : 0;
  row.count = count;
  return row;
}

reference::SimulatedOdds Sum(const reference::SimulatedOdds& a, const reference::SimulatedOdds& b) {
  reference::SimulatedOdds sum = a;
  sum.leg.total_weight += b.leg.total_weight;
  for (const auto& [camel, weights] : b.leg.rank_weight)
    for (std::size_t place = 0; place < weights.size(); ++place)
      sum.leg.rank_weight[camel][place] += weights[place];
  AddAll(b.leg.pair_weight, sum.leg.pair_weight);
  AddAll(b.leg.landing_weight, sum.leg.landing_weight);
  AddAll(b.landing_squares, sum.landing_squares);
  AddAll(b.race.joint, sum.race.joint);
  sum.leg.race_ends_weight += b.leg.race_ends_weight;
  sum.leg.race_ends_backward_weight += b.leg.race_ends_backward_weight;
  sum.race.legs += b.race.legs;
  sum.legs_squared += b.legs_squared;
  return sum;
}

std::string Describe(const SimulationRow& row) {
  return Describe(row.position) + (row.scope == camel_up::Scope::kRace ? " races" : " legs") +
         " seed " + std::to_string(row.stream.seed) + " subsequence " +
         std::to_string(row.stream.subsequence) + " offset " + std::to_string(row.stream.offset) +
         " first " + std::to_string(row.first) + " count " + std::to_string(row.count);
}

void ExpectSameTallies(const reference::SimulatedOdds& actual,
                       const reference::SimulatedOdds& expected, const std::string& what) {
  ExpectSameOdds(actual.leg, expected.leg, true, what);
  SCOPED_TRACE(what);
  EXPECT_EQ(actual.landing_squares, expected.landing_squares);
  EXPECT_EQ(actual.race.joint, expected.race.joint);
  EXPECT_EQ(actual.race.legs, expected.race.legs);
  EXPECT_EQ(actual.legs_squared, expected.legs_squared);
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
