#include "tests/testing/held_backend.h"

#include <utility>
#include <vector>

#include "tests/testing/in_process_server.h"
#include "tests/testing/wrapped_backend.h"

namespace gpusim::testing {
namespace {

class HeldSlot final : public Slot {
 public:
  HeldSlot(std::unique_ptr<Slot> slot, DeviceGate& gate) : slot_(std::move(slot)), gate_(gate) {}

  camel_up::OddsBatch& camel_up() override { return slot_->camel_up(); }
  life::StepBatch& life() override { return slot_->life(); }
  life::ResidentBatch& resident() override { return slot_->resident(); }
  DeviceResult<void> RunCamelUp() override {
    if (auto fault = gate_.Pass()) return tl::unexpected(*std::move(fault));
    return slot_->RunCamelUp();
  }
  DeviceResult<void> RunLife() override {
    if (auto fault = gate_.Pass()) return tl::unexpected(*std::move(fault));
    return slot_->RunLife();
  }
  DeviceResult<void> RunResident() override {
    if (auto fault = gate_.Pass()) return tl::unexpected(*std::move(fault));
    return slot_->RunResident();
  }

 private:
  std::unique_ptr<Slot> slot_;
  DeviceGate& gate_;
};

class HeldBackend final : public WrappedBackend {
 public:
  explicit HeldBackend(DeviceGate& gate) : WrappedBackend(MakeTestBackend()), gate_(gate) {}

  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t device, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& warm) override {
    auto slot = WrappedBackend::MakeSlot(device, capacity, warm);
    if (!slot) return tl::unexpected(slot.error());
    return std::make_unique<HeldSlot>(*std::move(slot), gate_);
  }

 private:
  DeviceGate& gate_;
};

}  // namespace

void DeviceGate::Close() {
  const batching::MutexLock lock(mutex_);
  closed_ = true;
}

void DeviceGate::Open() {
  const batching::MutexLock lock(mutex_);
  closed_ = false;
  changed_.NotifyAll();
}

void DeviceGate::LetPass(int batches) {
  const batching::MutexLock lock(mutex_);
  may_pass_ += batches;
  changed_.NotifyAll();
  while (may_pass_ > 0) changed_.Wait(mutex_);
}

void DeviceGate::Break(const std::string& fault, bool sticky) {
  const batching::MutexLock lock(mutex_);
  fault_ = DeviceFault{.what = fault, .sticky = sticky};
  fault_once_ = false;
}

void DeviceGate::BreakNext(const std::string& fault, bool sticky) {
  const batching::MutexLock lock(mutex_);
  fault_ = DeviceFault{.what = fault, .sticky = sticky};
  fault_once_ = true;
}

void DeviceGate::Mend() {
  const batching::MutexLock lock(mutex_);
  fault_.reset();
}

void DeviceGate::AwaitStopped(int batches) {
  const batching::MutexLock lock(mutex_);
  while (stopped_ < batches) changed_.Wait(mutex_);
}

std::optional<DeviceFault> DeviceGate::Pass() {
  const batching::MutexLock lock(mutex_);
  ++stopped_;
  changed_.NotifyAll();
  while (closed_ && may_pass_ == 0) changed_.Wait(mutex_);
  --stopped_;
  if (may_pass_ > 0) {
    --may_pass_;
    changed_.NotifyAll();
  }
  std::optional<DeviceFault> fault = fault_;
  if (fault_once_) fault_.reset();
  return fault;
}

std::unique_ptr<Backend> MakeHeldBackend(DeviceGate& gate) {
  return std::make_unique<HeldBackend>(gate);
}

}  // namespace gpusim::testing
