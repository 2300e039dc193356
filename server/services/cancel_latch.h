// Lets a cancellation and a submission that happen at the same time find each other.
#pragma once

#include <atomic>
#include <limits>
#include <optional>

#include "server/batching/scheduler.h"

namespace gpusim::server {

// Either order of the two calls leads to exactly one of them saying that the task is to be
// cancelled. Thread-safe; each is called at most once.
class CancelLatch {
 public:
  // The task was accepted under this id. True: the call has been cancelled before, so cancel it.
  bool SubmittedCancelled(batching::TaskId id) {
    batching::TaskId expected = kNothing;
    return !state_.compare_exchange_strong(expected, id);
  }

  // The call was cancelled. The id to cancel, if there is one yet.
  std::optional<batching::TaskId> Cancel() {
    const batching::TaskId before = state_.exchange(kCancelled);
    return before == kNothing ? std::nullopt : std::optional(before);
  }

  bool cancelled() const { return state_.load() == kCancelled; }

 private:
  // Ids count from the bottom and never get here.
  static constexpr batching::TaskId kNothing = std::numeric_limits<batching::TaskId>::max();
  static constexpr batching::TaskId kCancelled = kNothing - 1;

  std::atomic<batching::TaskId> state_ = kNothing;
};

}  // namespace gpusim::server
