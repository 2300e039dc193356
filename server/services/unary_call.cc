#include "server/services/unary_call.h"

namespace gpusim::server {

batching::TimePoint DeadlineOf(const grpc::CallbackServerContext& call,
                               std::chrono::milliseconds default_deadline) {
  using std::chrono::steady_clock;
  using std::chrono::system_clock;
  const steady_clock::time_point now = steady_clock::now();
  // A call without a deadline says 'the end of time', which would overflow on another clock.
  constexpr std::chrono::hours kNever{24 * 365};
  const system_clock::time_point deadline = call.deadline();
  const system_clock::time_point wall_now = system_clock::now();
  if (deadline >= wall_now + kNever) return now + default_deadline;
  return now + (deadline - wall_now);
}

}  // namespace gpusim::server
