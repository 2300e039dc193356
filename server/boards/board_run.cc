#include "server/boards/board_run.h"

#include <algorithm>
#include <utility>

#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

using batching::TimePoint;

// Of the rate: long enough to be steady, short enough to be of now.
constexpr std::chrono::milliseconds kRateTime{500};
constexpr std::uint64_t kBandsPerChunk = 4;

double PerSecond(std::uint64_t generations, std::chrono::nanoseconds time) {
  return time.count() <= 0
             ? 0
             : static_cast<double>(generations) / std::chrono::duration<double>(time).count();
}

}  // namespace

BoardRun::BoardRun(std::uint64_t id, const RunWishes& wishes, std::shared_ptr<RunListener> listener,
                   const kinds::ResidentChunk& chunk, std::optional<MemoryBudget::Share> reserve)
    : id_(id),
      wishes_(wishes),
      listener_(std::move(listener)),
      chunk_(chunk),
      reserve_(std::move(reserve)) {
  if (wishes_.until.kind != kinds::Until::Kind::kNever) watch_.emplace(wishes_.until);
}

// What was true when it was accepted need not be any more, if it waited.
void BoardRun::Start(const BoardState& board, TimePoint now) {
  phase_ = watch_ ? Phase::kLook : Phase::kGo;
  first_generation_ = generation_ = rate_generation_ = board.generation;
  target_ = wishes_.to_generation.value_or(
      board.generation + std::min(wishes_.generations, UINT64_MAX - board.generation));
  started_ = std::chrono::system_clock::now();
  began_ = rate_since_ = now;
  next_news_ = now + wishes_.progress_interval;
  if (wishes_.max_duration) time_is_up_ = now + *wishes_.max_duration;
  if (wishes_.if_generation.value_or(board.generation) != board.generation) {
    Fail({.reason = BoardError::Reason::kWrongGeneration,
          .message = "the board is at generation " + std::to_string(board.generation) +
                     ", not at if_generation " + std::to_string(*wishes_.if_generation)});
  } else if (target_ < board.generation) {
    Fail({.reason = BoardError::Reason::kBadInput,
          .message = "the board is at generation " + std::to_string(board.generation) +
                     ", past to_generation " + std::to_string(target_)});
  }
}

WorkPlan BoardRun::Plan(const BoardState& board, TimePoint now) {
  counting_ = false;
  seen_ = now;
  if (phase_ == Phase::kStart && !end_) Start(board, now);
  if (end_ || LookForEnd(board, now)) return PlanEnd(board);
  if (Paused()) return PlanRest();
  if (!news_.empty()) return PlanOwn(0);
  const bool by_time = listener_ != nullptr && wishes_.facts_every == 0;
  if (by_time && now >= next_news_ && !KnowsFacts(board)) return PlanCount(board);
  return PlanPhase(board);
}

bool BoardRun::LookForEnd(const BoardState& board, TimePoint now) {
  std::optional<StopReason> reason;
  if (holds_) {
    reason = StopReason::kCondition;
  } else if (phase_ == Phase::kGo && board.generation >= target_) {
    reason = StopReason::kTarget;
  } else if (stop_) {
    reason = stop_;
  } else if (now >= time_is_up_) {
    reason = StopReason::kTime;
  } else {
    return false;
  }
  end_ = RunEnd{.generation = board.generation,
                .reason = *reason,
                .period = holds_ ? met_->period : 0,
                .request_id = wishes_.request_id,
                .error = {}};
  return true;
}

// News that are not told yet go first, as long as nobody wants it to end now.
WorkPlan BoardRun::PlanEnd(const BoardState& board) {
  if (at_once_) end_->generation = board.generation;
  if (!at_once_ && !stop_ && !news_.empty()) return Paused() ? PlanRest() : PlanOwn(0);
  if (!at_once_ && !KnowsFacts(board)) return PlanCount(board);
  return {.what = WorkPlan::What::kEnd};
}

