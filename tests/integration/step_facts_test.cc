// Step through a running server: conditions, facts, series and random cells, against references stepped one generation at a
// time.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/rules/life_facts.h"
#include "tests/integration/life_request.h"
#include "tests/reference/philox.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::StepRequest PeriodRequest(const std::string& pattern, const std::string& topology,
                              std::uint32_t period) {
  v1::StepRequest request = PatternRequest(pattern, topology, 5000);
  request.mutable_until()->set_period_at_most(period);
  return request;
}

void ExpectPeriod(InProcessServer& server, const v1::StepRequest& request, std::uint64_t generation,
                  std::uint32_t period) {
  const v1::StepResponse response = StepWell(server, request);
  EXPECT_EQ(response.stop_reason(), v1::STOP_REASON_CONDITION);
  EXPECT_EQ(response.generation(), generation);
  EXPECT_EQ(response.period(), period);
}

TEST(StepFactsTest, PeriodsThatAreKnown) {
  InProcessServer server;
  ExpectPeriod(server, PeriodRequest("2o$2o!", "torus:8x8", 4096), 1, 1);
  ExpectPeriod(server, PeriodRequest("3o!", "torus:8x8", 4096), 2, 2);
  v1::StepRequest open_plane = PeriodRequest("3o!", "plane:auto", 30);
  open_plane.set_generations(100);
  ExpectPeriod(server, open_plane, 2, 2);
  const char pulsar[] =
      "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$"
      "2b3o3b3o!";
  ExpectPeriod(server, PeriodRequest(pulsar, "torus:20x20", 60), 3, 3);
  v1::StepRequest not_yet = PeriodRequest(pulsar, "torus:20x20", 2);
  EXPECT_EQ(StepWell(server, not_yet).stop_reason(), v1::STOP_REASON_TARGET);
}

// Checks that look for cells near where they were miss a glider, or take it for a still life.
TEST(StepFactsTest, AGliderOnATorusTurnsOnlyAfterItsWholeWay) {
  InProcessServer server;
  for (const std::uint32_t side : {8u, 20u, 65u}) {
    const std::string torus = "torus:" + std::to_string(side) + "x" + std::to_string(side);
    ExpectPeriod(server, PeriodRequest(kGlider, torus, 4 * side), 4 * side, 4 * side);
    const v1::StepResponse response = StepWell(server, PeriodRequest(kGlider, torus, 4 * side - 1));
    EXPECT_EQ(response.stop_reason(), v1::STOP_REASON_TARGET);
    EXPECT_EQ(response.period(), 0u);
    EXPECT_EQ(response.generation(), 5000u);
  }
}

TEST(StepFactsTest, SoupsEndWhereBruteForceSays) {
  InProcessServer server;
  std::mt19937_64 random(11);
  for (int soup = 0; soup < 6; ++soup) {
    const life::Board board = RandomBoard(12, 11, 0.4, random);
    std::vector<reference::LifeBoard> past{SlowTorus(board)};
    std::uint32_t period = 0;
    while (period == 0) {
      past.push_back(past.back());
      past.back().Step();
      const std::size_t now = past.size() - 1;
      for (std::uint32_t p = 1; p <= now && period == 0; ++p)
        if (past[now - p].cells == past[now].cells) period = p;
    }
    v1::StepRequest request;
    *request.mutable_packed() = Packed(board);
    request.set_generations(100'000);
    request.mutable_until()->set_period_at_most(4096);
    ASSERT_LE(period, 4096u);
    ExpectPeriod(server, request, past.size() - 1, period);
  }
}

TEST(StepFactsTest, ConditionsLookAtTheStartToo) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest("5b$5b!", "torus:9x9", 50);
  request.mutable_until()->set_extinct(true);
  EXPECT_EQ(StepWell(server, request).generation(), 0u);
  request.mutable_until()->set_still(true);
  EXPECT_EQ(StepWell(server, request).generation(), 1u);
  request = PatternRequest("#CXRLE Gen=7\n3o!", "torus:9x9", 50);
  request.mutable_until()->set_population_at_least(3);
  EXPECT_EQ(StepWell(server, request).generation(), 7u);
  request.mutable_until()->set_population_at_most(3);
  EXPECT_EQ(StepWell(server, request).generation(), 7u);
  request.mutable_until()->set_population_at_most(2);
  EXPECT_EQ(StepWell(server, request).generation(), 57u);
  EXPECT_EQ(StepWell(server, request).stop_reason(), v1::STOP_REASON_TARGET);
}

