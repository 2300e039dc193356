// The odds of a whole race at a leg boundary, for every shape of an edition: what a race query reads
// at the leaves of the leg under way. A shape is a board of which only the order of the racing camels
// is known, named by rank from the back (rules/camel_up_shape.h); no tiles lie, all dice are in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "kernels/rules/camel_up_board.h"

namespace gpusim::camel_up {

inline constexpr int kJointNumbers = kRacers * (kRacers - 1);

// Units are exact in any order of summing: a leaf's weight is at most 5,598,720, so the sums of weight
// times chance and of weight times legs, of which no shape expects more than 6, stay below 2^63.
inline constexpr int kJointUnitBits = 40;  // joint[] counts 2^-40
inline constexpr int kLegsUnitBits = 37;   // legs counts 2^-37

// One shape. 168 bytes, without padding, little-endian in a file.
struct RaceRow {
  // joint[JointComponent(w, l)]: the chance that the camel of rank w wins the race and the one of rank l
  // is last. Rank 0 is the rearmost racing camel of the shape. The sum is 1 to 20 units.
  std::uint64_t joint[kJointNumbers];
  std::uint64_t legs;  // expected number of legs to come, at least 1
};
static_assert(sizeof(RaceRow) == 168);

GPUSIM_HOST_DEVICE constexpr int JointComponent(int winner, int last) {
  return winner * (kRacers - 1) + last - (last > winner ? 1 : 0);
}

// Immutable; shared by whoever reads it. Thread-safe.
class RaceTable {
 public:
  // `memory` keeps the rows alive: a vector or a mapped file. rows.size() == ShapesOf(edition).
  RaceTable(Edition edition, std::shared_ptr<const void> memory, std::span<const RaceRow> rows)
      : edition_(edition), memory_(std::move(memory)), rows_(rows) {}

  Edition edition() const { return edition_; }
  std::span<const RaceRow> rows() const { return rows_; }
  std::size_t bytes() const { return rows_.size_bytes(); }

 private:
  Edition edition_;
  std::shared_ptr<const void> memory_;
  std::span<const RaceRow> rows_;
};

// How far a solver is, told after every sweep and at least every second.
struct RaceSolveProgress {
  int sweeps = 0;       // whole ones
  double missing = 1;   // greatest chance of a shape that the race is not over after so many legs
  double fraction = 0;  // of the work, predicted; never falls
};

}  // namespace gpusim::camel_up
