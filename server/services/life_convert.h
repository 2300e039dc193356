// From StepRequest to the domain: the last place that sees its protobuf.
#pragma once

#include <cstdint>
#include <string>

#include <tl/expected.hpp>

#include "gpusim/v1/life.pb.h"
#include "kernels/formats/topology_string.h"
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

// Conway's where the text is empty, and where it is bad, which `violations` then say.
life::Rule RuleOf(const std::string& text, Violations& violations);
// Of a board of a size that is over the limit.
Violation TooManyCells(const std::string& field, std::uint32_t width, std::uint32_t height,
                       std::uint64_t max_step_cells);

}  // namespace gpusim::server
