// How the server is, as one small object: the server sets it, health services and whoever else likes read it.
//
//   name                         serves
//   warm                         once every kernel has run
//   device                       until a device is lost or hangs
//   "", ready, each service      while both do and the server does not drain
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/batching/mutex.h"

namespace gpusim::server {

// Thread-safe.
class HealthState {
 public:
  // Told after every change, without a lock, on the thread that made it: looks for itself what there is to see, as two
  // changes may be told in any order. Must not block.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void OnHealthChanged() = 0;
  };

  // Cold, its devices fine. The full names of the services that the server has.
  explicit HealthState(std::vector<std::string> services);

  // Each happens once and is never taken back.
  void SetWarm() GPUSIM_EXCLUDES(mutex_);
  void LoseDevice() GPUSIM_EXCLUDES(mutex_);
  void BeginDrain() GPUSIM_EXCLUDES(mutex_);

  // Nothing for a name that is not known.
  std::optional<bool> serving(std::string_view name) const GPUSIM_EXCLUDES(mutex_);
  bool draining() const GPUSIM_EXCLUDES(mutex_);

  // Keeps the listener until it is removed. After Remove it may still be told once.
  void Add(std::shared_ptr<Listener> listener) GPUSIM_EXCLUDES(mutex_);
  void Remove(const Listener& listener) GPUSIM_EXCLUDES(mutex_);

 private:
  void Set(bool HealthState::*fact) GPUSIM_EXCLUDES(mutex_);

  const std::vector<std::string> services_;
  mutable batching::Mutex mutex_;
  bool warm_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool device_lost_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool draining_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::map<const Listener*, std::shared_ptr<Listener>> listeners_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::server
