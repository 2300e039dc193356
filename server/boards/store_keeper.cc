// Looks after leases and autosaves: a thread that sleeps until the next one is due.
#include <algorithm>
#include <utility>

#include "server/boards/board_names.h"
#include "server/boards/store_impl.h"

namespace gpusim::boards {
namespace {

using batching::MutexLock;
using batching::TimePoint;
using Reason = BoardError::Reason;

// How long a board whose last file could not be written stays before the next try.
constexpr std::chrono::seconds kExpireAgainIn{60};

}  // namespace

void BoardStore::Impl::Keep() {
  TimePoint next;
  do {
    services_->bell.StartLooking();
    next = TimePoint::max();
    const TimePoint now = services_->clock.Now();
    for (const auto& board : Boards({})) {
      if (options_.device_is_lost()) break;  // boards and files stay as they are
      const Board::DueNow due = board->TakeDue(now, state_ != nullptr);
      if (due.look) board->Look();
      if (due.autosave) Autosave(board);
      if (due.expired) Expire(board);
      next = std::min(next, due.next);
    }
  } while (services_->bell.AwaitNext(next));
}

void BoardStore::Impl::Autosave(const std::shared_ptr<Board>& board) {
  board->Pin(PinFor::kStore, [this, board](Result<Board::Pinned> pinned) {
    if (!pinned) {
      board->Saved(std::nullopt);
      return;
    }
    Post([this, board, pinned = std::move(pinned->board)] { Save(board, pinned); });
  });
}

// Not while the board's file is being removed, nor afterwards; and never over a newer one.
void BoardStore::Impl::Save(const std::shared_ptr<Board>& board, const PinnedBoard& pinned) {
  const MutexLock lock(board->file_mutex());
  if (board->gone() || pinned.version < board->saved_version()) return;
  const Board::Terms terms = board->terms();
  const auto saved =
      state_->SaveBoard(FactsOf(*board, pinned, terms, SnapshotCause::kBoardItself), *pinned.cells);
  if (!saved) {
    log_("board " + board->id() + " was not saved: " + saved.error().message);
    board->Saved(std::nullopt);
    return;
  }
  board->Saved(Board::OnDisk{
      .version = pinned.version, .generation = pinned.generation, .terms = terms.number});
}

BoardFileFacts BoardStore::Impl::FactsOf(const Board& board, const PinnedBoard& pinned,
                                         const Board::Terms& terms, SnapshotCause cause) const {
  return {.board_id = board.id(),
          .shape = pinned.shape,
          .generation = pinned.generation,
          .lease = terms.lease,
          .autosave_every = terms.autosave_every,
          .board_created = board.created(),
          .written = std::chrono::system_clock::now(),
          .cause = cause,
          .creator = board.creator()};
}

// Saves a snapshot first, where there is a place for it. Whoever uses the board meanwhile keeps it.
void BoardStore::Impl::Expire(const std::shared_ptr<Board>& board) {
  const auto free = [this, board] {
    if (Free(board, true, [](const Result<BoardStatus>&) {}))
      log_("board " + board->id() + ": its lease ran out, freed");
  };
  if (state_ == nullptr) {
    free();
    return;
  }
  board->Pin(PinFor::kStore, [this, board, free](Result<Board::Pinned> pinned) {
    if (!pinned) {
      // Its cells are lost, or it is gone.
      if (!options_.device_is_lost() && pinned.error().reason == Reason::kDevice) free();
      return;
    }
    Post([this, board, free, pinned = std::move(pinned->board)]() mutable {
      const auto save = [&](const std::string& name) {
        return state_->SaveSnapshot(
            name, true, FactsOf(*board, pinned, board->terms(), SnapshotCause::kLeaseExpired),
            *pinned.cells);
      };
      // A board of that name which was another's has expired before, and what it left stays.
      std::string name = board->id() + ".expired";
      auto saved = save(name);
      for (int next = 2; !saved && saved.error().reason == Reason::kForbidden && next < 100; ++next)
        saved = save(name + "-" + std::to_string(next));
      pinned = {};
      if (saved) {
        free();
        return;
      }
      log_("board " + board->id() +
           ": its lease ran out, but it was not saved: " + saved.error().message);
      board->ExpiryFailed(kExpireAgainIn);
    });
  });
}

bool BoardStore::Impl::Free(const std::shared_ptr<Board>& board, bool only_expired,
                            Done<BoardStatus> done) {
  const auto told = std::make_shared<const Done<BoardStatus>>(std::move(done));
  const bool closing = board->Close(only_expired, [this, board, told](const BoardStatus& status) {
    const auto forget = [this, board, told, status] {
      if (state_ != nullptr) {
        const MutexLock lock(board->file_mutex());
        state_->RemoveBoard(board->id());
      }
      Forget(board->id());
      (*told)(status);
    };
    if (state_ == nullptr) {
      forget();
    } else {
      Post(forget);
    }
  });
  if (!closing) (*told)(tl::unexpected(UnknownBoard(board->id())));
  return closing;
}

void BoardStore::Impl::Forget(const std::string& id) {
  const MutexLock lock(mutex_);
  boards_.erase(id);
}

}  // namespace gpusim::boards
