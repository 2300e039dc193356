// Resident boards: they stay in the memory of the server's device under a name and a lease.
//
//   gpusim::Boards boards = client->boards();
//   auto made = boards.Create({.name = "big", .topology = "torus:65536x65536",
//                              .source = gpusim::RandomCells{0.375, 1}});
//   auto end = boards.Step({.name = "big", .to_generation = 1000}, on_progress);
//
// A board that belongs to another server is followed to that server's address, once a call.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gpusim/call_options.h>
#include <gpusim/life.h>

namespace gpusim {

class ProtoBoards;  // <gpusim/boards_proto.h>: the same calls with the protobuf messages

// Where a call's rows come from: `count` whole rows from `first` on, as PackedBoard::rows. Called
// on the calling thread, in order; from row 0 again where the call has to be sent again. An Error
// ends the call and is its result; the board is as before.
using RowSource = std::function<Result<std::string>(std::uint64_t first, std::uint64_t count)>;

struct StreamedRows {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  RowSource read = {};
};

struct BoardRun {
  std::uint64_t target_generation = 0;
  Until until = {};
  double generations_per_second = 0;
  bool detached = false;
  std::string request_id = {};
};

struct BoardRunEnd {
  std::uint64_t generation = 0;
  StopReason stop_reason = StopReason::kUnspecified;
  std::uint32_t period = 0;
  std::string request_id = {};
  std::string error = {};  // what ended it where the device failed or memory was short
};

struct BoardState {
  std::string name = {};           // "OWNER/ID"
  std::string owner_address = {};  // where the owner takes calls
  std::string rule = {};
  std::string topology = {};
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t generation = 0;
  std::optional<BoardRun> run = {};          // unset: it stands
  std::optional<BoardRunEnd> last_run = {};  // how the last one ended
  std::chrono::seconds lease{0};             // 0: none
  std::chrono::milliseconds lease_left{0};
  std::chrono::seconds autosave_every{0};  // 0: never
  std::uint64_t saved_generation = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t device = 0;
  std::chrono::milliseconds created_unix{0};
};

// A request_id of a call below: a repeat within 10 minutes gets the first answer. Empty: the client
// makes one, so that a repeat of its own is harmless.
struct CreateBoardRequest {
  std::string name = {};      // empty: the server makes one
  std::string topology = {};  // empty: the file's, for a PackedBoard a torus of its size
  std::string rule = {};
  std::variant<std::monostate, PatternFile, PackedBoard, RandomCells, StreamedRows> source = {};
  std::optional<CellOffset> at = {};
  std::uint64_t generation = 0;
  std::optional<std::chrono::seconds> lease = {};           // unset: an hour; 0: none
  std::optional<std::chrono::seconds> autosave_every = {};  // unset: 10 minutes; 0: never
  std::string request_id = {};
};

struct NotedBoard {
  BoardState board = {};
  std::vector<std::string> notes = {};
};

struct BoardWithFacts {
  BoardState board = {};
  LifeFacts facts = {};
  Provenance provenance = {};
};

struct UpdateBoardRequest {
  std::string name = {};
  std::optional<std::chrono::seconds> lease = {};
  std::optional<std::chrono::seconds> autosave_every = {};
  std::string request_id = {};
};

struct StepBoardRequest {
  std::string name = {};
  // One of the two.
  std::optional<std::uint64_t> to_generation = {};
  std::optional<std::uint64_t> generations = {};
  std::optional<std::uint64_t> if_generation = {};
  Until until = {};
  std::chrono::milliseconds max_duration{0};  // 0: no bound
  bool detached = false;                      // the run goes on without the caller
  bool queue = false;                         // wait for the run under way
  std::vector<LifeFact> facts = {};
  std::uint64_t facts_every = 0;
  std::chrono::milliseconds progress_interval{0};  // 0: a second; at least 10 ms
  std::string request_id = {};
};

struct BoardProgress {
  LifeFacts facts = {};
  double generations_per_second = 0;
  StopReason stop_reason = StopReason::kUnspecified;
  std::uint32_t period = 0;
  std::uint64_t target_generation = 0;
  std::chrono::milliseconds elapsed{0};
  Provenance provenance = {};
};

struct ReadRegionRequest {
  std::string name = {};
  std::optional<CellRegion> region = {};  // unset: the whole board
  BoardFormat format = BoardFormat::kPacked;
};

struct RegionHeader {
  BoardState board = {};
  CellRegion region = {};
  std::uint64_t generation = 0;
  std::uint64_t total_bytes = 0;
};

enum class WriteMode { kDefault = 0, kOr = 1, kCopy = 2, kXor = 3 };

// The whole board is dead afterwards.
struct ClearBoard {};

struct WriteRegionRequest {
  std::string name = {};
  std::optional<CellOffset> at = {};  // of the stamp's top left cell; unset: centred
  std::variant<PatternFile, PackedBoard, StreamedRows, ClearBoard, RandomCells> source = {};
  WriteMode mode = WriteMode::kDefault;  // kOr for a pattern, else kCopy
  std::optional<std::uint64_t> if_generation = {};
  bool queue = false;
  std::string request_id = {};
};

struct SnapshotState {
  std::string name = {};
  std::string board = {};
  std::uint64_t generation = 0;
  std::string rule = {};
  std::string topology = {};
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint64_t bytes = 0;
  std::chrono::milliseconds created_unix{0};
  bool lease_expired = false;  // made when the board's lease ended
};

// Squares of cells as bytes: ceil(255 * live / cells), row-major.
struct DensityFrame {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
  std::string density = {};
};

struct WatchBoardRequest {
  std::string name = {};
  std::optional<CellRegion> region = {};
  double frames_per_second = 0;    // 0: 10
  std::uint32_t density_cell = 0;  // side of a square; 0 or 1: the cells themselves
  std::vector<LifeFact> facts = {};
  std::optional<std::uint64_t> after_generation = {};
};

struct BoardFrame {
  LifeFacts facts = {};
  double generations_per_second = 0;
  std::variant<std::monostate, PackedBoard, DensityFrame> picture = {};
  std::uint64_t skipped = 0;
};

// The calls about boards of a Client, which has to outlive this. Copies are cheap. Thread-safe.
// Every call blocks. Without a timeout of its own, a call that streams rows, frames or progress has
// none, and every other one the client's.
class Boards {
 public:
  explicit Boards(ProtoBoards& proto) : proto_(&proto) {}

