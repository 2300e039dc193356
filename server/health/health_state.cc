#include "server/health/health_state.h"

#include <algorithm>
#include <utility>

namespace gpusim::server {

using batching::MutexLock;

HealthState::HealthState(std::vector<std::string> services) : services_(std::move(services)) {}

void HealthState::SetWarm() { Set(&HealthState::warm_); }
void HealthState::LoseDevice() { Set(&HealthState::device_lost_); }
void HealthState::BeginDrain() { Set(&HealthState::draining_); }

void HealthState::Set(bool HealthState::*fact) {
  std::vector<std::shared_ptr<Listener>> listeners;
  {
    const MutexLock lock(mutex_);
    this->*fact = true;
    listeners.reserve(listeners_.size());
    for (const auto& [key, listener] : listeners_) listeners.push_back(listener);
  }
  for (const auto& listener : listeners) listener->OnHealthChanged();
}

std::optional<bool> HealthState::serving(std::string_view name) const {
  const MutexLock lock(mutex_);
  if (name == "warm") return warm_;
  if (name == "device") return !device_lost_;
  const bool known = name.empty() || name == "ready" ||
                     std::find(services_.begin(), services_.end(), name) != services_.end();
  if (!known) return std::nullopt;
  return warm_ && !device_lost_ && !draining_;
}

bool HealthState::draining() const {
  const MutexLock lock(mutex_);
  return draining_;
}

void HealthState::Add(std::shared_ptr<Listener> listener) {
  const MutexLock lock(mutex_);
  const Listener* const key = listener.get();
  listeners_.emplace(key, std::move(listener));
}

void HealthState::Remove(const Listener& listener) {
  std::shared_ptr<Listener> last;  // goes after the lock, as it may be the end of the listener
  const MutexLock lock(mutex_);
  const auto found = listeners_.find(&listener);
  if (found == listeners_.end()) return;
  last = std::move(found->second);
  listeners_.erase(found);
}

}  // namespace gpusim::server
