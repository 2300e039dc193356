// The resident boards of a server: names, memory, order, leases, files.
//
// A board is an actor. What is asked of it waits in its own queue; while there is something to do, one task of it is with
// the scheduler (kinds/resident_kind.h), and at the end of each chunk it does first what is quick, then goes on with its run:
//
//   calls --> [pin] [facts] [write] [run] ...   board's queue, in the order accepted
//                         |
//   scheduler  --> chunk --> chunk --> chunk    one at a time for a board, boards side by side,
//                                               small ones in one launch
//
// Pins and facts overtake the run; writes and runs wait for it (`queue`) or are refused.
//
// Invariants:
//   1. The cells that a status or a pin names are those of a whole generation.
//   2. Memory is taken from the budget before it is allocated, and given back after it is freed.
//   3. A file is whole or not there: written beside its place, synced, renamed.
//   4. Every `done` is called exactly once.
//
// All calls are thread-safe, and only the ones that say so block. `done` is called by the thread that does the work, or within
// the call; it must not block for long and may call the store.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.h"
#include "server/batching/scheduler.h"
#include "server/boards/board_types.h"
#include "server/boards/whole_file.h"

namespace gpusim::boards {

struct StoreOptions {
  bool on = true;
  std::string owner;                         // --server-id
  std::string address;                       // --advertise-address
  std::string state_dir;                     // empty: nothing is kept
  std::uint64_t max_boards = 0;              // 0: as many as fit
  std::uint64_t max_state_bytes = 0;         // 0: as much as the disk has
  std::vector<std::uint64_t> device_memory;  // budget of boards, by device
  batching::KindIndex first_kind = 0;        // of the scheduler: device d has first_kind + d
  // Whether what lies on the devices can not be trusted any more: from then on no file is written. Thread-safe.
  std::function<bool()> device_is_lost = [] { return false; };
};

// A board in the making. Destroyed before Publish, it leaves nothing behind.
class NewBoard {
 public:
  virtual ~NewBoard() = default;
  virtual const BoardShape& shape() const = 0;
  // Blocks for the copy. Rows as in life.h, `words` whole rows of them from row y on; padding bits 0.
  virtual Result<void> WriteRows(std::uint32_t y, std::span<const std::uint64_t> words) = 0;
  // All cells at random (threshold 0: dead), in chunks of the device's time. At most one at a time.
  virtual void Fill(std::uint64_t seed, std::uint64_t threshold,
                    std::function<void(Result<void>)> done) = 0;
  // From now on everybody sees it. Once.
  virtual Result<BoardStatus> Publish() = 0;
};

// While it is there, the board's lease does not run out.
class LeaseHold {
 public:
  virtual ~LeaseHold() = default;
};

// The cells of a stamp, row after row; read from front to back, more than once where needed.
class StampRows {
 public:
  virtual ~StampRows() = default;
  virtual std::uint32_t width() const = 0;
  virtual std::uint32_t height() const = 0;
  // Rows [y, y + rows) with their padding, WordsPerRow(width()) words each. Blocks for a copy at most.
  virtual Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const = 0;
};

// Rows that come in bands lie in memory of the device, out of the budget, until they are stamped.
class StagedRows : public StampRows {
 public:
  virtual Result<void> Append(std::span<const std::uint64_t> rows) = 0;  // blocks for the copy
};

class BoardStore {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  // `log` takes one line at a time, on any thread. Nothing is read before Start, and no lease runs out. Backend, scheduler and
  // clock outlive the store; what it handed out does not. The hook is called before each step of writing a file.
  BoardStore(StoreOptions options, Backend& backend, batching::Scheduler& scheduler,
             std::function<void(const std::string&)> log,
             batching::Clock& clock = batching::SteadyClock(), FileHook hook = {});
  // Drains, but saves nothing.
  ~BoardStore();

