// The scheduler's decisions as functions of state and time alone: no threads, no locks, no clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/batching/kind.h"
#include "server/batching/task.h"

namespace gpusim::batching {

// Fills one batch from the front of a queue: it closes before one of its sums passes the limit.
class BatchFill {
 public:
  constexpr explicit BatchFill(const Cost& limit) : limit_(limit) {}

  // Whether a task of this cost still goes into the batch; counts it when it does. The first one
  // always goes: a task beyond the limit goes alone, rather than never.
  constexpr bool Admit(const Cost& cost) {
    if (!empty_ && !Fits(cost)) return false;
    empty_ = false;
    sum_ = {sum_.rows + cost.rows, sum_.bytes + cost.bytes, sum_.work + cost.work};
    return true;
  }

 private:
  constexpr bool Fits(const Cost& cost) const {
    return FitsOne(sum_.rows, cost.rows, limit_.rows) &&
           FitsOne(sum_.bytes, cost.bytes, limit_.bytes) &&
           FitsOne(sum_.work, cost.work, limit_.work);
  }
  // sum + cost <= limit without overflow.
  static constexpr bool FitsOne(std::uint64_t sum, std::uint64_t cost, std::uint64_t limit) {
    return sum <= limit && cost <= limit - sum;
  }

  Cost limit_;
  Cost sum_;
  bool empty_ = true;
};

// Round robin: the first kind after `last`, going round and ending at `last` itself, for which
// `waits` says true; `kinds` when there is none. No kind is passed over while it waits.
template <class Waits>
constexpr KindIndex NextKind(KindIndex last, std::size_t kinds, const Waits& waits) {
  for (std::size_t step = 1; step <= kinds; ++step) {
    const KindIndex kind = (last + step) % kinds;
    if (waits(kind)) return kind;
  }
  return kinds;
}

// What happened while a task's chunk was under way.
struct Meanwhile {
  bool cancelled = false;
  bool expired = false;
  bool stopping = false;  // the scheduler runs nothing again
};

// The outcome of a task whose chunk has ended, or nothing when it goes back to the queue. Who
// cancelled has been promised kCancelled; otherwise a completed task is answered even when its time
// is over, as the work is done.
constexpr std::optional<Outcome> OutcomeOfChunk(Chunk chunk, const Meanwhile& meanwhile) {
  if (meanwhile.cancelled) return Outcome::kCancelled;
  if (chunk == Chunk::kDone) return Outcome::kAnswered;
  if (chunk == Chunk::kFailed) return Outcome::kFailed;
  if (meanwhile.expired) return Outcome::kExpired;
  if (meanwhile.stopping) return Outcome::kDraining;
  return std::nullopt;
}

// Wall time per finished task of a kind, over about the last eight times that some finished: the
// ratio of two moving averages, so that a batch of 100 weighs as 100 tasks. Measured from outside,
// it contains the number of slots and the turns of the other kinds.
class Pace {
 public:
  using Nanoseconds = std::chrono::duration<double, std::nano>;

  constexpr void Record(Nanoseconds elapsed, std::uint64_t finished) {
    time_ += (elapsed - time_) * kWeight;
    tasks_ += (static_cast<double>(finished) - tasks_) * kWeight;
  }
  // Zero before the first task finished.
  constexpr Nanoseconds per_task() const { return tasks_ > 0 ? time_ / tasks_ : Nanoseconds{0}; }

 private:
  static constexpr double kWeight = 1.0 / 8;
  Nanoseconds time_{0};
  double tasks_ = 0;
};

inline constexpr std::chrono::milliseconds kMinRetryAfter{1};
inline constexpr std::chrono::milliseconds kMaxRetryAfter{10'000};

// When a refused caller may try again: by then the tasks that are ahead of it now are done, if the
// pace holds.
constexpr std::chrono::milliseconds RetryAfter(std::uint64_t tasks_ahead, const Pace& pace) {
  const std::chrono::duration<double, std::milli> wait =
      pace.per_task() * static_cast<double>(tasks_ahead);
  // Compared as floating point: a long wait need not fit an integer.
  if (wait >= kMaxRetryAfter) return kMaxRetryAfter;
  return std::max(kMinRetryAfter, std::chrono::ceil<std::chrono::milliseconds>(wait));
}

}  // namespace gpusim::batching
