#include "server/kinds/camel_up_kind.h"

#include <algorithm>
#include <utility>

#include "kernels/rules/camel_up_draws.h"
#include "kernels/rules/camel_up_leg.h"
#include "server/kinds/set_question.h"

namespace gpusim::kinds {
namespace {

using camel_up::Scope;

}  // namespace

std::uint64_t MovesOf(const camel_up::OddsQuery& query) {
  return camel_up::TreeMoves(query.leg.edition, query.leg.board) *
         (query.scope == Scope::kRace ? camel_up::kRaceRowFactor : 1);
}

ExactTask::ExactTask(std::vector<camel_up::OddsQuery> queries, const CamelUpChunk& chunk,
                     const batching::Terms& terms, Listener<CamelUpTask>& listener, Sink sink,
                     std::uint64_t sink_bytes)
    : CamelUpTask(terms, listener),
      queries_(std::move(queries)),
      chunk_(chunk),
      sink_(std::move(sink)),
      sink_bytes_(sink_bytes) {
  if (!sink_) odds().reserve(queries_.size());
  PlanChunk();
}

// As many rows as fit, and at least one.
void ExactTask::PlanChunk() {
  std::uint64_t moves = 0;
  chunk_rows_ = 0;
  while (done_ + chunk_rows_ < queries_.size() && chunk_rows_ < chunk_.rows) {
    const std::uint64_t more = MovesOf(queries_[done_ + chunk_rows_]);
    if (chunk_rows_ > 0 && moves + more > chunk_.moves) break;
    moves += more;
    ++chunk_rows_;
  }
  set_cost({.rows = chunk_rows_,
            .bytes = queries_.size() * sizeof(camel_up::OddsQuery) + sink_bytes_,
            .work = moves});
}

void ExactTask::AppendRows(camel_up::OddsBatch& batch) {
  first_row_ = batch.exact.size();
  for (std::size_t i = 0; i < chunk_rows_; ++i)
    SetQuestion(batch.exact, batch.exact.Append(), queries_[done_ + i]);
}

batching::Chunk ExactTask::TakeAnswers(const camel_up::OddsBatch& batch) {
  if (sink_) {
    sink_(done_, chunk_rows_, batch.exact_answers, first_row_);
  } else {
    for (std::size_t i = 0; i < chunk_rows_; ++i)
      odds().push_back(
          camel_up::ReadExact(batch.exact_answers, first_row_ + i, queries_[done_ + i]));
  }
  done_ += chunk_rows_;
  if (done_ == queries_.size()) return batching::Chunk::kDone;
  PlanChunk();
  return batching::Chunk::kAgain;
}

SimulationTask::SimulationTask(const SimulationRun& run, const CamelUpChunk& chunk,
                               const batching::Terms& terms, Listener<CamelUpTask>& listener,
                               Watch watch)
    : CamelUpTask(terms, listener), run_(run), chunk_(chunk), watch_(std::move(watch)) {
  odds().resize(1);
  odds()[0].exact = false;
  PlanChunk();
}

void SimulationTask::PlanChunk() {
  const std::uint64_t moves = camel_up::SimulatedMoves(run_.query.leg.edition, run_.query.leg.board,
                                                       run_.query.scope == Scope::kRace);
  const std::uint64_t affordable = std::max<std::uint64_t>(1, chunk_.simulated_moves / moves);
  chunk_count_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {run_.count - done_, affordable, std::uint64_t{camel_up::kMaxSimulations}}));
  // In the kind's unit: what part of a chunk it is.
  const double share =
      static_cast<double>(chunk_count_ * moves) / static_cast<double>(chunk_.simulated_moves);
  set_cost({.rows = 1,
            .bytes = 0,
            .work = static_cast<std::uint64_t>(share * static_cast<double>(chunk_.moves)) + 1});
}

void SimulationTask::AppendRows(camel_up::OddsBatch& batch) {
  row_ = batch.simulations.Append();
  SetQuestion(batch.simulations, row_, run_.query);
  batch.simulations.At<camel_up::kSeed>(row_) = run_.base.seed;
  batch.simulations.At<camel_up::kSubsequence>(row_) = run_.base.subsequence;
  batch.simulations.At<camel_up::kOffset>(row_) = run_.offset;
  batch.simulations.At<camel_up::kFirst>(row_) = run_.first + done_;
  batch.simulations.At<camel_up::kCount>(row_) = chunk_count_;
}

batching::Chunk SimulationTask::TakeAnswers(const camel_up::OddsBatch& batch) {
  camel_up::AddSimulated(
      camel_up::ReadSimulated(batch.simulation_answers, row_, run_.query.scope, chunk_count_),
      odds()[0]);
  done_ += chunk_count_;
  const bool go_on = !watch_ || watch_(odds()[0]);
  if (done_ == run_.count || !go_on) return batching::Chunk::kDone;
  PlanChunk();
  return batching::Chunk::kAgain;
}

void CamelUpRunner::Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) {
  camel_up::OddsBatch& columns = slot_.camel_up();
  columns.Clear();
  for (batching::Task* task : batch) static_cast<CamelUpTask*>(task)->AppendRows(columns);
  const DeviceResult<void> ran = slot_.RunCamelUp();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = static_cast<CamelUpTask&>(*batch[i]);
    if (ran) {
      chunks[i] = task.TakeAnswers(columns);
    } else {
      task.fault_ = ran.error().what;
      chunks[i] = batching::Chunk::kFailed;
    }
  }
}

}  // namespace gpusim::kinds
