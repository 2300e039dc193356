#include "server/batching/kind.h"

#include <algorithm>

namespace gpusim::batching {

void KindCounters::Add(const KindCounters& other) {
  accepted += other.accepted;
  answered += other.answered;
  failed += other.failed;
  cancelled += other.cancelled;
  expired += other.expired;
  drained += other.drained;
  refused_queue_full += other.refused_queue_full;
  refused_bytes_full += other.refused_bytes_full;
  refused_work_full += other.refused_work_full;
  refused_draining += other.refused_draining;
  accepted_bulk += other.accepted_bulk;
  batches += other.batches;
  batched += other.batched;
  largest_batch = std::max(largest_batch, other.largest_batch);
  batch_sizes.Add(other.batch_sizes);
  queue_ns += other.queue_ns;
  queue_times.Add(other.queue_times);
  run_ns += other.run_ns;
  queued += other.queued;
  running += other.running;
  bytes += other.bytes;
  queued_work_ns += other.queued_work_ns;
}

}  // namespace gpusim::batching
