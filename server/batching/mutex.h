// std::mutex with the annotations that Clang's -Wthread-safety reads.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define GPUSIM_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define GPUSIM_THREAD_ANNOTATION(x)
#endif

#define CAPABILITY(x) GPUSIM_THREAD_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY GPUSIM_THREAD_ANNOTATION(scoped_lockable)
// Abseil, which gRPC's headers bring, defines these two under the same names with the same meaning.
#ifndef GUARDED_BY
#define GUARDED_BY(x) GPUSIM_THREAD_ANNOTATION(guarded_by(x))
#endif
#ifndef NO_THREAD_SAFETY_ANALYSIS
#define NO_THREAD_SAFETY_ANALYSIS GPUSIM_THREAD_ANNOTATION(no_thread_safety_analysis)
#endif
#define REQUIRES(...) GPUSIM_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) GPUSIM_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GPUSIM_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define EXCLUDES(...) GPUSIM_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace gpusim::batching {

class CAPABILITY("mutex") Mutex {
 public:
  void Lock() ACQUIRE() { mutex_.lock(); }
  void Unlock() RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Both may wake without a notification.
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  template <class Time>
  void WaitUntil(Mutex& mutex, Time when) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    changed_.wait_until(lock, when);
    lock.release();
  }
  void NotifyOne() { changed_.notify_one(); }
  void NotifyAll() { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

}  // namespace gpusim::batching
