// What is said about resident boards between the calls and the store. No protobuf, no gRPC.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/device_cells.h"
#include "kernels/life.h"
#include "kernels/violation.h"
#include "server/batching/task.h"
#include "server/kinds/until.h"

namespace gpusim::boards {

using SystemTime = std::chrono::system_clock::time_point;

// Why a call is refused or fails; services/error_mapping makes the status.
struct BoardError {
  enum class Reason : std::uint8_t {
    kUnknown,          // no board, or no snapshot, of this name
    kExists,           // the name is taken
    kBusy,             // a run, or a write, is under way: the message names it
    kWrongGeneration,  // if_generation is not met
    kNoMemory,  // the budget of device memory, or the number of boards; the message says what is free, and when the
    // next lease ends
    kNoRoom,     // the state directory's budget or its disk
    kElsewhere,  // `owner` is another server; `address` where it is known
    kForbidden,  // it belongs to another caller
    kOff,        // --boards off, or no --state-dir where one is needed
    kBadInput,   // `violations` say what
    kDraining,
    kExpired,  // the caller's deadline passed, or it went away, first
    kCancelled,
    kDevice,  // the device, or the disk, failed: the message says how
  };
  Reason reason = Reason::kUnknown;
  std::string message;
  std::optional<std::chrono::milliseconds> retry_after = std::nullopt;
  std::string owner = {};
  std::string address = {};
  Violations violations = {};
};

template <class T>
using Result = tl::expected<T, BoardError>;

// What does not change in a board's life.
struct BoardShape {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  life::Topology topology = life::Topology::kTorus;
  life::Rule rule = life::kConway;
};

enum class StopReason : std::uint8_t { kTarget, kCondition, kTime, kStopped, kDraining };

struct RunStatus {
  std::uint64_t target_generation = 0;
  kinds::Until until;
  double generations_per_second = 0;
  bool detached = false;
  std::string request_id;
  SystemTime started;
};

struct RunEnd {
  std::uint64_t generation = 0;
  StopReason reason = StopReason::kTarget;
  std::uint32_t period = 0;
  std::string request_id;
  std::string
      error;  // what ended it where device or memory failed; `reason` is then without meaning
  BoardError::Reason error_reason = BoardError::Reason::kDevice;  // of `error`
};

// A board as it was at the end of its last chunk.
struct BoardStatus {
  std::string id;
  BoardShape shape;
  std::uint64_t generation = 0;
  std::uint64_t version = 0;  // grows with every change of the cells
  std::optional<RunStatus> run;
  std::optional<RunEnd> last_run;
  std::chrono::seconds lease{};            // 0: none
  std::chrono::milliseconds lease_left{};  // full while a run or a watch holds it
  std::chrono::seconds autosave_every{};   // 0: never
  std::uint64_t saved_generation = 0;
  std::uint64_t memory_bytes = 0;
  std::size_t device = 0;
  SystemTime created;
  std::string creator;  // whom it belongs to; empty: nobody
};

// Facts of one generation on the host; what was not asked for is 0.
struct BoardFacts {
  std::uint64_t generation = 0;
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::uint32_t box[4] = {0, 0, 0, 0};  // left, top, width, height
  std::uint64_t digest = 0;
  std::uint64_t shape_digest = 0;
};

// The cells of one generation, which stay as they are for as long as somebody holds them: a run goes on in other buffers. Holding
// them long while a run is under way costs the memory of one more board, out of the budget.
struct PinnedBoard {
  std::shared_ptr<const life::DeviceCells> cells;
  BoardShape shape;
  std::uint64_t generation = 0;
  std::uint64_t version = 0;
};

struct RunWishes {
  std::optional<std::uint64_t> to_generation;  // this, or
  std::uint64_t generations = 0;               // so many from where it is when the run starts
  std::optional<std::uint64_t> if_generation;
  kinds::Until until;
  std::optional<std::chrono::milliseconds> max_duration;
  bool detached = false;
  bool queue = false;
  life::FactSet facts = 0;
  std::uint64_t facts_every = 0;  // 0: by time
  std::chrono::milliseconds progress_interval{1000};
  std::string request_id;
  batching::ClientKey client = 0;
  batching::Priority priority = batching::Priority::kBulk;
};

struct RunProgress {
  BoardFacts facts;
  double generations_per_second = 0;
  std::uint64_t target_generation = 0;
  std::chrono::milliseconds elapsed{};
};

// Hears of a run. Called by the thread that runs the chunk: must not block, and must not call the store.
class RunListener {
 public:
  virtual ~RunListener() = default;
  // Every `facts_every` generations, or about every `progress_interval`. False: no room for more now; with facts_every the run
  // then waits until BoardStore::ResumeRun.
  virtual bool OnProgress(const RunProgress& progress) = 0;
  // Exactly once, the last call. `facts` are those of the last generation, unless the run ended with an error.
  virtual void OnEnd(const RunEnd& end, const RunProgress& last) = 0;
};

// How a stamp meets the cells below it.
enum class WriteMode : std::uint8_t { kOr, kCopy, kXor };

enum class SnapshotCause : std::uint8_t { kAsked = 1, kLeaseExpired = 2, kBoardItself = 3 };

struct SnapshotInfo {
  std::string name;
  std::string board_id;
  BoardShape shape;
  std::uint64_t generation = 0;
  std::uint64_t bytes = 0;
  SystemTime created;
  SnapshotCause cause = SnapshotCause::kAsked;
  std::string creator;  // of the board
};

struct StoreUse {
  std::uint64_t boards = 0;
  std::uint64_t running = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_memory_bytes = 0;
  std::uint64_t state_bytes = 0;
  std::uint64_t max_state_bytes = 0;
  std::uint64_t unsaved_bytes = 0;    // files of boards that changed since they were written
  double write_bytes_per_second = 0;  // of the state directory; 0: not known
  std::optional<std::chrono::milliseconds> next_lease_ends;
};

}  // namespace gpusim::boards
