// The calls: each finds its board and hands over.
#include "server/boards/board_store.h"

#include <utility>

#include "server/boards/bands.h"
#include "server/boards/board_names.h"
#include "server/boards/new_board.h"
#include "server/boards/store_impl.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;

constexpr std::chrono::seconds kDefaultLease{3600};
constexpr std::chrono::seconds kDefaultAutosave{600};

}  // namespace

BoardStore::BoardStore(StoreOptions options, Backend& backend, batching::Scheduler& scheduler,
                       std::function<void(const std::string&)> log, batching::Clock& clock,
                       FileHook hook)
    : impl_(std::make_unique<Impl>(std::move(options), backend, scheduler, std::move(log), clock,
                                   std::move(hook))) {}

BoardStore::~BoardStore() = default;

tl::expected<void, std::string> BoardStore::Start() { return impl_->Start(); }
const StoreOptions& BoardStore::options() const { return impl_->options(); }
StoreUse BoardStore::use() const { return impl_->use(); }
void BoardStore::Drain() { impl_->Drain(true); }

Result<std::unique_ptr<NewBoard>> BoardStore::Create(const NewBoardWishes& wishes) {
  auto board = impl_->Make({.id = wishes.id,
                            .shape = wishes.shape,
                            .generation = wishes.generation,
                            .lease = wishes.lease.value_or(kDefaultLease),
                            .autosave_every = wishes.autosave_every.value_or(kDefaultAutosave),
                            .created = std::chrono::system_clock::now(),
                            .creator = wishes.creator});
  if (!board) return tl::unexpected(board.error());
  return MakeNewBoard(
      *board,
      [impl = impl_.get()](const std::shared_ptr<Board>& made) { return impl->Publish(made); },
      [impl = impl_.get(), id = (*board)->id()] { impl->GiveUp(id); });
}

Result<BoardStatus> BoardStore::Get(std::string_view name) {
  return impl_->Find(name).and_then([](const auto& board) { return board->Get(); });
}

std::vector<BoardStatus> BoardStore::List(std::string_view after, std::size_t limit) const {
  std::vector<BoardStatus> listed;
  for (const auto& board : impl_->Boards(after)) {
    if (listed.size() == limit) break;
    if (!board->gone()) listed.push_back(board->status());
  }
  return listed;
}

Result<BoardStatus> BoardStore::Update(std::string_view name,
                                       std::optional<std::chrono::seconds> lease,
                                       std::optional<std::chrono::seconds> autosave_every) {
  return impl_->Find(name).and_then(
      [&](const auto& board) { return board->Update(lease, autosave_every); });
}

void BoardStore::Delete(std::string_view name, Done<BoardStatus> done) {
  auto board = impl_->Find(name);
  if (auto why = impl_->WhyNot(); board && why) board = tl::unexpected(*std::move(why));
  if (!board) return done(tl::unexpected(board.error()));
  impl_->Free(*board, false, std::move(done));
}

Result<std::unique_ptr<LeaseHold>> BoardStore::HoldLease(std::string_view name) {
  return impl_->Find(name).and_then([](const auto& board) -> Result<std::unique_ptr<LeaseHold>> {
    if (board->gone()) return tl::unexpected(UnknownBoard(board->id()));
    return MakeLeaseHold(board);
  });
}

void BoardStore::Pin(std::string_view name, Done<PinnedBoard> done) {
  const auto board = impl_->Find(name);
  if (!board) return done(tl::unexpected(board.error()));
  (*board)->Pin(PinFor::kCaller, [done = std::move(done)](Result<Board::Pinned> pinned) {
    done(std::move(pinned).map([](Board::Pinned&& pin) { return std::move(pin.board); }));
  });
}

void BoardStore::CountFacts(std::string_view name, life::FactSet facts, Done<BoardFacts> done) {
  const auto board = impl_->Find(name);
  if (!board) return done(tl::unexpected(board.error()));
  (*board)->CountFacts(facts, std::move(done));
}

Result<BoardStore::RunId> BoardStore::StartRun(std::string_view name, const RunWishes& wishes,
                                               std::shared_ptr<RunListener> listener) {
  const auto board = impl_->Find(name);
  if (!board) return tl::unexpected(board.error());
  RunTable& runs = impl_->services().runs;
  const RunId id = runs.Add(*board);
  if (auto started = (*board)->StartRun(id, wishes, std::move(listener)); !started) {
    runs.Forget(id);
    return tl::unexpected(started.error());
  }
  return id;
}

