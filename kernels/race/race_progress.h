// How far a solve is: two parts of equally many sweeps, how many of which is known from the first
// part's end on and predicted before.
#pragma once

#include <algorithm>

#include "kernels/race/race_layers.h"
#include "kernels/race_table.h"

namespace gpusim::camel_up {

class RaceProgress {
 public:
  explicit RaceProgress(Edition edition)
      : predicted_(edition == Edition::kFirst ? kSweepsOfFirst : kSweepsOfSecond) {}

  // After a sweep of the first part, with what it leaves missing.
  void SweepDone(double missing) {
    now_.missing = missing;
    SweepDone();
    if (missing <= kMostMissing) predicted_ = sweeps_of_a_part_ = now_.sweeps;
  }
  // After one of the second part.
  void SweepDone() { ++now_.sweeps; }

  // Once the first part is done.
  int sweeps_of_a_part() const { return sweeps_of_a_part_; }

  // With `of_sweep` (0 to 1) of the current sweep done.
  const RaceSolveProgress& At(double of_sweep) {
    const double done = (now_.sweeps + of_sweep) / (2 * predicted_);
    const double most = sweeps_of_a_part_ == 0 ? 0.5 : 1;
    now_.fraction = std::max(now_.fraction, std::min(done, most));
    return now_;
  }

 private:
  // As measured. They only shape the prediction.
  static constexpr int kSweepsOfFirst = 10;
  static constexpr int kSweepsOfSecond = 14;

  int predicted_;
  int sweeps_of_a_part_ = 0;
  RaceSolveProgress now_;
};

}  // namespace gpusim::camel_up
