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

// What a chunk counts for, in turns of clients and as queued work: the work predicted for it, but at least its rows' share of a
// batch, as a batch may be full of rows that are no work; and at most a batch, as what is larger goes alone.
constexpr std::uint64_t ChargeOf(const Cost& cost, const Cost& batch_limit) {
  const std::uint64_t rows = std::max<std::uint64_t>(1, batch_limit.rows);
  const std::uint64_t work = std::max<std::uint64_t>(1, batch_limit.work);
  const std::uint64_t of_rows = work / rows * std::min(cost.rows, rows);
  return std::clamp<std::uint64_t>(std::max(cost.work, of_rows), 1, work);
}

// The credit of one turn of a client: small beside a batch, so that a batch has room for many clients.
constexpr std::uint64_t QuantumOf(const Cost& batch_limit) {
  constexpr std::uint64_t kTurnsOfABatch = 16;
  return std::max<std::uint64_t>(1, batch_limit.work / kTurnsOfABatch);
}

// Until when a task that has just come waits for others to join its batch: for `max_delay`, but for no more than half of the time
// that it has, as it still has to run.
constexpr TimePoint CloseAt(TimePoint now, TimePoint deadline, std::chrono::nanoseconds max_delay) {
  if (deadline <= now) return now;
  return now + std::min(max_delay, (deadline - now) / 2);
}

// Whether tasks that have waited since `close_at` should begin, and wait no longer for more: their time has come, or they fill
// a batch.
constexpr bool ClosesNow(TimePoint now, TimePoint close_at, const Cost& queued,
                         const Cost& batch_limit) {
  const auto fills = [](std::uint64_t sum, std::uint64_t limit) { return sum > 0 && sum >= limit; };
  return close_at <= now || fills(queued.rows, batch_limit.rows) ||
         fills(queued.bytes, batch_limit.bytes) || fills(queued.work, batch_limit.work);
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

// Wall time per unit of work of a kind, over about the last eight batches: the ratio of two moving averages, so that a large
// batch weighs more. Measured from outside, it contains the number of slots and the turns of the other kinds. It is told of full
// batches alone: a long queue, which is what it is asked about, runs in such, and the time of a small batch is nearly all launch.
class Pace {
 public:
  using Nanoseconds = std::chrono::duration<double, std::nano>;

  constexpr void Record(Nanoseconds elapsed, std::uint64_t work) {
    time_ += (elapsed - time_) * kWeight;
    work_ += (static_cast<double>(work) - work_) * kWeight;
  }
  // Zero before the first batch.
  constexpr Nanoseconds TimeOf(std::uint64_t work) const {
    return work_ > 0 ? time_ / work_ * static_cast<double>(work) : Nanoseconds{0};
  }

 private:
  static constexpr double kWeight = 1.0 / 8;
  Nanoseconds time_{0};
  double work_ = 0;
};

inline constexpr std::chrono::milliseconds kMinRetryAfter{1};
inline constexpr std::chrono::milliseconds kMaxRetryAfter{10'000};

// When a refused caller may try again: by then the work that is ahead of it now is done, if the pace holds.
constexpr std::chrono::milliseconds RetryAfter(std::uint64_t work_ahead, const Pace& pace) {
  const std::chrono::duration<double, std::milli> wait = pace.TimeOf(work_ahead);
  // Compared as floating point: a long wait need not fit an integer.
  if (wait >= kMaxRetryAfter) return kMaxRetryAfter;
  return std::max(kMinRetryAfter, std::chrono::ceil<std::chrono::milliseconds>(wait));
}

}  // namespace gpusim::batching
