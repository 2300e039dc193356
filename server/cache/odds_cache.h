// Exact answers that were worked out before, by canonical position (canonical_odds.h). The least recently used ones
// make room for new ones.
//
// Shards, each under a lock of its own, by the hash of the position. A shard takes all its memory when it is made,
// and touches it as it fills, so that nothing is allocated on the way of a request:
//
//   buckets   | head | head | ...          first entry of each chain, kNone: empty
//   entries   | key, odds, chain, newer, older | ... |  free
//                            \-> next of the chain     used_: how many there are
//   newest_ <-> ... <-> oldest_            one list through all entries
//
// An answer depends on nothing but its position: a race table that becomes ready adds answers and changes none. So
// nothing is ever invalid.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/odds.h"
#include "server/batching/mutex.h"

namespace gpusim::server {

struct OddsCacheStatistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;  // in use: the buckets, and the entries that are filled
  std::uint64_t max_bytes = 0;
};

// Thread-safe. Calls take well under a microsecond and wait for nothing but each other.
class OddsCache {
 public:
  // 0, or too little for one answer, turns it off: then nothing is kept, found or counted.
  explicit OddsCache(std::uint64_t max_bytes);
  ~OddsCache();

  // The answer to an exact question, in its own names. Counts as a hit or a miss.
  std::optional<camel_up::Odds> Find(const camel_up::OddsQuery& query);

  // Keeps the exact answer to the query.
  void Insert(const camel_up::OddsQuery& query, const camel_up::Odds& odds);

  OddsCacheStatistics statistics() const;

 private:
  class Shard;

  Shard& ShardOf(std::uint64_t hash) const;

  const std::uint64_t max_bytes_;
  std::vector<std::unique_ptr<Shard>> shards_;  // a power of two of them, or none: off
};

}  // namespace gpusim::server
