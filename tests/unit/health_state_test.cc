// What each name says of a server's health, and who is told of changes.
#include "server/health/health_state.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

namespace gpusim::server {
namespace {

constexpr const char* kReadyNames[] = {"", "ready", "a.Service"};

class Counter final : public HealthState::Listener {
 public:
  void OnHealthChanged() override { ++told; }
  int told = 0;
};

void ExpectReady(const HealthState& state, bool ready) {
  for (const char* name : kReadyNames) EXPECT_EQ(state.serving(name), ready) << name;
}

TEST(HealthStateTest, IsReadyOnceItIsWarm) {
  HealthState state({"a.Service"});
  ExpectReady(state, false);
  EXPECT_EQ(state.serving("warm"), false);
  EXPECT_EQ(state.serving("device"), true);
  state.SetWarm();
  ExpectReady(state, true);
  EXPECT_EQ(state.serving("warm"), true);
}

TEST(HealthStateTest, ALostDeviceIsNotReady) {
  HealthState state({"a.Service"});
  state.SetWarm();
  state.LoseDevice();
  ExpectReady(state, false);
  EXPECT_EQ(state.serving("warm"), true);
  EXPECT_EQ(state.serving("device"), false);
}

// Or a kubelet would kill it for its liveness while it drains.
TEST(HealthStateTest, ADrainIsNoFaultOfTheDevice) {
  HealthState state({"a.Service"});
  state.SetWarm();
  EXPECT_FALSE(state.draining());
  state.BeginDrain();
  EXPECT_TRUE(state.draining());
  ExpectReady(state, false);
  EXPECT_EQ(state.serving("warm"), true);
  EXPECT_EQ(state.serving("device"), true);
}

TEST(HealthStateTest, KnowsNoOtherName) {
  const HealthState state({"a.Service"});
  EXPECT_EQ(state.serving("b.Service"), std::nullopt);
  EXPECT_EQ(state.serving("READY"), std::nullopt);
}

TEST(HealthStateTest, TellsListenersUntilTheyAreRemoved) {
  HealthState state({});
  const auto stays = std::make_shared<Counter>();
  const auto leaves = std::make_shared<Counter>();
  state.Add(stays);
  state.Add(leaves);
  state.SetWarm();
  state.Remove(*leaves);
  state.Remove(*leaves);
  state.BeginDrain();
  EXPECT_EQ(stays->told, 2);
  EXPECT_EQ(leaves->told, 1);
  EXPECT_EQ(leaves.use_count(), 1) << "it is not kept";
}

}  // namespace
}  // namespace gpusim::server
