// The priority of a request: what it asks for, else what calls like it have.
#pragma once

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/life.pb.h"
#include "kernels/violation.h"
#include "server/batching/task.h"

namespace gpusim::server {

// What the field `priority` says, `unspecified` where it says nothing. A number that names no priority is a fault.
tl::expected<batching::Priority, Violations> PriorityOf(v1::Priority asked,
                                                        batching::Priority unspecified);

// Many boards or questions: more than somebody waits for who asks for one.
inline constexpr std::uint64_t kManyItems = 16;

constexpr batching::Priority PriorityOfMany(std::uint64_t items) {
  return items > kManyItems ? batching::Priority::kBulk : batching::Priority::kInteractive;
}

// Of a request that names none.
template <class Request>
batching::Priority UsualPriority(const Request& /*single*/) {
  return batching::Priority::kInteractive;
}
inline batching::Priority UsualPriority(const v1::GetOddsColumnsRequest& /*columns*/) {
  return batching::Priority::kBulk;
}
inline batching::Priority UsualPriority(const v1::SimulateRequest& /*run*/) {
  return batching::Priority::kBulk;
}
inline batching::Priority UsualPriority(const v1::StepBoardRequest& /*run*/) {
  return batching::Priority::kBulk;
}
inline batching::Priority UsualPriority(const v1::EvaluateMovesManyRequest& many) {
  return PriorityOfMany(static_cast<std::uint64_t>(many.questions_size()));
}
inline batching::Priority UsualPriority(const v1::StepManyRequest& many) {
  return PriorityOfMany(static_cast<std::uint64_t>(many.boards_size()) + many.uniform().count());
}

// A request without the field has the usual one.
template <class Request>
tl::expected<batching::Priority, Violations> PriorityOf(const Request& request) {
  if constexpr (requires { request.priority(); }) {
    return PriorityOf(request.priority(), UsualPriority(request));
  } else {
    return UsualPriority(request);
  }
}

}  // namespace gpusim::server
