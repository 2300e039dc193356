// What the cache costs a question: a hit, and a miss with the insertion that follows, with the canonical position and
// its way back.
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/camel_up.h"
#include "server/cache/odds_cache.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::server {
namespace {

constexpr std::uint64_t kCacheBytes = 64u << 20;

std::vector<camel_up::OddsQuery> Queries(std::size_t count) {
  std::mt19937_64 random(3);
  std::vector<camel_up::OddsQuery> queries;
  for (std::size_t i = 0; i < count; ++i)
    queries.push_back({camel_up::Encode(testing::ToDomain(testing::RandomPosition(2, random))),
                       camel_up::Scope::kLeg});
  return queries;
}

// All of them fit.
void Hit(benchmark::State& state) {
  OddsCache cache(kCacheBytes);
  const auto queries = Queries(20'000);
  for (const camel_up::OddsQuery& query : queries) cache.Insert(query, {});
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cache.Find(queries[i++ % queries.size()]));
}
BENCHMARK(Hit);

// More than fit, in turn: each has been dropped when it comes again.
void MissAndInsert(benchmark::State& state) {
  OddsCache cache(kCacheBytes / 8);
  const auto queries = Queries(20'000);
  std::size_t i = 0;
  for (auto _ : state) {
    const camel_up::OddsQuery& query = queries[i++ % queries.size()];
    benchmark::DoNotOptimize(cache.Find(query));
    cache.Insert(query, {});
  }
}
BENCHMARK(MissAndInsert);

}  // namespace
}  // namespace gpusim::server

BENCHMARK_MAIN();
