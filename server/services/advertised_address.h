// Where this server takes calls, as it tells others. Known once it listens: a port may be the system's choice.
#pragma once

#include <string>
#include <utility>

#include "server/batching/mutex.h"

namespace gpusim::server {

// Thread-safe.
class AdvertisedAddress {
 public:
  void Set(std::string address) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    address_ = std::move(address);
  }
  std::string Get() const GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    return address_;
  }

 private:
  mutable batching::Mutex mutex_;
  std::string address_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::server
