// Ctrl-C while a call is under way: the call is cancelled, so that the server stops too, and the
// program ends with the status of an interrupted one. A second Ctrl-C ends it at once.
#pragma once

#include <atomic>
#include <thread>

#include <gpusim/cancellation.h>
#include <signal.h>

namespace gpusim::cli {

// SIGINT is handled by a thread of its own, because nothing that cancels a call may run in a signal
// handler. To be made before gRPC starts its threads, for they inherit the mask that keeps the
// signal from them. At the end SIGINT has its old meaning again.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  const Cancellation& cancellation() const { return cancellation_; }

 private:
  void Listen();

  Cancellation cancellation_;
  sigset_t signals_;
  sigset_t old_mask_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace gpusim::cli