TEST(StepFactsTest, DieHardDiesAt130) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest("6bo$2o$bo3b3o!", "plane:auto", 500);
  request.mutable_until()->set_extinct(true);
  const v1::StepResponse response = StepWell(server, request);
  EXPECT_EQ(response.generation(), 130u);
  EXPECT_EQ(response.stop_reason(), v1::STOP_REASON_CONDITION);
  EXPECT_EQ(response.width(), 0u);
}

// Of a board without live cells no generation is run: its conditions are met all the same.
TEST(StepFactsTest, NothingOnTheOpenPlane) {
  InProcessServer server;
  v1::StepRequest request =
      PatternRequest("3b!", "plane:auto", std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(StepWell(server, request).generation(), std::numeric_limits<std::uint64_t>::max());
  request.mutable_until()->set_still(true);
  EXPECT_EQ(StepWell(server, request).generation(), 1u);
  request.mutable_until()->set_period_at_most(9);
  ExpectPeriod(server, request, 1, 1);
  request.mutable_until()->set_extinct(true);
  EXPECT_EQ(StepWell(server, request).generation(), 0u);
  request.mutable_until()->set_population_at_least(1);
  EXPECT_EQ(StepWell(server, request).generation(), std::numeric_limits<std::uint64_t>::max());
}

std::string HexText(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

// By the words of kernels/README.md, for boards at most 64 wide.
std::string SlowDigest(const reference::LifeBoard& board) {
  std::uint64_t digest = 0;
  for (int y = 0; y < board.height; ++y) {
    std::uint64_t word = 0;
    for (int x = 0; x < board.width; ++x) word |= std::uint64_t{board.At(x, y)} << x;
    digest += life::Mix64(static_cast<std::uint64_t>(y), word);
  }
  return HexText(digest);
}

std::string SlowShapeDigest(const reference::LifeBoard& board) {
  std::uint64_t digest = 0;
  for (int y = 0; y < board.height; ++y) {
    for (int x = 0; x < board.width; ++x) {
      std::uint64_t square = 0;
      for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
          square |= std::uint64_t{board.At((x + dx + 2 * board.width) % board.width,
                                           (y + dy + 2 * board.height) % board.height)}
                    << ((dy + 2) * 5 + dx + 2);
      if (board.At(x, y)) digest += life::Mix64(0, square);
    }
  }
  return HexText(digest);
}

void ExpectFacts(const v1::BoardFacts& facts, const reference::LifeBoard& now,
                 const reference::LifeBoard& before) {
  std::uint64_t population = 0, births = 0, deaths = 0;
  int left = now.width, top = now.height, right = -1, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      births += now.At(x, y) && !before.At(x, y);
      deaths += !now.At(x, y) && before.At(x, y);
      if (!now.At(x, y)) continue;
      ++population;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
    }
  }
  EXPECT_EQ(facts.population(), population);
  EXPECT_EQ(facts.births(), births);
  EXPECT_EQ(facts.deaths(), deaths);
  EXPECT_EQ(facts.digest(), SlowDigest(now));
  EXPECT_EQ(facts.shape_digest(), SlowShapeDigest(now));
  ASSERT_EQ(facts.has_box(), population != 0);
  if (population == 0) return;
  EXPECT_EQ(facts.box().x(), static_cast<std::uint32_t>(left));
  EXPECT_EQ(facts.box().y(), static_cast<std::uint32_t>(top));
  EXPECT_EQ(facts.box().width(), static_cast<std::uint32_t>(right - left + 1));
  EXPECT_EQ(facts.box().height(), static_cast<std::uint32_t>(bottom - top + 1));
}

