// Game of Life for the scheduler: a task is one board, which runs in chunks of some generations.
//
//   cells --- chunk ---> next cells, copied back into the task --- chunk ---> ... until none is
//   left
//
// Between two chunks the board lies in the task, so that a chunk may run on any slot, and that
// other tasks get their turn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kernels/backend.h"
#include "kernels/life.h"
#include "server/batching/task.h"
#include "server/kinds/listener.h"

namespace gpusim::kinds {

struct LifeRun {
  life::Board board;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint64_t generations = 0;
};

// How long a chunk may be, however small its board: see Backend.
struct LifeChunk {
  std::uint64_t word_steps = 0;   // words times generations
  std::uint32_t generations = 0;  // at least 1
};

class LifeTask final : public batching::Task {
 public:
  // A chunk is within `chunk`, but at least one generation.
  LifeTask(LifeRun run, const LifeChunk& chunk, batching::TimePoint deadline,
           Listener<LifeTask>& listener);

  // One row; bytes of the board's words; work in words times generations.
  batching::Cost cost() const override;
  void Finish(batching::Outcome outcome) override { listener_.OnTaskFinished(*this, outcome); }

  // Once kAnswered: the board after all generations, and its live cells.
  life::Board TakeBoard() { return std::move(run_.board); }
  std::uint64_t population() const { return population_; }
  const std::string& fault() const { return fault_; }  // once kFailed

 private:
  friend class LifeRunner;

  std::uint32_t ChunkGenerations() const;

  LifeRun run_;  // generations: still to run
  const LifeChunk chunk_;
  Listener<LifeTask>& listener_;
  std::uint64_t population_ = 0;
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
