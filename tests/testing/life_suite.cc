#include "tests/testing/life_suite.h"

#include <gtest/gtest.h>

#include "tests/testing/life_cases.h"

namespace gpusim::testing {
namespace {

const char* const kRules[] = {"B3/S23",
                              "B36/S23",
                              "B/S",
                              "B2/S",
                              "B1357/S1357",
                              "B0/S",
                              "B0123478/S34678",
                              "B012345678/S012345678",
                              "B3678/S34678",
                              "B/S012345678"};

const life::Topology kTopologies[] = {life::Topology::kTorus, life::Topology::kPlane};
const std::uint32_t kSizes[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 1000};

void ExpectLikeReference(const std::vector<LifeResult>& results,
                         const std::vector<LifeCase>& cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ExpectSameResult(results[i], cases[i]);
    if (::testing::Test::HasFailure()) return;
  }
}

void ExpectLikeReference(Slot& slot, const std::vector<LifeCase>& cases) {
  ExpectLikeReference(StepOnSlot(slot, cases), cases);
}

// Few cells many generations.
std::uint32_t SomeGenerations(std::uint32_t width, std::uint32_t height, std::mt19937_64& random) {
  const std::uint64_t cells = std::uint64_t{width} * height;
  return static_cast<std::uint32_t>(random() % (cells < 20'000 ? 41 : cells < 200'000 ? 8 : 4));
}

}  // namespace

void ExpectLifeTruths(Slot& slot) {
  const auto truths = LoadLifeTruths();
  ASSERT_EQ(truths.size(), 9u);
  std::vector<LifeCase> cases;
  for (const LifeTruth& truth : truths)
    for (const auto& at : truth.generations)
      cases.push_back({truth.start, PlainRule(truth.rule), life::Topology::kTorus,
                       static_cast<std::uint32_t>(at.generation)});
  const auto results = StepOnSlot(slot, cases);
  std::size_t i = 0;
  for (const LifeTruth& truth : truths) {
    for (const auto& at : truth.generations) {
      EXPECT_EQ(results[i].population, at.population) << truth.name << " at " << at.generation;
      EXPECT_EQ(HexHash(results[i].board), at.hash) << truth.name << " at " << at.generation;
      ++i;
    }
  }
}

void ExpectSmallBoardsLikeReference(Slot& slot) {
  std::mt19937_64 random(1970);
  for (const life::Topology topology : kTopologies) {
    for (const char* rule : kRules) {
      std::vector<LifeCase> cases;
      for (const std::uint32_t width : kSizes)
        for (const std::uint32_t height : kSizes)
          cases.push_back({RandomBoard(width, height, 0.4, random), PlainRule(rule), topology,
                           SomeGenerations(width, height, random)});
      ExpectLikeReference(slot, cases);
    }
  }
}

void ExpectLargeBoardsLikeReference(Slot& slot) {
  std::mt19937_64 random(1971);
  for (const life::Topology topology : kTopologies) {
    for (const char* rule : {"B3/S23", "B0123478/S34678"}) {
      std::vector<LifeCase> cases;
      for (const std::uint32_t size : kSizes) {
        const auto generations = static_cast<std::uint32_t>(size > 127 ? 3 : 3 + random() % 20);
        cases.push_back(
            {RandomBoard(4096, size, 0.4, random), PlainRule(rule), topology, generations});
        cases.push_back(
            {RandomBoard(size, 4096, 0.4, random), PlainRule(rule), topology, generations});
      }
      ExpectLikeReference(slot, cases);
    }
    ExpectLikeReference(slot, {{RandomBoard(4096, 4096, 0.4, random), life::kConway, topology, 3}});
  }
}

void ExpectFactsLikeReference(Slot& slot) {
  std::mt19937_64 random(1972);
  for (const life::Topology topology : kTopologies) {
    for (const char* rule : {"B3/S23", "B36/S23", "B0123478/S34678", "B/S"}) {
      std::vector<LifeCase> cases;
      for (const std::uint32_t every : {0u, 1u, 2u, 3u, 7u}) {
        for (const auto& [width, height] : {std::pair{1u, 1u},
                                            {2u, 3u},
                                            {3u, 1u},
                                            {5u, 40u},
                                            {61u, 7u},
                                            {62u, 7u},
                                            {63u, 9u},
                                            {64u, 64u},
                                            {65u, 33u},
                                            {66u, 5u},
                                            {127u, 65u},
                                            {130u, 2u},
                                            {200u, 100u}}) {
          for (const double density : {0.02, 0.4})
            cases.push_back({RandomBoard(width, height, density, random), PlainRule(rule), topology,
                             static_cast<std::uint32_t>(random() % 23), every, kAllFacts});
        }
      }
      for (std::size_t i = 0; i < 16; ++i)  // each set of facts alone
        cases.push_back({RandomBoard(100, 30, 0.3, random), PlainRule(rule), topology, 5, 2,
                         static_cast<life::FactSet>(i)});
      ExpectLikeReference(slot, cases);
    }
    ExpectLikeReference(
        slot, {{RandomBoard(4096, 700, 0.3, random), life::kConway, topology, 7, 3, kAllFacts},
               {life::Board::Empty(3000, 1000), life::kConway, topology, 3, 2, kAllFacts}});
  }
}

