#include "server/boards/store_impl.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "server/boards/bands.h"
#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

using batching::MutexLock;
using Reason = BoardError::Reason;

std::string MadeUpName() {
  static constexpr char kLetters[] = "abcdefghijkmnpqrstuvwxyz23456789";
  constexpr std::size_t kLength = 8;
  std::random_device random;
  std::string name = "board-";
  for (std::size_t i = 0; i < kLength; ++i) name += kLetters[random() % (sizeof kLetters - 1)];
  return name;
}

}  // namespace

BoardStore::Impl::Impl(StoreOptions options, Backend& backend, batching::Scheduler& scheduler,
                       std::function<void(const std::string&)> log, batching::Clock& clock,
                       FileHook hook)
    : options_(std::move(options)),
      log_(std::move(log)),
      hook_([lost = options_.device_is_lost, hook = std::move(hook)](FileStep step) {
        return lost() ? EIO : hook ? hook(step) : 0;
      }),
      services_(new BoardServices{.backend = backend,
                                  .scheduler = scheduler,
                                  .clock = clock,
                                  .first_kind = options_.first_kind,
                                  .chunk = kinds::ResidentChunkFor(backend),
                                  .budget = std::make_shared<MemoryBudget>(options_.device_memory),
                                  .bell = TimerBell(clock),
                                  .runs = {}}) {}

BoardStore::Impl::~Impl() {
  Drain(false);
  services_->bell.Stop();
  if (keeper_.joinable()) keeper_.join();
  files_.reset();
}

std::optional<BoardError> BoardStore::Impl::WhyNot() const {
  if (!options_.on)
    return BoardError{.reason = Reason::kOff,
                      .message = "boards are off on this server (--boards)"};
  if (options_.device_is_lost())
    return BoardError{.reason = Reason::kDevice,
                      .message = "a device is lost, and the server ends"};
  const MutexLock lock(mutex_);
  if (draining_)
    return BoardError{.reason = Reason::kDraining, .message = "the server is shutting down"};
  return std::nullopt;
}

Result<std::shared_ptr<Board>> BoardStore::Impl::Find(std::string_view name) const {
  if (!options_.on || options_.device_is_lost()) return tl::unexpected(*WhyNot());
  auto id = IdOf(name, options_.owner, "name");
  if (!id) return tl::unexpected(id.error());
  const MutexLock lock(mutex_);
  if (const auto found = boards_.find(*id); found != boards_.end()) return found->second;
  BoardError unknown = UnknownBoard(*id);
  if (const auto left = left_alone_.find(*id); left != left_alone_.end())
    unknown.message += "; its file was not taken up: " + left->second;
  return tl::unexpected(std::move(unknown));
}

std::vector<std::shared_ptr<Board>> BoardStore::Impl::Boards(std::string_view after) const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Board>> boards;
  for (auto at = boards_.upper_bound(after); at != boards_.end(); ++at)
    boards.push_back(at->second);
  return boards;
}

Result<std::string> BoardStore::Impl::TakeName(std::string_view name) {
  if (auto why = WhyNot()) return tl::unexpected(*std::move(why));
  std::string id;
  if (!name.empty()) {
    auto given = IdOf(name, options_.owner, "name");
    if (!given) return given;
    id = *std::move(given);
  }
  const MutexLock lock(mutex_);
  const auto taken = [this](const std::string& wanted) GPUSIM_REQUIRES(mutex_) {
    return boards_.contains(wanted) || making_.contains(wanted) || left_alone_.contains(wanted);
  };
  while (id.empty() || (name.empty() && taken(id))) id = MadeUpName();
  if (const auto left = left_alone_.find(id); left != left_alone_.end())
    return Refuse(Reason::kExists,
                  "there is a file of board " + id + ", which was not taken up: " + left->second);
  if (taken(id)) return Refuse(Reason::kExists, "there is a board " + id + " already");
  if (options_.max_boards > 0 && boards_.size() + making_.size() >= options_.max_boards)
    return Refuse(Reason::kNoMemory, "there are " + std::to_string(options_.max_boards) +
                                         " boards, as many as max-boards allows");
  making_.insert(id);
  return id;
}

void BoardStore::Impl::GiveUp(const std::string& id) {
  const MutexLock lock(mutex_);
  making_.erase(id);
}

BoardError BoardStore::Impl::NoMemory(std::uint64_t bytes, std::uint64_t free) const {
  BoardError error{.reason = Reason::kNoMemory,
                   .message = "the board needs " + Bytes(bytes) + " of device memory, " +
                              Bytes(free) + " are free"};
  if (bytes > services_->budget->largest_bytes()) {
    error.message +=
        " and no device gives boards more than " + Bytes(services_->budget->largest_bytes());
  } else if (const auto next = use().next_lease_ends) {
    error.message += "; the next lease ends in " + std::to_string(next->count()) + " ms";
    error.retry_after = next;
  } else {
    error.message += "; no lease ends soon";
  }
  return error;
}

std::uint64_t BoardStore::Impl::UnsavedBytes() const {
  if (state_ == nullptr) return 0;
  std::uint64_t bytes = 0;
  for (const auto& board : Boards({})) {
    if (board->changed()) bytes += BoardFileBytes(board->shape());
  }
  return bytes;
}

