// Between the EvaluateMoves messages and kernels/moves.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/moves/moves.h"
#include "kernels/odds.h"
#include "kernels/violation.h"

namespace gpusim::server {

// What to solve for the request; or all its faults at once, their fields behind `prefix` ("", or ending with a point). Lists
// that are longer than any question's are refused unread.
tl::expected<camel_up::MovesPlan, Violations> MovesPlanOf(const v1::EvaluateMovesRequest& request,
                                                          const std::string& prefix);

// Everything but the provenance. The response is empty before; odds[i] is the answer to plan.queries[i].
void FillMovesResponse(const camel_up::MovesPlan& plan, std::span<const camel_up::Odds> odds,
                       v1::EvaluateMovesResponse& response);

// What FillMovesResponse makes has no more bytes than this, below 2.5 KiB.
std::size_t MaxMovesResponseBytes(const camel_up::MovesPlan& plan);

}  // namespace gpusim::server