void ExpectRandomBoardsLikeReference(Slot& slot) {
  std::mt19937_64 random(1973);
  std::vector<LifeCase> cases;
  for (const std::uint32_t width : {1u, 2u, 3u, 31u, 63u, 64u, 65u, 66u, 67u, 127u, 1000u}) {
    for (const std::uint64_t threshold : {std::uint64_t{0}, std::uint64_t{1} << 30,
                                          std::uint64_t{0x99999999}, std::uint64_t{1} << 32}) {
      LifeCase life_case{PoisonedBoard(width, 37),
                         life::kConway,
                         life::Topology::kTorus,
                         static_cast<std::uint32_t>(random() % 4),
                         0,
                         kAllFacts,
                         life::Source::kRandom,
                         random(),
                         threshold};
      cases.push_back(life_case);
    }
  }
  for (const std::uint32_t generations : {0u, 1u, 2u, 3u})
    cases.push_back({PoisonedBoard(1500, 900), life::kConway, life::Topology::kPlane, generations,
                     1, kAllFacts, life::Source::kRandom, 99, std::uint64_t{1} << 30});
  ExpectLikeReference(slot, cases);
}

void ExpectResidentBoardsLikeReference(Backend& backend, Slot& slot) {
  std::mt19937_64 random(1974);
  for (const WorkBuffers buffers : {WorkBuffers::kTwoOthers, WorkBuffers::kOtherAndFrom}) {
    for (const life::Topology topology : kTopologies) {
      std::vector<LifeCase> cases;
      for (const auto& [width, height] :
           {std::pair{1u, 1u}, {3u, 70u}, {64u, 64u}, {65u, 31u}, {1000u, 127u}, {700u, 300u}}) {
        for (const std::uint32_t every : {0u, 1u, 3u})
          for (const std::uint32_t generations : {0u, 1u, 2u, 5u})
            cases.push_back({RandomBoard(width, height, 0.4, random),
                             generations == 2 ? PlainRule("B36/S23") : life::kConway, topology,
                             generations, every, every == 0 ? life::FactSet{0} : kAllFacts});
      }
      cases.push_back(
          {RandomBoard(4096, 600, 0.4, random), life::kConway, topology, 7, 3, kAllFacts});
      ExpectLikeReference(StepResidents(backend, slot, cases, buffers), cases);
    }
  }
}

void ExpectCellsReadAndWrite(Backend& backend) {
  std::mt19937_64 random(1975);
  const life::Board board = RandomBoard(300, 40, 0.5, random);  // 5 words a row
  const auto cells = backend.MakeCells(0, 300, 40).value();
  EXPECT_EQ(cells->width(), 300u);
  EXPECT_EQ(cells->height(), 40u);
  EXPECT_EQ(cells->words(), 200u);
  ASSERT_TRUE(cells->Fill(0, 40, 0, 0));
  ASSERT_TRUE(cells->Write({0, 40, 0, 5}, board.words.data()));
  const auto expect_block = [&](const life::Board& expected, const life::WordBlock& block) {
    std::vector<std::uint64_t> words(block.size() + 1, 0xfeed);
    ASSERT_TRUE(cells->Read(block, words.data()));
    for (std::uint32_t row = 0; row < block.rows; ++row)
      for (std::uint32_t i = 0; i < block.words; ++i)
        ASSERT_EQ(words[std::size_t{row} * block.words + i],
                  expected.words[(block.y + row) * 5 + block.word + i]);
    EXPECT_EQ(words.back(), 0xfeedu);
  };
  for (const life::WordBlock& block : {life::WordBlock{0, 40, 0, 5},
                                       {39, 1, 4, 1},
                                       {7, 20, 1, 3},
                                       {0, 1, 0, 1},
                                       {5, 30, 3, 2},
                                       {3, 4, 0, 5}})
    expect_block(board, block);

  life::Board changed = board;
  const life::WordBlock block{11, 6, 1, 2};
  std::vector<std::uint64_t> words;
  for (std::uint32_t row = 0; row < block.rows; ++row)
    for (std::uint32_t i = 0; i < block.words; ++i)
      words.push_back(changed.words[(block.y + row) * 5 + block.word + i] = random());
  ASSERT_TRUE(cells->Write(block, words.data()));
  expect_block(changed, {0, 40, 0, 5});

  // A part of the rows, so that the random words begin in the middle; the other rows stay.
  reference::LifeBoard slow(300, 40, true);
  reference::FillAtRandom(slow, 0x123456789abcdef, 0x60000000);
  ASSERT_TRUE(cells->Fill(9, 25, 0x123456789abcdef, 0x60000000));
  for (std::uint32_t y = 9; y < 34; ++y)
    for (std::uint32_t x = 0; x < 300; ++x)
      changed.Set(x, y, slow.At(static_cast<int>(x), static_cast<int>(y)) != 0);
  expect_block(changed, {0, 40, 0, 5});
  ASSERT_TRUE(cells->Fill(10, 2, 77, 0));
  for (std::uint32_t i = 10 * 5; i < 12 * 5; ++i) changed.words[i] = 0;
  expect_block(changed, {0, 40, 0, 5});
}

}  // namespace gpusim::testing
