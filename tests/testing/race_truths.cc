#include "tests/testing/race_truths.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/testing/camel_up_cases.h"
#include "tests/testing/statistics.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

constexpr double kSigmasOfOneIn10000 = 3.72;
constexpr double kStandardErrors = 4;

std::string RaceFile(const std::string& name) { return TestData() + "/camel_up/" + name; }

// A line's fields, the quotes of the first one taken off, its commas kept.
std::vector<std::string> SplitCsv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<std::vector<std::string>> ReadCsv(const std::string& name) {
  std::ifstream file(RaceFile(name));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) rows.push_back(SplitCsv(line));
  return rows;
}

// Wins, lasts and legs, from field `at` on, of camels in the order of `letters`.
void ReadChances(const std::vector<std::string>& fields, std::size_t at, const std::string& letters,
                 RaceTruth& truth) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    truth.win[letters[i]] = std::stod(fields.at(at + i));
    truth.last[letters[i]] = std::stod(fields.at(at + letters.size() + i));
  }
  truth.legs = std::stod(fields.at(at + 2 * letters.size()));
}

// Of an exact row as well as of simulations: numbers out of `certain`, legs out of `one_leg`.
struct RaceChances {
  std::map<char, double> win;
  std::map<char, double> last;
  std::map<std::string, double> joint;
  double legs = 0;
};

RaceChances ChancesOf(const reference::RaceOdds& race, double certain, double one_leg) {
  RaceChances chances;
  for (const auto& [pair, weight] : race.joint) {
    const double chance = static_cast<double>(weight) / certain;
    chances.win[pair[0]] += chance;
    chances.last[pair[1]] += chance;
    chances.joint[pair] = chance;
  }
  chances.legs = static_cast<double>(race.legs) / one_leg;
  return chances;
}

RaceChances ChancesOf(const RaceAnswer& exact) {
  const auto total = static_cast<double>(exact.leg.total_weight);
  return ChancesOf(exact.race, std::ldexp(total, camel_up::kJointUnitBits),
                   std::ldexp(total, camel_up::kLegsUnitBits));
}

reference::SimulatedOdds SimulateAll(Slot& slot, const reference::Position& position,
                                     camel_up::Scope scope, std::uint64_t count) {
  constexpr std::uint64_t kRow = camel_up::kMaxSimulations;
  std::vector<SimulationRow> rows;
  for (std::uint64_t first = 0; first < count; first += kRow)
    rows.push_back({position,
                    scope,
                    {2026, 1, 0},
                    first,
                    static_cast<std::uint32_t>(std::min(kRow, count - first))});
  const auto parts = SimulateOnSlot(slot, rows, rows.size());
  reference::SimulatedOdds sum = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) sum = Sum(sum, parts[i]);
  return sum;
}

void ExpectFigure(double seen, double trials, double chance, const std::string& what) {
  EXPECT_LT(ChanceSigmas(seen, trials, chance), kStandardErrors)
      << what << ": " << seen / trials << ", not " << chance;
}

}  // namespace

// Camels are named by rank from the back there.
std::vector<RaceTruth> LoadFirstEditionRaces() {
  const std::string letters = "BGOYW";
  std::vector<RaceTruth> truths;
  for (const auto& fields : ReadCsv("race_first_edition.csv")) {
    RaceTruth truth;
    truth.position.edition = 1;
    truth.position.dice = letters;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      truth.position.stacks[std::stoi(fields.at(i))] += letters[i];
      truth.name += (i == 0 ? "" : ",") + fields.at(i);
    }
    ReadChances(fields, letters.size(), letters, truth);
    truths.push_back(std::move(truth));
  }
  return truths;
}

