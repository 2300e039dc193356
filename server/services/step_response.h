// What came of a step, as StepResponse. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include <tl/expected.hpp>

#include "gpusim/v1/life.pb.h"
#include "kernels/violation.h"
#include "server/kinds/life_run.h"
#include "server/services/step_plan.h"

namespace gpusim::server {

// Bytes of the response at the most as far as they can be told before the work: all but a provenance and a board whose size
// depends on its cells.
std::uint64_t KnownResponseBytes(const StepPlan& plan, v1::OutputFormat format);

// What the provenance, and what frames the response, have at the most.
inline constexpr std::uint64_t kProvenanceBytes = 1024;

// Why such a response cannot be sent, if that can be told before the work.
std::optional<Violation> ReplySizeFault(const StepPlan& plan, v1::OutputFormat format,
                                        std::uint64_t max_reply_bytes);

// A finished run: the plan (without its board) and what came of it.
struct StepResult {
  StepPlan plan;
  kinds::LifeAnswer answer;
  v1::OutputFormat format = v1::OUTPUT_FORMAT_UNSPECIFIED;
};

// Whether the board takes room that KnownResponseBytes does not count.
bool BoardSizeIsUnknown(const StepPlan& plan, v1::OutputFormat format);

// Everything but the provenance. Trims the board of a plane:auto. Fails if the board is of a size that was not known and has more than
// `max_board_bytes`; `max_reply_bytes` is only named.
tl::expected<void, Violations> FillStepResponse(StepResult result, std::uint64_t max_board_bytes,
                                                std::uint64_t max_reply_bytes,
                                                v1::StepResponse& response);

}  // namespace gpusim::server
