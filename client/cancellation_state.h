// What a Cancellation does to the calls that use it: a set of functions, one for each call under
// way, that stop it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace gpusim {

class CancellationState {
 public:
  using Id = std::uint64_t;

  // `stop` runs at most once, on the thread that cancels: here and now if that has happened
  // already. It may still run while or after Remove, so it has to own what it touches.
  Id Add(std::function<void()> stop);
  void Remove(Id id);

  void Cancel();
  bool cancelled() const;

  // Waits that long, or until cancelled; true if cancelled.
  bool WaitFor(std::chrono::nanoseconds time) const;
  // Waits until everything added is removed.
  void AwaitEmpty() const;

 private:
  // Guards all below. Never held while a stop function runs: it may end its call, which removes
  // itself.
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool cancelled_ = false;
  Id next_id_ = 1;
  std::map<Id, std::function<void()>> stops_;
};

}  // namespace gpusim
