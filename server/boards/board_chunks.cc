// What a board's task does, chunk by chunk.
#include <algorithm>

#include "server/boards/bands.h"
#include "server/boards/board.h"
#include "server/boards/board_names.h"
#include "server/boards/run_plan.h"

namespace gpusim::boards {

using batching::MutexLock;
using Reason = BoardError::Reason;

// A board's turn with the scheduler; the board outlives it.
class BoardTask final : public kinds::ResidentTask {
 public:
  BoardTask(std::shared_ptr<Board> board, const Board::NextChunk& next)
      : ResidentTask(next.terms), board_(std::move(board)), next_(next) {}

  batching::Cost cost() const override { return next_.cost; }
  void Begin(life::ResidentBatch& batch) override { board_->BeginChunk(batch); }
  void Work() override { board_->DoChunk(); }
  batching::Chunk End(const life::ResidentBatch& batch, const DeviceResult<void>& ran) override {
    const batching::Chunk chunk = board_->EndChunk(batch, ran, next_);
    TakeTurnsFor(next_.terms.client, next_.terms.priority);
    return chunk;
  }
  void Finish(batching::Outcome outcome) override {
    const bool over =
        outcome == batching::Outcome::kAnswered || outcome == batching::Outcome::kFailed;
    if (!over) board_->SchedulerStopped();
  }

