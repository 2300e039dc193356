#include "tests/testing/life_cases.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernels/batches.h"
#include "tests/testing/test_data.h"

namespace gpusim::testing {
namespace {

// Bodies as the truths have them: counts, b, o, $ and !.
void PlaceBody(const std::string& body, std::uint32_t left, std::uint32_t top, life::Board& board) {
  std::uint32_t x = 0, y = 0, count = 0;
  for (char c : body) {
    if (c >= '0' && c <= '9') {
      count = count * 10 + static_cast<std::uint32_t>(c - '0');
      continue;
    }
    const std::uint32_t run = std::max(count, 1u);
    count = 0;
    if (c == '$') {
      y += run;
      x = 0;
    } else if (c == 'b') {
      x += run;
    } else if (c == 'o') {
      for (std::uint32_t i = 0; i < run; ++i, ++x)
        board.Set((left + x) % board.width, (top + y) % board.height, true);
    }
  }
}

life::Board ReadStart(const nlohmann::json& row) {
  life::Board board = life::Board::Empty(row.at("width"), row.at("height"));
  const auto& start = row.at("start");
  if (start.contains("rle")) {
    PlaceBody(start.at("rle"), start.at("ox"), start.at("oy"), board);
    return board;
  }
  // The one formula: alive iff (3*x*x + 7*y + 5*x*y) mod 11 < 4.
  for (std::uint32_t y = 0; y < board.height; ++y)
    for (std::uint32_t x = 0; x < board.width; ++x)
      board.Set(x, y, (3 * x * x + 7 * y + 5 * x * y) % 11 < 4);
  return board;
}

std::string Digits(std::uint16_t mask) {
  std::string digits;
  for (int n = 0; n <= 8; ++n)
    if (mask >> n & 1) digits += static_cast<char>('0' + n);
  return digits;
}

constexpr std::uint64_t kPoison = 0xdeadbeefdeadbeef;

void Append(life::StepBatch& batch, const LifeCase& life_case) {
  const std::size_t row = batch.boards.Append();
  const std::size_t first = batch.cells.size();
  batch.cells.Resize(first + life_case.board.words.size());
  std::copy(life_case.board.words.begin(), life_case.board.words.end(),
            batch.cells.Column<0>() + first);
  batch.boards.At<life::kFirstWord>(row) = first;
  batch.boards.At<life::kWidth>(row) = life_case.board.width;
  batch.boards.At<life::kHeight>(row) = life_case.board.height;
  batch.boards.At<life::kRuleMasks>(row) = life::RuleMasks(life_case.rule);
  batch.boards.At<life::kTopology>(row) = life_case.topology;
  batch.boards.At<life::kGenerations>(row) = life_case.generations;
  batch.boards.At<life::kFactsEvery>(row) = life_case.facts_every;
  batch.boards.At<life::kFirstFacts>(row) = batch.facts.size();
  batch.boards.At<life::kFactSet>(row) = life_case.fact_set;
  batch.boards.At<life::kSource>(row) = life_case.source;
  batch.boards.At<life::kSeed>(row) = life_case.seed;
  batch.boards.At<life::kThreshold>(row) = life_case.threshold;
  batch.facts.Resize(batch.facts.size() +
                     life::FactRows(life_case.generations, life_case.facts_every));
}

void Poison(life::Facts& facts) {
  for (std::size_t row = 0; row < facts.size(); ++row) {
    facts.At<life::kPopulation>(row) = kPoison;
    facts.At<life::kDigest>(row) = kPoison;
    facts.At<life::kShapeDigest>(row) = kPoison;
    for (std::size_t k = 0; k < 2; ++k) facts.At<life::kChanges>(row, k) = kPoison;
    for (std::size_t k = 0; k < 4; ++k)
      facts.At<life::kBox>(row, k) = static_cast<std::uint32_t>(kPoison);
  }
}

// What was not asked for becomes 0.
void Forget(life::FactSet unless_in, reference::LifeFacts& facts) {
  if ((unless_in & life::kCountChanges) == 0) facts.births = facts.deaths = 0;
  if ((unless_in & life::kFindBox) == 0) facts.left = facts.top = facts.width = facts.height = 0;
  if ((unless_in & life::kMakeDigest) == 0) facts.digest = 0;
  if ((unless_in & life::kMakeShapeDigest) == 0) facts.shape_digest = 0;
}

std::vector<reference::LifeFacts> ReadFacts(const life::Facts& facts, std::size_t first,
                                            const LifeCase& life_case) {
  std::vector<reference::LifeFacts> rows;
  const std::size_t end = first + life::FactRows(life_case.generations, life_case.facts_every);
  for (std::size_t row = first; row < end; ++row) {
    rows.push_back({facts.At<life::kPopulation>(row), facts.At<life::kChanges>(row, 0),
                    facts.At<life::kChanges>(row, 1), facts.At<life::kBox>(row, 0),
                    facts.At<life::kBox>(row, 1), facts.At<life::kBox>(row, 2),
                    facts.At<life::kBox>(row, 3), facts.At<life::kDigest>(row),
                    facts.At<life::kShapeDigest>(row)});
    Forget(life_case.fact_set, rows.back());
  }
  return rows;
}

std::string Text(const reference::LifeFacts& facts) {
  std::ostringstream text;
  text << "population " << facts.population << " births " << facts.births << " deaths "
       << facts.deaths << " box " << facts.left << "," << facts.top << "," << facts.width << ","
       << facts.height << std::hex << " digest " << facts.digest << " shape " << facts.shape_digest;
  return text.str();
}

std::unique_ptr<life::DeviceCells> CellsOf(Backend& backend, const life::Board& board) {
  auto cells = backend.MakeCells(0, board.width, board.height).value();
  const auto row_words = static_cast<std::uint32_t>(life::WordsPerRow(board.width));
  EXPECT_TRUE(cells->Write({0, board.height, 0, row_words}, board.words.data()));
  return cells;
}

life::Board BoardOf(const life::DeviceCells& cells) {
  life::Board board = life::Board::Empty(cells.width(), cells.height());
  const auto row_words = static_cast<std::uint32_t>(life::WordsPerRow(board.width));
  EXPECT_TRUE(cells.Read({0, board.height, 0, row_words}, board.words.data()));
  return board;
}

}  // namespace

std::vector<LifeTruth> LoadLifeTruths() {
  std::ifstream file(TestData() + "/life/torus.json");
  std::vector<LifeTruth> truths;
  for (const auto& row : nlohmann::json::parse(file)) {
    LifeTruth truth{row.at("name"), row.at("rule"), ReadStart(row), {}};
    for (const auto& [generation, facts] : row.at("generations").items())
      truth.generations.push_back(
          {std::stoull(generation), facts.at("population"), facts.at("hash")});
    std::sort(truth.generations.begin(), truth.generations.end(),
              [](const auto& a, const auto& b) { return a.generation < b.generation; });
    truths.push_back(std::move(truth));
  }
  return truths;
}

life::Rule PlainRule(const std::string& rule) {
  life::Rule masks;
  std::uint16_t* mask = nullptr;
  for (char c : rule) {
    if (c == 'B') mask = &masks.birth;
    if (c == 'S') mask = &masks.survive;
    if (c >= '0' && c <= '8') *mask = static_cast<std::uint16_t>(*mask | 1u << (c - '0'));
  }
  return masks;
}

life::Board RandomBoard(std::uint32_t width, std::uint32_t height, double density,
                        std::mt19937_64& random) {
  life::Board board = life::Board::Empty(width, height);
  const auto threshold = static_cast<std::uint64_t>(density * 65536);
  std::uint64_t bits = 0, cells = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x, bits >>= 16) {
      if (cells++ % 4 == 0) bits = random();
      board.Set(x, y, (bits & 0xffff) < threshold);
    }
  }
  return board;
}

