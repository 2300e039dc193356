// One board: an actor. What changes it waits in its queue; pins and facts overtake, at the end of a chunk.
//
//              +--------------- at rest ----------------+     one task at the most is with the scheduler (scheduled_);
//   Schedule   v                                        |     between Begin and End of its chunk (in_chunk_) the buffers
//   ------> task queued --> Begin --> chunk --> End ----+     belong to the chunk, and pins wait
//              ^                                 |
//              +------------ more to do ---------+
//
// Callbacks are gathered under the lock and called without it, in order. Lock order: a board's lock, then those of its
// buffers, the budget and the bell; no other board's, and not the store's.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/batching/mutex.h"
#include "server/batching/scheduler.h"
#include "server/boards/board_store.h"
#include "server/boards/board_work.h"
#include "server/boards/run_table.h"
#include "server/boards/timer_bell.h"
#include "server/kinds/resident_kind.h"

namespace gpusim::boards {

// What all boards of a store use. Outlives the store with whoever holds a board.
struct BoardServices {
  Backend& backend;
  batching::Scheduler& scheduler;
  batching::Clock& clock;
  const batching::KindIndex first_kind;
  const kinds::ResidentChunk chunk;
  const std::shared_ptr<MemoryBudget> budget;
  TimerBell bell;
  RunTable runs;
};

// Called by whoever has the value first, without locks.
template <class T>
using Done = BoardStore::Done<T>;

class Board final : public std::enable_shared_from_this<Board> {
 public:
  struct Birth {
    std::string id;
    BoardShape shape;
    std::uint64_t generation = 0;
    std::chrono::seconds lease{};
    std::chrono::seconds autosave_every{};
    SystemTime created;
    std::string creator = {};
  };
  Board(std::shared_ptr<BoardServices> services, Birth birth, BoardCells cells);

  const std::string& id() const { return birth_.id; }
  const BoardShape& shape() const { return birth_.shape; }
  std::size_t device() const { return device_; }
  SystemTime created() const { return birth_.created; }
  const std::string& creator() const { return birth_.creator; }
  // Of the current cells, while nothing is asked of the board yet.
  life::DeviceCells& cells_of_new_board() GPUSIM_EXCLUDES(mutex_);

  // As in board_store.h. kUnknown once the board is gone.
  Result<BoardStatus> Get() GPUSIM_EXCLUDES(mutex_);
  BoardStatus status() const GPUSIM_EXCLUDES(mutex_);  // renews nothing
  Result<BoardStatus> Update(std::optional<std::chrono::seconds> lease,
                             std::optional<std::chrono::seconds> autosave_every)
      GPUSIM_EXCLUDES(mutex_);
  struct Pinned {
    PinnedBoard board;
    std::shared_ptr<BoardBuffer>
        shared;  // of Share alone: the caller is one more board that has it
  };
  void Pin(PinFor whom, Done<Pinned> done) GPUSIM_EXCLUDES(mutex_);
  // A pin for a fork.
  void Share(std::shared_ptr<BoardBuffer> deposit, Done<Pinned> done) GPUSIM_EXCLUDES(mutex_);
  void CountFacts(life::FactSet facts, Done<BoardFacts> done) GPUSIM_EXCLUDES(mutex_);
  Result<void> StartRun(std::uint64_t run_id, const RunWishes& wishes,
                        std::shared_ptr<RunListener> listener) GPUSIM_EXCLUDES(mutex_);
  void ResumeRun(std::uint64_t run_id) GPUSIM_EXCLUDES(mutex_);
  void StopRun(std::uint64_t run_id) GPUSIM_EXCLUDES(mutex_);
  void Stop(Done<BoardStatus> done) GPUSIM_EXCLUDES(mutex_);
  void Write(BoardStore::WriteWishes wishes, Done<BoardStatus> done) GPUSIM_EXCLUDES(mutex_);
  // Looks again whether there is something to do, as time has passed.
  void Look() GPUSIM_EXCLUDES(mutex_);

  // Ends everything and frees the cells once the chunk under way is over; then `closed`. From now on the board is gone. False,
  // with nothing done, if it was already; with `only_expired` also if its lease has been renewed.
  bool Close(bool only_expired, std::function<void(const BoardStatus&)> closed)
      GPUSIM_EXCLUDES(mutex_);
  bool gone() const GPUSIM_EXCLUDES(mutex_);

  // Ends runs with kDraining, refuses what waits and what comes. Blocks until the board is at rest.
  void BeginDrain() GPUSIM_EXCLUDES(mutex_);
  void AwaitRest() GPUSIM_EXCLUDES(mutex_);

