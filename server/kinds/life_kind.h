// Game of Life for the scheduler: a task is one board or many, each with a rule, a size and an end of its own. They run
// side by side, in chunks of some generations:
//
//   waiting boards --> | board 0: 64 generations | board 1: 64 | board 2: 17 and done | ... |  one chunk, one launch
//                        ^                                            |
//                        +------------ those not yet done <-----------+--> answers
//
// A chunk has as many boards as it has room for, the oldest first, of kShare generations each if they want so many; what room
// is left then makes all of them longer. Between two chunks the boards lie in the task, so that a chunk may run on any slot,
// and that other tasks get their turn.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.h"
#include "kernels/life.h"
#include "server/batching/task.h"
#include "server/kinds/life_run.h"
#include "server/kinds/listener.h"

namespace gpusim::kinds {

// What a chunk may hold, however small its boards: about 2 ms of a device (see Backend), and what a slot has room for.
struct LifeChunk {
  std::uint64_t word_steps = 0;   // words times generations, facts counted as life_run.h says
  std::uint32_t generations = 0;  // at least 1
  std::uint64_t boards = 1;
  std::uint64_t fact_rows = 1;  // of all boards, at least as many as boards
  std::uint64_t words = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t fill_steps = 1;  // what a word of a random board costs, in words stepped
};

class LifeTask final : public batching::Task {
 public:
  // At least one run. A chunk is within `chunk`, but at least one generation of one board.
  LifeTask(std::vector<LifeRun> runs, const LifeChunk& chunk, const batching::Terms& terms,
           Listener<LifeTask>& listener);

  // Rows: boards, or their rows of facts in portions of as many as a batch has room for a board; bytes of the chunk's
  // words; work in words times generations; kept: what the boards hold besides.
  batching::Cost cost() const override { return cost_; }
  void Finish(batching::Outcome outcome) override { listener_.OnTaskFinished(*this, outcome); }

  std::size_t runs() const { return boards_.size(); }
  // Once kAnswered, and once alone: the answer to a run.
  LifeAnswer TakeAnswer(std::size_t run) { return boards_[run].TakeAnswer(); }
  const std::string& fault() const { return fault_; }  // once kFailed

 private:
  friend class LifeRunner;

  static constexpr std::uint64_t kShare = 64;  // so that copies weigh little beside the work

  struct Turn {
    std::uint32_t board = 0;
    LifeProgress::Chunk chunk;
  };
  struct Sum {
    std::uint64_t fact_rows = 0;
    std::uint64_t words = 0;
    std::uint64_t work = 0;
  };

  void PlanChunk();
  bool AddTurn(std::uint32_t board, Sum& sum);
  void Lengthen(const Sum& sum);
  Sum SumOf(const Turn& turn) const;
  std::uint64_t WorkOfGeneration(const Turn& turn) const;
  void SetCost();

  void AppendBoards(life::StepBatch& batch);
  batching::Chunk TakeAnswers(const life::StepBatch& batch);

  std::vector<LifeProgress> boards_;
  std::vector<std::uint32_t> under_way_;  // begun and not done, ascending
  std::uint32_t begun_ = 0;               // boards below it are begun
  const LifeChunk chunk_;
  Listener<LifeTask>& listener_;
  std::uint64_t held_bytes_ = 0;
  std::vector<Turn> turns_;  // of the next chunk: the first of under_way_
  batching::Cost cost_;
  std::string fault_;
};

// The slot has to outlive the runner, and to have room for a batch of the kind.
class LifeRunner final : public batching::Runner {
 public:
  explicit LifeRunner(Slot& slot) : slot_(slot) {}

  void Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) override;

 private:
  Slot& slot_;
};

}  // namespace gpusim::kinds
