// The streams that are open. They end at their callers' wish, so a server that stops has to ask them to
// end by themselves.
#pragma once

#include <cstddef>
#include <vector>

#include "server/batching/mutex.h"

namespace gpusim::server {

// Thread-safe.
class OpenStreams {
 public:
  class Stream {
   public:
    // What was accepted is to be brought to its end, and then the stream to its own. Called once at the
    // most, between Add and Remove. Must not block, and must not call this registry.
    virtual void EndSoon() = 0;

   protected:
    ~Stream() = default;
  };

  // Asks it to end at once if that was asked of all.
  void Add(Stream& stream) GPUSIM_EXCLUDES(mutex_);
  // It is not asked any more; waits until a call that is under way has returned.
  void Remove(Stream& stream) GPUSIM_EXCLUDES(mutex_);
  // Of those that are open, and of those to come. Once.
  void EndAllSoon() GPUSIM_EXCLUDES(mutex_);
  // Those that are open now.
  std::size_t count() const GPUSIM_EXCLUDES(mutex_);

 private:
  mutable batching::Mutex mutex_;
  std::vector<Stream*> streams_ GPUSIM_GUARDED_BY(mutex_);
  bool ending_ GPUSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace gpusim::server
