// Conditions end a run exact to the generation, wherever in a chunk that is.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Kind = kinds::Until::Kind;

class UntilTest : public BoardStoreTest {
 protected:
  // Cells as text, o alive, in the middle of an empty torus.
  static life::Board Picture(std::uint32_t side, const std::vector<std::string>& rows) {
    life::Board board = life::Board::Empty(side, side);
    for (std::uint32_t y = 0; y < rows.size(); ++y)
      for (std::uint32_t x = 0; x < rows[y].size(); ++x)
        if (rows[y][x] == 'o') board.Set(side / 2 - 4 + x, side / 2 - 4 + y, true);
    return board;
  }
  static RunWishes Until(Kind kind, std::uint64_t bound = 0) {
    RunWishes wishes;
    wishes.generations = 1000;
    wishes.until = {.kind = kind, .bound = bound};
    return wishes;
  }
};

// The generation where a condition holds first, by the slow reference, over all its generations.
class History {
 public:
  History(const life::Board& start, std::uint32_t generations) : boards_{start} {
    for (std::uint32_t i = 0; i < generations; ++i)
      boards_.push_back(testing::StepByReference({boards_.back()}));
  }
  const life::Board& at(std::size_t generation) const { return boards_[generation]; }
  std::optional<std::size_t> First(const std::function<bool(std::size_t)>& holds) const {
    for (std::size_t g = 0; g < boards_.size(); ++g)
      if (holds(g)) return g;
    return std::nullopt;
  }
  std::size_t PeriodAt(std::size_t generation, std::size_t most) const {
    for (std::size_t p = 1; p <= most && p <= generation; ++p)
      if (boards_[generation] == boards_[generation - p]) return p;
    return 0;
  }

 private:
  std::vector<life::Board> boards_;
};

// With chunks of 1 to 9 generations the condition falls on each place in a chunk.
TEST_F(UntilTest, ConditionsHoldAtEveryOffsetInAChunk) {
  // The first small soup that settles into something of a short period, but not at once.
  unsigned seed = 0;
  std::optional<History> found;
  do {
    found.emplace(Soup(12, 12, ++seed), 400);
  } while (found->PeriodAt(400, 6) == 0 || found->PeriodAt(30, 6) != 0);
  const History& history = *found;
  const life::Board& soup = history.at(0);
  const auto population = [&](std::size_t g) { return life::Population(history.at(g)); };
  const auto still = history.First([&](std::size_t g) { return history.PeriodAt(g, 1) != 0; });
  const auto period = history.First([&](std::size_t g) { return history.PeriodAt(g, 6) != 0; });
  const std::uint64_t low = population(0) * 2 / 3;
  const std::uint64_t high = population(0) + 1;
  const auto lower = history.First([&](std::size_t g) { return population(g) <= low; });
  const auto higher = history.First([&](std::size_t g) { return population(g) >= high; });
  ASSERT_TRUE(period && lower);
  for (std::uint32_t chunk = 1; chunk <= 9; ++chunk) {
    device_.generations = chunk;
    backend_.reset();
    Open();
    const auto expect = [&](const RunWishes& wishes, std::optional<std::size_t> at,
                            const char* what) {
      const std::string id = std::string(what) + "-" + std::to_string(chunk);
      Create(id, soup);
      RunWishes to_400 = wishes;
      to_400.generations = 400;
      const RunEnd end = Run(id, to_400);
      EXPECT_EQ(end.error, "");
      EXPECT_EQ(end.generation, at.value_or(400)) << id;
      EXPECT_EQ(end.reason, at ? StopReason::kCondition : StopReason::kTarget) << id;
      EXPECT_EQ(Cells(id), history.at(end.generation)) << id;
      return end;
    };
    const RunEnd periodic = expect(Until(Kind::kPeriodAtMost, 6), period, "period");
    EXPECT_EQ(periodic.period, history.PeriodAt(*period, 6));
    expect(Until(Kind::kStill), still, "still");
    expect(Until(Kind::kPopulationAtMost, low), lower, "low");
    expect(Until(Kind::kPopulationAtLeast, high), higher, "high");
    store_.reset();
    scheduler_.reset();
    slots_.clear();
  }
}

