#include "server/boards/board_buffer.h"

#include "server/boards/board_names.h"

namespace gpusim::boards {

using batching::MutexLock;

Result<std::shared_ptr<BoardBuffer>> BoardBuffer::Make(Backend& backend, MemoryBudget::Share share,
                                                       std::uint32_t width, std::uint32_t height) {
  auto cells = backend.MakeCells(share.device(), width, height);
  if (!cells) {
    return Refuse(
        cells.error().sticky ? BoardError::Reason::kDevice : BoardError::Reason::kNoMemory,
        "device " + std::to_string(share.device()) + " gave no memory for " + Bytes(share.bytes()) +
            ": " + cells.error().what);
  }
  return std::make_shared<BoardBuffer>(std::move(share), *std::move(cells));
}

bool BoardBuffer::writable() const {
  const MutexLock lock(mutex_);
  return boards_ == 1 && pins_[0] == 0 && pins_[1] == 0;
}

bool BoardBuffer::pinned_by_store() const {
  const MutexLock lock(mutex_);
  return pins_[static_cast<std::size_t>(PinFor::kStore)] > 0;
}

bool BoardBuffer::shared() const {
  const MutexLock lock(mutex_);
  return boards_ > 1;
}

std::shared_ptr<const life::DeviceCells> BoardBuffer::Pin(PinFor whom,
                                                          std::function<void()> released) {
  {
    const MutexLock lock(mutex_);
    ++pins_[static_cast<std::size_t>(whom)];
  }
  // The count is ours, not that of the pointer: who writes next has to see that the readers are done.
  auto release = [buffer = shared_from_this(), whom,
                  released = std::move(released)](const life::DeviceCells* /*cells*/) mutable {
    buffer->Unpin(whom);
    buffer.reset();
    released();
  };
  return {cells_.get(), std::move(release)};
}

void BoardBuffer::Unpin(PinFor whom) {
  const MutexLock lock(mutex_);
  --pins_[static_cast<std::size_t>(whom)];
}

void BoardBuffer::Join(std::shared_ptr<BoardBuffer> deposit) {
  const MutexLock lock(mutex_);
  ++boards_;
  deposits_.push_back(std::move(deposit));
}

std::shared_ptr<BoardBuffer> BoardBuffer::TakeDeposit() {
  const MutexLock lock(mutex_);
  if (deposits_.empty()) return nullptr;
  std::shared_ptr<BoardBuffer> deposit = std::move(deposits_.back());
  deposits_.pop_back();
  return deposit;
}

void BoardBuffer::ReturnDeposit(std::shared_ptr<BoardBuffer> deposit) {
  const MutexLock lock(mutex_);
  if (deposits_.size() + 1 < boards_) deposits_.push_back(std::move(deposit));
}

void BoardBuffer::Leave() {
  std::shared_ptr<BoardBuffer> surplus;  // freed without the lock
  const MutexLock lock(mutex_);
  --boards_;
  if (!deposits_.empty() && deposits_.size() + 1 > boards_) {
    surplus = std::move(deposits_.back());
    deposits_.pop_back();
  }
}

}  // namespace gpusim::boards
