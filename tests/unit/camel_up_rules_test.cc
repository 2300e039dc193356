// Each place where public tools go wrong, as one move or one leg on the packed board.
#include <gtest/gtest.h>

#include "kernels/camel_up.h"
#include "kernels/rules/camel_up_leg.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::camel_up {
namespace {

struct Scene {
  int edition;
  std::map<int, std::string> stacks;
  std::map<int, int> tiles = {};
};

LegQuery Query(const Scene& scene) {
  return Encode(testing::ToDomain(
      {scene.edition, scene.stacks, scene.tiles, scene.edition == 1 ? "BGOYW" : "rbgyp*"}));
}

// "1:BG 3:O" of a board, rear to front.
std::string Show(Board board, Edition edition) {
  std::string text;
  int last_space = -1;
  for (int slot = 0; slot < CamelsOf(edition); ++slot) {
    if (SpaceOf(board, slot) != last_space) {
      last_space = SpaceOf(board, slot);
      text += (text.empty() ? "" : " ") + std::to_string(last_space) + ":";
    }
    text += CamelLetter(edition, static_cast<Camel>(CamelIn(board, slot)));
  }
  return text;
}

Draw Roll(const Scene& scene, char camel, int face) {
  const LegQuery query = Query(scene);
  const std::string letters = scene.edition == 1 ? "BGOYW" : "rbgyp";
  return Play(query.board, query.tiles, query.edition, Movers(query.board),
              static_cast<Camel>(letters.find(camel)), face);
}

Draw RollGrey(const Scene& scene, char shown, int face) {
  const LegQuery query = Query(scene);
  const Camel mover = GreyMover(query.board, shown == 'w' ? kCrazyWhite : kCrazyBlack);
  return Play(query.board, query.tiles, query.edition, Movers(query.board), mover, face);
}

TEST(CamelUpBoard, EncodesRearToFrontBottomToTop) {
  const LegQuery query = Query({1, {{2, "YW"}, {1, "BGO"}}, {{4, 1}, {16, -1}}});
  EXPECT_EQ(Show(query.board, Edition::kFirst), "1:BGO 2:YW");
  EXPECT_EQ(DiceLeft(query.board), 0x1fu);
  EXPECT_EQ(query.board & kSlotBytes, 0xFFFF'1413'0A09'08ull | 0x00FF'FF00'0000'0000ull);
  EXPECT_EQ(TileAt(query.tiles, 4), kOasis);
  EXPECT_EQ(TileAt(query.tiles, 16), kMirage);
  EXPECT_EQ(TileAt(query.tiles, 5), kNoTile);
}

TEST(CamelUpMove, CarriesWhatStandsAboveAndLeavesWhatIsBelow) {
  EXPECT_EQ(Show(Roll({1, {{1, "BGO"}, {2, "Y"}, {5, "W"}}}, 'G', 1).board, Edition::kFirst),
            "1:B 2:YGO 5:W");
  EXPECT_EQ(Show(Roll({1, {{1, "BGO"}, {2, "Y"}, {5, "W"}}}, 'B', 3).board, Edition::kFirst),
            "2:Y 4:BGO 5:W");
}

// A tile of -1 back onto the own space: the unit goes under those it has just left, nobody is
// doubled.
TEST(CamelUpMove, MirageBackOntoTheOwnSpace) {
  const Draw draw = Roll({1, {{3, "BGOY"}, {6, "W"}}, {{4, -1}}}, 'O', 1);
  EXPECT_EQ(Show(draw.board, Edition::kFirst), "3:OYBG 6:W");
  EXPECT_EQ(draw.landed_tile, 4);
}

TEST(CamelUpMove, MirageLandsUnderneathInOrder) {
  EXPECT_EQ(
      Show(Roll({1, {{3, "BG"}, {5, "OY"}, {9, "W"}}, {{6, -1}}}, 'B', 3).board, Edition::kFirst),
      "5:BGOY 9:W");
}

TEST(CamelUpMove, OasisLandsOnTop) {
  EXPECT_EQ(
      Show(Roll({1, {{3, "BG"}, {7, "OY"}, {9, "W"}}, {{6, 1}}}, 'B', 3).board, Edition::kFirst),
      "7:OYBG 9:W");
}

TEST(CamelUpMove, SixteenIsNotTheFinishButAnOasisThereIs) {
  const Scene plain{1, {{14, "B"}, {1, "GOYW"}}};
  EXPECT_EQ(Roll(plain, 'B', 2).finish, Finish::kNone);
  EXPECT_EQ(Roll(plain, 'B', 3).finish, Finish::kForward);
  const Draw oasis = Roll({1, {{14, "B"}, {1, "GOYW"}}, {{16, 1}}}, 'B', 2);
  EXPECT_EQ(oasis.finish, Finish::kForward);
  EXPECT_EQ(oasis.landed_tile, 16);
  const Draw mirage = Roll({1, {{14, "B"}, {1, "GOYW"}}, {{16, -1}}}, 'B', 2);
  EXPECT_EQ(mirage.finish, Finish::kNone);
  EXPECT_EQ(Show(mirage.board, Edition::kFirst), "1:GOYW 15:B");
}

// Crossing the line does not go round to space 2 and its tile.
TEST(CamelUpMove, NoTileBehindTheFinish) {
  const Draw draw = Roll({1, {{15, "B"}, {9, "GOYW"}}, {{2, -1}}}, 'B', 3);
  EXPECT_EQ(draw.finish, Finish::kForward);
  EXPECT_EQ(draw.landed_tile, 0);
}

TEST(CamelUpCrazy, TheOneThatCarriesMovesWhateverIsShown) {
  const Scene scene{2, {{7, "wr"}, {9, "k"}, {1, "bgyp"}}};
  EXPECT_EQ(Show(RollGrey(scene, 'k', 2).board, Edition::kSecond), "1:bgyp 5:wr 9:k");
  // A racing camel anywhere above counts, not only the next one.
  const Scene between{2, {{7, "wkr"}, {1, "bgyp"}}};  // both carry, so the upper of the two
  EXPECT_EQ(Show(RollGrey(between, 'w', 1).board, Edition::kSecond), "1:bgyp 6:kr 7:w");
}

TEST(CamelUpCrazy, UpperOfTwoMovesElseTheColourShown) {
  EXPECT_EQ(Show(RollGrey({2, {{8, "kw"}, {1, "rbgyp"}}}, 'k', 1).board, Edition::kSecond),
            "1:rbgyp 7:w 8:k");
  EXPECT_EQ(Show(RollGrey({2, {{8, "k"}, {9, "w"}, {1, "rbgyp"}}}, 'k', 1).board, Edition::kSecond),
            "1:rbgyp 7:k 9:w");
  EXPECT_EQ(Show(RollGrey({2, {{8, "k"}, {9, "w"}, {1, "rbgyp"}}}, 'w', 1).board, Edition::kSecond),
            "1:rbgyp 8:kw");
}

TEST(CamelUpCrazy, TilesActAlongTheirOwnDirection) {
  const std::map<int, std::string> stacks{{8, "kr"}, {12, "w"}, {6, "b"}, {1, "gyp"}};
  // Cheering takes it one further back, on top; booing one forward again, underneath.
  EXPECT_EQ(Show(RollGrey({2, stacks, {{7, 1}}}, 'k', 1).board, Edition::kSecond),
            "1:gyp 6:bkr 12:w");
  EXPECT_EQ(
      Show(RollGrey({2, {{8, "rk"}, {12, "w"}, {6, "b"}, {1, "gyp"}}, {{7, -1}}}, 'k', 1).board,
           Edition::kSecond),
      "1:gyp 6:b 8:kr 12:w");
}

TEST(CamelUpCrazy, BackwardFinishPutsItsRidersLastTopmostAhead) {
  const Draw draw = RollGrey({2, {{2, "wrb"}, {1, "k"}, {9, "gyp"}}}, 'w', 2);
  EXPECT_EQ(draw.finish, Finish::kBackward);
  EXPECT_EQ(Show(draw.board, Edition::kSecond), "0:wrb 1:k 9:gyp");
  EXPECT_EQ(RollGrey({2, {{2, "w"}, {9, "k"}, {1, "rbgyp"}}}, 'w', 2).finish, Finish::kBackward);
  EXPECT_EQ(RollGrey({2, {{2, "w"}, {9, "k"}, {1, "rbgyp"}}}, 'w', 1).finish, Finish::kNone);
}

TEST(CamelUpDraws, GreyFacesWeighHalfARacingFace) {
  const LegQuery query = Query({2, {{1, "rbgyp"}, {14, "w"}, {16, "k"}}});
  auto total_and_outcomes = [](const LegQuery& query) {
    std::pair<std::uint32_t, int> sum;
    ForEachDraw(query.board, query.tiles, query.edition, [&](const Draw& draw) {
      sum.first += draw.weight;
      ++sum.second;
    });
    return sum;
  };
  EXPECT_EQ(total_and_outcomes(query), std::pair(36u, 21));
  // One crazy camel moves whatever is shown: fewer outcomes, the same weight.
  EXPECT_EQ(total_and_outcomes(Query({2, {{1, "gyp"}, {14, "wrb"}, {16, "k"}}})),
            std::pair(36u, 18));
}

TEST(CamelUpDraws, ASecondEditionLegLeavesOneDieInThePyramid) {
  EXPECT_EQ(DrawsLeft(Edition::kSecond, 6), 5);
  EXPECT_EQ(DrawsLeft(Edition::kFirst, 5), 5);
  EXPECT_EQ(TotalWeight(Edition::kSecond, 2), 12u);
}

// The device moves units by a way of its own, which the host can take too: every unit to every place.
TEST(CamelUpMove, TheDevicesWayToRelocateAUnitIsTheHosts) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const LegQuery query = Encode(testing::ToDomain(testing::RandomPosition(1 + i % 2, random)));
    const int camels = CamelsOf(query.edition);
    for (int first = 0; first < camels; ++first) {
      for (int end = first + 1; end <= camels; ++end) {
        for (int to = 0; to <= kMaxCamels; ++to) {
          if (first < to && to < end) continue;
          // All camels of a unit have one space.
          Board board = query.board;
          for (int slot = first; slot < end; ++slot) {
            board &= ~(Board{0xF8} << (8 * slot));
            board |= static_cast<Board>(SpaceOf(query.board, first)) << (8 * slot + 3);
          }
          const int space = static_cast<int>(random() % 21);
          ASSERT_EQ(leg_detail::RelocateByNames(board, first, end, to, space),
                    leg_detail::RelocateByShifts(board, first, end, to, space))
              << Show(board, query.edition) << ' ' << first << ' ' << end << ' ' << to;
        }
      }
    }
  }
}

