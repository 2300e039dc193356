// The state directory: which files there are, how large they are together, and whether one more fits.
//
//   DIR/lock                     held by the server that uses it
//   DIR/boards/ID.board          what a restarted server takes up again
//   DIR/snapshots/NAME.snapshot
//
// A file that is no board, or a damaged one, is refused by name and left alone. Names come from IsName, so that none leads
// out of its folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/batching/mutex.h"
#include "server/boards/board_file.h"

namespace gpusim::boards {

// Thread-safe. Calls that write, read or remove a file block.
class StateDir {
 public:
  using Log = std::function<void(const std::string&)>;

  // Makes what is missing, takes the lock, removes what a killed server left half written, and looks at every file. `max_bytes`
  // 0: as much as the disk has. The error names the directory.
  static tl::expected<std::unique_ptr<StateDir>, std::string> Open(const std::string& dir,
                                                                   std::uint64_t max_bytes,
                                                                   const Log& log, FileHook hook);

  // Of boards/, by name.
  std::vector<std::string> BoardIds() const GPUSIM_EXCLUDES(mutex_);
  FileResult<BoardFile> OpenBoard(const std::string& id) const;
  // Under the file_mutex of the board.
  Result<void> SaveBoard(const BoardFileFacts& facts, const life::DeviceCells& cells)
      GPUSIM_EXCLUDES(mutex_);
  void RemoveBoard(const std::string& id) GPUSIM_EXCLUDES(mutex_);

  Result<SnapshotInfo> SaveSnapshot(const std::string& name, bool replace,
                                    const BoardFileFacts& facts, const life::DeviceCells& cells)
      GPUSIM_EXCLUDES(mutex_);
  Result<BoardFile> OpenSnapshot(const std::string& name) const GPUSIM_EXCLUDES(mutex_);
  std::vector<SnapshotInfo> ListSnapshots(std::string_view after, std::size_t limit) const
      GPUSIM_EXCLUDES(mutex_);
  // Nullopt too where its file could not be read.
  std::optional<SnapshotInfo> FindSnapshot(const std::string& name) const GPUSIM_EXCLUDES(mutex_);
  Result<SnapshotInfo> DeleteSnapshot(const std::string& name) GPUSIM_EXCLUDES(mutex_);

  std::uint64_t used_bytes() const GPUSIM_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::optional<SnapshotInfo> info;  // of a snapshot that is sound as far as its header tells
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  StateDir(std::string dir, std::uint64_t max_bytes, Descriptor lock, FileHook hook);
  tl::expected<void, std::string> Look(const Log& log) GPUSIM_EXCLUDES(mutex_);
  tl::expected<void, std::string> LookInto(const std::string& folder, const std::string& ending,
                                           Entries& entries, const Log& log)
      GPUSIM_REQUIRES(mutex_);
  std::string BoardPath(const std::string& id) const;
  std::string SnapshotPath(const std::string& name) const;
  // Takes room for a file in place of one of `old_bytes`.
  Result<void> TakeRoom(std::uint64_t bytes, std::uint64_t old_bytes) GPUSIM_REQUIRES(mutex_);
  static Result<void> Written(FileResult<void> written);

  const std::string dir_;
  const std::uint64_t max_bytes_;
  const Descriptor lock_;
  const FileHook hook_;
  mutable batching::Mutex mutex_;
  Entries boards_ GPUSIM_GUARDED_BY(mutex_);
  Entries snapshots_ GPUSIM_GUARDED_BY(mutex_);
  std::set<std::string> being_written_ GPUSIM_GUARDED_BY(mutex_);  // snapshots
  std::uint64_t used_ GPUSIM_GUARDED_BY(mutex_) = 0;               // with those being written
};

}  // namespace gpusim::boards