Result<void> BoardStore::Impl::CheckSavable(const BoardShape& shape) const {
  if (write_bytes_per_second_ <= 0 || options_.drain_time == std::chrono::milliseconds::max())
    return {};
  const std::chrono::duration<double> drain_time = options_.drain_time;
  const double limit = write_bytes_per_second_ * drain_time.count();
  const std::uint64_t bytes = BoardFileBytes(shape);
  // Both buffers of every board, which is more than their files have: mostly enough to know.
  if (static_cast<double>(bytes + services_->budget->used_bytes()) <= limit) return {};
  const std::uint64_t unsaved = UnsavedBytes();
  if (static_cast<double>(bytes + unsaved) <= limit) return {};
  return Refuse(Reason::kNoRoom,
                "the board's file has " + Bytes(bytes) + " beside " + Bytes(unsaved) +
                    " of boards that are not saved yet, and the state directory takes " +
                    Bytes(static_cast<std::uint64_t>(limit)) + " within drain-time, " +
                    std::to_string(options_.drain_time.count()) + " ms");
}

Result<MemoryBudget::Share> BoardStore::Impl::TakeMemory(const BoardShape& shape,
                                                         std::optional<std::size_t> device) {
  if (auto savable = CheckSavable(shape); !savable) return tl::unexpected(savable.error());
  const std::uint64_t bytes = 2 * BoardBytes(shape.width, shape.height);
  std::uint64_t free = 0;
  for (const std::size_t candidate : services_->budget->DevicesByUse()) {
    if (device && candidate != *device) continue;
    if (auto share = services_->budget->Take(candidate, bytes)) return *std::move(share);
    free = std::max(free, services_->budget->free_bytes(candidate));
  }
  return tl::unexpected(NoMemory(bytes, free));
}

Result<std::shared_ptr<Board>> BoardStore::Impl::Make(Board::Birth birth) {
  for (const auto& [field, side] :
       {std::pair{"width", birth.shape.width}, std::pair{"height", birth.shape.height}}) {
    if (side == 0) return RefuseInput(field, "0", "at least 1");
  }
  auto id = TakeName(birth.id);
  if (!id) return tl::unexpected(id.error());
  birth.id = *id;
  const auto make = [&]() -> Result<std::shared_ptr<Board>> {
    auto share = TakeMemory(birth.shape, std::nullopt);
    if (!share) return tl::unexpected(share.error());
    std::shared_ptr<BoardBuffer> buffers[2];
    for (auto& buffer : buffers) {
      auto made = BoardBuffer::Make(services_->backend,
                                    share->Split(BoardBytes(birth.shape.width, birth.shape.height)),
                                    birth.shape.width, birth.shape.height);
      if (!made) return tl::unexpected(made.error());
      buffer = *std::move(made);
    }
    return std::make_shared<Board>(services_, std::move(birth),
                                   BoardCells(std::move(buffers[0]), std::move(buffers[1])));
  };
  auto board = make();
  if (!board) GiveUp(*id);
  return board;
}

Result<void> BoardStore::Impl::Publish(const std::shared_ptr<Board>& board) {
  {
    const MutexLock lock(mutex_);
    making_.erase(board->id());
    if (draining_) return Refuse(Reason::kDraining, "the server is shutting down");
    boards_.emplace(board->id(), board);
  }
  board->Published();
  return {};
}

void BoardStore::Impl::Fork(const std::shared_ptr<Board>& board, std::string new_id,
                            std::optional<std::chrono::seconds> lease, const std::string& creator,
                            Done<BoardStatus> done) {
  const BoardShape shape = board->shape();
  auto share = TakeMemory(shape, board->device());
  if (!share) {
    GiveUp(new_id);
    done(tl::unexpected(share.error()));
    return;
  }
  std::shared_ptr<BoardBuffer> buffers[2];
  for (auto& buffer : buffers) {
    auto made =
        BoardBuffer::Make(services_->backend, share->Split(BoardBytes(shape.width, shape.height)),
                          shape.width, shape.height);
    if (!made) {
      GiveUp(new_id);
      done(tl::unexpected(made.error()));
      return;
    }
    buffer = *std::move(made);
  }
  const Board::Terms terms = board->terms();
  board->Share(buffers[0], [this, new_id = std::move(new_id), shape, work = buffers[1], terms,
                            lease, creator, done = std::move(done)](Result<Board::Pinned> shared) {
    if (!shared) {
      GiveUp(new_id);
      done(tl::unexpected(shared.error()));
      return;
    }
    Board::Birth birth{.id = new_id,
                       .shape = shape,
                       .generation = shared->board.generation,
                       .lease = lease.value_or(terms.lease),
                       .autosave_every = terms.autosave_every,
                       .created = std::chrono::system_clock::now(),
                       .creator = creator};
    const auto forked =
        std::make_shared<Board>(services_, std::move(birth), BoardCells(shared->shared, work));
    done(Publish(forked).map([&] { return forked->status(); }));
  });
}

StoreUse BoardStore::Impl::use() const {
  StoreUse use;
  for (const auto& board : Boards({})) {
    ++use.boards;
    if (board->status().run) ++use.running;
    if (const auto left = board->lease_left();
        left && (!use.next_lease_ends || *left < *use.next_lease_ends))
      use.next_lease_ends = left;
  }
  use.memory_bytes = services_->budget->used_bytes();
  use.max_memory_bytes = services_->budget->max_bytes();
  use.state_bytes = state_ == nullptr ? 0 : state_->used_bytes();
  use.max_state_bytes = options_.max_state_bytes;
  use.unsaved_bytes = UnsavedBytes();
  use.write_bytes_per_second = write_bytes_per_second_;
  return use;
}

}  // namespace gpusim::boards
