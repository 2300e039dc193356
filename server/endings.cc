#include "server/endings.h"

#include <utility>

namespace gpusim::server {

using batching::MutexLock;

void Endings::Stop(int signal) {
  const MutexLock lock(mutex_);
  signal_ = signal;
  changed_.NotifyAll();
}

void Endings::Lose(const DeviceLoss& loss) {
  const MutexLock lock(mutex_);
  loss_ = loss;
  changed_.NotifyAll();
}

void Endings::Reach(Stage stage) {
  const MutexLock lock(mutex_);
  stage_ = stage;
  changed_.NotifyAll();
}

void Endings::AwaitWish() {
  const MutexLock lock(mutex_);
  while (signal_ == 0 && !loss_) changed_.Wait(mutex_);
}

void Endings::AwaitStage(Stage stage, std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (stage_ < stage && !(stage_ == Stage::kServing && loss_) &&
         std::chrono::steady_clock::now() < deadline)
    changed_.WaitUntil(mutex_, deadline);
}

bool Endings::ClaimServer() {
  const MutexLock lock(mutex_);
  return !std::exchange(claimed_, true);
}

int Endings::signal() const {
  const MutexLock lock(mutex_);
  return signal_;
}

std::optional<DeviceLoss> Endings::loss() const {
  const MutexLock lock(mutex_);
  return loss_;
}

bool Endings::reached(Stage stage) const {
  const MutexLock lock(mutex_);
  return stage_ >= stage;
}

}  // namespace gpusim::server
