// What changes a board: a run or a write, done in chunks by the board's actor (board.h), one work after another.
//
//   Plan --> Begin --> [step on the device | Work] --> End --> Deliver --> Plan --> ... --> Plan says kEnd --> Finish
//
// All but Work, Deliver and Finish are called under the board's lock, and between Begin and the Plan after Deliver nobody else
// calls, so the members of a work need no lock of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/batches.h"
#include "server/batching/clock.h"
#include "server/batching/task.h"
#include "server/boards/board_cells.h"
#include "server/boards/board_types.h"

namespace gpusim::boards {

// What the works of a board see of it, and change.
struct BoardState {
  BoardShape shape;
  std::uint64_t generation = 0;
  std::uint64_t version = 1;
  BoardCells cells;

  std::uint64_t words() const { return cells.current().cells().words(); }
};

struct WorkPlan {
  enum class What : std::uint8_t {
    kRest,  // nothing, until something changes or `wake_at` comes
    kStep,  // generations on the device, or with none facts alone
    kOwn,   // what Work does
    kEnd,   // the work is over
  };
  What what = What::kRest;
  std::uint32_t generations = 0;
  std::uint32_t facts_every = 0;
  life::FactSet facts = 0;
  std::uint64_t cost = 0;  // in word-steps
  batching::TimePoint wake_at = batching::TimePoint::max();

  std::uint32_t fact_rows() const { return life::FactRows(generations, facts_every); }
};

// How a step went: its answer, and its rows of facts from `first_row` on.
struct StepResult {
  const life::DeviceCells* cells = nullptr;
  const life::Facts* facts = nullptr;
  std::size_t first_row = 0;
};

class BoardWork {
 public:
  virtual ~BoardWork() = default;

  // Asked twice without a chunk in between it says the same, unless the work was stopped or its time is up.
  virtual WorkPlan Plan(const BoardState& board, batching::TimePoint now) = 0;
  // Of a kStep or kOwn plan. Fills in what `step` reads and writes; rule, topology and numbers are there. False, with
  // nothing begun, where one more idle buffer is needed.
  virtual bool Begin(BoardState& board, const WorkPlan& plan, life::ResidentStep& step) = 0;
  virtual void Work() {}
  virtual void End(BoardState& board, const WorkPlan& plan, const StepResult& result,
                   batching::TimePoint now) = 0;
  virtual void Deliver() {}

  // A part of the budget kept for the buffer that Begin asks for.
  virtual std::optional<MemoryBudget::Share> TakeReserve() { return std::nullopt; }

  // The next Plan says kEnd as soon as may be. A write goes on to its end.
  virtual void Stop(StopReason reason) = 0;
  virtual bool stopping() const { return false; }
  // The next Plan says kEnd.
  virtual void Fail(BoardError why) = 0;
  // Once, after Plan said kEnd. `board` is its status after this work.
  virtual void Finish(const BoardStatus& board) = 0;

  // For whom the chunks take their turns with the scheduler.
  virtual batching::ClientKey client() const { return 0; }
  virtual batching::Priority priority() const { return batching::Priority::kInteractive; }

  // Of a run; a write has none of them.
  virtual std::uint64_t run_id() const { return 0; }
  virtual void Resume() {}
  virtual std::optional<RunStatus> run_status() const { return std::nullopt; }
  virtual std::optional<RunEnd> run_end() const { return std::nullopt; }
};

}  // namespace gpusim::boards
