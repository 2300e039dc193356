// Tells ThreadSanitizer what it cannot see: that oneTBB, which comes from the distribution without
// the sanitizer, starts the parts of a loop after what its caller wrote, and returns after what the
// parts wrote. Without that, every loop looks like a race; with it, a race of two parts still
// shows. In any other build there is nothing left of this.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GPUSIM_THREAD_SANITIZER 1
#endif
#endif

#if defined(GPUSIM_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace gpusim {

// Made by the caller before the fork; Run() around each part; Join() by the caller afterwards.
class ForkJoin {
 public:
  ForkJoin() { Release(&fork_); }
  ForkJoin(const ForkJoin&) = delete;
  ForkJoin& operator=(const ForkJoin&) = delete;

  template <class Part>
  void Run(Part&& part) {
    Acquire(&fork_);
    part();
    Release(&join_);
  }
  void Join() { Acquire(&join_); }

 private:
#if defined(GPUSIM_THREAD_SANITIZER)
  static void Acquire(char* event) { __tsan_acquire(event); }
  static void Release(char* event) { __tsan_release(event); }
#else
  static void Acquire(char*) {}
  static void Release(char*) {}
#endif

  char fork_ = 0;
  char join_ = 0;
};

}  // namespace gpusim
