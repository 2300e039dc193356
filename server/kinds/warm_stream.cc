#include "server/kinds/warm_stream.h"

#include <algorithm>
#include <random>

namespace gpusim::kinds {

std::size_t WarmStreams::LeastUsed() const {
  return static_cast<std::size_t>(std::min_element(next_block_.begin(), next_block_.end()) -
                                  next_block_.begin());
}

WarmStreams::Blocks WarmStreams::Take(std::uint64_t blocks) {
  const batching::MutexLock lock(mutex_);
  const std::size_t device = LeastUsed();
  const std::uint64_t offset = next_block_[device];
  next_block_[device] += blocks;
  return {BaseOf(device), offset};
}

WarmStreams::Blocks WarmStreams::next() const {
  const batching::MutexLock lock(mutex_);
  const std::size_t device = LeastUsed();
  return {BaseOf(device), next_block_[device]};
}

std::uint64_t RandomSeed() {
  std::random_device system;
  return std::uint64_t{system()} << 32 | system();
}

}  // namespace gpusim::kinds