  // Makes the state directory and takes up the boards that lie in it. Blocks. The error names the directory or the file.
  tl::expected<void, std::string> Start();

  const StoreOptions& options() const;
  StoreUse use() const;

  struct NewBoardWishes {
    std::string id;  // empty: made up
    BoardShape shape;
    std::uint64_t generation = 0;
    std::optional<std::chrono::seconds> lease;           // unset: an hour
    std::optional<std::chrono::seconds> autosave_every;  // unset: 10 minutes
    std::string creator = {};                            // a name as IDs are; empty: nobody
  };
  // Takes name and memory. The cells are unspecified until they are written or filled.
  Result<std::unique_ptr<NewBoard>> Create(const NewBoardWishes& wishes);

  // `name` is "ID" or "OWNER/ID" in every call. Renews the lease, as every call about a board does.
  Result<BoardStatus> Get(std::string_view name);
  // Ascending by ID, those after `after`. Renews no lease.
  std::vector<BoardStatus> List(std::string_view after, std::size_t limit) const;
  Result<BoardStatus> Update(std::string_view name, std::optional<std::chrono::seconds> lease,
                             std::optional<std::chrono::seconds> autosave_every);
  void Delete(std::string_view name, Done<BoardStatus> done);
  Result<std::unique_ptr<LeaseHold>> HoldLease(std::string_view name);

  // At the next end of a chunk, at once for a board at rest. Reading a MiB or so in `done` holds up nobody; who needs longer
  // keeps the pin and reads on another thread.
  void Pin(std::string_view name, Done<PinnedBoard> done);
  void CountFacts(std::string_view name, life::FactSet facts, Done<BoardFacts> done);

  // The run that was started or, with `queue`, is to start. The listener is kept until OnEnd.
  using RunId = std::uint64_t;
  Result<RunId> StartRun(std::string_view name, const RunWishes& wishes,
                         std::shared_ptr<RunListener> listener);
  void ResumeRun(RunId run);
  // Ends this run, waiting or under way; nothing where it is over.
  void StopRun(RunId run);
  // Ends the run under way and those that wait, and tells the status once the board stands.
  void Stop(std::string_view name, Done<BoardStatus> done);

  struct WriteWishes {
    std::shared_ptr<const StampRows> stamp;  // unset: the whole board anew, by seed and threshold
    std::int64_t x = 0;
    std::int64_t y = 0;
    WriteMode mode = WriteMode::kCopy;
    std::uint64_t seed = 0;
    std::uint64_t threshold = 0;  // 0: all dead
    std::optional<std::uint64_t> if_generation;
    bool queue = false;
  };
  // Preconditions: the stamp is not larger than the board, and on a plane it lies within it.
  void Write(std::string_view name, WriteWishes wishes, Done<BoardStatus> done);
  Result<std::shared_ptr<StagedRows>> StageRows(std::string_view name, std::uint32_t width,
                                                std::uint32_t height);

  void Fork(std::string_view name, const std::string& new_id,
            std::optional<std::chrono::seconds> lease, Done<BoardStatus> done,
            const std::string& creator = {});

  // Written by a thread of the store's own.
  void Snapshot(std::string_view name, const std::string& snapshot, bool replace,
                Done<SnapshotInfo> done);
  void Restore(std::string_view snapshot, const std::string& new_id,
               std::optional<std::chrono::seconds> lease, Done<BoardStatus> done,
               const std::string& creator = {});
  // Nullopt if there is none, or none that could be read.
  std::optional<SnapshotInfo> FindSnapshot(std::string_view snapshot) const;
  Result<std::vector<SnapshotInfo>> ListSnapshots(std::string_view after, std::size_t limit) const;
  void DeleteSnapshot(std::string_view snapshot, Done<SnapshotInfo> done);

  // Ends all runs with kDraining, refuses what comes, and with a state directory saves every board that changed. Blocks until
  // that is done. The scheduler has to run still.
  void Drain();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gpusim::boards