TEST_F(UntilTest, ExtinctionIsSeenAtTheGenerationAndAtTheStart) {
  Open();
  Create("dying", Picture(20, {"oo"}));
  const RunEnd end = Run("dying", Until(Kind::kExtinct));
  EXPECT_EQ(end.generation, 1u);
  EXPECT_EQ(end.reason, StopReason::kCondition);
  Create("dead", life::Board::Empty(20, 20));
  EXPECT_EQ(Run("dead", Until(Kind::kExtinct)).generation, 0u);
}

// On a torus a glider comes back after 4 * side generations, and no sooner.
TEST_F(UntilTest, PeriodOfAGliderOnATorusIsConfirmedOverManyChunks) {
  Open();
  Create("glider", Picture(16, {".o", "..o", "ooo"}));
  const RunEnd end = Run("glider", Until(Kind::kPeriodAtMost, 100));
  EXPECT_EQ(end.generation, 64u);
  EXPECT_EQ(end.period, 64u);
  EXPECT_EQ(Run("glider", Until(Kind::kPeriodAtMost, 63)).reason, StopReason::kTarget);
}

TEST_F(UntilTest, LastFactsAreThoseOfTheGenerationItEndsAt) {
  Open();
  const life::Board soup = Soup(24, 24, 5);
  const History history(soup, 100);
  Create("b", soup);
  RunWishes wishes = Until(Kind::kPopulationAtMost, life::Population(soup) * 2 / 3);
  wishes.facts = life::kCountChanges | life::kMakeDigest | life::kFindBox | life::kMakeShapeDigest;
  const auto run = Start("b", wishes);
  const auto at = static_cast<std::uint32_t>(run->AwaitEnd().generation);
  const BoardFacts last = run->last();
  EXPECT_EQ(last.generation, at);
  EXPECT_EQ(last.population, life::Population(history.at(at)));
  EXPECT_EQ(last.population, life::Population(history.at(at - 1)) + last.births - last.deaths);
  Answer<BoardFacts> facts;
  store_->CountFacts("b", wishes.facts, facts.done());
  const BoardFacts counted = *facts.Get();
  EXPECT_EQ(counted.digest, last.digest);
  EXPECT_EQ(counted.shape_digest, last.shape_digest);
  EXPECT_NE(counted.digest, 0u);
  EXPECT_EQ(counted.generation, at);
}

TEST_F(UntilTest, RowsOfAWatchedRunStopBeforeTheEnd) {
  Open();
  Create("glider", Picture(16, {".o", "..o", "ooo"}));
  RunWishes wishes = Until(Kind::kPeriodAtMost, 64);
  wishes.facts_every = 5;
  const auto run = Start("glider", wishes);
  EXPECT_EQ(run->AwaitEnd().generation, 64u);
  const auto news = run->progress();
  ASSERT_EQ(news.size(), 12u);
  for (std::size_t i = 0; i < news.size(); ++i) EXPECT_EQ(news[i].facts.generation, (i + 1) * 5);
}

TEST_F(UntilTest, ThirdBufferIsTakenWhenTheRunIsAcceptedOrItIsRefused) {
  const life::Board soup = Soup(64, 64);
  const std::uint64_t bytes = soup.words.size() * 8;
  options_.device_memory = {2 * bytes};
  Open();
  Create("b", soup);
  const auto refused = RunError("b", Until(Kind::kStill));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->reason, BoardError::Reason::kNoMemory);
  EXPECT_NE(refused->message.find(std::to_string(bytes)), std::string::npos) << refused->message;
  EXPECT_EQ(Run("b", To(100)).error, "") << "a run without a condition needs none";
}

TEST_F(UntilTest, PeriodBoundIsChecked) {
  Open();
  Create("b", Soup(8, 8));
  for (const std::uint64_t bound : {std::uint64_t{0}, std::uint64_t{kinds::kMaxPeriod} + 1}) {
    const auto refused = RunError("b", Until(Kind::kPeriodAtMost, bound));
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->reason, BoardError::Reason::kBadInput);
  }
}

}  // namespace
}  // namespace gpusim::boards
