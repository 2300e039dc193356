// What is asked of a board; what its task does is in board_chunks.cc.
#include "server/boards/board.h"

#include <algorithm>

#include "server/boards/bands.h"
#include "server/boards/board_names.h"
#include "server/boards/board_run.h"
#include "server/boards/board_write.h"

namespace gpusim::boards {
namespace {

// Runs and writes of one board; whoever has that many wants a queue of its own.
constexpr std::size_t kMostWaiting = 1024;

}  // namespace

using batching::MutexLock;
using batching::TimePoint;
using Reason = BoardError::Reason;

Board::Board(std::shared_ptr<BoardServices> services, Birth birth, BoardCells cells)
    : services_(std::move(services)),
      birth_(std::move(birth)),
      device_(cells.current().device()),
      state_(BoardState{.shape = birth_.shape,
                        .generation = birth_.generation,
                        .version = 1,
                        .cells = std::move(cells)}),
      lease_(birth_.lease),
      autosave_every_(birth_.autosave_every),
      renewed_(services_->clock.Now()),
      next_autosave_(renewed_ + autosave_every_) {}

life::DeviceCells& Board::cells_of_new_board() {
  const MutexLock lock(mutex_);
  return state_->cells.current().cells();
}

Result<BoardStatus> Board::Get() {
  const MutexLock lock(mutex_);
  if (gone_) return tl::unexpected(UnknownBoard(id()));
  Renew();
  return Status();
}

BoardStatus Board::status() const {
  const MutexLock lock(mutex_);
  return Status();
}

Result<BoardStatus> Board::Update(std::optional<std::chrono::seconds> lease,
                                  std::optional<std::chrono::seconds> autosave_every) {
  const MutexLock lock(mutex_);
  if (gone_) return tl::unexpected(UnknownBoard(id()));
  Renew();
  lease_ = lease.value_or(lease_);
  if (autosave_every) {
    autosave_every_ = *autosave_every;
    next_autosave_ = services_->clock.Now() + autosave_every_;
  }
  ++terms_;
  Ring();
  return Status();
}

void Board::Pin(PinFor whom, Done<Pinned> done) {
  After after;
  {
    const MutexLock lock(mutex_);
    AskPin({.whom = whom, .deposit = nullptr, .fork = false, .done = std::move(done)}, after);
  }
  Do(std::move(after));
}

void Board::Share(std::shared_ptr<BoardBuffer> deposit, Done<Pinned> done) {
  After after;
  {
    const MutexLock lock(mutex_);
    AskPin({.whom = PinFor::kCaller,
            .deposit = std::move(deposit),
            .fork = true,
            .done = std::move(done)},
           after);
  }
  Do(std::move(after));
}

void Board::AskPin(PinRequest request, After& after) {
  if (auto why = WhyNot();
      why && !(why->reason == Reason::kDraining && request.whom == PinFor::kStore)) {
    after.calls.emplace_back(
        [done = std::move(request.done), why = *std::move(why)] { done(tl::unexpected(why)); });
    return;
  }
  if (request.whom == PinFor::kCaller) Renew();
  pins_.push_back(std::move(request));
  if (!in_chunk_) ServePins(after);
}

void Board::ServePins(After& after) {
  for (PinRequest& request : std::exchange(pins_, {})) {
    auto released = [board = weak_from_this()] {
      if (const auto still = board.lock()) still->OnUnpinned();
    };
    BoardCells& cells = state_->cells;
    auto pinned = std::make_shared<Pinned>();
    pinned->board = {.cells = cells.current().Pin(request.whom, std::move(released)),
                     .shape = shape(),
                     .generation = state_->generation,
                     .version = state_->version};
    if (request.fork) pinned->shared = cells.Share(std::move(request.deposit));
    after.calls.emplace_back([done = std::move(request.done),
                              pinned = std::move(pinned)]() mutable { done(std::move(*pinned)); });
  }
}

void Board::OnUnpinned() {
  After after;
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(awaits_unpin_, false)) return;
    Schedule(after);
  }
  Do(std::move(after));
}

