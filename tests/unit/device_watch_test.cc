// Who hears that a device is lost or hangs, and what is answered from then on.
#include "server/device/device_watch.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/batching/heartbeat.h"
#include "server/batching/mutex.h"
#include "server/device/fault_injection.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/wrapped_backend.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Never runs a kernel: it answers as it is told.
class ScriptedSlot final : public Slot {
 public:
  explicit ScriptedSlot(std::vector<DeviceResult<void>> script) : script_(std::move(script)) {}

  camel_up::OddsBatch& camel_up() override { return odds_; }
  life::StepBatch& life() override { return steps_; }
  life::ResidentBatch& resident() override { return residents_; }
  DeviceResult<void> RunCamelUp() override { return Next(); }
  DeviceResult<void> RunLife() override { return Next(); }
  DeviceResult<void> RunResident() override { return Next(); }

 private:
  DeviceResult<void> Next() {
    return next_ < script_.size() ? script_[next_++] : DeviceResult<void>{};
  }

  std::vector<DeviceResult<void>> script_;
  std::size_t next_ = 0;
  camel_up::OddsBatch odds_{1, 1, std::pmr::get_default_resource()};
  life::StepBatch steps_{1, 1, 1, std::pmr::get_default_resource()};
  life::ResidentBatch residents_{1, 1, std::pmr::get_default_resource()};
};

class ScriptedBackend final : public testing::WrappedBackend {
 public:
  ScriptedBackend() : WrappedBackend(MakeCpuBackend(1)) {}
  std::optional<DeviceFault> StickyFault() const override {
    if (!lost) return std::nullopt;
    return DeviceFault{.what = "cells of a board went astray", .sticky = true};
  }
  std::atomic<bool> lost = false;
};

class LossLog {
 public:
  void Add(const DeviceLoss& loss) {
    const batching::MutexLock lock(mutex_);
    losses_.push_back(loss);
  }
  std::vector<DeviceLoss> losses() const {
    const batching::MutexLock lock(mutex_);
    return losses_;
  }

 private:
  mutable batching::Mutex mutex_;
  std::vector<DeviceLoss> losses_ GPUSIM_GUARDED_BY(mutex_);
};

class DeviceWatchTest : public ::testing::Test {
 protected:
  std::unique_ptr<Slot> Watched(std::vector<DeviceResult<void>> script) {
    return watch_.Watch(std::make_unique<ScriptedSlot>(std::move(script)), 0);
  }

  batching::FakeClock clock_;
  ScriptedBackend backend_;
  LossLog log_;
  DeviceWatch watch_{backend_, milliseconds(800),
                     [this](const DeviceLoss& loss) { log_.Add(loss); }, clock_};
};

DeviceResult<void> Fault(const std::string& what, bool sticky) {
  return tl::unexpected(DeviceFault{.what = what, .sticky = sticky});
}

TEST_F(DeviceWatchTest, AFaultThatPassesIsItsBatchsAlone) {
  const auto slot = Watched({Fault("no memory", false)});
  const auto failed = slot->RunCamelUp();
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().what, "no memory");
  EXPECT_TRUE(slot->RunCamelUp().has_value());
  EXPECT_FALSE(watch_.lost());
}

TEST_F(DeviceWatchTest, AfterAStickyFaultNoSlotRunsAnything) {
  const auto slot = Watched({{}, Fault("illegal address", true)});
  const auto other = Watched({});
  EXPECT_TRUE(slot->RunLife().has_value());
  EXPECT_TRUE(other->RunLife().has_value());
  EXPECT_FALSE(slot->RunResident().has_value());
  for (Slot* any : {slot.get(), other.get()}) {
    for (const auto& ran : {any->RunCamelUp(), any->RunLife(), any->RunResident()}) {
      ASSERT_FALSE(ran.has_value());
      EXPECT_TRUE(ran.error().sticky);
      EXPECT_THAT(ran.error().what, HasSubstr("device 0 (CPU, 1 thread): illegal address"));
    }
  }
  ASSERT_EQ(log_.losses().size(), 1u) << "told once";
  EXPECT_EQ(log_.losses()[0].how, DeviceLoss::How::kFault);
}

TEST_F(DeviceWatchTest, HearsOfFaultsOutsideOfSlots) {
  backend_.lost = true;
  while (!watch_.lost()) clock_.Advance(milliseconds(100));
  EXPECT_FALSE(Watched({})->RunLife().has_value());
}

// A runner that does not come back until it is told.
class HangingRunner final : public batching::Runner {
 public:
  void Run(std::span<batching::Task* const> /*batch*/,
           std::span<batching::Chunk> /*chunks*/) override {
    const batching::MutexLock lock(mutex_);
    running_ = true;
    changed_.NotifyAll();
    while (!released_) changed_.Wait(mutex_);
  }
  void AwaitRunning() {
    const batching::MutexLock lock(mutex_);
    while (!running_) changed_.Wait(mutex_);
  }
  void Release() {
    const batching::MutexLock lock(mutex_);
    released_ = true;
    changed_.NotifyAll();
  }

