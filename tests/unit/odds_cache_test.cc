// The cache of exact answers: what it takes for the same question, and what it keeps.
#include "server/cache/odds_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/camel_up.h"
#include "server/cache/canonical_odds.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::server {
namespace {

using camel_up::Odds;
using camel_up::OddsQuery;
using camel_up::Scope;

// Solves without any cache.
class Solver {
 public:
  Solver() {
    auto slot = backend_->MakeSlot(
        0, {.camel_up_rows = 1, .simulation_rows = 1, .life_boards = 1, .life_words = 1}, {});
    slot_ = *std::move(slot);
  }

  Odds Solve(const OddsQuery& query) {
    camel_up::OddsBatch& batch = slot_->camel_up();
    batch.Clear();
    const std::size_t row = batch.exact.Append();
    batch.exact.At<camel_up::kBoard>(row) = query.leg.board;
    batch.exact.At<camel_up::kTiles>(row) = query.leg.tiles;
    batch.exact.At<camel_up::kEdition>(row) = query.leg.edition;
    batch.exact.At<camel_up::kScope>(row) = query.scope;
    EXPECT_TRUE(slot_->RunCamelUp().has_value());
    return camel_up::ReadExact(batch.exact_answers, row, query);
  }

 private:
  std::unique_ptr<Backend> backend_ = MakeCpuBackend(1);
  std::unique_ptr<Slot> slot_;
};

OddsQuery QueryOf(const reference::Position& position) {
  return {camel_up::Encode(testing::ToDomain(position)), Scope::kLeg};
}

// The position with its racing camels in other colours, and `crazy_swapped`.
reference::Position Recoloured(const reference::Position& position, bool crazy_swapped,
                               std::mt19937_64& random) {
  const std::string from = position.edition == 1 ? "BGOYW" : "rbgyp";
  std::string to = from;
  std::shuffle(to.begin(), to.end(), random);
  const auto rename = [&](char letter) {
    if (const std::size_t at = from.find(letter); at != std::string::npos) return to[at];
    if (crazy_swapped && letter != '*') return letter == 'w' ? 'k' : 'w';
    return letter;
  };
  reference::Position recoloured = position;
  for (auto& [space, camels] : recoloured.stacks)
    std::transform(camels.begin(), camels.end(), camels.begin(), rename);
  std::transform(recoloured.dice.begin(), recoloured.dice.end(), recoloured.dice.begin(), rename);
  return recoloured;
}

// Everything that is renamed is proved against answers worked out in their own names, with tiles, late dice and
// races that end, and in the second edition with either crazy camel in the other's place.
TEST(CanonicalOddsTest, OneAnswerServesEveryColouring) {
  std::mt19937_64 random(11);
  Solver solver;
  for (const int edition : {1, 2}) {
    for (int i = 0; i < 60; ++i) {
      const reference::Position position = testing::RandomPosition(edition, random);
      const OddsQuery query = QueryOf(position);
      const Odds odds = solver.Solve(query);
      for (const bool crazy_swapped : {false, true}) {
        const reference::Position other = Recoloured(position, crazy_swapped, random);
        SCOPED_TRACE(testing::Describe(position) + " as " + testing::Describe(other));
        const OddsQuery other_query = QueryOf(other);
        const CanonicalQuery canonical = Canonical(query);
        const CanonicalQuery other_canonical = Canonical(other_query);
        ASSERT_EQ(canonical.query, other_canonical.query);
        ASSERT_EQ(FromCanonical(other_canonical, ToCanonical(canonical, odds)),
                  solver.Solve(other_query));
      }
    }
  }
}

TEST(CanonicalOddsTest, ACanonicalPositionIsItsOwn) {
  std::mt19937_64 random(12);
  for (const int edition : {1, 2}) {
    for (int i = 0; i < 1000; ++i) {
      const OddsQuery query = Canonical(QueryOf(testing::RandomPosition(edition, random))).query;
      ASSERT_EQ(Canonical(query).query, query);
    }
  }
}

// Odds that tell one question from another, without solving it.
Odds OddsFor(std::uint64_t number) {
  Odds odds;
  odds.total = number;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t k = 0; k < 5; ++k) {
      odds.rank[i][k] = number + 10 * i + k;
      odds.race_joint[i][k] = number + 100 * i + k;
    }
  }
  odds.race_legs = number;
  return odds;
}

// Different canonical positions: all camels on one space each, the die left, tiles.
std::vector<OddsQuery> DifferentQueries(std::size_t count) {
  std::vector<OddsQuery> queries;
  std::mt19937_64 random(13);
  while (queries.size() < count) {
    const OddsQuery query = Canonical(QueryOf(testing::RandomPosition(2, random))).query;
    if (std::find(queries.begin(), queries.end(), query) == queries.end()) queries.push_back(query);
  }
  return queries;
}

