// A run of a board, chunk by chunk, to a target generation or to the first one where its condition holds.
//
//   kLook --> kGo --- chunk --- chunk ---> ...            without a condition kGo alone
//               |  condition met inside the chunk
//               +--> kRedo: the chunk again, up to there --+--> over
//               |  (cells at its start are still there)    |
//               |                                          +--> kConfirm: a period more --> kCompare --+--> over
//               +<-------------------------- the cells are others -------------------------------------+
//
// With a condition a chunk never overwrites the cells that it started from, which costs a third buffer; its memory is taken
// when the run is accepted.
//
// Facts of a generation that a chunk did not bring are counted by a step of no generations: for news by time, and at the end.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "server/boards/bands.h"
#include "server/boards/board_work.h"
#include "server/boards/run_plan.h"
#include "server/kinds/until.h"

namespace gpusim::boards {

class BoardRun final : public BoardWork {
 public:
  // `reserve`: for the third buffer, where there is a condition. `listener` may be null.
  BoardRun(std::uint64_t id, const RunWishes& wishes, std::shared_ptr<RunListener> listener,
           const kinds::ResidentChunk& chunk, std::optional<MemoryBudget::Share> reserve);

  WorkPlan Plan(const BoardState& board, batching::TimePoint now) override;
  bool Begin(BoardState& board, const WorkPlan& plan, life::ResidentStep& step) override;
  void Work() override;
  void End(BoardState& board, const WorkPlan& plan, const StepResult& result,
           batching::TimePoint now) override;
  void Deliver() override;
  std::optional<MemoryBudget::Share> TakeReserve() override;
  void Stop(StopReason reason) override;
  bool stopping() const override { return stop_.has_value(); }
  void Fail(BoardError why) override;
  void Finish(const BoardStatus& board) override;

  batching::ClientKey client() const override { return wishes_.client; }
  batching::Priority priority() const override { return wishes_.priority; }
  std::uint64_t run_id() const override { return id_; }
  void Resume() override { ++resumes_; }
  std::optional<RunStatus> run_status() const override;
  std::optional<RunEnd> run_end() const override;

 private:
  enum class Phase : std::uint8_t { kStart, kLook, kGo, kRedo, kConfirm, kCompare };

  void Start(const BoardState& board, batching::TimePoint now);
  bool LookForEnd(const BoardState& board, batching::TimePoint now);
  WorkPlan PlanEnd(const BoardState& board);
  WorkPlan PlanPhase(const BoardState& board);
  WorkPlan PlanCount(const BoardState& board);
  WorkPlan PlanOwn(std::uint64_t cost) const;
  WorkPlan PlanRest() const;
  RunPace PaceOf(const BoardState& board) const;
  bool Paused() const { return paused_at_ == resumes_.load(); }
  bool KnowsFacts(const BoardState& board) const;

  void EndOfCount(BoardState& board, const WorkPlan& plan, const StepResult& result,
                  batching::TimePoint now);
  void EndOfGo(BoardState& board, const WorkPlan& plan, const StepResult& result,
               batching::TimePoint now);
  void EndOfRedo(BoardState& board, const WorkPlan& plan, const StepResult& result,
                 batching::TimePoint now);
  void EndOfConfirm(const WorkPlan& plan, const StepResult& result);
  void EndOfCompare();
  void Advance(BoardState& board, const WorkPlan& plan, const StepResult& result,
               batching::TimePoint now);
  void Reached(const BoardState& board);
  void KeepRows(const BoardState& board, const WorkPlan& plan, const StepResult& result,
                std::uint64_t until_row, batching::TimePoint now);
  RunProgress ProgressOf(const BoardFacts& facts, batching::TimePoint now) const;
  void MeasureRate(std::uint64_t generation, batching::TimePoint now);
  void CompareBand(const life::WordBlock& block);

  const std::uint64_t id_;
  const RunWishes wishes_;
  const std::shared_ptr<RunListener> listener_;
  const kinds::ResidentChunk chunk_;
  std::optional<MemoryBudget::Share> reserve_;
  const SystemTime created_ = std::chrono::system_clock::now();

  Phase phase_ = Phase::kStart;
  std::uint64_t first_generation_ = 0;
  std::uint64_t generation_ = 0;  // at the end of the last chunk
  std::uint64_t target_ = 0;
  SystemTime started_ = created_;
  batching::TimePoint began_;
  batching::TimePoint seen_;  // when it was looked at last
  batching::TimePoint time_is_up_ = batching::TimePoint::max();
  batching::TimePoint next_news_;

  std::optional<kinds::UntilWatch> watch_;
  std::optional<kinds::UntilWatch::Met> met_;  // at the end of kRedo, or now
  bool holds_ = false;                         // the condition, at the board's generation
  std::uint32_t redo_ = 0;
  std::uint32_t confirm_left_ = 0;
  const life::DeviceCells* kept_ =
      nullptr;  // of kConfirm and kCompare: the board at its generation
  const life::DeviceCells* confirming_ = nullptr;  // where the generations after it are
  std::uint64_t next_band_ = 0;
  std::optional<DeviceFault> read_fault_;
  bool differs_ = false;
  std::vector<std::uint64_t> band_[2];

  // What is known of the board at its generation.
  std::optional<BoardFacts> facts_;
  life::FactSet known_ = 0;
  bool counting_ = false;  // the step under way counts what is not known

  double rate_ = 0;
  std::uint64_t rate_generation_ = 0;
  batching::TimePoint rate_since_;

  std::deque<RunProgress> news_;  // not told yet
  std::atomic<std::uint64_t> resumes_ = 0;
  std::optional<std::uint64_t> paused_at_;

  std::optional<RunEnd> end_;
  bool at_once_ = false;  // not even the last facts are counted
  std::optional<StopReason> stop_;
};

}  // namespace gpusim::boards
