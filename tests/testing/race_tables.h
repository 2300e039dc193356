// Checks of race tables and of their solvers' layers, against legs walked draw by draw.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/race/race_layers.h"
#include "kernels/race_table.h"
#include "tests/testing/race_truths.h"

namespace gpusim::testing {

// Every win, last and legs of the truths, which are all leg boundaries of the table's edition, with
// the error of the truth itself.
void ExpectTruths(const camel_up::RaceTable& table, const std::vector<RaceTruth>& truths,
                  double truth_error);

// That the table is its own mean over the next leg, at `count` random shapes: every path of the leg
// walked, the table read at the leaves. Uses all processors.
void ExpectFixedPoints(const camel_up::RaceTable& table, int count, std::uint64_t seed);

// The shapes that a leg can lead to from one shape of an edition, numbered anew from it: a race table's
// equation in the small. A move from a shape that only the last draw reaches is made to end the race.
class RaceUniverse {
 public:
  RaceUniverse(camel_up::Edition edition, std::uint32_t start);

  camel_up::Edition edition() const { return edition_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(shapes_.size()); }
  int moves_of_a_shape() const { return camel_up::RaceMovesOf(edition_); }
  const std::vector<camel_up::RaceMove>& moves() const { return moves_; }

  // Random values of a part for every shape, and those of 'race over' behind them.
  std::vector<double> RandomValues(camel_up::RacePart part, std::uint64_t seed) const;

  // Their mean over a leg from the first shape, path by path.
  std::vector<double> MeanOverLeg(camel_up::RacePart part, const std::vector<double>& values) const;

 private:
  camel_up::Edition edition_;
  std::vector<std::uint32_t> shapes_;
  std::map<std::uint32_t, std::uint32_t> number_of_;
  std::vector<camel_up::RaceMove> moves_;
};

// One layer of the universe by the CPU's engine; `in` and the result have the row of 'race over'.
std::vector<double> SumLayerOnCpu(const RaceUniverse& universe, const camel_up::RaceLayer& layer,
                                  camel_up::RacePart part, const std::vector<double>& in);

// The shape of a leg boundary, and its racing camels by rank.
std::uint32_t ShapeOf(const reference::Position& position, std::string* racers);

}  // namespace gpusim::testing
