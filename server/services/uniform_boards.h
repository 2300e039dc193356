// Many boards of one shape as columns: UniformBoards to runs, answers to UniformResults.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tl/expected.hpp>

#include "gpusim/v1/life.pb.h"
#include "kernels/formats/topology_string.h"
#include "kernels/violation.h"
#include "server/kinds/life_run.h"
#include "server/services/life_facts.h"

namespace gpusim::server {

struct UniformLimits {
  std::uint64_t max_step_cells = 0;  // of a board
  std::uint64_t max_cells = 0;       // of all, at most those of max_call_cells
  std::uint64_t max_call_cells = 0;
  std::uint64_t max_boards = 0;
};

struct UniformPlan {
  std::uint64_t count = 0;
  formats::BoundedGrid grid;
  FactChoice facts;
  bool return_rows = false;

  std::uint64_t reply_bytes() const;
};

// Adds one run a board to `runs`, in their order. All faults at once, which name the fields of UniformBoards.
tl::expected<UniformPlan, Violations> UniformPlanOf(const v1::UniformBoards& request,
                                                    const UniformLimits& limits,
                                                    std::vector<kinds::LifeRun>& runs);

// One answer a board. The message is empty before.
void FillUniform(const UniformPlan& plan, std::span<const kinds::LifeAnswer> answers,
                 v1::UniformResults& message);

}  // namespace gpusim::server