std::vector<RaceTruth> LoadSecondEditionRaces() {
  std::vector<RaceTruth> truths;
  for (const auto& fields : ReadCsv("race_second_edition.csv")) {
    RaceTruth truth;
    truth.name = fields.at(0);
    truth.position.edition = 2;
    truth.position.dice = "rbgyp*";
    std::istringstream stacks(truth.name);
    for (std::string stack; std::getline(stacks, stack, ',');) {
      const std::size_t colon = stack.find(':');
      truth.position.stacks[std::stoi(stack)] = stack.substr(colon + 1);
    }
    ReadChances(fields, 1, "rbgyp", truth);
    truths.push_back(std::move(truth));
  }
  return truths;
}

std::vector<RaceTruth> LoadMidLegRaces() {
  std::ifstream file(RaceFile("race_second_edition_mid_leg.json"));
  std::vector<RaceTruth> truths;
  for (const auto& row : nlohmann::json::parse(file)) {
    RaceTruth truth;
    truth.name = row.at("name");
    truth.position.edition = row.at("edition");
    for (const auto& [space, camels] : row.at("stacks").items())
      truth.position.stacks[std::stoi(space)] = camels;
    for (const auto& [space, effect] : row.at("tiles").items())
      truth.position.tiles[std::stoi(space)] = effect;
    truth.position.dice = row.at("dice");
    for (const auto& [camel, chance] : row.at("race_win").items()) truth.win[camel[0]] = chance;
    for (const auto& [camel, chance] : row.at("race_last").items()) truth.last[camel[0]] = chance;
    for (const auto& [pair, chance] : row.at("race_joint").items()) truth.joint[pair] = chance;
    truth.legs = row.at("expected_legs");
    truths.push_back(std::move(truth));
  }
  return truths;
}

std::vector<RaceTruth> SomeRaceTruths() {
  const auto first = LoadFirstEditionRaces();
  const auto second = LoadSecondEditionRaces();
  const auto mid_leg = LoadMidLegRaces();
  return {first.at(0),   first.at(100), first.at(250), second.at(0),
          mid_leg.at(0), mid_leg.at(1), mid_leg.at(2)};
}

std::vector<reference::Position> ChiSquarePositions() {
  return {{1, {{1, "BGOYW"}}, {}, "BGOYW"},
          {1, {{3, "BG"}, {4, "O"}, {6, "YW"}}, {{5, -1}, {8, 1}}, "BGOYW"},
          {1, {{12, "BG"}, {13, "O"}, {15, "YW"}}, {{14, -1}, {16, 1}}, "BOYW"},
          {2, {{1, "rb"}, {2, "gy"}, {3, "p"}, {14, "w"}, {16, "k"}}, {{5, 1}, {7, -1}}, "rbgyp*"},
          {2, {{2, "wrb"}, {3, "kgy"}, {15, "p"}}, {{5, 1}, {16, -1}}, "rbgyp*"}};
}

std::vector<reference::Position> RacePositions() {
  return {{1, {{1, "BG"}, {2, "OYW"}}, {{3, 1}, {5, -1}}, "BGOYW"},
          {1, {{7, "WBG"}, {9, "O"}, {10, "Y"}}, {{8, -1}, {11, 1}, {13, -1}}, "GOW"},
          {1, {{3, "O"}, {12, "BG"}, {14, "YW"}}, {{15, 1}}, "BOY"}};
}

RaceTruth ExactRace(Slot& slot, const reference::Position& position) {
  const RaceAnswer answer = SolveRacesOnSlot(slot, {position}, 1, false).front();
  const RaceChances odds = ChancesOf(answer);
  return {Describe(position), position, odds.win, odds.last, odds.joint, odds.legs};
}