  Result<NotedBoard> Create(const CreateBoardRequest& request, const CallOptions& options = {});
  Result<BoardWithFacts> Get(const std::string& name, const std::vector<LifeFact>& facts = {},
                             const CallOptions& options = {});
  Result<BoardState> Update(const UpdateBoardRequest& request, const CallOptions& options = {});
  // Of the server that the client is connected to, all pages.
  Result<std::vector<BoardState>> List(const CallOptions& options = {});
  Result<void> Delete(const std::string& name, const CallOptions& options = {});

  // Until the run is over; a detached one only until it has begun. `on_progress` is called on this
  // thread; false stops the run, on the server too. The result is the last progress. With a
  // max_duration its deadline is that and the client's timeout on top.
  Result<BoardProgress> Step(const StepBoardRequest& request,
                             const std::function<bool(const BoardProgress&)>& on_progress = {},
                             const CallOptions& options = {});
  Result<BoardState> Stop(const std::string& name, const CallOptions& options = {});

  // `on_bytes` gets the cells in order: whole rows of kPacked, else pieces of the file. False ends
  // the call, which is then kCancelled. Fails when not all came.
  Result<RegionHeader> Read(const ReadRegionRequest& request,
                            const std::function<bool(const RegionHeader&, std::string)>& on_bytes,
                            const CallOptions& options = {});
  Result<PackedBoard> ReadPacked(const std::string& name,
                                 const std::optional<CellRegion>& region = {},
                                 const CallOptions& options = {});
  Result<NotedBoard> Write(const WriteRegionRequest& request, const CallOptions& options = {});

  // Until `on_frame` says false, the server drains or closes old connections, or the board is gone (kNotFound).
  Result<void> Watch(const WatchBoardRequest& request,
                     const std::function<bool(BoardFrame)>& on_frame,
                     const CallOptions& options = {});

  // An empty new name: the server's choice.
  Result<BoardState> Fork(const std::string& name, const std::string& new_name = {},
                          const CallOptions& options = {});
  Result<SnapshotState> Snapshot(const std::string& name, const std::string& snapshot = {},
                                 bool replace = false, const CallOptions& options = {});
  Result<BoardState> Restore(const std::string& snapshot, const std::string& new_name = {},
                             const CallOptions& options = {});
  Result<std::vector<SnapshotState>> ListSnapshots(const CallOptions& options = {});
  Result<void> DeleteSnapshot(const std::string& snapshot, const CallOptions& options = {});

 private:
  ProtoBoards* proto_;
};

}  // namespace gpusim