 private:
  const std::shared_ptr<Board> board_;
  Board::NextChunk next_;
};

void Board::Do(After after) {
  if (after.submit) {
    auto task = std::make_unique<BoardTask>(shared_from_this(), *after.submit);
    const auto submitted =
        services_->scheduler.Submit(services_->first_kind + device_, std::move(task));
    if (!submitted) SchedulerStopped();
  }
  for (const auto& call : after.calls) call();
}

void Board::Schedule(After& after) {
  if (gone_ || scheduled_) return;
  if (!Choose(after)) return;
  if (never_again_) {
    FailAll({.reason = Reason::kDraining, .message = "the server is shutting down"}, after);
    Choose(after);
    return;
  }
  scheduled_ = true;
  after.submit = DescribeNext();
}

bool Board::Choose(After& after) {
  plan_ = {};
  facts_next_ = false;
  look_at_ = batching::TimePoint::max();
  const batching::TimePoint now = services_->clock.Now();
  while (!works_.empty()) {
    plan_ = works_.front()->Plan(*state_, now);
    if (plan_.what != WorkPlan::What::kEnd) break;
    std::shared_ptr<BoardWork> work = std::move(works_.front());
    works_.pop_front();
    EndWork(std::move(work), after);
  }
  if (!standing_.empty() && (works_.empty() || !works_.front()->stopping())) {
    for (Done<BoardStatus>& done : std::exchange(standing_, {}))
      after.calls.emplace_back([done = std::move(done), status = Status()] { done(status); });
  }
  const bool work = !works_.empty() && plan_.what != WorkPlan::What::kRest && !awaits_unpin_;
  facts_next_ = !facts_.empty() && !(facts_had_turn_ && work);
  if (!works_.empty() && !work) {
    look_at_ = plan_.wake_at;
    Ring();
  }
  return facts_next_ || work;
}

void Board::EndWork(std::shared_ptr<BoardWork> work, After& after) {
  if (auto end = work->run_end()) {
    work_failed_ = work_failed_ || !end->error.empty();
    last_run_ = std::move(end);
  }
  state_->cells.Trim();
  if (works_.empty()) {
    Renew();
    Ring();
  }
  after.calls.emplace_back(
      [this, self = shared_from_this(), work = std::move(work), status = Status()] {
        services_->runs.Forget(work->run_id());
        work->Finish(status);
      });
}

// The works are told, and end when they are asked next; who else waits hears of it now.
void Board::FailAll(const BoardError& why, After& after) {
  for (const auto& work : works_) work->Fail(why);
  awaits_unpin_ = false;
  for (PinRequest& pin : std::exchange(pins_, {}))
    after.calls.emplace_back([done = std::move(pin.done), why] { done(tl::unexpected(why)); });
  for (FactsRequest& facts : std::exchange(facts_, {}))
    after.calls.emplace_back([done = std::move(facts.done), why] { done(tl::unexpected(why)); });
}

void Board::FinishClosing(After& after) {
  Choose(after);
  const BoardStatus status = Status();
  auto cells = std::make_shared<BoardState>(*std::move(state_));
  state_.reset();
  // The memory is free before anybody is told so.
  after.calls.emplace_back(
      [cells = std::move(cells), closed = std::move(closed_), status]() mutable {
        cells.reset();
        closed(status);
      });
}

Board::NextChunk Board::DescribeNext() {
  const std::uint64_t words = state_->words();
  promised_rows_ = facts_next_ ? 1 : plan_.fact_rows();
  std::uint64_t work = plan_.cost;
  if (facts_next_) {
    life::FactSet set = 0;
    for (const FactsRequest& request : facts_) set |= request.facts;
    work = words * (1 + kinds::FactWork(set));
  }
  NextChunk next{.cost = {.rows = 1, .bytes = promised_rows_ * kinds::kFactRowBytes, .work = work},
                 .terms = {}};
  if (!facts_next_) {
    next.terms.client = works_.front()->client();
    next.terms.priority = works_.front()->priority();
  }
  return next;
}

void Board::BeginChunk(life::ResidentBatch& batch) {
  After after;
  {
    const MutexLock lock(mutex_);
    chunk_ = {};
    in_chunk_ = true;
    if (!gone_ && Choose(after)) {
      if (facts_next_) {
        BeginFacts(batch);
      } else if (plan_.fact_rows() <= promised_rows_) {
        BeginWork(batch);
      }
    }
  }
  Do(std::move(after));
}

void Board::BeginFacts(life::ResidentBatch& batch) {
  chunk_.what = Chunk::What::kFacts;
  chunk_.facts = std::exchange(facts_, {});
  life::ResidentStep step;
  step.from = &state_->cells.current().cells();
  step.topology = shape().topology;
  for (const FactsRequest& request : chunk_.facts) step.fact_set |= request.facts;
  step.first_facts = batch.facts.Append();
  chunk_.step = batch.steps.size();
  batch.steps.push_back(step);
  facts_had_turn_ = true;
}

void Board::BeginWork(life::ResidentBatch& batch) {
  facts_had_turn_ = false;
  chunk_.plan = plan_;
  chunk_.work = works_.front();
  life::ResidentStep step;
  step.rule = shape().rule;
  step.topology = shape().topology;
  step.generations = plan_.generations;
  step.facts_every = plan_.facts_every;
  step.fact_set = plan_.facts;
  const auto begin = [&]() GPUSIM_REQUIRES(mutex_) {
    return chunk_.work->Begin(*state_, plan_, step);
  };
  if (!begin() && !(state_->cells.TakeDeposit() && begin())) {
    BeginBuffer();
    return;
  }
  chunk_.what = Chunk::What::kWork;
  if (plan_.what != WorkPlan::What::kStep) return;
  step.first_facts = batch.facts.size();
  batch.facts.Resize(step.first_facts + plan_.fact_rows());
  chunk_.step = batch.steps.size();
  batch.steps.push_back(step);
}

void Board::BeginBuffer() {
  chunk_.what = Chunk::What::kBuffer;
  chunk_.shared = state_->cells.current().shared();
  chunk_.share = chunk_.work->TakeReserve();
  if (!chunk_.share)
    chunk_.share = services_->budget->Take(device_, BoardBytes(shape().width, shape().height));
}

void Board::DoChunk() {
  if (chunk_.what == Chunk::What::kBuffer && chunk_.share) {
    chunk_.buffer = BoardBuffer::Make(services_->backend, *std::move(chunk_.share), shape().width,
                                      shape().height);
  } else if (chunk_.what == Chunk::What::kWork && !chunk_.step) {
    chunk_.work->Work();
  }
}

batching::Chunk Board::EndChunk(const life::ResidentBatch& batch, const DeviceResult<void>& ran,
                                NextChunk& next) {
  After answers;
  {
    const MutexLock lock(mutex_);
    TakeAnswers(batch, ran, answers);
  }
  Do(std::move(answers));
  if (chunk_.what == Chunk::What::kWork) chunk_.work->Deliver();
  chunk_ = {};
  // What is called without the lock may ask for more; only when nothing is left is the board at rest.
  while (true) {
    After after;
    bool more = false;
    {
      const MutexLock lock(mutex_);
      in_chunk_ = false;
      if (gone_) {
        if (state_) FinishClosing(after);
      } else {
        ServePins(after);
        more = Choose(after);
      }
      if (more) next = DescribeNext();
      if (!more && after.calls.empty()) {
        scheduled_ = false;
        rest_.NotifyAll();
        return std::exchange(work_failed_, false) ? batching::Chunk::kFailed
                                                  : batching::Chunk::kDone;
      }
    }
    Do(std::move(after));
    if (more) return batching::Chunk::kAgain;
  }
}

void Board::TakeAnswers(const life::ResidentBatch& batch, const DeviceResult<void>& ran,
                        After& after) {
  if (chunk_.what == Chunk::What::kBuffer) {
    TakeBuffer();
    return;
  }
  if (chunk_.step && !ran) {
    TakeFault(batch, ran.error().what, after);
    return;
  }
  if (chunk_.what == Chunk::What::kFacts) {
    const std::uint64_t row = batch.steps[*chunk_.step].first_facts;
    for (FactsRequest& request : chunk_.facts) {
      after.calls.emplace_back(
          [done = std::move(request.done),
           facts = FactsOf(batch.facts, row, request.facts, state_->generation)] { done(facts); });
    }
  } else if (chunk_.what == Chunk::What::kWork) {
    StepResult result;
    if (chunk_.step) {
      const life::ResidentStep& step = batch.steps[*chunk_.step];
      result = {.cells = step.result, .facts = &batch.facts, .first_row = step.first_facts};
    }
    chunk_.work->End(*state_, chunk_.plan, result, services_->clock.Now());
  }
}

// A step of several passes that went back into the cells it came from may have left anything there.
void Board::TakeFault(const life::ResidentBatch& batch, const std::string& what, After& after) {
  const BoardError why{.reason = Reason::kDevice, .message = what};
  for (FactsRequest& request : chunk_.facts)
    after.calls.emplace_back([done = std::move(request.done), why] { done(tl::unexpected(why)); });
  if (chunk_.what != Chunk::What::kWork) return;
  chunk_.work->Fail(why);
  const life::ResidentStep& step = batch.steps[*chunk_.step];
  const bool in_place = step.generations > 1 && step.work[1] == &state_->cells.current().cells();
  if (!in_place) return;
  lost_ = what;
  FailAll(why, after);
}

void Board::TakeBuffer() {
  BoardCells& cells = state_->cells;
  if (chunk_.buffer && *chunk_.buffer) {
    cells.Add(**std::move(chunk_.buffer));
  } else if (cells.pinned_by_store()) {
    awaits_unpin_ = true;  // a file is being written: soon
  } else if (!chunk_.shared) {
    // Else a fork that has taken the deposit leaves the cells to this board, within a chunk: look again.
    BoardError why;
    why.reason = Reason::kNoMemory;
    why.message = "board " + id() + " needs " + Bytes(BoardBytes(shape().width, shape().height)) +
                  " more while its cells are being read, " +
                  Bytes(services_->budget->free_bytes(device_)) + " are free on device " +
                  std::to_string(device_);
    if (chunk_.buffer) why = chunk_.buffer->error();
    chunk_.work->Fail(std::move(why));
  }
}

void Board::SchedulerStopped() {
  After after;
  {
    const MutexLock lock(mutex_);
    never_again_ = true;
    scheduled_ = false;
    in_chunk_ = false;
    if (gone_) {
      if (state_) FinishClosing(after);
    } else {
      ServePins(after);
      FailAll({.reason = Reason::kDraining, .message = "the server is shutting down"}, after);
      Choose(after);
    }
    rest_.NotifyAll();
  }
  Do(std::move(after));
}

}  // namespace gpusim::boards
