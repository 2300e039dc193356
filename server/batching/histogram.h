// Counts of values by fixed upper bounds. Bucket i has what is at most bound i and above the one before; one more bucket has
// what is above them all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gpusim::batching {

// `kUpperBounds` is a std::array of ascending numbers. Not thread-safe.
template <const auto& kUpperBounds>
class Histogram {
 public:
  static constexpr std::span<const std::uint64_t> bounds() { return kUpperBounds; }

  void Record(std::uint64_t value) {
    const auto place = std::lower_bound(kUpperBounds.begin(), kUpperBounds.end(), value);
    ++counts_[static_cast<std::size_t>(place - kUpperBounds.begin())];
  }
  void Add(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

  // One more than there are bounds.
  std::span<const std::uint64_t> counts() const { return counts_; }

 private:
  std::array<std::uint64_t, kUpperBounds.size() + 1> counts_{};
};

// 10 us to 10 s: from a request that finds a slot idle to one that waits for most of its deadline.
inline constexpr std::array<std::uint64_t, 19> kQueueTimeBoundsNs{
    10'000,        25'000,        50'000,        100'000,       250'000,
    500'000,       1'000'000,     2'500'000,     5'000'000,     10'000'000,
    25'000'000,    50'000'000,    100'000'000,   250'000'000,   500'000'000,
    1'000'000'000, 2'500'000'000, 5'000'000'000, 10'000'000'000};
// Up to the rows of the largest batch.
inline constexpr std::array<std::uint64_t, 13> kBatchSizeBounds{1,   2,   4,   8,    16,   32,  64,
                                                                128, 256, 512, 1024, 2048, 4096};

using QueueTimeHistogram = Histogram<kQueueTimeBoundsNs>;
using BatchSizeHistogram = Histogram<kBatchSizeBounds>;

}  // namespace gpusim::batching
