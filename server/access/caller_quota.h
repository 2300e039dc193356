// The calls under way of each caller, and at how many one is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/batching/mutex.h"

namespace gpusim::access {

// Thread-safe. Remembers those callers alone that have calls under way.
class CallerQuota {
 public:
  // One call, until it is destroyed. The quota outlives it.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), caller_(std::move(other.caller_)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(caller_, other.caller_);
      return *this;
    }
    ~Share() {
      if (quota_ != nullptr) quota_->GiveBack(caller_);
    }

   private:
    friend class CallerQuota;
    Share(CallerQuota& quota, std::string caller) : quota_(&quota), caller_(std::move(caller)) {}

    CallerQuota* quota_ = nullptr;
    std::string caller_;
  };

  // 0: no limit, and nothing is counted.
  explicit CallerQuota(std::uint64_t max_calls) : max_calls_(max_calls) {}

  std::uint64_t max_calls() const { return max_calls_; }
  // Nullopt if as many calls of that caller are under way.
  std::optional<Share> Take(const std::string& caller) GPUSIM_EXCLUDES(mutex_);

 private:
  void GiveBack(const std::string& caller) GPUSIM_EXCLUDES(mutex_);

  const std::uint64_t max_calls_;
  batching::Mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> under_way_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::access
