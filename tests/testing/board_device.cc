#include "tests/testing/board_device.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/testing/wrapped_backend.h"

namespace gpusim::testing {
namespace {

using batching::MutexLock;

class BoardSlot final : public Slot {
 public:
  BoardSlot(std::unique_ptr<Slot> slot, BoardDevice& device)
      : slot_(std::move(slot)), device_(device) {}

  camel_up::OddsBatch& camel_up() override { return slot_->camel_up(); }
  life::StepBatch& life() override { return slot_->life(); }
  life::ResidentBatch& resident() override { return slot_->resident(); }
  DeviceResult<void> RunCamelUp() override { return slot_->RunCamelUp(); }
  DeviceResult<void> RunLife() override { return slot_->RunLife(); }
  DeviceResult<void> RunResident() override {
    if (auto fault = device_.Pass(slot_->resident().steps.size()))
      return tl::unexpected(*std::move(fault));
    return slot_->RunResident();
  }

 private:
  std::unique_ptr<Slot> slot_;
  BoardDevice& device_;
};

class BoardBackend final : public WrappedBackend {
 public:
  explicit BoardBackend(BoardDevice& device)
      : WrappedBackend(MakeCpuBackend(1)),
        device_(device),
        devices_(device.devices, WrappedBackend::devices().front()) {}

  const std::vector<DeviceInfo>& devices() const override { return devices_; }
  std::uint64_t life_chunk_word_steps() const override { return device_.word_steps; }
  std::uint32_t life_chunk_generations() const override { return device_.generations; }
  std::uint64_t life_chunk_fill_words() const override { return device_.fill_words; }
  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t device,
                                                             std::uint32_t width,
                                                             std::uint32_t height) override {
    if (!device_.TakeBuffer())
      return tl::unexpected(DeviceFault{.what = "out of memory", .sticky = false});
    return WrappedBackend::MakeCells(device, width, height);
  }
  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t /*device*/, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& warm) override {
    auto slot = WrappedBackend::MakeSlot(0, capacity, warm);
    if (!slot) return slot;
    return std::make_unique<BoardSlot>(*std::move(slot), device_);
  }

 private:
  BoardDevice& device_;
  const std::vector<DeviceInfo> devices_;
};

}  // namespace

void BoardDevice::Hold() {
  const MutexLock lock(mutex_);
  holding_ = true;
}

void BoardDevice::AwaitHeld(int launches) {
  const MutexLock lock(mutex_);
  while (held_ < launches) changed_.Wait(mutex_);
}

void BoardDevice::Release(int launches) {
  const MutexLock lock(mutex_);
  may_pass_ += launches;
  changed_.NotifyAll();
}

void BoardDevice::ReleaseAll() {
  const MutexLock lock(mutex_);
  holding_ = false;
  changed_.NotifyAll();
}

void BoardDevice::FailAfter(int launches, const std::string& what) {
  const MutexLock lock(mutex_);
  fails_after_ = launches;
  fault_ = what;
}

void BoardDevice::LimitBuffers(int buffers) {
  const MutexLock lock(mutex_);
  buffers_left_ = buffers;
}

int BoardDevice::launches() const {
  const MutexLock lock(mutex_);
  return launches_;
}

std::size_t BoardDevice::most_steps() const {
  const MutexLock lock(mutex_);
  return most_steps_;
}

std::optional<DeviceFault> BoardDevice::Pass(std::size_t steps) {
  const MutexLock lock(mutex_);
  ++held_;
  changed_.NotifyAll();
  while (holding_ && may_pass_ == 0) changed_.Wait(mutex_);
  if (holding_) --may_pass_;
  --held_;
  ++launches_;
  most_steps_ = std::max(most_steps_, steps);
  if (fails_after_ && (*fails_after_)-- == 0) {
    fails_after_.reset();
    return DeviceFault{.what = fault_, .sticky = false};
  }
  return std::nullopt;
}

bool BoardDevice::TakeBuffer() {
  const MutexLock lock(mutex_);
  if (!buffers_left_) return true;
  if (*buffers_left_ == 0) return false;
  --*buffers_left_;
  return true;
}

std::unique_ptr<Backend> MakeBoardBackend(BoardDevice& device) {
  return std::make_unique<BoardBackend>(device);
}

}  // namespace gpusim::testing
