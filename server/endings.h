// Why and how the process of a server ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "server/batching/mutex.h"
#include "server/device/device_watch.h"

namespace gpusim::server {

// Exit statuses; 2, wrong usage, is of the command line.
inline constexpr int kStopped = 0;
inline constexpr int kCannotStart = 1;
inline constexpr int kDeviceLost = 3;
inline constexpr int kDeviceHangs = 4;
inline constexpr int kStopTooLong = 5;

constexpr int StatusOf(DeviceLoss::How how) {
  return how == DeviceLoss::How::kHang ? kDeviceHangs : kDeviceLost;
}

// Where those who know that the server has to end say so, and main waits for it. Thread-safe.
class Endings {
 public:
  void Stop(int signal) GPUSIM_EXCLUDES(mutex_);
  void Lose(const DeviceLoss& loss) GPUSIM_EXCLUDES(mutex_);
  // Drained first, then ended: the server is gone too.
  enum class Stage : std::uint8_t { kServing, kDrained, kEnded };
  void Reach(Stage stage) GPUSIM_EXCLUDES(mutex_);

  // Until there is a signal or a loss. The loss counts where there are both.
  void AwaitWish() GPUSIM_EXCLUDES(mutex_);
  // Until the stage is reached or the time has come, or until a device is lost while the server is still to drain.
  void AwaitStage(Stage stage, std::chrono::steady_clock::time_point deadline)
      GPUSIM_EXCLUDES(mutex_);

  // The server is destroyed by one thread, and looked at as it ends by another: it belongs to who asks for it first. False for
  // everybody after that.
  bool ClaimServer() GPUSIM_EXCLUDES(mutex_);

  int signal() const GPUSIM_EXCLUDES(mutex_);
  std::optional<DeviceLoss> loss() const GPUSIM_EXCLUDES(mutex_);
  bool reached(Stage stage) const GPUSIM_EXCLUDES(mutex_);

 private:
  mutable batching::Mutex mutex_;
  batching::CondVar changed_;
  int signal_ GPUSIM_GUARDED_BY(mutex_) = 0;  // 0: none yet
  std::optional<DeviceLoss> loss_ GPUSIM_GUARDED_BY(mutex_);
  Stage stage_ GPUSIM_GUARDED_BY(mutex_) = Stage::kServing;
  bool claimed_ GPUSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace gpusim::server
