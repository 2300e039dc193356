// Camel Up for the scheduler: a task is one row of the query columns, and is done after one batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/backend.h"
#include "kernels/rules/camel_up_board.h"
#include "server/batching/task.h"
#include "server/kinds/listener.h"

namespace gpusim::kinds {

// One row of camel_up::OddsAnswers; all weights are out of TotalWeight(edition, dice).
struct LegAnswer {
  std::array<std::array<std::uint32_t, camel_up::kRacers>, camel_up::kRacers> rank_weight{};
  std::array<std::array<std::uint32_t, camel_up::kRacers>, camel_up::kRacers> pair_weight{};
  std::array<std::uint32_t, camel_up::kMaxTiles> landing_weight{};  // tiles by space
  std::uint32_t race_ends_weight = 0;
  std::uint32_t race_ends_backward_weight = 0;
};

class CamelUpTask final : public batching::Task {
 public:
  CamelUpTask(const camel_up::LegQuery& query, batching::TimePoint deadline,
              Listener<CamelUpTask>& listener)
      : Task(deadline), query_(query), listener_(listener) {}

  // One row; work in moves of the full tree.
  batching::Cost cost() const override;
  void Finish(batching::Outcome outcome) override { listener_.OnTaskFinished(*this, outcome); }

  const camel_up::LegQuery& query() const { return query_; }
  const LegAnswer& answer() const { return answer_; }  // once kAnswered
  const std::string& fault() const { return fault_; }  // once kFailed

 private:
  friend class CamelUpRunner;

  const camel_up::LegQuery query_;
  Listener<CamelUpTask>& listener_;
  LegAnswer answer_;
  std::string fault_;
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
