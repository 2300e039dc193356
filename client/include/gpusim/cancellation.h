// Stops calls from another thread.
#pragma once

#include <memory>

namespace gpusim {

class CancellationState;

// Copies share one state, so that the caller keeps one and gives the others to calls (CallOptions).
// One cancellation may serve any number of calls. Thread-safe; not safe in a signal handler.
class Cancellation {
 public:
  Cancellation();

  // The calls under way end with kCancelled, on the server too; calls made later end at once. For
  // ever.
  void Cancel();
  bool cancelled() const;

  // For the library itself.
  CancellationState& state() const { return *state_; }

 private:
  std::shared_ptr<CancellationState> state_;
};

}  // namespace gpusim