TEST(OddsCacheTest, FindsWhatWasKeptInTheNamesOfTheQuestion) {
  OddsCache cache(1 << 20);
  reference::Position position{
      .edition = 1, .stacks = {{1, "BGO"}, {2, "Y"}, {3, "W"}}, .tiles = {{6, 1}}, .dice = "BY"};
  EXPECT_FALSE(cache.Find(QueryOf(position)));
  const Odds odds = OddsFor(7);
  cache.Insert(QueryOf(position), odds);
  EXPECT_EQ(cache.Find(QueryOf(position)), odds);

  // W takes B's place and B W's.
  position.stacks = {{1, "WGO"}, {2, "Y"}, {3, "B"}};
  position.dice = "WY";
  const auto renamed = cache.Find(QueryOf(position));
  ASSERT_TRUE(renamed.has_value());
  EXPECT_EQ(renamed->rank[4], odds.rank[0]);
  EXPECT_EQ(renamed->rank[0], odds.rank[4]);
  EXPECT_EQ(renamed->rank[1], odds.rank[1]);
  EXPECT_EQ(renamed->race_joint[4][0], odds.race_joint[0][4]);
  EXPECT_EQ(renamed->race_legs, 7u);

  // Another die, another tile, another scope: other questions.
  position.dice = "BY";
  EXPECT_FALSE(cache.Find(QueryOf(position)));
  position.dice = "WY";
  position.tiles[6] = -1;
  EXPECT_FALSE(cache.Find(QueryOf(position)));
  position.tiles[6] = 1;
  OddsQuery race = QueryOf(position);
  race.scope = Scope::kRace;
  EXPECT_FALSE(cache.Find(race));

  const OddsCacheStatistics statistics = cache.statistics();
  EXPECT_EQ(statistics.hits, 2u);
  EXPECT_EQ(statistics.misses, 4u);
  EXPECT_EQ(statistics.entries, 1u);
}

TEST(OddsCacheTest, TheLeastRecentlyUsedMakesRoomAndTheBytesStayWithinTheLimit) {
  // So small that it has one shard, and with it one order of use.
  constexpr std::uint64_t kBytes = 100'000;
  OddsCache cache(kBytes);
  const std::vector<OddsQuery> queries = DifferentQueries(500);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    cache.Insert(queries[i], OddsFor(i));
    ASSERT_TRUE(cache.Find(queries[0])) << "used again and again, so it stays, " << i;
    ASSERT_LE(cache.statistics().bytes, kBytes);
  }
  const std::uint64_t entries = cache.statistics().entries;
  EXPECT_GT(entries, 90u);
  EXPECT_GT(cache.statistics().bytes, kBytes * 9 / 10);
  EXPECT_GT(entries * 1000, cache.statistics().bytes);  // so much has an entry
  for (std::size_t i = 1; i < queries.size(); ++i) {
    const auto found = cache.Find(queries[i]);
    ASSERT_EQ(found.has_value(), i > queries.size() - entries) << i;
    if (found) {
      ASSERT_EQ(*found, OddsFor(i));
    }
  }
}

TEST(OddsCacheTest, OffAndTooSmallKeepNothing) {
  const std::vector<OddsQuery> queries = DifferentQueries(3);
  for (const std::uint64_t bytes : {0u, 1u, 500u}) {
    OddsCache cache(bytes);
    for (const OddsQuery& query : queries) {
      cache.Insert(query, OddsFor(1));
      EXPECT_FALSE(cache.Find(query));
    }
    EXPECT_EQ(cache.statistics().entries, 0u);
    EXPECT_LE(cache.statistics().bytes, bytes);
    EXPECT_EQ(cache.statistics().max_bytes, bytes);
  }
}

TEST(OddsCacheTest, ManyThreadsNeverSeeAnothersAnswer) {
  OddsCache cache(200'000);
  const std::vector<OddsQuery> queries = DifferentQueries(400);
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<std::uint64_t> hits = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (int i = 0; i < 20'000; ++i) {
        const std::size_t k = random() % queries.size();
        if (const auto found = cache.Find(queries[k])) {
          ASSERT_EQ(*found, OddsFor(k));
          ++hits;
        } else {
          cache.Insert(queries[k], OddsFor(k));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const OddsCacheStatistics statistics = cache.statistics();
  EXPECT_EQ(statistics.hits, hits);
  EXPECT_EQ(statistics.hits + statistics.misses, 80'000u);
  EXPECT_GT(statistics.hits, 10'000u);
  EXPECT_LE(statistics.bytes, 200'000u);
}

}  // namespace
}  // namespace gpusim::server
