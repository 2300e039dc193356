// What the store does with files: it takes boards up, drains, and moves snapshots.
#include <utility>

#include "server/boards/board_names.h"
#include "server/boards/store_impl.h"
#include "server/boards/write_rate.h"

namespace gpusim::boards {
namespace {

using batching::MutexLock;
using Reason = BoardError::Reason;

constexpr std::chrono::seconds kDefaultLease{3600};
// One writes while another one reads; more would only share the disk.
constexpr std::size_t kFileThreads = 2;

tl::unexpected<BoardError> NoStateDir() {
  return Refuse(Reason::kOff, "this server keeps no files (--state-dir)");
}

}  // namespace

tl::expected<void, std::string> BoardStore::Impl::Start() {
  if (!options_.on) return {};
  if (!options_.state_dir.empty()) {
    auto state = StateDir::Open(options_.state_dir, options_.max_state_bytes, log_, hook_);
    if (!state) return tl::unexpected(state.error());
    state_ = *std::move(state);
    files_ = std::make_unique<FileThreads>(kFileThreads);
    for (const std::string& id : state_->BoardIds()) TakeUp(id);
    // Last: what is taken up is saved already.
    write_bytes_per_second_ = options_.write_bytes_per_second > 0
                                  ? options_.write_bytes_per_second
                                  : MeasureWriteRate(options_.state_dir);
  }
  keeper_ = std::thread([this] { Keep(); });
  return {};
}

// A board that cannot be taken up does not keep the server from starting: its file stays, and so does its name.
void BoardStore::Impl::TakeUp(const std::string& id) {
  const auto leave_alone = [this, &id](const std::string& why) {
    log_("board " + id + " is not taken up: " + why);
    const MutexLock lock(mutex_);
    left_alone_[id] = why;
  };
  const FileResult<BoardFile> file = state_->OpenBoard(id);
  if (!file) {
    leave_alone(file.error().what);
    return;
  }
  const BoardFileFacts& facts = file->facts();
  const auto board = Load(*file, {.id = id,
                                  .shape = facts.shape,
                                  .generation = facts.generation,
                                  .lease = facts.lease,
                                  .autosave_every = facts.autosave_every,
                                  .created = facts.board_created,
                                  .creator = facts.creator});
  if (!board) {
    leave_alone(board.error().message);
    return;
  }
  const BoardStatus status = (*board)->status();
  (*board)->Saved(Board::OnDisk{.version = status.version,
                                .generation = status.generation,
                                .terms = (*board)->terms().number});
  if (auto published = Publish(*board); !published) leave_alone(published.error().message);
}

Result<std::shared_ptr<Board>> BoardStore::Impl::Load(const BoardFile& file, Board::Birth birth) {
  auto board = Make(std::move(birth));
  if (!board) return board;
  if (auto read = file.ReadInto((*board)->cells_of_new_board()); !read) {
    GiveUp((*board)->id());
    return Refuse(Reason::kDevice, read.error().what);
  }
  return board;
}

void BoardStore::Impl::Drain(bool save) {
  {
    const MutexLock lock(mutex_);
    draining_ = true;
  }
  const auto boards = Boards({});  // none is published from now on
  for (const auto& board : boards) board->BeginDrain();
  for (const auto& board : boards) board->AwaitRest();
  if (state_ == nullptr) return;
  files_->AwaitIdle();
  if (save) {
    for (const auto& board : boards) {
      if (board->changed()) Autosave(board);
    }
  }
  files_->AwaitIdle();
}

void BoardStore::Impl::Snapshot(const std::shared_ptr<Board>& board, const std::string& name,
                                bool replace, Done<SnapshotInfo> done) {
  if (state_ == nullptr) {
    done(NoStateDir());
    return;
  }
  std::string given;
  if (!name.empty()) {
    auto id = IdOf(name, options_.owner, "snapshot");
    if (!id) {
      done(tl::unexpected(id.error()));
      return;
    }
    given = *std::move(id);
  }
  board->Pin(PinFor::kStore, [this, board, given = std::move(given), replace,
                              done = std::move(done)](Result<Board::Pinned> pinned) {
    if (!pinned) {
      done(tl::unexpected(pinned.error()));
      return;
    }
    Post([this, board, given, replace, done, pinned = std::move(pinned->board)]() mutable {
      const std::string name =
          given.empty() ? board->id() + "-" + std::to_string(pinned.generation) : given;
      auto saved = state_->SaveSnapshot(
          name, replace, FactsOf(*board, pinned, board->terms(), SnapshotCause::kAsked),
          *pinned.cells);
      pinned = {};
      done(std::move(saved));
    });
  });
}

void BoardStore::Impl::Restore(const std::string& snapshot, const std::string& new_id,
                               std::optional<std::chrono::seconds> lease,
                               const std::string& creator, Done<BoardStatus> done) {
  if (state_ == nullptr) {
    done(NoStateDir());
    return;
  }
  auto name = IdOf(snapshot, options_.owner, "snapshot", kMaxSnapshotNameLength);
  if (!name) {
    done(tl::unexpected(name.error()));
    return;
  }
  Post([this, name = *std::move(name), new_id, lease, creator, done = std::move(done)] {
    const Result<BoardFile> file = state_->OpenSnapshot(name);
    if (!file) {
      done(tl::unexpected(file.error()));
      return;
    }
    const BoardFileFacts& facts = file->facts();
    const auto board = Load(*file, {.id = new_id.empty() ? facts.board_id : new_id,
                                    .shape = facts.shape,
                                    .generation = facts.generation,
                                    .lease = lease.value_or(kDefaultLease),
                                    .autosave_every = facts.autosave_every,
                                    .created = std::chrono::system_clock::now(),
                                    .creator = creator});
    if (!board) {
      done(tl::unexpected(board.error()));
      return;
    }
    done(Publish(*board).map([&] { return (*board)->status(); }));
  });
}

}  // namespace gpusim::boards