life::Board PoisonedBoard(std::uint32_t width, std::uint32_t height) {
  life::Board board = life::Board::Empty(width, height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) board.Set(x, y, kPoison >> (x % 64) & 1);
  return board;
}

std::vector<LifeResult> StepOnSlot(Slot& slot, const std::vector<LifeCase>& cases) {
  life::StepBatch& batch = slot.life();
  batch.Clear();
  for (const LifeCase& life_case : cases) Append(batch, life_case);
  batch.next.Resize(batch.cells.size());
  std::fill_n(batch.next.Column<0>(), batch.next.size(), kPoison);
  Poison(batch.facts);
  const auto run = slot.RunLife();
  EXPECT_TRUE(run.has_value()) << run.error().what;
  std::vector<LifeResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto facts = ReadFacts(batch.facts, batch.boards.At<life::kFirstFacts>(i), cases[i]);
    LifeResult result{cases[i].board, facts.back().population, facts};
    std::copy_n(batch.next.Column<0>() + batch.boards.At<life::kFirstWord>(i),
                result.board.words.size(), result.board.words.begin());
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<LifeResult> StepResidents(Backend& backend, Slot& slot,
                                      const std::vector<LifeCase>& cases, WorkBuffers buffers) {
  life::ResidentBatch& batch = slot.resident();
  batch.Clear();
  std::vector<std::unique_ptr<life::DeviceCells>> owned;
  for (const LifeCase& life_case : cases) {
    life::ResidentStep& step = batch.steps.emplace_back();
    step.rule = life_case.rule;
    step.topology = life_case.topology;
    step.generations = life_case.generations;
    step.facts_every = life_case.facts_every;
    step.fact_set = life_case.fact_set;
    step.first_facts = batch.facts.size();
    batch.facts.Resize(batch.facts.size() +
                       life::FactRows(life_case.generations, life_case.facts_every));
    life::DeviceCells* from = owned.emplace_back(CellsOf(backend, life_case.board)).get();
    step.from = from;
    if (life_case.generations == 0) continue;  // no work buffers
    const life::Board poison = PoisonedBoard(life_case.board.width, life_case.board.height);
    step.work[0] = owned.emplace_back(CellsOf(backend, poison)).get();
    step.work[1] = buffers == WorkBuffers::kOtherAndFrom
                       ? from
                       : owned.emplace_back(CellsOf(backend, poison)).get();
  }
  Poison(batch.facts);
  const auto run = slot.RunResident();
  EXPECT_TRUE(run.has_value()) << run.error().what;
  std::vector<LifeResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const life::ResidentStep& step = batch.steps[i];
    const bool from_is_kept = cases[i].generations == 0 || step.work[1] != step.from;
    EXPECT_TRUE(!from_is_kept || BoardOf(*step.from) == cases[i].board) << Describe(cases[i]);
    EXPECT_TRUE(cases[i].generations == 0
                    ? step.result == step.from
                    : step.result == step.work[0] || step.result == step.work[1]);
    const auto facts = ReadFacts(batch.facts, step.first_facts, cases[i]);
    results.push_back({BoardOf(*step.result), facts.back().population, facts});
  }
  return results;
}

