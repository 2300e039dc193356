// Between the messages of CamelUpService and the domain: the last place that sees their protobuf.
#pragma once

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/camel_up.h"
#include "kernels/odds.h"
#include "kernels/violation.h"

namespace gpusim::server {

struct OddsOutputs {
  bool leg_ranks = false;
  bool leg_pairs = false;
  bool landings = false;
};

struct OddsQuestion {
  camel_up::OddsQuery query;
  OddsOutputs outputs;
};

// All faults of the request at once; violations name its fields ("position.stacks[0].space").
tl::expected<OddsQuestion, Violations> OddsQuestionOf(const v1::GetOddsRequest& request);

// Everything but the provenance.
void FillOddsResponse(const OddsQuestion& question, const camel_up::Odds& odds,
                      v1::GetOddsResponse& response);

}  // namespace gpusim::server
