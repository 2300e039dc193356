// The streams that are open. They end at their callers' wish, so a server that stops has to ask them to end by themselves; and
// so that connections can be closed at their age, it asks those that are as old.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
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

  // Each is asked at that age; 0: at none, and there is no thread.
  explicit OpenStreams(std::chrono::milliseconds max_age);
  // Precondition: none is open.
  ~OpenStreams();
  OpenStreams(const OpenStreams&) = delete;
  OpenStreams& operator=(const OpenStreams&) = delete;

  // Asks it to end at once if that was asked of all.
  void Add(Stream& stream) GPUSIM_EXCLUDES(mutex_);
  // It is not asked any more; waits until a call that is under way has returned.
  void Remove(Stream& stream) GPUSIM_EXCLUDES(mutex_);
  // Of those that are open, and of those to come. Once.
  void EndAllSoon() GPUSIM_EXCLUDES(mutex_);
  // Those that are open now.
  std::size_t count() const GPUSIM_EXCLUDES(mutex_);

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  struct Entry {
    Stream* stream;
    TimePoint end;  // when it is asked
    bool asked = false;
  };

  void Ask(Entry& entry) GPUSIM_REQUIRES(mutex_);
  void EndTheAged() GPUSIM_EXCLUDES(mutex_);
  // Asks those whose time has come. When the next one's does.
  TimePoint AskUntil(TimePoint now) GPUSIM_REQUIRES(mutex_);

  const std::chrono::milliseconds max_age_;
  mutable batching::Mutex mutex_;
  batching::CondVar changed_;
  std::vector<Entry> streams_ GPUSIM_GUARDED_BY(mutex_);
  bool ending_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool sleeps_ GPUSIM_GUARDED_BY(mutex_) = false;  // the thread, as no stream's time will come
  bool closing_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::thread ageing_;  // uses all of the above
};

}  // namespace gpusim::server
