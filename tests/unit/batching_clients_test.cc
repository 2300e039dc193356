// Turns of clients: the queue alone, and through the books.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "server/batching/client_queue.h"
#include "tests/testing/batching_fakes.h"
#include "tests/testing/simulated_slots.h"

namespace gpusim::batching {
namespace {

class ClientQueueTest : public testing::Test {
 protected:
  TaskRecord& Push(ClientKey client, std::uint64_t charge) {
    TaskRecord& record = records_.emplace_back();
    record.client = client;
    record.charge = charge;
    queue_.PushBack(record);
    return record;
  }
  std::vector<ClientKey> Pop(std::size_t count) {
    std::vector<ClientKey> clients;
    while (clients.size() < count && !queue_.empty()) {
      clients.push_back(queue_.front()->client);
      queue_.PopFront();
    }
    return clients;
  }
  using Keys = std::vector<ClientKey>;

  std::deque<TaskRecord> records_;
  ClientQueue queue_{10};
};

TEST_F(ClientQueueTest, OneClientGoesFirstInFirstOut) {
  for (int i = 0; i < 20; ++i) Push(7, static_cast<std::uint64_t>(1 + i * 5 % 23));
  for (TaskRecord& record : records_) {
    ASSERT_EQ(queue_.front(), &record);
    ASSERT_EQ(queue_.front(), &record) << "the same until it is taken";
    queue_.PopFront();
  }
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.front(), nullptr);
}

TEST_F(ClientQueueTest, LateComerWaitsForOneTurnOfTheOthers) {
  for (int i = 0; i < 4000; ++i) Push(1, 5);
  EXPECT_EQ(Pop(3), (Keys{1, 1, 1}));
  Push(2, 5);
  EXPECT_EQ(Pop(2), (Keys{2, 1}));
  Push(2, 5);
  Push(3, 5);
  EXPECT_EQ(Pop(5), (Keys{1, 2, 3, 1, 1}));
}

TEST_F(ClientQueueTest, LargeTaskIsSavedForOverSeveralTurns) {
  Push(1, 25);
  Push(1, 25);
  for (int i = 0; i < 20; ++i) Push(2, 5);
  // Two tasks of client 2 a turn; client 1 has 0, 10, 20, 30 and then 15, 25 of credit.
  EXPECT_EQ(Pop(14), (Keys{2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 1, 2, 2}));
}

TEST_F(ClientQueueTest, RemovalOfTheLastTaskPassesTheTurnOn) {
  TaskRecord& first = Push(1, 5);
  Push(2, 5);
  TaskRecord& third = Push(3, 5);
  Push(4, 5);
  queue_.front();
  queue_.Remove(third);
  queue_.Remove(first);
  EXPECT_EQ(queue_.clients(), 2u);
  EXPECT_EQ(Pop(9), (Keys{2, 4}));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.clients(), 0u) << "nothing queued, nothing remembered";
  Push(1, 5);
  EXPECT_EQ(Pop(1), Keys{1});
}

// Random tasks of clients that always have some queued, some of which leave from the middle: each client's go first in, first out,
// and all get the same work but for a turn and a task.
TEST_F(ClientQueueTest, BackloggedClientsGetEqualWork) {
  constexpr std::uint64_t kLargest = 40;
  constexpr ClientKey kClients = 5;
  std::mt19937 random(3);
  std::map<ClientKey, std::deque<TaskRecord*>> expected;
  std::map<ClientKey, std::uint64_t> served;
  for (int round = 0; round < 20'000; ++round) {
    for (ClientKey client = 0; client < kClients; ++client) {
      // The sizes differ by client, too.
      while (expected[client].size() < 3)
        expected[client].push_back(&Push(client, 1 + random() % (kLargest / (1 + client))));
    }
    if (random() % 8 == 0) {
      std::deque<TaskRecord*>& some = expected[random() % kClients];
      queue_.Remove(*some[1]);
      some.erase(some.begin() + 1);
    }
    TaskRecord& next = *queue_.front();
    ASSERT_EQ(&next, expected[next.client].front());
    expected[next.client].pop_front();
    served[next.client] += next.charge;
    queue_.PopFront();
    const auto [least, most] = std::minmax_element(
        served.begin(), served.end(), [](auto& a, auto& b) { return a.second < b.second; });
    if (served.size() == kClients) {
      ASSERT_LE(most->second - least->second, 2 * (10 + kLargest)) << round;
    }
  }
}

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// In nanoseconds of the simulated slots: a batch has 2 ms.
constexpr Cost kTwoMilliseconds{.rows = 4096, .bytes = 0, .work = 2'000'000};

FakeTaskOptions Of(ClientKey client, std::uint64_t work, Priority priority = Priority::kInteractive,
                   int chunks = 1) {
  return {.cost = {.rows = 1, .bytes = 0, .work = work},
          .chunks = chunks,
          .client = client,
          .priority = priority};
}

TEST(Clients, FloodOfOneDelaysAnothersSingleTaskByABatch) {
  for (const std::uint64_t work : {500u, 20'000u, 2'000'000u}) {
    SimulatedSlots slots({{.name = "kind", .batch_limit = kTwoMilliseconds, .max_tasks = 5000}}, 1);
    for (int label = 1; label <= 4000; ++label) ASSERT_TRUE(slots.Submit(label, Of(1, work)));
    slots.RunUntil(slots.now() + nanoseconds(1));
    ASSERT_TRUE(slots.Submit(0, Of(2, 20'000)));
    slots.RunUntil(slots.now() + std::chrono::seconds(10));
    // The batch under way, and its own.
    EXPECT_LE(slots.latency(0), milliseconds(4)) << work;
  }
}

// A job of large chunks of each of two clients, and a third with many small tasks: a third of the device each.
TEST(Clients, ShareTheDeviceByWorkWhateverTheSizesOfTheirTasks) {
  SimulatedSlots slots({{.name = "kind", .batch_limit = kTwoMilliseconds, .max_tasks = 5000}}, 1);
  ASSERT_TRUE(slots.Submit(1, Of(1, 2'000'000, Priority::kInteractive, 1'000'000)));
  ASSERT_TRUE(slots.Submit(2, Of(2, 2'000'000, Priority::kInteractive, 1'000'000)));
  nanoseconds third{0};
  int label = 3;
  for (; label < 1003; ++label) ASSERT_TRUE(slots.Submit(label, Of(3, 50'000)));
  slots.OnAnswer([&](int) {
    third += nanoseconds(50'000);
    ASSERT_TRUE(slots.Submit(label++, Of(3, 50'000)));
  });
  slots.RunUntil(slots.now() + std::chrono::seconds(3));
  for (const nanoseconds time : {slots.TimeWith(1), slots.TimeWith(2), third})
    EXPECT_NEAR(std::chrono::duration<double>(time).count(), 1, 0.03);
}

}  // namespace
}  // namespace gpusim::batching
