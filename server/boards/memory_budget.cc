#include "server/boards/memory_budget.h"

#include <algorithm>
#include <numeric>

namespace gpusim::boards {

using batching::MutexLock;

MemoryBudget::Share::~Share() {
  if (budget_ != nullptr) budget_->GiveBack(device_, bytes_);
}

MemoryBudget::Share MemoryBudget::Share::Split(std::uint64_t bytes) {
  bytes_ -= bytes;
  return {budget_, device_, bytes};
}

MemoryBudget::MemoryBudget(std::vector<std::uint64_t> max_bytes)
    : max_(std::move(max_bytes)), used_(max_.size(), 0) {}

std::optional<MemoryBudget::Share> MemoryBudget::Take(std::size_t device, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  if (bytes > max_[device] - used_[device]) return std::nullopt;
  used_[device] += bytes;
  return Share(shared_from_this(), device, bytes);
}

void MemoryBudget::GiveBack(std::size_t device, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  used_[device] -= bytes;
}

std::vector<std::size_t> MemoryBudget::DevicesByUse() const {
  std::vector<std::size_t> devices(max_.size());
  std::iota(devices.begin(), devices.end(), std::size_t{0});
  const MutexLock lock(mutex_);
  std::stable_sort(devices.begin(), devices.end(),
                   [this](std::size_t a, std::size_t b)
                       GPUSIM_REQUIRES(mutex_) { return used_[a] < used_[b]; });
  return devices;
}

std::uint64_t MemoryBudget::free_bytes(std::size_t device) const {
  const MutexLock lock(mutex_);
  return max_[device] - used_[device];
}

std::uint64_t MemoryBudget::used_bytes() const {
  const MutexLock lock(mutex_);
  return std::accumulate(used_.begin(), used_.end(), std::uint64_t{0});
}

std::uint64_t MemoryBudget::largest_bytes() const {
  return max_.empty() ? 0 : *std::max_element(max_.begin(), max_.end());
}

std::uint64_t MemoryBudget::max_bytes() const {
  return std::accumulate(max_.begin(), max_.end(), std::uint64_t{0});
}

}  // namespace gpusim::boards
