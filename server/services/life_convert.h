// Between the messages of LifeService and the domain: the last place that sees their protobuf.
#pragma once

#include <cstdint>

#include <tl/expected.hpp>

#include "gpusim/v1/life.pb.h"
#include "kernels/life.h"
#include "kernels/violation.h"
#include "server/services/step_plan.h"

namespace gpusim::server {

struct StepLimits {
  std::uint64_t max_step_cells = 0;
  std::uint64_t max_reply_bytes = 0;
};

// All faults of the request's fields at once. Also refuses a reply whose size can be told now and
// is over the limit.
tl::expected<StepPlan, Violations> PlanOf(const v1::StepRequest& request, const StepLimits& limits);

// What a finished run leaves: the plan (without its board) and what came of it.
struct StepResult {
  StepPlan plan;
  life::Board board;
  std::uint64_t population = 0;
  v1::OutputFormat format = v1::OUTPUT_FORMAT_UNSPECIFIED;
};

// Everything but the provenance. Trims the board of a plane:auto. Fails if the board in its format
// is over the limit.
tl::expected<void, Violations> FillStepResponse(StepResult result, std::uint64_t max_reply_bytes,
                                                v1::StepResponse& response);

}  // namespace gpusim::server
