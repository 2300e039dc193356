// A long Monte Carlo run with running estimates.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <gpusim/camel_up.h>

namespace gpusim {

struct SimulateRequest {
  AnyPosition position = {};
  std::vector<OddsOutput> outputs = {};     // empty: kLegRanks
  std::uint64_t simulations = 0;            // 1 to 1e13
  std::optional<RandomStream> stream = {};  // unset: the server's own
  // Of the stream: a run that was broken off goes on where it stopped.
  std::uint64_t first_simulation = 0;
  double target_error = 0;                          // ends at this standard error; 0: no target
  std::chrono::milliseconds max_duration{0};        // ends after that time; 0: no bound
  std::chrono::milliseconds update_interval{1000};  // between running estimates, 10 to 60,000
};

enum class SimulateState {
  kUnspecified = 0,
  kRunning = 1,        // of a result: the caller's callback has stopped the run
  kDone = 2,           // all simulations were played
  kTargetReached = 3,  // target_error
  kTimeIsUp = 4,       // max_duration
  kDraining = 5,       // the server stops, or closes old connections; go on from next_simulation
};

struct SimulateUpdate {
  Odds estimate = {};                 // of all simulations of this call so far
  std::uint64_t next_simulation = 0;  // where a run that goes on would begin
  SimulateState state = SimulateState::kUnspecified;
  std::chrono::milliseconds elapsed{0};
};

}  // namespace gpusim