TEST(StepFactsTest, FactsOfTheLastGenerationAndOfTheSeries) {
  InProcessServer server;
  std::mt19937_64 random(3);
  const life::Board board = RandomBoard(50, 20, 0.4, random);
  std::vector<reference::LifeBoard> past{SlowTorus(board)};
  for (int generation = 0; generation < 100; ++generation) {
    past.push_back(past.back());
    past.back().Step();
  }
  v1::StepRequest request;
  *request.mutable_packed() = Packed(board);
  request.set_generations(100);
  for (const v1::Fact fact :
       {v1::FACT_CHANGES, v1::FACT_BOX, v1::FACT_DIGEST, v1::FACT_SHAPE_DIGEST, v1::FACT_HASH})
    request.add_facts(fact);
  for (const std::uint64_t every : {1u, 7u, 50u, 100u, 101u}) {
    SCOPED_TRACE(every);
    request.set_facts_every(every);
    const v1::StepResponse response = StepWell(server, request);
    EXPECT_EQ(response.facts().generation(), 100u);
    EXPECT_EQ(response.facts().hash(), HexText(reference::HashCells(past[100])));
    EXPECT_EQ(response.hash(), response.facts().hash());
    ExpectFacts(response.facts(), past[100], past[99]);
    ASSERT_EQ(static_cast<std::uint64_t>(response.series_size()), 100 / every);
    for (std::uint64_t k = 1; k <= 100 / every; ++k) {
      const v1::BoardFacts& row = response.series(static_cast<int>(k) - 1);
      EXPECT_EQ(row.generation(), k * every);
      EXPECT_THAT(row.hash(), IsEmpty());
      ExpectFacts(row, past[k * every], past[k * every - 1]);
    }
  }
  request.set_facts_every(0);
  request.set_generations(0);
  const v1::StepResponse start = StepWell(server, request);
  EXPECT_EQ(start.facts().births(), 0u);
  EXPECT_EQ(start.facts().digest(), SlowDigest(past[0]));
}

TEST(StepFactsTest, TheHashComesUnaskedAloneAndElseWhenAskedFor) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest(kGlider, "torus:9x9", 3);
  const v1::StepResponse unasked = StepWell(server, request);
  EXPECT_EQ(unasked.hash().size(), 16u);
  EXPECT_THAT(unasked.facts().digest(), IsEmpty());
  request.add_facts(v1::FACT_DIGEST);
  const v1::StepResponse asked = StepWell(server, request);
  EXPECT_THAT(asked.hash(), IsEmpty());
  EXPECT_EQ(asked.facts().digest().size(), 16u);
}

// With facts alone no board comes back from the device: its place is told by the box.
TEST(StepFactsTest, TheOpenPlaneIsToldTheSameWithItsCellsAndWithout) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest("b2o$2o$bo!", "plane:auto", 300);
  request.add_facts(v1::FACT_BOX);
  request.add_facts(v1::FACT_DIGEST);
  request.add_facts(v1::FACT_SHAPE_DIGEST);
  request.set_facts_every(150);
  const v1::StepResponse without = StepWell(server, request);
  request.add_facts(v1::FACT_HASH);
  v1::StepResponse with = StepWell(server, request);
  EXPECT_EQ(with.hash().size(), 16u);
  with.clear_hash();
  with.mutable_facts()->clear_hash();
  EXPECT_EQ(with.SerializeAsString(), without.SerializeAsString());
  EXPECT_THAT(with.facts().digest(), IsEmpty());
  EXPECT_EQ(with.facts().box().width(), with.width());
  EXPECT_EQ(with.facts().box().height(), with.height());
  EXPECT_EQ(with.facts().box().x(), 0u);
  // The same pattern has the same shape wherever it lies, and however large the board is.
  request.set_topology("plane:700x700");
  EXPECT_EQ(StepWell(server, request).facts().shape_digest(), with.facts().shape_digest());
}

