// The memory that boards may take of each device, counted before it is allocated. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "server/batching/mutex.h"

namespace gpusim::boards {

class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  // A part of the budget, given back when it goes. Destroy it after the memory is freed.
  class Share {
   public:
    Share(Share&& other) noexcept
        : budget_(std::move(other.budget_)),
          device_(other.device_),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(device_, other.device_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share();

    // Takes so many of its bytes, at most all, into a share of their own.
    Share Split(std::uint64_t bytes);
    std::uint64_t bytes() const { return bytes_; }
    std::size_t device() const { return device_; }

   private:
    friend class MemoryBudget;
    Share(std::shared_ptr<MemoryBudget> budget, std::size_t device, std::uint64_t bytes)
        : budget_(std::move(budget)), device_(device), bytes_(bytes) {}

    std::shared_ptr<MemoryBudget> budget_;
    std::size_t device_;
    std::uint64_t bytes_;
  };

  // Bytes of each device. Lives in a shared_ptr, which its shares hold.
  explicit MemoryBudget(std::vector<std::uint64_t> max_bytes);

  // Nothing where so much is not free.
  std::optional<Share> Take(std::size_t device, std::uint64_t bytes) GPUSIM_EXCLUDES(mutex_);

  // The least used first.
  std::vector<std::size_t> DevicesByUse() const GPUSIM_EXCLUDES(mutex_);
  std::uint64_t free_bytes(std::size_t device) const GPUSIM_EXCLUDES(mutex_);
  // Over all devices.
  std::uint64_t used_bytes() const GPUSIM_EXCLUDES(mutex_);
  std::uint64_t max_bytes() const;
  // Of the device that has most.
  std::uint64_t largest_bytes() const;

 private:
  void GiveBack(std::size_t device, std::uint64_t bytes) GPUSIM_EXCLUDES(mutex_);

  const std::vector<std::uint64_t> max_;
  mutable batching::Mutex mutex_;
  std::vector<std::uint64_t> used_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::boards
