#include "server/device/fault_injection.h"

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "server/device/slot_around.h"

namespace gpusim::server {
namespace {

void HangForEver() {
  std::promise<void> never;
  never.get_future().wait();
}

}  // namespace

class FaultInjection::BrokenSlot final : public SlotAround {
 public:
  BrokenSlot(std::unique_ptr<Slot> slot, FaultInjection& injection)
      : SlotAround(std::move(slot)), injection_(injection) {}

 private:
  DeviceResult<void> Around(const RunBatch& run) override {
    const InjectedFault& fault = injection_.fault_;
    const std::uint64_t batch = injection_.batches_++;
    if (batch < fault.after_batches) return run();
    const bool first = batch == fault.after_batches;
    switch (fault.kind) {
      case InjectedFaultKind::kSticky:
        return tl::unexpected(DeviceFault{.what = "injected sticky fault", .sticky = true});
      case InjectedFaultKind::kRecoverable:
        if (first)
          return tl::unexpected(DeviceFault{.what = "injected recoverable fault", .sticky = false});
        break;
      case InjectedFaultKind::kHang:
        if (first) HangForEver();
        break;
      case InjectedFaultKind::kSlow:
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        break;
    }
    return run();
  }

  FaultInjection& injection_;
};

std::unique_ptr<Slot> FaultInjection::Break(std::unique_ptr<Slot> slot, std::size_t device) {
  if (fault_.device && *fault_.device != device) return slot;
  return std::make_unique<BrokenSlot>(std::move(slot), *this);
}

}  // namespace gpusim::server