  void HoldLease() GPUSIM_EXCLUDES(mutex_);
  void ReleaseLease() GPUSIM_EXCLUDES(mutex_);

  // Everybody may see it from now on.
  void Published() GPUSIM_EXCLUDES(mutex_);
  // Nothing where it has no end, or is held.
  std::optional<std::chrono::milliseconds> lease_left() const GPUSIM_EXCLUDES(mutex_);
  // For the keeper (store_keeper.cc): what is due at this time, and when to look next. What is due is not due again until it is
  // reported done.
  struct DueNow {
    bool expired = false;
    bool autosave = false;
    bool look = false;
    batching::TimePoint next = batching::TimePoint::max();
  };
  DueNow TakeDue(batching::TimePoint now, bool saves) GPUSIM_EXCLUDES(mutex_);
  // What a file keeps besides the cells.
  struct Terms {
    std::chrono::seconds lease{};
    std::chrono::seconds autosave_every{};
    std::uint64_t number = 0;  // of the change that made them
  };
  Terms terms() const GPUSIM_EXCLUDES(mutex_);
  struct OnDisk {
    std::uint64_t version = 0;  // 0: nothing
    std::uint64_t generation = 0;
    std::uint64_t terms = 0;
  };
  // That is what lies on disk now; nothing where saving failed.
  void Saved(const std::optional<OnDisk>& saved) GPUSIM_EXCLUDES(mutex_);
  void ExpiryFailed(std::chrono::seconds again_in) GPUSIM_EXCLUDES(mutex_);
  bool changed() const GPUSIM_EXCLUDES(mutex_);
  std::uint64_t saved_version() const GPUSIM_EXCLUDES(mutex_);

  // Held while the board's own file is written or removed, so that the two do not cross.
  batching::Mutex& file_mutex() { return file_mutex_; }

 private:
  friend class BoardTask;

  // What the scheduler is told of a chunk to come.
  struct NextChunk {
    batching::Cost cost;
    batching::Terms terms;
  };
  // What is to be done when the lock is released.
  struct After {
    std::vector<std::function<void()>> calls;
    std::optional<NextChunk> submit;
  };
  struct PinRequest {
    PinFor whom = PinFor::kCaller;
    std::shared_ptr<BoardBuffer> deposit;  // of a fork
    bool fork = false;
    Done<Pinned> done;
  };
  struct FactsRequest {
    life::FactSet facts = 0;
    Done<BoardFacts> done;
  };
  // What the task does between Begin and End. The task's thread alone touches it.
  struct Chunk {
    enum class What : std::uint8_t { kNothing, kFacts, kWork, kBuffer };
    What what = What::kNothing;
    WorkPlan plan;
    std::shared_ptr<BoardWork> work;
    std::optional<std::size_t> step;  // its place in the batch
    std::vector<FactsRequest> facts;
    bool shared = false;  // the cells, by a fork, when the buffer was missing
    std::optional<MemoryBudget::Share> share;
    std::optional<Result<std::shared_ptr<BoardBuffer>>> buffer;
  };

  void Do(After after) GPUSIM_EXCLUDES(mutex_);
  // Chooses what to do next, ending works that are over; false when there is nothing.
  bool Choose(After& after) GPUSIM_REQUIRES(mutex_);
  void Schedule(After& after) GPUSIM_REQUIRES(mutex_);
  std::optional<BoardError> WhyNot() const GPUSIM_REQUIRES(mutex_);
  std::optional<BoardError> WhyBusy(bool queue) const GPUSIM_REQUIRES(mutex_);
  std::optional<BoardError> WhyNotRun(const RunWishes& wishes) const GPUSIM_REQUIRES(mutex_);
  void Enqueue(std::shared_ptr<BoardWork> work, After& after) GPUSIM_REQUIRES(mutex_);
  void EndWork(std::shared_ptr<BoardWork> work, After& after) GPUSIM_REQUIRES(mutex_);
  void FailAll(const BoardError& why, After& after) GPUSIM_REQUIRES(mutex_);
  void StopRuns(StopReason reason, std::uint64_t run_id) GPUSIM_REQUIRES(mutex_);
  void ServePins(After& after) GPUSIM_REQUIRES(mutex_);
  void AskPin(PinRequest request, After& after) GPUSIM_REQUIRES(mutex_);
  void FinishClosing(After& after) GPUSIM_REQUIRES(mutex_);
  void Renew() GPUSIM_REQUIRES(mutex_);
  bool Held() const GPUSIM_REQUIRES(mutex_) { return lease_holds_ > 0 || !works_.empty(); }
  batching::TimePoint LeaseEnd() const GPUSIM_REQUIRES(mutex_);
  void Ring() GPUSIM_REQUIRES(mutex_);
  BoardStatus Status() const GPUSIM_REQUIRES(mutex_);
  void OnUnpinned() GPUSIM_EXCLUDES(mutex_);

