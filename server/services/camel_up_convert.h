// Between the odds messages of CamelUpService and the domain: what is asked, and by which method.
// Positions: position_convert.h. Answers: odds_response.h. Columns: odds_columns.h.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <google/protobuf/repeated_field.h>
#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/camel_up.h"
#include "kernels/odds.h"
#include "kernels/rules/camel_up_stream.h"
#include "kernels/violation.h"
#include "server/kinds/camel_up_kind.h"

namespace gpusim::server {

struct OddsOutputs {
  bool leg_ranks = false;
  bool leg_pairs = false;
  bool landings = false;
  bool leg_values = false;
  bool race = false;
  bool race_joint = false;

  // What has to be worked out for them.
  camel_up::Scope scope() const {
    return race || race_joint ? camel_up::Scope::kRace : camel_up::Scope::kLeg;
  }
};

struct OddsQuestion {
  camel_up::OddsQuery query;
  OddsOutputs outputs;
  // Monte Carlo; absent: exact.
  std::optional<kinds::SimulationRun> simulation;
  // The simulation's stream is still to be taken from the warm ones, so its base and offset are 0 so far.
  bool wants_warm_stream = false;
};

// All faults of the request at once; violations name its fields ("position.stacks[0].space").
// A Monte Carlo question has 1 to `max_simulations` simulations.
tl::expected<OddsQuestion, Violations> OddsQuestionOf(const v1::GetOddsRequest& request,
                                                      std::uint64_t max_simulations);

// The parts of it, for other requests. Faults are added to `violations`; what is returned then is of no use.
OddsOutputs ReadOutputs(const google::protobuf::RepeatedField<int>& outputs,
                        Violations& violations);

// Blocks of a lane that a simulation of the scope takes.
constexpr std::uint64_t BlocksOf(camel_up::Scope scope) {
  return scope == camel_up::Scope::kRace ? camel_up::kRaceBlocks : camel_up::kLegBlocks;
}

// Sets the stream of `run`, whose query, first and count are set; `prefix` ends with a point ("monte_carlo.stream.").
void ReadStream(const v1::RandomStream& stream, const std::string& prefix,
                kinds::SimulationRun& run, Violations& violations);

}  // namespace gpusim::server