TEST(StepFactsTest, RandomCellsAreTheWordsOfTheStream) {
  InProcessServer server;
  for (const double density : {0.0, 0.375, 1.0}) {
    v1::StepRequest request;
    request.set_topology("torus:77x31");
    request.mutable_random()->set_seed(0x123456789abcdef0);
    request.mutable_random()->set_density(density);
    request.set_output_format(v1::OUTPUT_FORMAT_PACKED);
    life::Board expected = life::Board::Empty(77, 31);
    for (std::uint64_t cell = 0; cell < 77 * 31; ++cell) {
      const std::uint64_t word =
          reference::Philox(0x123456789abcdef0, 0, cell / 4)[static_cast<std::size_t>(cell % 4)];
      expected.Set(static_cast<std::uint32_t>(cell % 77), static_cast<std::uint32_t>(cell / 77),
                   static_cast<double>(word) < density * 4294967296.0);
    }
    EXPECT_EQ(StepWell(server, request).packed().rows(), PackedCells(expected));
    // And they are stepped as the same cells from elsewhere are, also up to a condition.
    request.set_generations(60);
    request.mutable_until()->set_population_at_most(350);
    v1::StepRequest packed = request;
    *packed.mutable_packed() = Packed(expected);
    EXPECT_EQ(StepWell(server, request).SerializeAsString(),
              StepWell(server, packed).SerializeAsString());
  }
}

TEST(StepFactsTest, BadWishesNameFieldValueAndRule) {
  InProcessServer server;
  v1::StepRequest request;
  request.set_topology("torus:8x8");
  for (const auto& [density, text] :
       {std::pair{-0.25, "-0.25"}, {1.5, "1.5"}, {std::nan(""), "nan"}, {HUGE_VAL, "inf"}}) {
    request.mutable_random()->set_density(density);
    EXPECT_THAT(StepBadly(server, request),
                ElementsAre(HasSubstr("random.density: '" + std::string(text) + "': 0 to 1")));
  }
  request.mutable_random()->set_density(0.5);
  request.set_topology("");
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("topology: ")));
  request.set_topology("plane:auto");
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("topology: 'plane:auto'")));
  request.set_topology("torus:4294967295x4294967295");
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("max-step-cells is 16777216")));

  request = PatternRequest(kGlider, "torus:8x8", 65'537);
  request.mutable_until()->set_period_at_most(4097);
  request.add_facts(static_cast<v1::Fact>(77));
  EXPECT_THAT(StepBadly(server, request),
              ElementsAre(HasSubstr("until.period_at_most: '4097': 1 to 4096"),
                          HasSubstr("facts[0]: '77'")));
  request.clear_facts();
  request.mutable_until()->set_period_at_most(0);
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("until.period_at_most: '0'")));
  request.mutable_until()->set_still(false);
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("until.still: 'false'")));
  request.clear_until();
  request.set_facts_every(1);
  EXPECT_THAT(StepBadly(server, request),
              ElementsAre(HasSubstr("facts_every: '1': 65537 generations make a series of 65537")));
  request.set_generations(65'536);
  EXPECT_EQ(StepWell(server, request).series_size(), 65'536);
  for (const v1::Fact fact :
       {v1::FACT_CHANGES, v1::FACT_BOX, v1::FACT_DIGEST, v1::FACT_SHAPE_DIGEST})
    request.add_facts(fact);
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("max-reply-bytes is 4194304")));
}

TEST(StepFactsTest, Life105ComesBackWhereItWas) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest("#Life 1.05\n#R 23/36\n#P -5 7\n***\n", "plane:auto", 2);
  request.set_output_format(v1::OUTPUT_FORMAT_LIFE105);
  EXPECT_EQ(StepWell(server, request).file(), "#Life 1.05\n#R 23/36\n#P -5 7\n***\n");
}

}  // namespace
}  // namespace gpusim::testing
