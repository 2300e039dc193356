// What simulations and race rows have to come out at: exact leg odds, and the races of tests/data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "tests/reference/camel_up_reference.h"

namespace gpusim::testing {

// Chances by letters, as reference::RaceOdds has them.
struct RaceTruth {
  std::string name;
  reference::Position position;
  std::map<char, double> win;
  std::map<char, double> last;
  std::map<std::string, double> joint;  // empty where the file has none
  double legs = 0;
};

// race_first_edition.csv, race_second_edition.csv, race_second_edition_mid_leg.json.
std::vector<RaceTruth> LoadFirstEditionRaces();
std::vector<RaceTruth> LoadSecondEditionRaces();
std::vector<RaceTruth> LoadMidLegRaces();

// Three of the first edition, one of the second, three of the second within a leg, with tiles.
std::vector<RaceTruth> SomeRaceTruths();

// Of both editions, with tiles, some races ending in the leg both ways.
std::vector<reference::Position> ChiSquarePositions();

// Of the first edition within a leg, with tiles.
std::vector<reference::Position> RacePositions();

// The slot's own exact odds of the position's race, whose edition's table has to be in use.
RaceTruth ExactRace(Slot& slot, const reference::Position& position);

// Simulates `count` legs, or races, as rows of one stream. The pairs of first and second camel, and those of
// every camel and place, fit the slot's own exact odds by chi-square at 1e-4; landings and ends of the
// race, and all figures of a race, by 4 standard errors.
void ExpectLegsFitExactOdds(Slot& slot, const reference::Position& position, std::uint64_t count);
void ExpectRacesFit(Slot& slot, const RaceTruth& truth, std::uint64_t count);

// Exact race rows, within the table's rounding. The editions' tables have to be in use.
void ExpectRaceRowsMatch(Slot& slot, const std::vector<RaceTruth>& truths, std::size_t batch_rows);

}  // namespace gpusim::testing
