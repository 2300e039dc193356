// Threads of one's own for a long computation that goes beside other work: they inherit the caller's
// priority, which those of the arena would not. The work is a sequence of loops with a barrier after
// each; the caller sleeps meanwhile and looks up now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gpusim {

class WorkerTeam {
 public:
  // Throws std::system_error where the process may have no more threads.
  explicit WorkerTeam(int threads);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // Runs part(0) to part(parts - 1), each once, on the workers, and returns when all are done. Calls
  // look(parts done) on the calling thread every tenth of a second; once it says false no further
  // part starts. Returns whether all have run. Parts must not throw.
  bool Run(std::size_t parts, const std::function<void(std::size_t)>& part,
           const std::function<bool(std::size_t)>& look);

 private:
  void Work();
  void Stop();

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  std::size_t loop_ = 0;       // number of the current loop; under mutex_, as all up to stop_
  std::size_t working_ = 0;    // workers that have not finished it
  std::size_t parts_ = 0;
  const std::function<void(std::size_t)>* part_ = nullptr;
  bool stop_ = false;
  std::atomic<std::size_t> next_{0};
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace gpusim
