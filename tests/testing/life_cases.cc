#include "tests/testing/life_cases.h"

#include <algorithm>
#include <fstream>

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
  batch.boards.At<life::kFactsEvery>(row) = 0;
  batch.boards.At<life::kFirstFacts>(row) = batch.facts.Append();
  batch.boards.At<life::kFactSet>(row) = 0;
  batch.boards.At<life::kSource>(row) = life::Source::kCells;
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
  std::bernoulli_distribution alive(density);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) board.Set(x, y, alive(random));
  return board;
}

std::vector<LifeResult> StepOnSlot(Slot& slot, const std::vector<LifeCase>& cases) {
  life::StepBatch& batch = slot.life();
  batch.Clear();
  for (const LifeCase& life_case : cases) Append(batch, life_case);
  batch.next.Resize(batch.cells.size());
  std::fill_n(batch.next.Column<0>(), batch.next.size(), 0xdeadbeefdeadbeef);
  const auto run = slot.RunLife();
  EXPECT_TRUE(run.has_value()) << run.error().what;
  std::vector<LifeResult> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    LifeResult result{cases[i].board, batch.facts.At<life::kPopulation>(i)};
    std::copy_n(batch.next.Column<0>() + batch.boards.At<life::kFirstWord>(i),
                result.board.words.size(), result.board.words.begin());
    results.push_back(std::move(result));
  }
  return results;
}

life::Board StepByReference(const LifeCase& life_case) {
  const life::Board& board = life_case.board;
  reference::LifeBoard slow(static_cast<int>(board.width), static_cast<int>(board.height),
                            life_case.topology == life::Topology::kTorus,
                            Digits(life_case.rule.birth), Digits(life_case.rule.survive));
  for (std::uint32_t y = 0; y < board.height; ++y)
    for (std::uint32_t x = 0; x < board.width; ++x)
      slow.At(static_cast<int>(x), static_cast<int>(y)) = board.Alive(x, y);
  for (std::uint32_t i = 0; i < life_case.generations; ++i) slow.Step();
  life::Board result = life::Board::Empty(board.width, board.height);
  for (std::uint32_t y = 0; y < board.height; ++y)
    for (std::uint32_t x = 0; x < board.width; ++x)
      result.Set(x, y, slow.At(static_cast<int>(x), static_cast<int>(y)));
  return result;
}

std::string Describe(const LifeCase& life_case) {
  return std::to_string(life_case.board.width) + "x" + std::to_string(life_case.board.height) +
         " B" + Digits(life_case.rule.birth) + "/S" + Digits(life_case.rule.survive) +
         (life_case.topology == life::Topology::kTorus ? " torus " : " plane ") +
         std::to_string(life_case.generations) + " generations";
}

std::string HexHash(const life::Board& board) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(life::Hash(board)));
  return text;
}

}  // namespace gpusim::testing
