#include "server/kinds/life_kind.h"

#include <algorithm>

namespace gpusim::kinds {
namespace {

std::uint64_t RoundedUp(std::uint64_t dividend, std::uint64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

// Only so many boards at a time are under way; which, is not known before.
std::uint64_t BytesOf(const std::vector<LifeProgress>& boards, std::uint64_t most_under_way) {
  std::uint64_t bytes = 0;
  std::uint64_t under_way = 0;
  std::uint64_t largest = 0;
  for (const LifeProgress& board : boards) {
    bytes += board.bytes();
    under_way += board.bytes_under_way();
    largest = std::max(largest, board.bytes_under_way());
  }
  return bytes + (boards.size() > most_under_way ? largest * most_under_way : under_way);
}

}  // namespace

LifeTask::LifeTask(std::vector<LifeRun> runs, const LifeChunk& chunk, const batching::Terms& terms,
                   Listener<LifeTask>& listener)
    : Task(terms), chunk_(chunk), listener_(listener) {
  boards_.reserve(runs.size());
  for (LifeRun& run : runs) boards_.emplace_back(std::move(run));
  held_bytes_ = BytesOf(boards_, chunk_.boards);
  PlanChunk();
}

void LifeTask::PlanChunk() {
  turns_.clear();
  Sum sum;
  std::size_t old = 0;
  while (old < under_way_.size() && AddTurn(under_way_[old], sum)) ++old;
  while (old == under_way_.size() && begun_ < boards_.size() && AddTurn(begun_, sum)) {
    under_way_.push_back(begun_++);
    ++old;
  }
  Lengthen(sum);
  SetCost();
}

// False if there is no room for it. The first one always has.
bool LifeTask::AddTurn(std::uint32_t board, Sum& sum) {
  if (turns_.size() == chunk_.boards || sum.fact_rows == chunk_.fact_rows) return false;
  const LifeProgress& progress = boards_[board];
  const std::uint64_t rows = chunk_.fact_rows - sum.fact_rows;
  Turn turn{board, progress.Next(std::min<std::uint64_t>(kShare, chunk_.generations), rows)};
  Sum more = SumOf(turn);
  if (turns_.empty() && more.work > chunk_.word_steps && turn.chunk.generations > 1) {
    const std::uint64_t affordable = chunk_.word_steps / WorkOfGeneration(turn);
    turn.chunk = progress.Next(std::max<std::uint64_t>(1, affordable), rows);
    more = SumOf(turn);
  }
  more = {sum.fact_rows + more.fact_rows, sum.words + more.words, sum.work + more.work};
  if (!turns_.empty() && (more.words > chunk_.words || more.work > chunk_.word_steps)) return false;
  sum = more;
  turns_.push_back(turn);
  return true;
}

// Gives the room that is left to the boards that can use it, the same number of generations to each.
void LifeTask::Lengthen(const Sum& sum) {
  std::uint64_t work = 0;
  std::uint64_t rows = 0;
  for (const Turn& turn : turns_) {
    if (!turn.chunk.can_grow) continue;
    work += WorkOfGeneration(turn);
    rows += turn.chunk.facts_every != 0 ? 1 : 0;
  }
  if (work == 0 || sum.work >= chunk_.word_steps) return;
  std::uint64_t longer = (chunk_.word_steps - sum.work) / work;
  if (rows != 0) longer = std::min(longer, (chunk_.fact_rows - sum.fact_rows) / rows);
  if (longer == 0) return;
  for (Turn& turn : turns_) {
    if (!turn.chunk.can_grow) continue;
    const std::uint64_t generations =
        std::min<std::uint64_t>(turn.chunk.generations + longer, chunk_.generations);
    turn.chunk = boards_[turn.board].Next(generations, turn.chunk.fact_rows() + longer);
  }
}

LifeTask::Sum LifeTask::SumOf(const Turn& turn) const {
  const std::uint64_t words = boards_[turn.board].words();
  return {turn.chunk.fact_rows(), words, words * turn.chunk.steps(chunk_.fill_steps)};
}

std::uint64_t LifeTask::WorkOfGeneration(const Turn& turn) const {
  return RoundedUp(SumOf(turn).work, std::max<std::uint64_t>(1, turn.chunk.generations));
}

void LifeTask::SetCost() {
  Sum sum;
  for (const Turn& turn : turns_) {
    const Sum more = SumOf(turn);
    sum = {sum.fact_rows + more.fact_rows, sum.words + more.words, sum.work + more.work};
  }
  const std::uint64_t rows = RoundedUp(sum.fact_rows * chunk_.boards, chunk_.fact_rows);
  const std::uint64_t bytes = sum.words * sizeof(std::uint64_t);
  cost_ = {.rows = std::max<std::uint64_t>(turns_.size(), rows),
           .bytes = bytes,
           .work = sum.work,
           .held_bytes = held_bytes_ - std::min(held_bytes_, bytes)};
}

void LifeTask::AppendBoards(life::StepBatch& batch) {
  for (const Turn& turn : turns_) boards_[turn.board].Append(turn.chunk, batch);
}

batching::Chunk LifeTask::TakeAnswers(const life::StepBatch& batch) {
  std::size_t left = 0;
  for (const Turn& turn : turns_) {
    if (!boards_[turn.board].Take(batch)) under_way_[left++] = turn.board;
  }
  const auto first = under_way_.begin();
  under_way_.erase(first + static_cast<std::ptrdiff_t>(left),
                   first + static_cast<std::ptrdiff_t>(turns_.size()));
  if (under_way_.empty() && begun_ == boards_.size()) return batching::Chunk::kDone;
  PlanChunk();
  return batching::Chunk::kAgain;
}

void LifeRunner::Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) {
  life::StepBatch& columns = slot_.life();
  columns.Clear();
  for (batching::Task* task : batch) static_cast<LifeTask*>(task)->AppendBoards(columns);
  const DeviceResult<void> ran = slot_.RunLife();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = static_cast<LifeTask&>(*batch[i]);
    if (ran) {
      chunks[i] = task.TakeAnswers(columns);
    } else {
      task.fault_ = ran.error().what;
      chunks[i] = batching::Chunk::kFailed;
    }
  }
}

}  // namespace gpusim::kinds
