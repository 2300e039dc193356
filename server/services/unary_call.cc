#include "server/services/unary_call.h"

namespace gpusim::server {

batching::TimePoint OwnDeadlineOf(const grpc::CallbackServerContext& call) {
  using std::chrono::system_clock;
  // A call without a deadline says 'the end of time', which would overflow on another clock.
  constexpr std::chrono::hours kNever{24 * 365};
  const std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
  const system_clock::time_point deadline = call.deadline();
  const system_clock::time_point wall_now = system_clock::now();
  if (deadline >= wall_now + kNever) return batching::TimePoint::max();
  return now + (deadline - wall_now);
}

batching::TimePoint DeadlineOf(const grpc::CallbackServerContext& call,
                               std::chrono::milliseconds default_deadline) {
  const batching::TimePoint own = OwnDeadlineOf(call);
  if (own != batching::TimePoint::max()) return own;
  return std::chrono::steady_clock::now() + default_deadline;
}

}  // namespace gpusim::server
