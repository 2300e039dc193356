// From a SimulateRequest to a run, and when it ends before its last simulation.
//
// All functions are pure and thread-safe.
#pragma once

#include <chrono>
#include <optional>

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/odds.h"
#include "kernels/violation.h"
#include "server/services/camel_up_convert.h"

namespace gpusim::server {

struct SimulatePlan {
  OddsQuestion question;    // with a simulation
  double target_error = 0;  // 0: none
  std::optional<std::chrono::milliseconds> max_duration;
  std::chrono::milliseconds update_interval{};
};

// All faults of the request at once.
tl::expected<SimulatePlan, Violations> SimulatePlanOf(const v1::SimulateRequest& request);

// The largest standard error of the probabilities that the outputs ask for: of places (also where only the values
// of tickets are asked for, which are made of them), of pairs, of the winner and the last, of both, and of
// the expected landings. Each is taken as if two more simulations had been played, one in which it happened and one
// in which it did not (Laplace's rule of succession): else what never happened in a few simulations would look
// exact. Microseconds. Precondition: the odds are simulated.
double LargestError(const OddsOutputs& outputs, const camel_up::Odds& odds);

}  // namespace gpusim::server
