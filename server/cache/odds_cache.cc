#include "server/cache/odds_cache.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>

#include "server/cache/canonical_odds.h"

namespace gpusim::server {
namespace {

using camel_up::Odds;
using camel_up::OddsQuery;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Small caches have fewer shards, so that each holds a fair sample of what is asked.
constexpr std::uint64_t kMaxShards = 16;
constexpr std::uint64_t kLeastShardBytes = std::uint64_t{64} << 10;

// The finalizer of MurmurHash3: every bit of the word reaches every bit of the hash.
std::uint64_t Mix(std::uint64_t word) {
  word ^= word >> 33;
  word *= 0xff51afd7ed558ccd;
  word ^= word >> 33;
  word *= 0xc4ceb9fe1a85ec53;
  return word ^ word >> 33;
}

std::uint64_t HashOf(const OddsQuery& query) {
  const auto rest =
      static_cast<std::uint64_t>(query.leg.edition) << 1 | static_cast<std::uint64_t>(query.scope);
  return Mix(Mix(query.leg.board) + query.leg.tiles * 4 + rest);
}

struct Entry {
  OddsQuery query;
  Odds odds;
  std::uint32_t next_of_chain = kNone;
  std::uint32_t newer = kNone;
  std::uint32_t older = kNone;
};

// The most entries that fit with their buckets, of which there are a power of two and at least as many.
std::uint64_t CapacityFor(std::uint64_t bytes) {
  const std::uint64_t most = std::min<std::uint64_t>(bytes / sizeof(Entry), kNone - 1);
  for (std::uint64_t buckets = std::bit_ceil(most); buckets > 0; buckets /= 2) {
    const std::uint64_t bucket_bytes = buckets * sizeof(std::uint32_t);
    if (bucket_bytes >= bytes) continue;
    const std::uint64_t fit = std::min((bytes - bucket_bytes) / sizeof(Entry), buckets);
    if (fit > buckets / 2) return fit;
  }
  return 0;
}

}  // namespace

class OddsCache::Shard {
 public:
  // Of at least one entry.
  explicit Shard(std::uint64_t capacity) : capacity_(capacity) {
    entries_.reserve(capacity);
    buckets_.assign(std::bit_ceil(capacity), kNone);
  }

  std::optional<Odds> Find(const OddsQuery& query, std::uint64_t hash) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    const std::uint32_t found = Search(query, hash);
    ++(found == kNone ? misses_ : hits_);
    if (found == kNone) return std::nullopt;
    Unlink(found);
    LinkNewest(found);
    return entries_[found].odds;
  }

  void Insert(const OddsQuery& query, std::uint64_t hash, const Odds& odds)
      GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (Search(query, hash) != kNone) return;
    const std::uint32_t index = MakeRoom();
    Entry& entry = entries_[index];
    entry.query = query;
    entry.odds = odds;
    std::uint32_t& head = BucketOf(hash);
    entry.next_of_chain = std::exchange(head, index);
    LinkNewest(index);
  }

  void AddTo(OddsCacheStatistics& sum) const GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    sum.hits += hits_;
    sum.misses += misses_;
    sum.entries += entries_.size();
    sum.bytes += entries_.size() * sizeof(Entry) + buckets_.size() * sizeof(std::uint32_t);
  }

 private:
  std::uint32_t& BucketOf(std::uint64_t hash) GPUSIM_REQUIRES(mutex_) {
    return buckets_[hash & (buckets_.size() - 1)];
  }

  std::uint32_t Search(const OddsQuery& query, std::uint64_t hash) GPUSIM_REQUIRES(mutex_) {
    std::uint32_t index = BucketOf(hash);
    while (index != kNone && entries_[index].query != query) index = entries_[index].next_of_chain;
    return index;
  }

  // A new entry, or the oldest one, out of its chain and of the list.
  std::uint32_t MakeRoom() GPUSIM_REQUIRES(mutex_) {
    if (entries_.size() < capacity_) {
      entries_.emplace_back();
      return static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t index = oldest_;
    std::uint32_t* link = &BucketOf(HashOf(entries_[index].query));
    while (*link != index) link = &entries_[*link].next_of_chain;
    *link = entries_[index].next_of_chain;
    Unlink(index);
    return index;
  }

  void Unlink(std::uint32_t index) GPUSIM_REQUIRES(mutex_) {
    const Entry& entry = entries_[index];
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  }

  void LinkNewest(std::uint32_t index) GPUSIM_REQUIRES(mutex_) {
    Entry& entry = entries_[index];
    entry.newer = kNone;
    entry.older = newest_;
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = index;
    newest_ = index;
  }

  const std::uint64_t capacity_;
  mutable batching::Mutex mutex_;
  std::vector<Entry> entries_ GPUSIM_GUARDED_BY(mutex_);
  std::vector<std::uint32_t> buckets_ GPUSIM_GUARDED_BY(mutex_);
  std::uint32_t newest_ GPUSIM_GUARDED_BY(mutex_) = kNone;
  std::uint32_t oldest_ GPUSIM_GUARDED_BY(mutex_) = kNone;
  std::uint64_t hits_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::uint64_t misses_ GPUSIM_GUARDED_BY(mutex_) = 0;
};

OddsCache::OddsCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {
  const std::uint64_t shards =
      std::bit_floor(std::clamp<std::uint64_t>(max_bytes / kLeastShardBytes, 1, kMaxShards));
  const std::uint64_t capacity = CapacityFor(max_bytes / shards);
  for (std::uint64_t i = 0; capacity > 0 && i < shards; ++i)
    shards_.push_back(std::make_unique<Shard>(capacity));
}

OddsCache::~OddsCache() = default;

// By the bits that the buckets do not look at.
OddsCache::Shard& OddsCache::ShardOf(std::uint64_t hash) const {
  return *shards_[(hash >> 32) & (shards_.size() - 1)];
}

std::optional<Odds> OddsCache::Find(const OddsQuery& query) {
  if (shards_.empty()) return std::nullopt;
  const CanonicalQuery canonical = Canonical(query);
  const std::uint64_t hash = HashOf(canonical.query);
  std::optional<Odds> odds = ShardOf(hash).Find(canonical.query, hash);
  if (odds) odds = FromCanonical(canonical, *odds);
  return odds;
}

void OddsCache::Insert(const OddsQuery& query, const Odds& odds) {
  assert(odds.exact);
  if (shards_.empty()) return;
  const CanonicalQuery canonical = Canonical(query);
  const std::uint64_t hash = HashOf(canonical.query);
  ShardOf(hash).Insert(canonical.query, hash, ToCanonical(canonical, odds));
}

OddsCacheStatistics OddsCache::statistics() const {
  OddsCacheStatistics sum{.max_bytes = max_bytes_};
  for (const auto& shard : shards_) shard->AddTo(sum);
  return sum;
}

}  // namespace gpusim::server
