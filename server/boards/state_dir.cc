#include "server/boards/state_dir.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

using batching::MutexLock;
using Reason = BoardError::Reason;
namespace fs = std::filesystem;

constexpr char kBoards[] = "boards";
constexpr char kSnapshots[] = "snapshots";
constexpr char kBoardEnding[] = ".board";
constexpr char kSnapshotEnding[] = ".snapshot";

SnapshotInfo InfoOf(const std::string& name, const BoardFileFacts& facts) {
  return {.name = name,
          .board_id = facts.board_id,
          .shape = facts.shape,
          .generation = facts.generation,
          .bytes = BoardFileBytes(facts.shape),
          .created = facts.written,
          .cause = facts.cause,
          .creator = facts.creator};
}

BoardError UnknownSnapshot(const std::string& name) {
  return {.reason = Reason::kUnknown, .message = "there is no snapshot " + name};
}

// Nothing where the name of the file has another ending, or is none of ours.
std::optional<std::string> NameOf(const std::string& file, const std::string& ending) {
  if (!file.ends_with(ending)) return std::nullopt;
  std::string name = file.substr(0, file.size() - ending.size());
  if (!IsName(name, kMaxSnapshotNameLength)) return std::nullopt;
  return name;
}

}  // namespace

tl::expected<std::unique_ptr<StateDir>, std::string> StateDir::Open(const std::string& dir,
                                                                    std::uint64_t max_bytes,
                                                                    const Log& log, FileHook hook) {
  for (const fs::path& folder :
       {fs::path(dir), fs::path(dir) / kBoards, fs::path(dir) / kSnapshots}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return tl::unexpected(folder.string() + ": cannot be made: " + error.message());
  }
  const std::string lock_path = dir + "/lock";
  constexpr mode_t kForAll = 0644;
  Descriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kForAll));
  if (!lock.open()) return tl::unexpected(FaultOf(lock_path, "cannot be opened", errno).what);
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return tl::unexpected(dir + ": another server uses it, which holds " + lock_path);
    return tl::unexpected(FaultOf(lock_path, "cannot be locked", errno).what);
  }
  std::unique_ptr<StateDir> opened(new StateDir(dir, max_bytes, std::move(lock), std::move(hook)));
  if (auto looked = opened->Look(log); !looked) return tl::unexpected(looked.error());
  return opened;
}

StateDir::StateDir(std::string dir, std::uint64_t max_bytes, Descriptor lock, FileHook hook)
    : dir_(std::move(dir)), max_bytes_(max_bytes), lock_(std::move(lock)), hook_(std::move(hook)) {}

tl::expected<void, std::string> StateDir::Look(const Log& log) {
  const MutexLock lock(mutex_);
  if (auto looked = LookInto(kBoards, kBoardEnding, boards_, log); !looked) return looked;
  return LookInto(kSnapshots, kSnapshotEnding, snapshots_, log);
}

tl::expected<void, std::string> StateDir::LookInto(const std::string& folder,
                                                   const std::string& ending, Entries& entries,
                                                   const Log& log) {
  const std::string path = dir_ + "/" + folder;
  std::error_code error;
  for (fs::directory_iterator file(path, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (IsLeftover(name)) {
      log(file->path().string() + ": was never written to its end, removed");
      unlink(file->path().c_str());
      continue;
    }
    std::error_code no_size;
    const std::uint64_t bytes = file->is_regular_file(no_size) ? file->file_size(no_size) : 0;
    if (!no_size) used_ += bytes;
    const std::optional<std::string> id = NameOf(name, ending);
    if (!id) {
      log(file->path().string() + ": is none of the server's files, left alone");
      continue;
    }
    Entry& entry = entries[*id];
    entry.bytes = no_size ? 0 : bytes;
    const FileResult<BoardFile> opened = BoardFile::Open(file->path().string());
    if (opened) {
      entry.info = InfoOf(*id, opened->facts());
    } else if (folder == kSnapshots) {
      log(opened.error().what + ", left alone");  // of boards the store says so, who takes them up
    }
  }
  if (error) return tl::unexpected(path + ": cannot be read: " + error.message());
  return {};
}

std::string StateDir::BoardPath(const std::string& id) const {
  return dir_ + "/" + kBoards + "/" + id + kBoardEnding;
}

std::string StateDir::SnapshotPath(const std::string& name) const {
  return dir_ + "/" + kSnapshots + "/" + name + kSnapshotEnding;
}

std::vector<std::string> StateDir::BoardIds() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> ids;
  ids.reserve(boards_.size());
  for (const auto& [id, entry] : boards_) ids.push_back(id);
  return ids;
}

FileResult<BoardFile> StateDir::OpenBoard(const std::string& id) const {
  auto opened = BoardFile::Open(BoardPath(id));
  if (opened && opened->facts().board_id != id)
    return tl::unexpected(FileFault{BoardPath(id) + ": is of board " + opened->facts().board_id});
  return opened;
}

