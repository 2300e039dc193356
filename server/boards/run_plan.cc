#include "server/boards/run_plan.h"

#include <algorithm>

namespace gpusim::boards {
namespace {

// As many units of so much work, `most` at the most, as a chunk affords; at least one.
std::uint32_t Affordable(std::uint64_t work_of_one, std::uint64_t most,
                         const kinds::ResidentChunk& limit) {
  const std::uint64_t affordable = limit.word_steps / std::max<std::uint64_t>(1, work_of_one);
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(affordable, 1, std::clamp<std::uint64_t>(most, 1, UINT32_MAX)));
}

RunChunk Plain(const RunPace& pace, std::uint64_t most, const kinds::ResidentChunk& limit) {
  const std::uint32_t generations =
      Affordable(pace.words, std::min<std::uint64_t>(most, limit.generations), limit);
  return {.generations = generations, .facts_every = 0, .facts = pace.last_facts, .cost = 0};
}

RunChunk WithRows(const RunPace& pace, std::uint64_t done, std::uint64_t left,
                  const kinds::ResidentChunk& limit) {
  const std::uint64_t until_row = pace.every - done % pace.every;
  const RunChunk plain = Plain(pace, std::min(left, until_row), limit);
  if (plain.generations < until_row) return plain;  // too far, or the run ends before
  const life::FactSet facts = pace.row_facts | pace.last_facts;
  RunChunk chunk{.generations = plain.generations, .facts_every = 0, .facts = facts, .cost = 0};
  if (until_row < pace.every) return chunk;
  // From row to row, as often as it goes.
  const auto every = static_cast<std::uint32_t>(pace.every);
  const std::uint64_t rows =
      std::min<std::uint64_t>({limit.fact_rows, limit.generations / every, left / every});
  chunk.generations =
      every * Affordable(pace.words * (every + kinds::FactWork(facts)), rows, limit);
  chunk.facts_every = every;
  return chunk;
}

}  // namespace

RunChunk NextRunChunk(const RunPace& pace, std::uint64_t done, std::uint64_t left,
                      const kinds::ResidentChunk& limit) {
  RunChunk chunk;
  if (pace.watch) {
    chunk.facts_every = 1;
    chunk.facts =
        pace.watch_facts | pace.last_facts | (pace.every > 0 ? pace.row_facts : life::FactSet{0});
    chunk.generations =
        Affordable(pace.words * (1 + kinds::FactWork(chunk.facts)),
                   std::min<std::uint64_t>({left, limit.generations, limit.fact_rows}), limit);
  } else if (pace.every > 0) {
    chunk = WithRows(pace, done, left, limit);
  } else {
    chunk = Plain(pace, left, limit);
  }
  const std::uint64_t rows = life::FactRows(chunk.generations, chunk.facts_every);
  chunk.cost = pace.words * (chunk.generations + rows * kinds::FactWork(chunk.facts));
  return chunk;
}

std::uint64_t RowGeneration(std::uint32_t generations, std::uint32_t facts_every, std::size_t row) {
  if (facts_every == 0) return generations;
  return std::min<std::uint64_t>((row + 1) * std::uint64_t{facts_every}, generations);
}

BoardFacts FactsOf(const life::Facts& facts, std::size_t row, life::FactSet set,
                   std::uint64_t generation) {
  BoardFacts told{.generation = generation, .population = facts.At<life::kPopulation>(row)};
  if ((set & life::kCountChanges) != 0) {
    told.births = facts.At<life::kChanges>(row, 0);
    told.deaths = facts.At<life::kChanges>(row, 1);
  }
  if ((set & life::kFindBox) != 0) {
    for (std::size_t i = 0; i < 4; ++i) told.box[i] = facts.At<life::kBox>(row, i);
  }
  if ((set & life::kMakeDigest) != 0) told.digest = facts.At<life::kDigest>(row);
  if ((set & life::kMakeShapeDigest) != 0) told.shape_digest = facts.At<life::kShapeDigest>(row);
  return told;
}

}  // namespace gpusim::boards