void Board::CountFacts(life::FactSet facts, Done<BoardFacts> done) {
  After after;
  {
    const MutexLock lock(mutex_);
    if (auto why = WhyNot()) {
      after.calls.emplace_back(
          [done = std::move(done), why = *std::move(why)] { done(tl::unexpected(why)); });
    } else {
      Renew();
      facts_.push_back({facts, std::move(done)});
      Schedule(after);
    }
  }
  Do(std::move(after));
}

Result<void> Board::StartRun(std::uint64_t run_id, const RunWishes& wishes,
                             std::shared_ptr<RunListener> listener) {
  After after;
  {
    const MutexLock lock(mutex_);
    if (auto why = WhyNot()) return tl::unexpected(*std::move(why));
    if (auto why = WhyBusy(wishes.queue)) return tl::unexpected(*std::move(why));
    if (auto why = WhyNotRun(wishes)) return tl::unexpected(*std::move(why));
    std::optional<MemoryBudget::Share> reserve;
    if (wishes.until.kind != kinds::Until::Kind::kNever) {
      const std::uint64_t bytes = BoardBytes(shape().width, shape().height);
      reserve = services_->budget->Take(device_, bytes);
      if (!reserve) {
        return Refuse(Reason::kNoMemory, "a run with a condition needs " + Bytes(bytes) +
                                             " more for a third buffer, " +
                                             Bytes(services_->budget->free_bytes(device_)) +
                                             " are free on device " + std::to_string(device_));
      }
    }
    Enqueue(std::make_shared<BoardRun>(run_id, wishes, std::move(listener), services_->chunk,
                                       std::move(reserve)),
            after);
  }
  Do(std::move(after));
  return {};
}

std::optional<BoardError> Board::WhyNot() const {
  if (gone_) return UnknownBoard(id());
  if (draining_ || never_again_)
    return BoardError{.reason = Reason::kDraining, .message = "the server is shutting down"};
  if (lost_) {
    return BoardError{.reason = Reason::kDevice,
                      .message = "the cells of board " + id() + " were lost: " + *lost_};
  }
  return std::nullopt;
}

std::optional<BoardError> Board::WhyBusy(bool queue) const {
  if (works_.size() >= kMostWaiting) {
    return BoardError{.reason = Reason::kBusy,
                      .message = "board " + id() + " has " + std::to_string(works_.size()) +
                                 " runs and writes under way and waiting, and takes no more"};
  }
  if (works_.empty() || queue) return std::nullopt;
  std::string what = "is being written";
  if (const auto run = works_.front()->run_status()) {
    what = "runs from generation " + std::to_string(state_->generation) + " to " +
           std::to_string(run->target_generation);
    if (!run->request_id.empty()) what += ", request " + run->request_id;
  }
  return BoardError{.reason = Reason::kBusy, .message = "board " + id() + " " + what};
}

std::optional<BoardError> Board::WhyNotRun(const RunWishes& wishes) const {
  const kinds::Until& until = wishes.until;
  if (until.kind == kinds::Until::Kind::kPeriodAtMost &&
      (until.bound < 1 || until.bound > kinds::kMaxPeriod)) {
    return RefuseInput("until.period_at_most", std::to_string(until.bound),
                       "from 1 to " + std::to_string(kinds::kMaxPeriod))
        .value();
  }
  if (!works_.empty()) return std::nullopt;  // it will show when its turn comes
  const std::uint64_t generation = state_->generation;
  if (wishes.if_generation.value_or(generation) != generation) {
    return BoardError{.reason = Reason::kWrongGeneration,
                      .message = "board " + id() + " is at generation " +
                                 std::to_string(generation) + ", not at if_generation " +
                                 std::to_string(*wishes.if_generation)};
  }
  if (wishes.to_generation.value_or(generation) < generation) {
    return RefuseInput("to_generation", std::to_string(*wishes.to_generation),
                       "not below the board's generation, " + std::to_string(generation))
        .value();
  }
  return std::nullopt;
}

void Board::Enqueue(std::shared_ptr<BoardWork> work, After& after) {
  Renew();
  works_.push_back(std::move(work));
  Schedule(after);
}

