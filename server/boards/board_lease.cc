// How long a board stays, and when it is written to disk: what the keeper asks.
#include <algorithm>

#include "server/boards/board.h"

namespace gpusim::boards {

using batching::MutexLock;
using batching::TimePoint;

void Board::Renew() { renewed_ = services_->clock.Now(); }

TimePoint Board::LeaseEnd() const {
  return lease_.count() == 0 ? TimePoint::max() : renewed_ + lease_;
}

void Board::HoldLease() {
  const MutexLock lock(mutex_);
  ++lease_holds_;
}

void Board::ReleaseLease() {
  const MutexLock lock(mutex_);
  --lease_holds_;
  Renew();
  Ring();
}

// The keeper looks at all boards when the bell says so, and learns from TakeDue when to come again.
void Board::Ring() {
  TimePoint when = look_at_;
  if (!Held()) when = std::min(when, LeaseEnd());
  if (autosave_every_.count() > 0) when = std::min(when, next_autosave_);
  services_->bell.Ring(when);
}

void Board::Published() {
  const MutexLock lock(mutex_);
  Renew();
  next_autosave_ = renewed_ + autosave_every_;
  Ring();
}

std::optional<std::chrono::milliseconds> Board::lease_left() const {
  const MutexLock lock(mutex_);
  if (gone_ || Held() || lease_.count() == 0) return std::nullopt;
  const TimePoint::duration left = LeaseEnd() - services_->clock.Now();
  return std::max(std::chrono::milliseconds(0), std::chrono::ceil<std::chrono::milliseconds>(left));
}

Board::DueNow Board::TakeDue(TimePoint now, bool saves) {
  const MutexLock lock(mutex_);
  DueNow due;
  if (gone_ || draining_) return due;
  if (!Held() && !expiring_) {
    const TimePoint end = std::max(LeaseEnd(), expiry_again_);
    due.expired = expiring_ = now >= end;
    if (!due.expired) due.next = std::min(due.next, end);
  }
  if (saves && autosave_every_.count() > 0 && !saving_ && !lost_) {
    if (now >= next_autosave_) {
      next_autosave_ = now + autosave_every_;
      due.autosave = saving_ = state_->version != on_disk_.version || terms_ != on_disk_.terms;
    }
    due.next = std::min(due.next, next_autosave_);
  }
  due.look = now >= look_at_;
  if (due.look) look_at_ = TimePoint::max();
  due.next = std::min(due.next, look_at_);
  return due;
}

Board::Terms Board::terms() const {
  const MutexLock lock(mutex_);
  return {lease_, autosave_every_, terms_};
}

void Board::Saved(const std::optional<OnDisk>& saved) {
  const MutexLock lock(mutex_);
  saving_ = false;
  if (saved) on_disk_ = *saved;
  Ring();
}

void Board::ExpiryFailed(std::chrono::seconds again_in) {
  const MutexLock lock(mutex_);
  expiring_ = false;
  expiry_again_ = services_->clock.Now() + again_in;
  services_->bell.Ring(expiry_again_);
}

std::uint64_t Board::saved_version() const {
  const MutexLock lock(mutex_);
  return on_disk_.version;
}

bool Board::changed() const {
  const MutexLock lock(mutex_);
  return state_ && !lost_ && (state_->version != on_disk_.version || terms_ != on_disk_.terms);
}

}  // namespace gpusim::boards
