#include "server/boards/board_cells.h"

#include <algorithm>
#include <utility>

namespace gpusim::boards {
namespace {

bool Writable(const std::shared_ptr<BoardBuffer>& buffer) { return buffer->writable(); }

}  // namespace

BoardCells::BoardCells(std::shared_ptr<BoardBuffer> current, std::shared_ptr<BoardBuffer> work)
    : current_(std::move(current)) {
  idle_.push_back(std::move(work));
}

BoardCells::~BoardCells() {
  if (current_ != nullptr) current_->Leave();
}

std::size_t BoardCells::writable_idle() const {
  return static_cast<std::size_t>(std::count_if(idle_.begin(), idle_.end(), Writable));
}

life::DeviceCells& BoardCells::Idle(std::size_t i) {
  auto at = std::find_if(idle_.begin(), idle_.end(), Writable);
  for (; i > 0; --i) at = std::find_if(at + 1, idle_.end(), Writable);
  return (*at)->cells();
}

bool BoardCells::FindWork(bool keep_current, life::DeviceCells* work[2]) {
  const std::size_t idle = writable_idle();
  const bool in_place = !keep_current && current_->writable();
  if (idle + (in_place ? 1 : 0) < 2) return false;
  work[0] = &Idle(0);
  work[1] = in_place ? &current_->cells() : &Idle(1);
  return true;
}

bool BoardCells::TakeDeposit() {
  std::shared_ptr<BoardBuffer> deposit = current_->TakeDeposit();
  if (deposit == nullptr) return false;
  idle_.push_back(std::move(deposit));
  return true;
}

bool BoardCells::pinned_by_store() const {
  return current_->pinned_by_store() ||
         std::any_of(idle_.begin(), idle_.end(),
                     [](const auto& buffer) { return buffer->pinned_by_store(); });
}

void BoardCells::SetCurrent(const life::DeviceCells& cells) {
  if (&current_->cells() == &cells) return;
  const auto next = std::find_if(idle_.begin(), idle_.end(),
                                 [&](const auto& buffer) { return &buffer->cells() == &cells; });
  std::swap(current_, *next);
  if (!(*next)->shared()) return;
  const std::shared_ptr<BoardBuffer> left = *next;
  idle_.erase(next);
  // A board has two buffers, and these cells are another one's from now on.
  if (idle_.empty()) {
    if (std::shared_ptr<BoardBuffer> deposit = left->TakeDeposit())
      idle_.push_back(std::move(deposit));
  }
  left->Leave();
}

void BoardCells::Trim() {
  // What is pinned goes first: its memory is free as soon as nobody looks.
  std::stable_partition(idle_.begin(), idle_.end(), Writable);
  while (idle_.size() > 1) {
    if (idle_.back()->writable()) current_->ReturnDeposit(idle_.back());
    idle_.pop_back();
  }
}

std::shared_ptr<BoardBuffer> BoardCells::Share(std::shared_ptr<BoardBuffer> deposit) {
  current_->Join(std::move(deposit));
  return current_;
}

}  // namespace gpusim::boards