void Board::ResumeRun(std::uint64_t run_id) {
  After after;
  {
    const MutexLock lock(mutex_);
    for (const auto& work : works_) {
      if (work->run_id() == run_id) work->Resume();
    }
    Schedule(after);
  }
  Do(std::move(after));
}

void Board::StopRuns(StopReason reason, std::uint64_t run_id) {
  for (const auto& work : works_) {
    if (work->run_id() != 0 && (run_id == 0 || work->run_id() == run_id)) work->Stop(reason);
  }
  awaits_unpin_ = false;
}

void Board::StopRun(std::uint64_t run_id) {
  After after;
  {
    const MutexLock lock(mutex_);
    StopRuns(StopReason::kStopped, run_id);
    Schedule(after);
  }
  Do(std::move(after));
}

void Board::Stop(Done<BoardStatus> done) {
  After after;
  {
    const MutexLock lock(mutex_);
    if (gone_) {
      after.calls.emplace_back(
          [done = std::move(done), error = UnknownBoard(id())] { done(tl::unexpected(error)); });
    } else {
      Renew();
      StopRuns(StopReason::kStopped, 0);
      standing_.push_back(std::move(done));
      Schedule(after);
    }
  }
  Do(std::move(after));
}

void Board::Write(BoardStore::WriteWishes wishes, Done<BoardStatus> done) {
  After after;
  {
    const MutexLock lock(mutex_);
    std::optional<BoardError> why = WhyNot();
    if (!why) why = WhyBusy(wishes.queue);
    if (why) {
      after.calls.emplace_back(
          [done = std::move(done), why = *std::move(why)] { done(tl::unexpected(why)); });
    } else {
      Enqueue(std::make_shared<BoardWrite>(std::move(wishes), services_->chunk, std::move(done)),
              after);
    }
  }
  Do(std::move(after));
}

void Board::Look() {
  After after;
  {
    const MutexLock lock(mutex_);
    Schedule(after);
  }
  Do(std::move(after));
}

bool Board::gone() const {
  const MutexLock lock(mutex_);
  return gone_;
}

bool Board::Close(bool only_expired, std::function<void(const BoardStatus&)> closed) {
  After after;
  {
    const MutexLock lock(mutex_);
    if (gone_) return false;
    if (only_expired && (Held() || services_->clock.Now() < LeaseEnd())) {
      expiring_ = false;
      Ring();
      return false;
    }
    gone_ = true;
    closed_ = std::move(closed);
    FailAll({.reason = Reason::kUnknown, .message = "board " + id() + " is deleted"}, after);
    if (!scheduled_) FinishClosing(after);
  }
  Do(std::move(after));
  return true;
}

void Board::BeginDrain() {
  After after;
  {
    const MutexLock lock(mutex_);
    if (gone_ || draining_) return;
    draining_ = true;
    StopRuns(StopReason::kDraining, 0);
    // A write that is not under way has had no turn.
    for (std::size_t i = 1; i < works_.size(); ++i) {
      if (works_[i]->run_id() == 0)
        works_[i]->Fail({.reason = Reason::kDraining, .message = "the server is shutting down"});
    }
    Schedule(after);
  }
  Do(std::move(after));
}

void Board::AwaitRest() {
  const MutexLock lock(mutex_);
  while (scheduled_) rest_.Wait(mutex_);
}

BoardStatus Board::Status() const {
  BoardStatus status;
  status.id = id();
  status.shape = shape();
  if (state_) {
    status.generation = state_->generation;
    status.version = state_->version;
    status.memory_bytes = state_->cells.bytes();
  }
  if (!works_.empty()) status.run = works_.front()->run_status();
  status.last_run = last_run_;
  status.lease = lease_;
  if (lease_.count() > 0) {
    const TimePoint::duration left = Held() ? lease_ : LeaseEnd() - services_->clock.Now();
    status.lease_left = std::max(std::chrono::milliseconds(0),
                                 std::chrono::duration_cast<std::chrono::milliseconds>(left));
  }
  status.autosave_every = autosave_every_;
  status.saved_generation = on_disk_.generation;
  status.device = device_;
  status.created = birth_.created;
  status.creator = birth_.creator;
  return status;
}

}  // namespace gpusim::boards
