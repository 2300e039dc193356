// Whether a worker is at work, and for how long at one thing, for somebody else to look at.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>

#include "server/batching/clock.h"

namespace gpusim::batching {

// Of one worker, who alone writes; anybody may read.
class Heartbeat {
 public:
  void Begin(TimePoint now) {
    since_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  void End() { since_.store(kIdle, std::memory_order_relaxed); }

  // When what is under way began.
  std::optional<TimePoint> since() const {
    const TimePoint::rep ticks = since_.load(std::memory_order_relaxed);
    if (ticks == kIdle) return std::nullopt;
    return TimePoint(TimePoint::duration(ticks));
  }

 private:
  static constexpr TimePoint::rep kIdle = TimePoint::duration::min().count();
  std::atomic<TimePoint::rep> since_ = kIdle;
};

// Whether a worker hangs, decided by looking at it again and again. A look counts for `longest_step` at the most, so that a
// process which was stopped, or a machine which slept, takes nobody for hung.
//
// Not thread-safe.
class HangCheck {
 public:
  HangCheck(std::chrono::nanoseconds timeout, std::chrono::nanoseconds longest_step)
      : timeout_(timeout), longest_step_(longest_step) {}

  // `since` as of the worker's heartbeat; true when the same thing was seen under way for the timeout.
  bool Look(std::optional<TimePoint> since, TimePoint now) {
    if (since && since == seen_) {
      at_work_ += std::min<std::chrono::nanoseconds>(now - looked_, longest_step_);
    } else {
      seen_ = since;
      at_work_ = std::chrono::nanoseconds(0);
    }
    looked_ = now;
    return since && at_work_ >= timeout_;
  }

 private:
  const std::chrono::nanoseconds timeout_;
  const std::chrono::nanoseconds longest_step_;
  std::optional<TimePoint> seen_;
  TimePoint looked_;
  std::chrono::nanoseconds at_work_{0};
};

}  // namespace gpusim::batching
