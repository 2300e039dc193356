// Shapes, their moves and the layers that a race table is solved by.
#include "kernels/race/race_moves.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "kernels/race/race_layers.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_tables.h"

namespace gpusim::camel_up {
namespace {

void ExpectBoardsOfShapes(Edition edition, std::uint32_t stride) {
  for (std::uint32_t shape = 0; shape < ShapesOf(edition); shape += stride) {
    const Board board = BoardOf(shape, edition);
    ASSERT_EQ(ShapeOf(board, edition), shape);
    ASSERT_EQ(DiceLeft(board), (1u << DiceOf(edition)) - 1);
    for (int slot = 0; slot < CamelsOf(edition); ++slot) {
      ASSERT_GE(SpaceOf(board, slot), slot == 0 ? 1 : SpaceOf(board, slot - 1)) << shape;
      ASSERT_LE(SpaceOf(board, slot), kSpaces) << shape;
    }
    int rank = 0;
    for (int slot = 0; slot < CamelsOf(edition); ++slot) {
      if (CamelIn(board, slot) >= kRacers) continue;
      ASSERT_EQ(CamelIn(board, slot), rank++) << shape;
    }
    ASSERT_EQ(rank, kRacers) << shape;
  }
}

// As many numbers as shapes, and each comes back: no two boards share one.
TEST(RaceShapes, EveryNumberHasItsBoard) {
  ExpectBoardsOfShapes(Edition::kFirst, 1);
  ExpectBoardsOfShapes(Edition::kSecond, 7);
}

TEST(RaceShapes, AreNumberedAsTheReferenceCounts) {
  for (int edition : {1, 2}) {
    std::mt19937_64 random(5);
    for (int i = 0; i < 20; ++i) {
      const auto position = testing::RandomPosition(edition, random);
      std::string racers;
      EXPECT_EQ(testing::ShapeOf(position, &racers),
                reference::ShapeNumber(edition, position.stacks))
          << testing::Describe(position);
    }
  }
}

TEST(RacePermutations, NumbersAreABijection) {
  Permutation permutation;
  std::iota(std::begin(permutation.to), std::end(permutation.to), std::uint8_t{0});
  EXPECT_EQ(NumberOf(permutation), 0u);
  std::uint32_t number = 0;
  do {
    EXPECT_EQ(NumberOf(permutation), number);
    const Permutation again = PermutationOf(number);
    EXPECT_TRUE(std::equal(std::begin(again.to), std::end(again.to), std::begin(permutation.to)));
    ++number;
  } while (std::next_permutation(std::begin(permutation.to), std::end(permutation.to)));
  EXPECT_EQ(number, static_cast<std::uint32_t>(kPermutations));
}

// Where a draw can lead: the shape, or that the race is over, and who is where; with weights.
using Outcomes = std::map<std::pair<std::uint32_t, std::string>, std::uint64_t>;

Outcomes OfReference(const reference::Position& position) {
  const auto edition = static_cast<Edition>(position.edition);
  Outcomes outcomes;
  reference::WalkPaths(position, [&](const reference::LegPath& path) {
    const std::uint32_t shape =
        path.race_ends ? ShapesOf(edition) : reference::ShapeNumber(position.edition, path.stacks);
    outcomes[{shape, path.order}] += path.weight;
  });
  return outcomes;
}

Outcomes OfMoves(const reference::Position& position) {
  const auto edition = static_cast<Edition>(position.edition);
  std::string racers;
  RaceMove moves[kMostRaceMoves];
  MakeRaceMoves(testing::ShapeOf(position, &racers), edition, moves);
  Outcomes outcomes;
  for (int i = 0; i < RaceMovesOf(edition); ++i) {
    const int mover = i / kFaces;
    const char die = mover < kRacers ? racers[static_cast<std::size_t>(mover)] : '*';
    if (position.dice.find(die) == std::string::npos) continue;
    std::string order(kRacers, '?');
    const Permutation permutation = PermutationOf(moves[i].permutation());
    for (std::size_t rank = 0; rank < racers.size(); ++rank)
      order[static_cast<std::size_t>(kRacers - 1 - permutation.to[rank])] = racers[rank];
    outcomes[{moves[i].shape(), order}] += edition == Edition::kSecond && mover < kRacers ? 2 : 1;
  }
  return outcomes;
}

// The reference plays a leg with one draw left: one die in the first edition, two in the second.
TEST(RaceMoves, LeadWhereTheReferenceLeads) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 300; ++i) {
    for (int edition : {1, 2}) {
      auto position = testing::RandomPosition(edition, random);
      position.tiles.clear();
      const std::vector<std::string> dice = edition == 1
                                                ? std::vector<std::string>{"B", "G", "O", "Y", "W"}
                                                : std::vector<std::string>{"rb", "gy", "p*"};
      for (const std::string& left : dice) {
        position.dice = left;
        EXPECT_EQ(OfMoves(position), OfReference(position)) << testing::Describe(position);
      }
    }
  }
}

class RaceLayersOf : public ::testing::TestWithParam<int> {};

// Five layers over a few thousand shapes against all paths of the leg, walked one by one.
TEST_P(RaceLayersOf, AreTheMeanOverALeg) {
  const auto edition = static_cast<Edition>(GetParam());
  // A race near its end: one stack that is carried about, and camels that it may meet.
  const reference::Position position =
      GetParam() == 1 ? reference::Position{1, {{11, "BGO"}, {13, "Y"}, {14, "W"}}, {}, "BGOYW"}
                      : reference::Position{2, {{14, "rwb"}, {15, "gk"}, {16, "yp"}}, {}, "rbgyp*"};
  std::string racers;
  const testing::RaceUniverse universe(edition, testing::ShapeOf(position, &racers));
  for (RacePart part : {RacePart::kSymmetric, RacePart::kAntisymmetric}) {
    const auto values = universe.RandomValues(part, 3);
    auto row = values;
    for (const RaceLayer& layer : MakeRaceLayers(edition))
      row = testing::SumLayerOnCpu(universe, layer, part, row);
    const auto mean = universe.MeanOverLeg(part, values);
    for (std::size_t i = 0; i < mean.size(); ++i)
      EXPECT_NEAR(row[i], mean[i], 1e-13) << "number " << i;
  }
}
INSTANTIATE_TEST_SUITE_P(BothEditions, RaceLayersOf, ::testing::Values(1, 2));

}  // namespace
}  // namespace gpusim::camel_up