void BoardStore::ResumeRun(RunId run) {
  if (const auto board = impl_->services().runs.BoardOf(run)) board->ResumeRun(run);
}

void BoardStore::StopRun(RunId run) {
  if (const auto board = impl_->services().runs.BoardOf(run)) board->StopRun(run);
}

void BoardStore::Stop(std::string_view name, Done<BoardStatus> done) {
  const auto board = impl_->Find(name);
  if (!board) return done(tl::unexpected(board.error()));
  (*board)->Stop(std::move(done));
}

void BoardStore::Write(std::string_view name, WriteWishes wishes, Done<BoardStatus> done) {
  const auto board = impl_->Find(name);
  if (!board) return done(tl::unexpected(board.error()));
  (*board)->Write(std::move(wishes), std::move(done));
}

Result<std::shared_ptr<StagedRows>> BoardStore::StageRows(std::string_view name,
                                                          std::uint32_t width,
                                                          std::uint32_t height) {
  const auto board = impl_->Find(name);
  if (!board) return tl::unexpected(board.error());
  if (width == 0 || height == 0) return RefuseInput("rows", "0", "at least 1 in both directions");
  const std::size_t device = (*board)->device();
  const std::uint64_t bytes = BoardBytes(width, height);
  MemoryBudget& budget = *impl_->services().budget;
  auto share = budget.Take(device, bytes);
  if (!share) return tl::unexpected(impl_->NoMemory(bytes, budget.free_bytes(device)));
  auto cells = impl_->services().backend.MakeCells(device, width, height);
  if (!cells) return Refuse(Reason::kNoMemory, cells.error().what);
  return MakeStagedRows(*std::move(share), *std::move(cells));
}

void BoardStore::Fork(std::string_view name, const std::string& new_id,
                      std::optional<std::chrono::seconds> lease, Done<BoardStatus> done,
                      const std::string& creator) {
  const auto board = impl_->Find(name);
  if (!board) return done(tl::unexpected(board.error()));
  auto id = impl_->TakeName(new_id);
  if (!id) return done(tl::unexpected(id.error()));
  impl_->Fork(*board, *std::move(id), lease, creator, std::move(done));
}

void BoardStore::Snapshot(std::string_view name, const std::string& snapshot, bool replace,
                          Done<SnapshotInfo> done) {
  auto board = impl_->Find(name);
  if (auto why = impl_->WhyNot(); board && why) board = tl::unexpected(*std::move(why));
  if (!board) return done(tl::unexpected(board.error()));
  impl_->Snapshot(*board, snapshot, replace, std::move(done));
}

void BoardStore::Restore(std::string_view snapshot, const std::string& new_id,
                         std::optional<std::chrono::seconds> lease, Done<BoardStatus> done,
                         const std::string& creator) {
  if (auto why = impl_->WhyNot()) return done(tl::unexpected(*std::move(why)));
  impl_->Restore(std::string(snapshot), new_id, lease, creator, std::move(done));
}

std::optional<SnapshotInfo> BoardStore::FindSnapshot(std::string_view snapshot) const {
  if (impl_->state() == nullptr) return std::nullopt;
  const auto name = IdOf(snapshot, options().owner, "snapshot", kMaxSnapshotNameLength);
  if (!name) return std::nullopt;
  return impl_->state()->FindSnapshot(*name);
}

Result<std::vector<SnapshotInfo>> BoardStore::ListSnapshots(std::string_view after,
                                                            std::size_t limit) const {
  if (!options().on) return tl::unexpected(*impl_->WhyNot());
  if (impl_->state() == nullptr)
    return Refuse(Reason::kOff, "this server keeps no files (--state-dir)");
  return impl_->state()->ListSnapshots(after, limit);
}

void BoardStore::DeleteSnapshot(std::string_view snapshot, Done<SnapshotInfo> done) {
  if (auto why = impl_->WhyNot()) return done(tl::unexpected(*std::move(why)));
  StateDir* const state = impl_->state();
  if (state == nullptr)
    return done(Refuse(Reason::kOff, "this server keeps no files (--state-dir)"));
  auto name = IdOf(snapshot, options().owner, "snapshot", kMaxSnapshotNameLength);
  if (!name) return done(tl::unexpected(name.error()));
  impl_->Post([state, name = *std::move(name), done = std::move(done)] {
    done(state->DeleteSnapshot(name));
  });
}

}  // namespace gpusim::boards
