// One board on its way through the chunks of a task: what was asked, how far it is, what came of it.
//
//            generation 0                                       the condition holds at j
//   kStart --------------> kRun --- chunk --- chunk --- chunk ------------------------> kRewind: the chunk again, up to j
//   (with a condition)      |   <------------------------------------------+               |
//                           | all generations are run                      | other cells   v
//                           +----------------> done <--- the same cells --- kConfirm: a period more
//
// The cells of the board are those of the chunk's start until its facts are looked at: a condition that is met in the middle of
// a chunk is reached by running it again, shorter. That is also how facts come that are dear and wanted of the last
// generation alone. A random board of generation 0 has no cells here; the device makes them, each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/batches.h"
#include "kernels/life.h"
#include "server/kinds/until.h"

namespace gpusim::kinds {

struct LifeRun {
  life::Board board;  // with Source::kRandom: its size alone
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint64_t generations = 0;
  Until until = {};
  std::uint64_t facts_every = 0;  // a row of the series for every so many generations; 0: none
  life::FactSet facts = 0;        // of the last generation and of the series
  bool wants_cells = true;        // of the last generation
  life::Source source = life::Source::kCells;
  std::uint64_t seed = 0;       // of Source::kRandom
  std::uint64_t threshold = 0;  // likewise

  std::uint64_t words() const { return life::WordsPerRow(board.width) * board.height; }
};

// What was not asked for is unspecified.
struct LifeFacts {
  std::uint64_t generation = 0;  // counted from the start of the run
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::uint32_t box[4] = {0, 0, 0, 0};  // as kBox
  std::uint64_t digest = 0;
  std::uint64_t shape_digest = 0;
};

struct LifeAnswer {
  life::Board board;  // of the last generation; its size alone unless the cells were wanted
  bool met = false;   // the condition, at the last generation
  std::uint32_t period = 0;
  LifeFacts last;
  std::vector<LifeFacts> series;
};

// What the facts of a generation cost, in words stepped a word; the population is free.
inline constexpr std::uint64_t kChangesSteps = 1;
inline constexpr std::uint64_t kBoxSteps = 1;
inline constexpr std::uint64_t kDigestSteps = 8;
inline constexpr std::uint64_t kShapeDigestSteps = 64;

// Not thread-safe.
class LifeProgress {
 public:
  explicit LifeProgress(LifeRun run);

  std::uint64_t words() const { return run_.words(); }
  // Bytes that it holds at the most between two chunks, and how many more while it is under way.
  std::uint64_t bytes() const;
  std::uint64_t bytes_under_way() const;

  struct Chunk {
    std::uint32_t generations = 0;
    std::uint32_t facts_every = 0;  // as life::kFactsEvery
    life::FactSet facts = 0;
    bool random = false;    // from generation 0 of a random board
    bool can_grow = false;  // there are more generations to run in the same way

    std::uint32_t fact_rows() const { return life::FactRows(generations, facts_every); }
    // In words stepped, a word. Counting and copying is work too: no generations cost as much as one.
    std::uint64_t steps(std::uint64_t fill_steps) const;
  };
  // The next chunk, of so many generations and rows of facts at the most, both at least 1.
  Chunk Next(std::uint64_t generations, std::uint64_t fact_rows) const;

  // Puts the chunk into a batch, and takes what came of it; true when the board is done. Between the two nothing else is called.
  void Append(const Chunk& chunk, life::StepBatch& batch);
  bool Take(const life::StepBatch& batch);

  // Once done.
  LifeAnswer TakeAnswer() { return std::move(answer_); }

 private:
  enum class Phase : std::uint8_t { kStart, kRun, kRewind, kConfirm };

  life::FactSet FactsOfRun(bool last) const;
  std::uint64_t CutAtSeries(std::uint64_t generations, std::uint64_t fact_rows, Chunk& chunk) const;
  bool TakeStart(const life::Facts& facts);
  bool TakeRun(const life::Facts& facts);
  bool TakeWatchedRun(const life::Facts& facts);
  bool TakeRewound(const life::Facts& facts);
  bool TakeConfirmed();

  bool seeks_period() const { return run_.until.kind == Until::Kind::kPeriodAtMost; }
  bool ReachMiddle(const life::Facts& facts, std::size_t row, std::uint64_t generation);
  bool Reached();
  bool Done();
  void KeepNext();

  LifeRun run_;
  LifeAnswer answer_;
  std::unique_ptr<UntilWatch> watch_;
  Phase phase_;
  std::uint64_t done_ = 0;     // generations that run_.board has
  std::uint64_t stop_at_ = 0;  // of kRewind
  std::uint32_t confirm_left_ = 0;
  std::vector<std::uint64_t> kept_;  // of kConfirm: the cells at stop_at_

  // Of the chunk under way.
  Chunk chunk_;
  std::size_t row_ = 0;
  std::size_t first_facts_ = 0;
  const std::uint64_t* next_ = nullptr;
};

}  // namespace gpusim::kinds
