// Threads for the heavy part of turning messages into tasks and answers into messages: reading,
// hashing and writing a board of millions of cells takes tens of milliseconds. gRPC's threads must
// not block that long, and a slot's thread would leave its device idle.
//
// Calls whose conversion is light do not come here; the hop would cost them more than it saves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "server/batching/mutex.h"

namespace gpusim::server {

// Thread-safe. Jobs run in the order in which they came, as many at a time as there are threads.
// They must not throw, and must not wait for each other.
class ConversionPool {
 public:
  // Jobs that TryPost leaves waiting at the most; one more is refused.
  ConversionPool(int threads, std::size_t max_waiting);
  // Stops.
  ~ConversionPool();
  ConversionPool(const ConversionPool&) = delete;
  ConversionPool& operator=(const ConversionPool&) = delete;

  // False, and the job is dropped, if as many wait as may. Does not block.
  bool TryPost(std::function<void()> job) GPUSIM_EXCLUDES(mutex_);

  // For the second half of a call whose first half was let in, so that their number is bounded by
  // that. Does not block.
  void Post(std::function<void()> job) GPUSIM_EXCLUDES(mutex_);

  // Jobs that wait for a thread at this moment, and those that TryPost has refused so far.
  struct Load {
    std::size_t waiting = 0;
    std::uint64_t refused = 0;
  };
  Load load() const GPUSIM_EXCLUDES(mutex_);

  // Runs what waits, then ends the threads. Nothing may be posted after that. Idempotent, but for
  // one thread.
  void Stop() GPUSIM_EXCLUDES(mutex_);

 private:
  void RunJobs() GPUSIM_EXCLUDES(mutex_);

  const std::size_t max_waiting_;
  mutable batching::Mutex mutex_;
  batching::CondVar changed_;
  std::deque<std::function<void()>> waiting_ GPUSIM_GUARDED_BY(mutex_);
  std::uint64_t refused_ GPUSIM_GUARDED_BY(mutex_) = 0;
  bool stopping_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace gpusim::server
