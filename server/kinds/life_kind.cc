#include "server/kinds/life_kind.h"

#include <algorithm>

namespace gpusim::kinds {

LifeTask::LifeTask(LifeRun run, const LifeChunk& chunk, batching::TimePoint deadline,
                   Listener<LifeTask>& listener)
    : Task(deadline), run_(std::move(run)), chunk_(chunk), listener_(listener) {}

std::uint32_t LifeTask::ChunkGenerations() const {
  const std::uint64_t affordable =
      std::max<std::uint64_t>(1, chunk_.word_steps / run_.board.words.size());
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({run_.generations, affordable, chunk_.generations}));
}

batching::Cost LifeTask::cost() const {
  const std::uint64_t words = run_.board.words.size();
  // Counting and copying is work too: a run of no generations costs as much as one.
  const std::uint64_t steps = std::max<std::uint64_t>(1, ChunkGenerations());
  return {.rows = 1, .bytes = words * sizeof(std::uint64_t), .work = words * steps};
}

void LifeRunner::Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) {
  life::StepBatch& columns = slot_.life();
  columns.Clear();
  for (const batching::Task* base : batch) {
    const auto& task = static_cast<const LifeTask&>(*base);
    const life::Board& board = task.run_.board;
    const std::size_t first_word = columns.cells.size();
    columns.cells.Resize(first_word + board.words.size());
    std::copy(board.words.begin(), board.words.end(), columns.cells.Column<0>() + first_word);

    const std::size_t row = columns.boards.Append();
    columns.boards.At<life::kFirstWord>(row) = first_word;
    columns.boards.At<life::kWidth>(row) = board.width;
    columns.boards.At<life::kHeight>(row) = board.height;
    columns.boards.At<life::kRuleMasks>(row) = life::RuleMasks(task.run_.rule);
    columns.boards.At<life::kTopology>(row) = task.run_.topology;
    columns.boards.At<life::kGenerations>(row) = task.ChunkGenerations();
    columns.boards.At<life::kFactsEvery>(row) = 0;
    columns.boards.At<life::kFirstFacts>(row) = columns.facts.Append();
    columns.boards.At<life::kFactSet>(row) = 0;
    columns.boards.At<life::kSource>(row) = life::Source::kCells;
  }

  const DeviceResult<void> ran = slot_.RunLife();
  for (std::size_t row = 0; row < batch.size(); ++row) {
    auto& task = static_cast<LifeTask&>(*batch[row]);
    if (!ran) {
      task.fault_ = ran.error().what;
      chunks[row] = batching::Chunk::kFailed;
      continue;
    }
    std::vector<std::uint64_t>& words = task.run_.board.words;
    const std::uint64_t* next = columns.next.Column<0>() + columns.boards.At<life::kFirstWord>(row);
    std::copy(next, next + words.size(), words.begin());
    task.population_ = columns.facts.At<life::kPopulation>(row);
    task.run_.generations -= columns.boards.At<life::kGenerations>(row);
    chunks[row] = task.run_.generations == 0 ? batching::Chunk::kDone : batching::Chunk::kAgain;
  }
}

}  // namespace gpusim::kinds