void ExpectLegsFitExactOdds(Slot& slot, const reference::Position& position, std::uint64_t count) {
  SCOPED_TRACE(Describe(position));
  const reference::LegOdds exact = SolveOnSlot(slot, {position}, 1).front();
  const auto seen = SimulateAll(slot, position, camel_up::Scope::kLeg, count);
  const auto trials = static_cast<double>(count);
  const auto chance = [&](std::uint64_t weight) {
    return static_cast<double>(weight) / static_cast<double>(exact.total_weight);
  };
  std::vector<Cell> pairs;
  for (const auto& [first, first_weights] : exact.rank_weight) {
    std::vector<Cell> places;
    for (std::size_t place = 0; place < first_weights.size(); ++place)
      places.push_back({static_cast<double>(seen.leg.rank_weight.at(first)[place]),
                        trials * chance(first_weights[place])});
    EXPECT_LT(ChiSquareSigmas(places), kSigmasOfOneIn10000) << first;
    for (const auto& [second, second_weights] : exact.rank_weight) {
      const std::string pair{first, second};
      const auto in = [&](const std::map<std::string, std::uint64_t>& weights) {
        const auto found = weights.find(pair);
        return found == weights.end() ? 0 : found->second;
      };
      pairs.push_back(
          {static_cast<double>(in(seen.leg.pair_weight)), trials * chance(in(exact.pair_weight))});
    }
  }
  EXPECT_LT(ChiSquareSigmas(pairs), kSigmasOfOneIn10000);
  for (const auto& [space, weight] : exact.landing_weight)
    EXPECT_LT(
        MeanSigmas(static_cast<double>(seen.leg.landing_weight.at(space)),
                   static_cast<double>(seen.landing_squares.at(space)), trials, chance(weight)),
        kStandardErrors)
        << "tile on " << space;
  ExpectFigure(static_cast<double>(seen.leg.race_ends_weight), trials,
               chance(exact.race_ends_weight), "race ends");
  ExpectFigure(static_cast<double>(seen.leg.race_ends_backward_weight), trials,
               chance(exact.race_ends_backward_weight), "race ends backward");
}

void ExpectRacesFit(Slot& slot, const RaceTruth& truth, std::uint64_t count) {
  SCOPED_TRACE(truth.name);
  const auto seen = SimulateAll(slot, truth.position, camel_up::Scope::kRace, count);
  const auto trials = static_cast<double>(count);
  RaceChances tallies = ChancesOf(seen.race, 1, 1);
  for (const auto& [camel, chance] : truth.win)
    ExpectFigure(tallies.win[camel], trials, chance, std::string("win ") + camel);
  for (const auto& [camel, chance] : truth.last)
    ExpectFigure(tallies.last[camel], trials, chance, std::string("last ") + camel);
  for (const auto& [pair, chance] : truth.joint)
    ExpectFigure(tallies.joint[pair], trials, chance, pair);
  EXPECT_LT(MeanSigmas(tallies.legs, static_cast<double>(seen.legs_squared), trials, truth.legs),
            kStandardErrors)
      << "legs: " << tallies.legs / trials << ", not " << truth.legs;
}

void ExpectRaceRowsMatch(Slot& slot, const std::vector<RaceTruth>& truths, std::size_t batch_rows) {
  constexpr double kChanceError = 1e-11;  // of some entries of 2^-40, and of 1e-12 that is missing
  constexpr double kLegsError = 1e-10;
  std::vector<reference::Position> positions;
  positions.reserve(truths.size());
  for (const RaceTruth& truth : truths) positions.push_back(truth.position);
  const auto answers = SolveRacesOnSlot(slot, positions, batch_rows, false);
  for (std::size_t i = 0; i < truths.size(); ++i) {
    SCOPED_TRACE(truths[i].name);
    RaceChances odds = ChancesOf(answers[i]);
    for (const auto& [camel, chance] : truths[i].win)
      EXPECT_NEAR(odds.win[camel], chance, kChanceError);
    for (const auto& [camel, chance] : truths[i].last)
      EXPECT_NEAR(odds.last[camel], chance, kChanceError);
    for (const auto& [pair, chance] : truths[i].joint)
      EXPECT_NEAR(odds.joint[pair], chance, kChanceError);
    EXPECT_NEAR(odds.legs, truths[i].legs, kLegsError);
  }
}

}  // namespace gpusim::testing
