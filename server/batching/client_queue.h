// The queue of one kind and priority: clients take turns by deficit round robin, and each one's tasks go first in, first out.
//
//        ring of clients that have something queued
//   +--> A: t1 t2 t3 ... t4000    credit 7 <-- whose turn it is
//   |    B: t1                    credit 0
//   +--- C: t1 t2                 credit 3
//
// A turn gives a client `quantum` of credit and lasts until its next task costs more than it has left; what is left is for its
// next turn. So clients get equal work, whatever the sizes and the numbers of their tasks, and a new one waits for one turn of each
// of the others. Who is alone needs no credit, and gets none that the next one to come would have to wait for.
//
// Invariant: a client is in the ring exactly while it has a task here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "server/batching/queue.h"
#include "server/batching/task_table.h"

namespace gpusim::batching {

// What a client has queued, and its place in the ring.
struct ClientTasks {
  ClientKey client = 0;
  TaskQueue tasks;
  std::uint64_t credit = 0;
  ClientTasks* previous = nullptr;
  ClientTasks* next = nullptr;
};

// Not thread-safe. Does not own the records; a record is in one queue at most. Allocates nothing once it has seen as many clients at
// a time as it ever does.
class ClientQueue {
 public:
  // At least 1, in the unit of TaskRecord::charge.
  explicit ClientQueue(std::uint64_t quantum) : quantum_(quantum) {}

  bool empty() const { return turn_ == nullptr; }
  std::size_t clients() const { return clients_.size(); }
  // The task whose turn it is, the same one until something is added or removed; null when empty. O(charge / quantum), and all
  // of a client's turns together pay for one of its tasks.
  TaskRecord* front();

  // By the record's client and charge, which must not change while it is here.
  void PushBack(TaskRecord& record);
  // Takes the front out and charges its client for it.
  void PopFront();
  // Takes any record out without a charge.
  void Remove(TaskRecord& record);

 private:
  using Clients = std::unordered_map<ClientKey, ClientTasks>;

  ClientTasks& Enter(ClientKey client);
  void Leave(ClientTasks& leaver);
  bool TurnIsAlone() const { return turn_->next == turn_; }
  void PassTurn();

  const std::uint64_t quantum_;
  Clients clients_;
  std::vector<Clients::node_type> spare_;  // of clients that left
  ClientTasks* turn_ = nullptr;
};

}  // namespace gpusim::batching