Result<void> StateDir::TakeRoom(std::uint64_t bytes, std::uint64_t old_bytes) {
  const std::uint64_t kept = used_ - old_bytes;
  if (max_bytes_ > 0 && (kept > max_bytes_ || bytes > max_bytes_ - kept)) {
    const std::uint64_t free = kept > max_bytes_ ? 0 : max_bytes_ - kept;
    return Refuse(Reason::kNoRoom, "the file needs " + Bytes(bytes) + ", " + Bytes(free) +
                                       " of the " + Bytes(max_bytes_) +
                                       " for the state directory are free");
  }
  struct statvfs disk {};
  if (statvfs(dir_.c_str(), &disk) == 0) {
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (bytes > free) {
      return Refuse(Reason::kNoRoom, "the file needs " + Bytes(bytes) + ", the disk of " + dir_ +
                                         " has " + Bytes(free) + " left");
    }
  }
  used_ += bytes;
  return {};
}

Result<void> StateDir::Written(FileResult<void> written) {
  if (written) return {};
  return Refuse(written.error().no_room ? Reason::kNoRoom : Reason::kDevice,
                std::move(written.error().what));
}

Result<void> StateDir::SaveBoard(const BoardFileFacts& facts, const life::DeviceCells& cells) {
  const std::uint64_t bytes = BoardFileBytes(facts.shape);
  std::uint64_t old_bytes = 0;
  {
    const MutexLock lock(mutex_);
    if (const auto old = boards_.find(facts.board_id); old != boards_.end())
      old_bytes = old->second.bytes;
    if (auto room = TakeRoom(bytes, old_bytes); !room) return room;
  }
  auto written = WriteBoardFile(BoardPath(facts.board_id), facts, cells, hook_);
  const MutexLock lock(mutex_);
  used_ -= written ? old_bytes : bytes;
  if (written) boards_[facts.board_id].bytes = bytes;
  return Written(std::move(written));
}

void StateDir::RemoveBoard(const std::string& id) {
  if (unlink(BoardPath(id).c_str()) == 0) SyncFolder(dir_ + "/" + kBoards);
  const MutexLock lock(mutex_);
  if (const auto old = boards_.find(id); old != boards_.end()) {
    used_ -= old->second.bytes;
    boards_.erase(old);
  }
}

Result<SnapshotInfo> StateDir::SaveSnapshot(const std::string& name, bool replace,
                                            const BoardFileFacts& facts,
                                            const life::DeviceCells& cells) {
  const std::uint64_t bytes = BoardFileBytes(facts.shape);
  std::uint64_t old_bytes = 0;
  {
    const MutexLock lock(mutex_);
    const auto old = snapshots_.find(name);
    if (being_written_.contains(name) || (old != snapshots_.end() && !replace))
      return Refuse(Reason::kExists, "there is a snapshot " + name + " already");
    if (old != snapshots_.end()) {
      // One that can not be read may be anybody's.
      const bool ours =
          old->second.info ? old->second.info->creator == facts.creator : facts.creator.empty();
      if (!ours)
        return Refuse(Reason::kForbidden,
                      "there is a snapshot " + name + " of a board of another name");
      old_bytes = old->second.bytes;
    }
    if (auto room = TakeRoom(bytes, old_bytes); !room) return tl::unexpected(room.error());
    being_written_.insert(name);
  }
  auto written = WriteBoardFile(SnapshotPath(name), facts, cells, hook_);
  const MutexLock lock(mutex_);
  being_written_.erase(name);
  used_ -= written ? old_bytes : bytes;
  if (!written) return tl::unexpected(Written(std::move(written)).error());
  const SnapshotInfo info = InfoOf(name, facts);
  snapshots_[name] = {bytes, info};
  return info;
}

Result<BoardFile> StateDir::OpenSnapshot(const std::string& name) const {
  {
    const MutexLock lock(mutex_);
    if (!snapshots_.contains(name)) return tl::unexpected(UnknownSnapshot(name));
  }
  auto opened = BoardFile::Open(SnapshotPath(name));
  if (!opened) return Refuse(Reason::kDevice, opened.error().what);
  return *std::move(opened);
}

std::vector<SnapshotInfo> StateDir::ListSnapshots(std::string_view after, std::size_t limit) const {
  const MutexLock lock(mutex_);
  std::vector<SnapshotInfo> listed;
  for (auto at = snapshots_.upper_bound(after); at != snapshots_.end() && listed.size() < limit;
       ++at) {
    if (at->second.info) listed.push_back(*at->second.info);
  }
  return listed;
}

std::optional<SnapshotInfo> StateDir::FindSnapshot(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = snapshots_.find(name);
  if (found == snapshots_.end()) return std::nullopt;
  return found->second.info;
}

Result<SnapshotInfo> StateDir::DeleteSnapshot(const std::string& name) {
  const MutexLock lock(mutex_);
  const auto old = snapshots_.find(name);
  if (old == snapshots_.end()) return tl::unexpected(UnknownSnapshot(name));
  if (being_written_.contains(name))
    return Refuse(Reason::kBusy, "snapshot " + name + " is being written");
  if (unlink(SnapshotPath(name).c_str()) != 0 && errno != ENOENT)
    return Refuse(Reason::kDevice, FaultOf(SnapshotPath(name), "cannot be removed", errno).what);
  SyncFolder(dir_ + "/" + kSnapshots);
  used_ -= old->second.bytes;
  SnapshotInfo info = old->second.info.value_or(SnapshotInfo{});
  info.name = name;
  info.bytes = old->second.bytes;
  snapshots_.erase(old);
  return info;
}

std::uint64_t StateDir::used_bytes() const {
  const MutexLock lock(mutex_);
  return used_;
}

}  // namespace gpusim::boards
