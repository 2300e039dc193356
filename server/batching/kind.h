// What the scheduler is told of a kind of work, and what it counts about it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "server/batching/histogram.h"
#include "server/batching/task.h"

namespace gpusim::batching {

using KindIndex = std::size_t;

struct KindOptions {
  std::string name;  // "camel_up", as statistics call it
  Cost batch_limit;  // of one batch; a task that alone is beyond it goes alone
  // Of the tasks queued plus running; what would pass either is refused, but a task of more bytes
  // than that which finds the kind empty is taken. A task's bytes are those of its first cost.
  std::uint64_t max_tasks = 4096;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
};

// Why a task was not accepted.
struct Refusal {
  enum class Reason : std::uint8_t { kQueueFull, kBytesFull, kDraining, kDeviceLost };
  Reason reason = Reason::kQueueFull;
  std::uint64_t limit = 0;  // max_tasks for kQueueFull, max_bytes for kBytesFull
  // When the queue of now will be done at its recent pace, 1 ms to 10 s; of a full queue alone.
  std::chrono::milliseconds retry_after{};
};

struct KindCounters {
  // Tasks, by what became of them. An outcome is counted before its Finish is called, so that who
  // has seen the answer finds it counted.
  std::uint64_t accepted = 0, answered = 0, failed = 0, cancelled = 0, expired = 0, drained = 0;
  // Tasks that were not accepted, by Refusal::Reason.
  std::uint64_t refused_queue_full = 0, refused_bytes_full = 0, refused_draining = 0;
  // Runs of a Runner, and the tasks in them; a task of n chunks is in n batches.
  std::uint64_t batches = 0, batched = 0, largest_batch = 0;
  BatchSizeHistogram batch_sizes;  // of `batches` values, whose sum is `batched`
  std::uint64_t queue_ns = 0;      // sum, from Submit to first taken; never taken counts nothing
  QueueTimeHistogram queue_times;  // of the values whose sum is `queue_ns`
  std::uint64_t run_ns = 0;        // sum over batches
  std::uint64_t queued = 0, running = 0;  // at this moment
  std::uint64_t bytes = 0;                // of those

  // Makes this the counters of both.
  void Add(const KindCounters& other);
};

}  // namespace gpusim::batching