LifeResult StepByReference(const LifeCase& life_case) {
  const life::Board& board = life_case.board;
  reference::LifeBoard slow(static_cast<int>(board.width), static_cast<int>(board.height),
                            life_case.topology == life::Topology::kTorus,
                            Digits(life_case.rule.birth), Digits(life_case.rule.survive));
  if (life_case.source == life::Source::kRandom) {
    reference::FillAtRandom(slow, life_case.seed, life_case.threshold);
  } else {
    for (std::uint32_t y = 0; y < board.height; ++y)
      for (std::uint32_t x = 0; x < board.width; ++x)
        slow.At(static_cast<int>(x), static_cast<int>(y)) = board.Alive(x, y);
  }
  LifeResult result;
  if (life_case.generations == 0) result.facts.push_back(reference::FactsOf(slow, slow));
  reference::LifeBoard before = slow;
  for (std::uint32_t i = 1; i <= life_case.generations; ++i) {
    const bool facts = i == life_case.generations ||
                       (life_case.facts_every != 0 && i % life_case.facts_every == 0);
    if (facts) before.cells = slow.cells;
    slow.Step();
    if (facts) result.facts.push_back(reference::FactsOf(slow, before));
  }
  for (reference::LifeFacts& facts : result.facts) Forget(life_case.fact_set, facts);
  result.population = result.facts.back().population;
  result.board = life::Board::Empty(board.width, board.height);
  for (std::uint32_t y = 0; y < board.height; ++y)
    for (std::uint32_t x = 0; x < board.width; ++x)
      if (slow.At(static_cast<int>(x), static_cast<int>(y))) result.board.Set(x, y, true);
  return result;
}

void ExpectSameResult(const LifeResult& result, const LifeCase& life_case) {
  const LifeResult expected = StepByReference(life_case);
  EXPECT_TRUE(result.board == expected.board) << Describe(life_case);
  EXPECT_EQ(result.population, expected.population) << Describe(life_case);
  ASSERT_EQ(result.facts.size(), expected.facts.size()) << Describe(life_case);
  for (std::size_t row = 0; row < expected.facts.size(); ++row)
    EXPECT_EQ(Text(result.facts[row]), Text(expected.facts[row]))
        << Describe(life_case) << ", row " << row;
}

std::string Describe(const LifeCase& life_case) {
  return std::to_string(life_case.board.width) + "x" + std::to_string(life_case.board.height) +
         " B" + Digits(life_case.rule.birth) + "/S" + Digits(life_case.rule.survive) +
         (life_case.topology == life::Topology::kTorus ? " torus " : " plane ") +
         std::to_string(life_case.generations) + " generations, facts every " +
         std::to_string(life_case.facts_every);
}

std::string HexHash(const life::Board& board) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(life::Hash(board)));
  return text;
}

}  // namespace gpusim::testing