WorkPlan BoardRun::PlanRest() const {
  WorkPlan plan;
  if (!end_) plan.wake_at = time_is_up_;
  return plan;
}

WorkPlan BoardRun::PlanOwn(std::uint64_t cost) const {
  return {.what = WorkPlan::What::kOwn, .cost = cost};
}

bool BoardRun::KnowsFacts(const BoardState& board) const {
  return facts_ && facts_->generation == board.generation && (wishes_.facts & ~known_) == 0;
}

WorkPlan BoardRun::PlanCount(const BoardState& board) {
  counting_ = true;
  const life::FactSet known =
      facts_ && facts_->generation == board.generation ? known_ : life::FactSet{0};
  const auto facts = static_cast<life::FactSet>(wishes_.facts & ~known);
  return {.what = WorkPlan::What::kStep,
          .facts = facts,
          .cost = board.words() * (1 + kinds::FactWork(facts))};
}

RunPace BoardRun::PaceOf(const BoardState& board) const {
  return {.words = board.words(),
          .every = wishes_.facts_every,
          .row_facts = wishes_.facts,
          // Births and deaths cannot be counted later.
          .last_facts = static_cast<life::FactSet>(wishes_.facts & life::kCountChanges),
          .watch = watch_.has_value() && phase_ == Phase::kGo,
          .watch_facts = kinds::FactsFor(wishes_.until)};
}

WorkPlan BoardRun::PlanPhase(const BoardState& board) {
  WorkPlan plan{.what = WorkPlan::What::kStep};
  switch (phase_) {
    case Phase::kStart:
    case Phase::kLook:
      plan.facts = kinds::FactsFor(wishes_.until);
      plan.cost = board.words() * (1 + kinds::FactWork(plan.facts));
      break;
    case Phase::kGo: {
      const RunChunk next = NextRunChunk(PaceOf(board), board.generation - first_generation_,
                                         target_ - board.generation, chunk_);
      plan.generations = next.generations;
      plan.facts_every = next.facts_every;
      plan.facts = next.facts;
      plan.cost = next.cost;
      break;
    }
    case Phase::kRedo:
      plan.generations = redo_;
      plan.facts = PaceOf(board).last_facts;
      plan.cost = board.words() * (redo_ + kinds::FactWork(plan.facts));
      break;
    case Phase::kConfirm: {
      const RunChunk next = NextRunChunk({.words = board.words()}, 0, confirm_left_, chunk_);
      plan.generations = next.generations;
      plan.cost = next.cost;
      break;
    }
    case Phase::kCompare:
      return PlanOwn(kBandsPerChunk * kBandWords);
  }
  return plan;
}

bool BoardRun::Begin(BoardState& board, const WorkPlan& plan, life::ResidentStep& step) {
  step.from = &board.cells.current().cells();
  if (plan.what == WorkPlan::What::kOwn || plan.generations == 0) return true;
  if (phase_ != Phase::kConfirm) return board.cells.FindWork(watch_.has_value(), step.work);
  if (confirming_ == nullptr) return board.cells.FindWork(true, step.work);
  // From one idle buffer to the other, and back: the board stays as it is.
  step.from = confirming_;
  for (std::size_t i = 0; i < board.cells.writable_idle(); ++i) {
    life::DeviceCells* const cells = &board.cells.Idle(i);
    step.work[cells == confirming_ ? 1 : 0] = cells;
  }
  return step.work[0] != nullptr;
}

void BoardRun::Work() {
  if (phase_ != Phase::kCompare) return;
  const Bands bands(kept_->width(), kept_->height());
  for (std::uint64_t i = 0; i < kBandsPerChunk && next_band_ < bands.count() && !differs_; ++i) {
    CompareBand(bands.At(next_band_++));
  }
}

void BoardRun::CompareBand(const life::WordBlock& block) {
  const life::DeviceCells* const both[2] = {kept_, confirming_};
  for (int i = 0; i < 2; ++i) {
    band_[i].resize(block.size());
    if (auto read = both[i]->Read(block, band_[i].data()); !read) {
      read_fault_ = read.error();
      differs_ = true;
      return;
    }
  }
  differs_ = band_[0] != band_[1];
}

