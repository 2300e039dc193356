#include "server/device/device_watch.h"

#include <algorithm>
#include <utility>

#include "server/config/server_options.h"
#include "server/device/slot_around.h"

namespace gpusim::server {

using batching::MutexLock;

namespace {

// Eight looks a timeout, so that a hang is found soon after; an idle server is to do nothing that shows.
std::chrono::nanoseconds IntervalFor(std::chrono::milliseconds timeout) {
  return std::clamp<std::chrono::nanoseconds>(timeout / 8, std::chrono::milliseconds(1),
                                              std::chrono::milliseconds(250));
}

}  // namespace

class DeviceWatch::WatchedSlot final : public SlotAround {
 public:
  WatchedSlot(std::unique_ptr<Slot> slot, DeviceWatch& watch, std::size_t device)
      : SlotAround(std::move(slot)), watch_(watch), device_(device) {}

 private:
  // What was under way while a device was lost is not trusted either, whatever it says itself.
  DeviceResult<void> Around(const RunBatch& run) override {
    if (watch_.lost()) return tl::unexpected(watch_.Fault());
    DeviceResult<void> ran = run();
    if (!ran && ran.error().sticky)
      watch_.Lose({DeviceLoss::How::kFault, watch_.NameOf(device_) + ": " + ran.error().what});
    if (watch_.lost()) return tl::unexpected(watch_.Fault());
    return ran;
  }

  DeviceWatch& watch_;
  const std::size_t device_;
};

class DeviceWatch::WatchedRunner final : public batching::Runner {
 public:
  WatchedRunner(std::unique_ptr<batching::Runner> inner, batching::Heartbeat& heartbeat,
                const batching::Clock& clock)
      : inner_(std::move(inner)), heartbeat_(heartbeat), clock_(clock) {}

  void Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) override {
    heartbeat_.Begin(clock_.Now());
    inner_->Run(batch, chunks);
    heartbeat_.End();
  }

 private:
  const std::unique_ptr<batching::Runner> inner_;
  batching::Heartbeat& heartbeat_;
  const batching::Clock& clock_;
};

DeviceWatch::DeviceWatch(const Backend& backend, std::chrono::milliseconds timeout,
                         std::function<void(const DeviceLoss&)> on_lost, batching::Clock& clock)
    : backend_(backend),
      timeout_(timeout),
      interval_(IntervalFor(timeout)),
      on_lost_(std::move(on_lost)),
      clock_(clock),
      thread_([this] { Look(); }) {}

DeviceWatch::~DeviceWatch() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  ending_changed_.NotifyAll();
  thread_.join();
}

std::unique_ptr<Slot> DeviceWatch::Watch(std::unique_ptr<Slot> slot, std::size_t device) {
  return std::make_unique<WatchedSlot>(std::move(slot), *this, device);
}

batching::SlotRunners DeviceWatch::Watch(batching::SlotRunners runners, std::size_t device) {
  const MutexLock lock(mutex_);
  Worker& worker = workers_.emplace_back(device, batching::HangCheck(timeout_, 2 * interval_));
  for (auto& runner : runners) {
    if (runner != nullptr)
      runner = std::make_unique<WatchedRunner>(std::move(runner), worker.heartbeat, clock_);
  }
  return runners;
}

std::optional<DeviceLoss> DeviceWatch::loss() const {
  const MutexLock lock(mutex_);
  return loss_;
}

DeviceFault DeviceWatch::Fault() const { return {.what = loss()->what, .sticky = true}; }

void DeviceWatch::Lose(const DeviceLoss& loss) {
  {
    const MutexLock lock(mutex_);
    if (loss_) return;
    loss_ = loss;
    lost_ = true;
  }
  on_lost_(loss);
}

void DeviceWatch::Look() {
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (!ending_) clock_.WaitUntil(mutex_, ending_changed_, clock_.Now() + interval_);
      if (ending_) return;
    }
    if (const auto loss = FindLoss()) Lose(*loss);
  }
}

std::optional<DeviceLoss> DeviceWatch::FindLoss() {
  if (const auto fault = backend_.StickyFault())
    return DeviceLoss{DeviceLoss::How::kFault, fault->what};
  const batching::TimePoint now = clock_.Now();
  const MutexLock lock(mutex_);
  for (Worker& worker : workers_) {
    if (worker.check.Look(worker.heartbeat.since(), now))
      return DeviceLoss{
          DeviceLoss::How::kHang,
          NameOf(worker.device) + ": a batch has run for more than " + FormatDuration(timeout_)};
  }
  return std::nullopt;
}

std::string DeviceWatch::NameOf(std::size_t device) const {
  return "device " + std::to_string(device) + " (" + backend_.devices()[device].name + ")";
}

}  // namespace gpusim::server
