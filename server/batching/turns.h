// Whose batch is next on a group of slots that serve the same kinds: first the priority, then the kind, both by measured time.
//
// Priority: interactive tasks go first. While bulk ones are passed over, every kBulkShare nanoseconds of interactive batches earn
// them one of the device, and what they have earned they take at once. So a single query waits for at most the chunk under
// way and one earned chunk, and bulk work keeps a ninth of the time however many queries there are. A share of time rather than
// an age: when all bulk tasks are old, age would let them all go first; and it means the same whatever a chunk lasts.
//
// Kind: of those that wait, the one that has had the least time goes next, so that a kind of short batches gets as much of
// the device as one of long batches. Who comes back after it had nothing to do is level with the others: it brings no savings,
// and no debts. Equals go round.
//
// Batches on other slots are charged when they begin, with what the kind's batches usually take, and corrected when
// they end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "server/batching/kind.h"
#include "server/batching/task.h"

namespace gpusim::batching {

// What a batch is taken for: its first task is of this priority.
struct BatchTurn {
  KindIndex kind = 0;
  Priority priority = Priority::kInteractive;
  bool contended = false;       // tasks of the other priority waited too
  std::int64_t charged_ns = 0;  // by Begin
};

// Times by kind, of the batches of one priority.
class KindTimes {
 public:
  // At least one kind; the first turn is the first one's.
  explicit KindTimes(std::size_t kinds) : used_ns_(kinds), usual_ns_(kinds), last_(kinds - 1) {}

  // The kind whose turn it is of those for which `waits` says true; the number of kinds if there is none.
  template <class Waits>
  KindIndex Next(const Waits& waits) const {
    KindIndex best = used_ns_.size();
    for (std::size_t step = 1; step <= used_ns_.size(); ++step) {
      const KindIndex kind = (last_ + step) % used_ns_.size();
      if (waits(kind) && (best == used_ns_.size() || Level(kind) < Level(best))) best = kind;
    }
    return best;
  }
  // What it charges, which End corrects.
  std::int64_t Begin(KindIndex kind);
  void End(KindIndex kind, std::int64_t charged_ns, std::int64_t run_ns);

 private:
  // The kind's time; what it did not use while the others had theirs is lost.
  std::int64_t Level(KindIndex kind) const { return std::max(used_ns_[kind], level_ns_); }

  std::vector<std::int64_t> used_ns_;
  std::vector<std::int64_t> usual_ns_;  // of a batch, a moving average
  std::int64_t level_ns_ = 0;           // of the kind that began last
  KindIndex last_;
};

// Not thread-safe.
class BatchTurns {
 public:
  static constexpr std::int64_t kBulkShare = 8;

  // `served` has the kinds that the slots run.
  explicit BatchTurns(std::vector<bool> served)
      : served_(std::move(served)), times_{KindTimes(served_.size()), KindTimes(served_.size())} {}

  const std::vector<bool>& served() const { return served_; }

  // `waits(kind, priority)`: whether such a task can begin now. Nothing when there is none of the served kinds.
  template <class Waits>
  std::optional<BatchTurn> Next(const Waits& waits) const {
    const std::optional<BatchTurn> interactive = NextOf(Priority::kInteractive, waits);
    const std::optional<BatchTurn> bulk = NextOf(Priority::kBulk, waits);
    std::optional<BatchTurn> next =
        !interactive || (bulk && bulk_earned_ns_ > 0) ? bulk : interactive;
    if (interactive && bulk) next->contended = true;
    return next;
  }
  // Begin when a batch is taken for the turn, End when it has run.
  void Begin(BatchTurn& turn);
  void End(const BatchTurn& turn, std::int64_t run_ns);

 private:
  template <class Waits>
  std::optional<BatchTurn> NextOf(Priority priority, const Waits& waits) const {
    const KindIndex kind = times_[static_cast<std::size_t>(priority)].Next(
        [&](KindIndex candidate) { return served_[candidate] && waits(candidate, priority); });
    if (kind == served_.size()) return std::nullopt;
    return BatchTurn{.kind = kind, .priority = priority};
  }

  const std::vector<bool> served_;
  std::array<KindTimes, kPriorities> times_;
  std::int64_t bulk_earned_ns_ = 0;  // below 0: to be earned again
};

}  // namespace gpusim::batching
