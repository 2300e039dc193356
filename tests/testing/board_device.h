// The CPU backend with a hand on it, for tests of resident boards: chunks as small as the test likes, launches that stop until
// they are let go, faults, and memory that runs out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kernels/backend.h"
#include "server/batching/mutex.h"

namespace gpusim::testing {

// Thread-safe. Outlives the backend.
class BoardDevice {
 public:
  // What a chunk holds. Before the backend is made.
  std::uint64_t word_steps = 1u << 20;
  std::uint32_t generations = 8;
  std::uint64_t fill_words = 1u << 16;
  // Devices that the one CPU plays. Before the backend is made.
  std::size_t devices = 1;

  // From now on a launch of boards stops before it begins, until Release lets it go.
  void Hold() GPUSIM_EXCLUDES(mutex_);
  void AwaitHeld(int launches = 1) GPUSIM_EXCLUDES(mutex_);
  // Lets so many launches through, now or when they come.
  void Release(int launches) GPUSIM_EXCLUDES(mutex_);
  void ReleaseAll() GPUSIM_EXCLUDES(mutex_);
  // The launch that comes after so many others fails.
  void FailAfter(int launches, const std::string& what) GPUSIM_EXCLUDES(mutex_);
  // MakeCells has this many buffers left.
  void LimitBuffers(int buffers) GPUSIM_EXCLUDES(mutex_);

  int launches() const GPUSIM_EXCLUDES(mutex_);
  // Of the launch that had most.
  std::size_t most_steps() const GPUSIM_EXCLUDES(mutex_);

  // For the backend.
  std::optional<DeviceFault> Pass(std::size_t steps) GPUSIM_EXCLUDES(mutex_);
  bool TakeBuffer() GPUSIM_EXCLUDES(mutex_);

 private:
  mutable batching::Mutex mutex_;
  batching::CondVar changed_;
  bool holding_ GPUSIM_GUARDED_BY(mutex_) = false;
  int held_ GPUSIM_GUARDED_BY(mutex_) = 0;
  int may_pass_ GPUSIM_GUARDED_BY(mutex_) = 0;
  int launches_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::size_t most_steps_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::optional<int> fails_after_ GPUSIM_GUARDED_BY(mutex_);
  std::string fault_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<int> buffers_left_ GPUSIM_GUARDED_BY(mutex_);
};

std::unique_ptr<Backend> MakeBoardBackend(BoardDevice& device);

}  // namespace gpusim::testing
