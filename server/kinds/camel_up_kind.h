// Camel Up for the scheduler: a task is a list of positions to solve, or one position to simulate. It
// puts its next rows into the columns of a batch, takes their answers, and comes back for more until it
// is done:
//
//   ExactTask        | rows of chunk 1 | rows of chunk 2 | ...                 columns `exact`
//   SimulationTask   one row a chunk: [first, + n), [first + n, + n), ...      columns `simulations`
//
// Between two chunks all state is in the task, so that a chunk may run on any slot, and that other
// tasks get their turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/odds.h"
#include "server/batching/task.h"
#include "server/kinds/listener.h"

namespace gpusim::kinds {

// What a chunk of one task may hold, about 2 ms of a device: see Backend.
struct CamelUpChunk {
  std::size_t rows = 1;
  std::uint64_t moves = 1;            // of exact rows, in moves of the full tree
  std::uint64_t simulated_moves = 1;  // of simulations, in camel_up::SimulatedMoves
};

// Work of one question in moves of the full tree, which is the kind's unit of work.
std::uint64_t MovesOf(const camel_up::OddsQuery& query);

class CamelUpTask : public batching::Task {
 public:
  batching::Cost cost() const override { return cost_; }
  void Finish(batching::Outcome outcome) override { listener_.OnTaskFinished(*this, outcome); }

  // Once kAnswered: one for each question of an ExactTask without a sink; of a SimulationTask one, the
  // sum over its simulations. Taken, not copied.
  std::vector<camel_up::Odds> TakeOdds() { return std::move(odds_); }
  const std::string& fault() const { return fault_; }  // once kFailed

 protected:
  CamelUpTask(const batching::Terms& terms, Listener<CamelUpTask>& listener)
      : Task(terms), listener_(listener) {}

  void set_cost(const batching::Cost& cost) { cost_ = cost; }
  std::vector<camel_up::Odds>& odds() { return odds_; }

 private:
  friend class CamelUpRunner;

  // Appends the rows of the next chunk to the query columns.
  virtual void AppendRows(camel_up::OddsBatch& batch) = 0;
  // Takes the answers of those rows, in a batch that has been run.
  virtual batching::Chunk TakeAnswers(const camel_up::OddsBatch& batch) = 0;

  Listener<CamelUpTask>& listener_;
  batching::Cost cost_;  // of the next chunk
  std::vector<camel_up::Odds> odds_;
  std::string fault_;
};

// Solves positions exactly.
class ExactTask final : public CamelUpTask {
 public:
  // Takes the answers to the `count` questions from `question` on, which lie in `answers` from `row` on, for callers
  // that want columns rather than one Odds a question. Called once a chunk, in the order of the questions, on a
  // slot's thread; must not block.
  using Sink = std::function<void(std::size_t question, std::size_t count,
                                  const camel_up::OddsAnswers& answers, std::size_t row)>;

  // At least one question. Race questions need the edition's race table in use. `sink_bytes` is what the sink
  // holds, and counts as queued.
  ExactTask(std::vector<camel_up::OddsQuery> queries, const CamelUpChunk& chunk,
            const batching::Terms& terms, Listener<CamelUpTask>& listener, Sink sink = nullptr,
            std::uint64_t sink_bytes = 0);

 private:
  void AppendRows(camel_up::OddsBatch& batch) override;
  batching::Chunk TakeAnswers(const camel_up::OddsBatch& batch) override;
  void PlanChunk();

  const std::vector<camel_up::OddsQuery> queries_;
  const CamelUpChunk chunk_;
  const Sink sink_;
  const std::uint64_t sink_bytes_;
  std::size_t done_ = 0;        // questions answered
  std::size_t chunk_rows_ = 0;  // of the next chunk
  std::size_t first_row_ = 0;   // of the chunk under way, in the batch
};

// Which simulations to play: [first, first + count) of a stream (rules/camel_up_stream.h).
struct SimulationRun {
  camel_up::OddsQuery query;
  camel_up::StreamBase base;
  std::uint64_t offset = 0;  // of row 0, in blocks
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // at least 1
};

class SimulationTask final : public CamelUpTask {
 public:
  // Told after every chunk with the sum so far, on the slot's thread; false ends the run there, as
  // answered. Must not block.
  using Watch = std::function<bool(const camel_up::Odds& so_far)>;

  SimulationTask(const SimulationRun& run, const CamelUpChunk& chunk, const batching::Terms& terms,
                 Listener<CamelUpTask>& listener, Watch watch = nullptr);

 private:
  void AppendRows(camel_up::OddsBatch& batch) override;
  batching::Chunk TakeAnswers(const camel_up::OddsBatch& batch) override;
  void PlanChunk();

  const SimulationRun run_;
  const CamelUpChunk chunk_;
  const Watch watch_;
  std::uint64_t done_ = 0;         // simulations played
  std::uint32_t chunk_count_ = 0;  // of the next chunk
  std::size_t row_ = 0;            // of the chunk under way, in the batch
};

// The slot has to outlive the runner, and to have room for a batch of the kind.
class CamelUpRunner final : public batching::Runner {
 public:
  explicit CamelUpRunner(Slot& slot) : slot_(slot) {}

  void Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) override;

 private:
  Slot& slot_;
};

}  // namespace gpusim::kinds
