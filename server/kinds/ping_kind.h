// An empty task on the path of all others, which measures what the path itself costs.
#pragma once

#include <span>

#include "server/batching/task.h"
#include "server/kinds/listener.h"

namespace gpusim::kinds {

class PingTask final : public batching::Task {
 public:
  PingTask(const batching::Terms& terms, Listener<PingTask>& listener)
      : Task(terms), listener_(listener) {}

  batching::Cost cost() const override { return {.rows = 1, .bytes = 0, .work = 0}; }
  void Finish(batching::Outcome outcome) override { listener_.OnTaskFinished(*this, outcome); }

 private:
  Listener<PingTask>& listener_;
};

class PingRunner final : public batching::Runner {
 public:
  void Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) override;
};

}  // namespace gpusim::kinds
