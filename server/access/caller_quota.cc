#include "server/access/caller_quota.h"

namespace gpusim::access {

std::optional<CallerQuota::Share> CallerQuota::Take(const std::string& caller) {
  if (max_calls_ == 0) return Share();
  const batching::MutexLock lock(mutex_);
  std::uint64_t& calls = under_way_[caller];
  if (calls == max_calls_) return std::nullopt;
  ++calls;
  return Share(*this, caller);
}

void CallerQuota::GiveBack(const std::string& caller) {
  const batching::MutexLock lock(mutex_);
  const auto found = under_way_.find(caller);
  if (--found->second == 0) under_way_.erase(found);
}

}  // namespace gpusim::access
