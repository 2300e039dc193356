// Hands out the rows of the warm random streams, so that no two unseeded requests use the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/rules/camel_up_stream.h"
#include "server/batching/mutex.h"

namespace gpusim::kinds {

// One stream a device, whose slots hold its states; which one a request gets makes no difference to its
// speed worth mentioning, as any slot plays the rows of any stream. Thread-safe.
class WarmStreams {
 public:
  // `seed` names them all; device d has the lanes from subsequence d * kLanes on.
  WarmStreams(std::uint64_t seed, std::size_t devices) : seed_(seed), next_block_(devices, 0) {}

  camel_up::StreamBase BaseOf(std::size_t device) const {
    return {seed_, device * camel_up::kLanes};
  }

  struct Blocks {
    camel_up::StreamBase base;
    std::uint64_t offset = 0;
  };
  // The next `blocks` blocks of every lane of the device that has handed out the fewest. They are
  // never handed out again, also if the request is then refused.
  Blocks Take(std::uint64_t blocks) GPUSIM_EXCLUDES(mutex_);
  // Where Take(1) would begin.
  Blocks next() const GPUSIM_EXCLUDES(mutex_);

 private:
  std::size_t LeastUsed() const GPUSIM_REQUIRES(mutex_);

  const std::uint64_t seed_;
  mutable batching::Mutex mutex_;
  std::vector<std::uint64_t> next_block_ GPUSIM_GUARDED_BY(mutex_);
};

// Of the operating system.
std::uint64_t RandomSeed();

}  // namespace gpusim::kinds