TEST(CamelUpOrder, LeavesTheCrazyCamelsOut) {
  const auto order_of = [](const Scene& scene) { return OrderOf(Query(scene).board); };
  // Digits of base 5, first place first: p y g b, and r is last.
  constexpr int kInOrder = ((4 * 5 + 3) * 5 + 2) * 5 + 1;
  EXPECT_EQ(order_of({1, {{1, "BGOYW"}}}), kInOrder);
  for (const Scene& scene : {Scene{2, {{1, "rbgypwk"}}}, Scene{2, {{1, "wkrbgyp"}}},
                             Scene{2, {{1, "kr"}, {4, "bg"}, {5, "y"}, {9, "wp"}}},
                             Scene{2, {{1, "r"}, {4, "bwkg"}, {5, "yp"}}}})
    EXPECT_EQ(order_of(scene), kInOrder);
}

std::vector<std::string> FaultyFields(const Position& position) {
  std::vector<std::string> fields;
  for (const Violation& violation : Validate(position, "p.")) fields.push_back(violation.field);
  return fields;
}

TEST(CamelUpValidate, NamesEveryFaultAtOnce) {
  Position position = testing::ToDomain({1, {{1, "BGO"}, {2, "Y"}, {3, "W"}}, {}, "BGOYW"});
  EXPECT_TRUE(Validate(position, "").empty());
  position.stacks[1].space = 17;
  position.stacks[2].camels = {0, 9};
  position.tiles = {{1, 1}, {5, 2}, {6, -1}};
  position.dice = {0, 0, 7};
  EXPECT_EQ(
      FaultyFields(position),
      (std::vector<std::string>{
          "p.stacks[1].space", "p.stacks[2].camels[0]", "p.stacks[2].camels[1]", "p.stacks",
          "p.tiles[0].space", "p.tiles[1].effect", "p.tiles[2].space", "p.dice[1]", "p.dice[2]"}));
}

TEST(CamelUpValidate, TilesOnCamelsAndBesideTiles) {
  // A rival's tile counts in the neighbour check like one's own.
  Position position = testing::ToDomain({1, {{1, "BGOYW"}}, {{4, 1}, {5, -1}}, "BGOYW"});
  EXPECT_EQ(FaultyFields(position), std::vector<std::string>{"p.tiles[1].space"});
  position = testing::ToDomain({2, {{1, "rbgyp"}, {5, "w"}, {6, "k"}}, {{5, 1}}, "rbgyp*"});
  EXPECT_EQ(FaultyFields(position), std::vector<std::string>{"p.tiles[0].space"});
}

TEST(CamelUpValidate, ALegThatIsOver) {
  EXPECT_EQ(FaultyFields(testing::ToDomain({1, {{1, "BGOYW"}}, {}, ""})),
            std::vector<std::string>{"p.dice"});
  EXPECT_EQ(FaultyFields(testing::ToDomain({2, {{1, "rbgypwk"}}, {}, "r"})),
            std::vector<std::string>{"p.dice"});
}

}  // namespace
}  // namespace gpusim::camel_up
