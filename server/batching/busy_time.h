// How long at least one of several workers has been at work.
#pragma once

#include <chrono>
#include <cstddef>

#include "server/batching/clock.h"

namespace gpusim::batching {

// Not thread-safe. Takes the time as arguments, in no call earlier than in the one before.
class BusyTime {
 public:
  void Begin(TimePoint now) {
    if (working_++ == 0) since_ = now;
  }
  // One for each Begin.
  void End(TimePoint now) {
    if (--working_ == 0) total_ += now - since_;
  }
  // Up to now, also of work that is under way.
  std::chrono::nanoseconds total(TimePoint now) const {
    return working_ == 0 ? total_ : total_ + (now - since_);
  }

 private:
  std::size_t working_ = 0;
  TimePoint since_;  // where somebody works
  std::chrono::nanoseconds total_{0};
};

}  // namespace gpusim::batching
