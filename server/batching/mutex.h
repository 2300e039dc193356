// std::mutex with the annotations that Clang's -Wthread-safety reads. The macros carry our name
// since Abseil, which gRPC's headers bring, has some under the short ones.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define GPUSIM_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define GPUSIM_THREAD_ANNOTATION(x)
#endif

#define GPUSIM_CAPABILITY(x) GPUSIM_THREAD_ANNOTATION(capability(x))
#define GPUSIM_SCOPED_CAPABILITY GPUSIM_THREAD_ANNOTATION(scoped_lockable)
#define GPUSIM_GUARDED_BY(x) GPUSIM_THREAD_ANNOTATION(guarded_by(x))
#define GPUSIM_NO_THREAD_SAFETY_ANALYSIS GPUSIM_THREAD_ANNOTATION(no_thread_safety_analysis)
#define GPUSIM_REQUIRES(...) GPUSIM_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define GPUSIM_ACQUIRE(...) GPUSIM_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define GPUSIM_RELEASE(...) GPUSIM_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define GPUSIM_EXCLUDES(...) GPUSIM_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace gpusim::batching {

class GPUSIM_CAPABILITY("mutex") Mutex {
 public:
  void Lock() GPUSIM_ACQUIRE() { mutex_.lock(); }
  void Unlock() GPUSIM_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class GPUSIM_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) GPUSIM_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() GPUSIM_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class CondVar {
 public:
  // Both may wake without a notification.
  void Wait(Mutex& mutex) GPUSIM_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    changed_.wait(lock);
    lock.release();
  }
  template <class Time>
  void WaitUntil(Mutex& mutex, Time when) GPUSIM_REQUIRES(mutex) {
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