void BoardRun::End(BoardState& board, const WorkPlan& plan, const StepResult& result,
                   TimePoint now) {
  if (plan.what == WorkPlan::What::kOwn) {
    if (phase_ == Phase::kCompare && !end_) EndOfCompare();
  } else if (counting_) {
    EndOfCount(board, plan, result, now);
  } else if (phase_ == Phase::kLook) {
    met_ = watch_->Look(*result.facts, result.first_row);
    holds_ = met_.has_value();
    phase_ = Phase::kGo;
  } else if (phase_ == Phase::kGo) {
    EndOfGo(board, plan, result, now);
  } else if (phase_ == Phase::kRedo) {
    EndOfRedo(board, plan, result, now);
  } else {
    EndOfConfirm(plan, result);
  }
  generation_ = board.generation;
  const bool by_time = listener_ != nullptr && wishes_.facts_every == 0;
  if (by_time && !end_ && now >= next_news_ && KnowsFacts(board)) {
    news_.push_back(ProgressOf(*facts_, now));
    next_news_ = now + wishes_.progress_interval;
  }
}

void BoardRun::EndOfCount(BoardState& board, const WorkPlan& plan, const StepResult& result,
                          TimePoint /*now*/) {
  const BoardFacts counted = FactsOf(*result.facts, result.first_row, plan.facts, board.generation);
  if (!facts_ || facts_->generation != board.generation) {
    facts_ = counted;
    known_ = plan.facts;
    return;
  }
  BoardFacts merged = counted;
  if ((known_ & life::kCountChanges) != 0) {
    merged.births = facts_->births;
    merged.deaths = facts_->deaths;
  }
  if ((known_ & life::kFindBox) != 0) std::copy_n(facts_->box, 4, merged.box);
  if ((known_ & life::kMakeDigest) != 0) merged.digest = facts_->digest;
  if ((known_ & life::kMakeShapeDigest) != 0) merged.shape_digest = facts_->shape_digest;
  facts_ = merged;
  known_ |= plan.facts;
}

void BoardRun::Advance(BoardState& board, const WorkPlan& plan, const StepResult& result,
                       TimePoint now) {
  board.cells.SetCurrent(*result.cells);
  board.generation += plan.generations;
  ++board.version;
  MeasureRate(board.generation, now);
  const std::size_t last = result.first_row + plan.fact_rows() - 1;
  facts_ = FactsOf(*result.facts, last, plan.facts, board.generation);
  known_ = plan.facts;
}

void BoardRun::EndOfGo(BoardState& board, const WorkPlan& plan, const StepResult& result,
                       TimePoint now) {
  std::uint64_t until_row = plan.fact_rows();
  if (watch_) {
    met_.reset();
    for (std::uint64_t row = 0; row < plan.fact_rows() && !met_; ++row) {
      met_ = watch_->Look(*result.facts, result.first_row + row);
      if (met_) until_row = row;
    }
  }
  // The row of a period that is yet to be confirmed is news too, in case it is none.
  KeepRows(board, plan, result, until_row + (met_ && met_->period > 0 ? 1 : 0), now);
  if (met_ && until_row + 1 < plan.generations) {
    redo_ = static_cast<std::uint32_t>(until_row + 1);
    phase_ = Phase::kRedo;
    return;
  }
  Advance(board, plan, result, now);
  if (met_) Reached(board);
}

void BoardRun::EndOfRedo(BoardState& board, const WorkPlan& plan, const StepResult& result,
                         TimePoint now) {
  Advance(board, plan, result, now);
  phase_ = Phase::kGo;
  Reached(board);
}

// The board is where the condition seems to hold.
void BoardRun::Reached(const BoardState& board) {
  holds_ = met_->period == 0;
  if (holds_) return;
  phase_ = Phase::kConfirm;
  confirm_left_ = met_->period;
  kept_ = &board.cells.current().cells();
  confirming_ = nullptr;
}