 private:
  batching::Mutex mutex_;
  batching::CondVar changed_;
  bool running_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool released_ GPUSIM_GUARDED_BY(mutex_) = false;
};

TEST_F(DeviceWatchTest, ABatchThatTakesTooLongHangs) {
  batching::SlotRunners runners(2);  // of one kind alone
  runners[1] = std::make_unique<HangingRunner>();
  auto& runner = static_cast<HangingRunner&>(*runners[1]);
  runners = watch_.Watch(std::move(runners), 0);
  EXPECT_EQ(runners[0], nullptr);
  std::thread slot([&] { runners[1]->Run({}, {}); });
  runner.AwaitRunning();
  while (!watch_.lost()) clock_.Advance(milliseconds(100));
  EXPECT_EQ(watch_.loss()->how, DeviceLoss::How::kHang);
  EXPECT_EQ(watch_.loss()->what, "device 0 (CPU, 1 thread): a batch has run for more than 800ms");
  runner.Release();
  slot.join();
}

class HangCheckTest : public ::testing::Test {
 protected:
  bool LookIn(milliseconds later) {
    now_ += later;
    return check_.Look(heartbeat_.since(), now_);
  }

  batching::TimePoint now_{std::chrono::hours(1)};
  batching::Heartbeat heartbeat_;
  batching::HangCheck check_{milliseconds(1000), milliseconds(200)};
};

TEST_F(HangCheckTest, CountsFromTheFirstLook) {
  heartbeat_.Begin(now_);
  EXPECT_FALSE(LookIn(milliseconds(100)));
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(LookIn(milliseconds(100))) << i;
  EXPECT_TRUE(LookIn(milliseconds(100)));
}

TEST_F(HangCheckTest, AnIdleWorkerAndABusyOneDoNotHang) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(LookIn(milliseconds(100))) << i;
  for (int i = 0; i < 100; ++i) {
    heartbeat_.Begin(now_);  // another batch each time
    EXPECT_FALSE(LookIn(milliseconds(100))) << i;
  }
  heartbeat_.End();
  EXPECT_FALSE(LookIn(milliseconds(100)));
}

// A process that is stopped, as by a debugger, or a machine that sleeps: when it goes on, every batch seems to have taken
// hours.
TEST_F(HangCheckTest, TimeInWhichNobodyLookedDoesNotCount) {
  heartbeat_.Begin(now_);
  EXPECT_FALSE(LookIn(milliseconds(100)));
  EXPECT_FALSE(LookIn(std::chrono::hours(10)));
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(LookIn(milliseconds(100))) << i;
  EXPECT_TRUE(LookIn(milliseconds(100)));
}

TEST(FaultInjectionTest, CountsTheBatchesOfItsDevice) {
  FaultInjection injection(*ParseInjectedFault("recoverable@2:1"));
  const auto other =
      injection.Break(std::make_unique<ScriptedSlot>(std::vector<DeviceResult<void>>{}), 0);
  const auto first =
      injection.Break(std::make_unique<ScriptedSlot>(std::vector<DeviceResult<void>>{}), 1);
  const auto second =
      injection.Break(std::make_unique<ScriptedSlot>(std::vector<DeviceResult<void>>{}), 1);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(other->RunLife().has_value());
  EXPECT_TRUE(first->RunLife().has_value());
  EXPECT_TRUE(second->RunCamelUp().has_value());
  const auto failed = first->RunResident();
  ASSERT_FALSE(failed.has_value());
  EXPECT_FALSE(failed.error().sticky);
  EXPECT_TRUE(first->RunResident().has_value());
}

TEST(FaultInjectionTest, StickyFaultsStay) {
  FaultInjection injection(*ParseInjectedFault("sticky@1"));
  const auto slot =
      injection.Break(std::make_unique<ScriptedSlot>(std::vector<DeviceResult<void>>{}), 0);
  EXPECT_TRUE(slot->RunLife().has_value());
  for (int i = 0; i < 3; ++i) {
    const auto failed = slot->RunLife();
    ASSERT_FALSE(failed.has_value());
    EXPECT_TRUE(failed.error().sticky);
  }
}

TEST(InjectedFaultTest, IsReadAsItIsWritten) {
  for (const char* text : {"sticky@0", "recoverable@7", "hang@3:1", "slow@18446744073709551615"}) {
    const auto fault = ParseInjectedFault(text);
    ASSERT_TRUE(fault.has_value()) << text;
    EXPECT_EQ(FormatInjectedFault(*fault), text);
  }
  for (const char* text : {"", "sticky", "sticky@", "sticky@x", "loud@1", "sticky@1:", "sticky@1:x",
                           "sticky@-1", "sticky@1@2", "@1"})
    EXPECT_EQ(ParseInjectedFault(text), std::nullopt) << text;
}

}  // namespace
}  // namespace gpusim::server