  // For the task, in this order.
  NextChunk DescribeNext() GPUSIM_REQUIRES(mutex_);
  void BeginChunk(life::ResidentBatch& batch) GPUSIM_EXCLUDES(mutex_);
  void DoChunk() GPUSIM_EXCLUDES(mutex_);
  // Sets `next` where there is more to do.
  batching::Chunk EndChunk(const life::ResidentBatch& batch, const DeviceResult<void>& ran,
                           NextChunk& next) GPUSIM_EXCLUDES(mutex_);
  void SchedulerStopped() GPUSIM_EXCLUDES(mutex_);
  void BeginFacts(life::ResidentBatch& batch) GPUSIM_REQUIRES(mutex_);
  void BeginWork(life::ResidentBatch& batch) GPUSIM_REQUIRES(mutex_);
  void BeginBuffer() GPUSIM_REQUIRES(mutex_);
  void TakeAnswers(const life::ResidentBatch& batch, const DeviceResult<void>& ran, After& after)
      GPUSIM_REQUIRES(mutex_);
  void TakeFault(const life::ResidentBatch& batch, const std::string& what, After& after)
      GPUSIM_REQUIRES(mutex_);
  void TakeBuffer() GPUSIM_REQUIRES(mutex_);

  const std::shared_ptr<BoardServices> services_;
  const Birth birth_;
  const std::size_t device_;

  mutable batching::Mutex mutex_;
  batching::CondVar rest_;
  std::optional<BoardState> state_ GPUSIM_GUARDED_BY(mutex_);  // none once it is closed
  std::deque<std::shared_ptr<BoardWork>> works_ GPUSIM_GUARDED_BY(mutex_);
  std::vector<PinRequest> pins_ GPUSIM_GUARDED_BY(mutex_);
  std::vector<FactsRequest> facts_ GPUSIM_GUARDED_BY(mutex_);
  std::vector<Done<BoardStatus>> standing_ GPUSIM_GUARDED_BY(mutex_);  // wait for runs to end
  std::optional<RunEnd> last_run_ GPUSIM_GUARDED_BY(mutex_);

  bool scheduled_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool in_chunk_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool facts_had_turn_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool facts_next_ GPUSIM_GUARDED_BY(mutex_) = false;  // else the first work is next
  WorkPlan plan_ GPUSIM_GUARDED_BY(mutex_);
  std::uint64_t promised_rows_ GPUSIM_GUARDED_BY(mutex_) = 1;  // of facts, by the last DescribeNext
  bool awaits_unpin_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool work_failed_ GPUSIM_GUARDED_BY(mutex_) = false;
  Chunk chunk_;

  bool draining_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::optional<std::string> lost_ GPUSIM_GUARDED_BY(mutex_);  // the cells, by this fault
  std::function<void(const BoardStatus&)> closed_ GPUSIM_GUARDED_BY(mutex_);
  bool gone_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool never_again_ GPUSIM_GUARDED_BY(mutex_) = false;  // the scheduler takes no task any more

  std::chrono::seconds lease_ GPUSIM_GUARDED_BY(mutex_);
  std::chrono::seconds autosave_every_ GPUSIM_GUARDED_BY(mutex_);
  std::size_t lease_holds_ GPUSIM_GUARDED_BY(mutex_) = 0;
  batching::TimePoint renewed_ GPUSIM_GUARDED_BY(mutex_);
  batching::TimePoint next_autosave_ GPUSIM_GUARDED_BY(mutex_);
  batching::TimePoint look_at_ GPUSIM_GUARDED_BY(mutex_) = batching::TimePoint::max();
  bool expiring_ GPUSIM_GUARDED_BY(mutex_) = false;
  batching::TimePoint expiry_again_ GPUSIM_GUARDED_BY(mutex_) = batching::TimePoint::min();
  bool saving_ GPUSIM_GUARDED_BY(mutex_) = false;
  OnDisk on_disk_ GPUSIM_GUARDED_BY(mutex_);
  std::uint64_t terms_ GPUSIM_GUARDED_BY(mutex_) = 1;

  batching::Mutex file_mutex_;
};

}  // namespace gpusim::boards