void BoardRun::EndOfConfirm(const WorkPlan& plan, const StepResult& result) {
  confirming_ = result.cells;
  confirm_left_ -= plan.generations;
  if (confirm_left_ > 0) return;
  phase_ = Phase::kCompare;
  next_band_ = 0;
  differs_ = false;
}

void BoardRun::EndOfCompare() {
  if (read_fault_) {
    Fail({.reason = BoardError::Reason::kDevice, .message = read_fault_->what});
    return;
  }
  if (differs_) {
    phase_ = Phase::kGo;
  } else if (next_band_ >= Bands(kept_->width(), kept_->height()).count()) {
    holds_ = true;
  }
}

// Rows that the caller asked for, up to the generation where the run ends: that one's facts come with the end.
void BoardRun::KeepRows(const BoardState& board, const WorkPlan& plan, const StepResult& result,
                        std::uint64_t until_row, TimePoint now) {
  if (wishes_.facts_every == 0 || listener_ == nullptr) return;
  const std::uint64_t done = board.generation - first_generation_;
  for (std::uint64_t row = 0; row < until_row; ++row) {
    const std::uint64_t made = RowGeneration(plan.generations, plan.facts_every, row);
    if ((done + made) % wishes_.facts_every != 0 || board.generation + made == target_) continue;
    news_.push_back(ProgressOf(FactsOf(*result.facts, result.first_row + row,
                                       plan.facts & wishes_.facts, board.generation + made),
                               now));
  }
}

RunProgress BoardRun::ProgressOf(const BoardFacts& facts, TimePoint now) const {
  return {.facts = facts,
          .generations_per_second = rate_,
          .target_generation = target_,
          .elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_)};
}

void BoardRun::MeasureRate(std::uint64_t generation, TimePoint now) {
  const std::uint64_t made = generation - rate_generation_;
  if (now - rate_since_ >= kRateTime) {
    rate_ = PerSecond(made, now - rate_since_);
    rate_generation_ = generation;
    rate_since_ = now;
  } else if (rate_generation_ == first_generation_) {
    rate_ = PerSecond(made, now - rate_since_);  // of the beginning, before there is better
  }
}

void BoardRun::Deliver() {
  while (!news_.empty() && !Paused()) {
    const std::uint64_t resumes = resumes_.load();
    const RunProgress progress = news_.front();
    news_.pop_front();
    const bool more = listener_->OnProgress(progress);
    if (!more && wishes_.facts_every > 0) paused_at_ = resumes;
  }
}

std::optional<MemoryBudget::Share> BoardRun::TakeReserve() {
  return std::exchange(reserve_, std::nullopt);
}

void BoardRun::Stop(StopReason reason) {
  if (!stop_) stop_ = reason;
}

void BoardRun::Fail(BoardError why) {
  end_ = RunEnd{.generation = generation_,
                .reason = stop_.value_or(StopReason::kStopped),
                .period = 0,
                .request_id = wishes_.request_id,
                .error = std::move(why.message)};
  at_once_ = true;
}

void BoardRun::Finish(const BoardStatus& /*board*/) {
  reserve_.reset();
  if (listener_ == nullptr) return;
  RunProgress last{
      .facts = facts_.value_or(BoardFacts{.generation = end_->generation}),
      .generations_per_second = rate_,
      .target_generation = target_,
      .elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(seen_ - began_)};
  listener_->OnEnd(*end_, last);
}

std::optional<RunStatus> BoardRun::run_status() const {
  if (phase_ == Phase::kStart) return std::nullopt;
  return RunStatus{.target_generation = target_,
                   .until = wishes_.until,
                   .generations_per_second = rate_,
                   .detached = wishes_.detached,
                   .request_id = wishes_.request_id,
                   .started = started_};
}

std::optional<RunEnd> BoardRun::run_end() const { return end_; }

}  // namespace gpusim::boards
