#include "server/batching/client_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gpusim::batching {

TaskRecord* ClientQueue::front() {
  if (empty()) return nullptr;
  while (!TurnIsAlone() && turn_->tasks.front()->charge > turn_->credit) PassTurn();
  return turn_->tasks.front();
}

void ClientQueue::PushBack(TaskRecord& record) {
  const auto known = clients_.find(record.client);
  ClientTasks& own = known != clients_.end() ? known->second : Enter(record.client);
  own.tasks.PushBack(record);
  record.of_client = &own;
}

void ClientQueue::PopFront() {
  TaskRecord* const record = front();
  assert(record != nullptr);
  turn_->credit -= std::min(turn_->credit, record->charge);
  Remove(*record);
}

void ClientQueue::Remove(TaskRecord& record) {
  ClientTasks& own = *std::exchange(record.of_client, nullptr);
  own.tasks.Remove(record);
  if (own.tasks.empty()) Leave(own);
}

// Last in the ring: just before the one whose turn it is.
ClientTasks& ClientQueue::Enter(ClientKey client) {
  Clients::iterator place;
  if (spare_.empty()) {
    place = clients_.try_emplace(client).first;
  } else {
    Clients::node_type node = std::move(spare_.back());
    spare_.pop_back();
    node.key() = client;
    place = clients_.insert(std::move(node)).position;
  }
  ClientTasks& entered = place->second;
  entered = ClientTasks{};
  entered.client = client;
  if (empty()) {
    entered.previous = entered.next = turn_ = &entered;
  } else {
    entered.next = turn_;
    entered.previous = std::exchange(turn_->previous, &entered);
    entered.previous->next = &entered;
  }
  return entered;
}

void ClientQueue::Leave(ClientTasks& leaver) {
  if (TurnIsAlone()) {
    turn_ = nullptr;
  } else {
    if (turn_ == &leaver) PassTurn();
    leaver.previous->next = leaver.next;
    leaver.next->previous = leaver.previous;
  }
  spare_.push_back(clients_.extract(leaver.client));
}

void ClientQueue::PassTurn() {
  turn_ = turn_->next;
  turn_->credit += quantum_;
}

}  // namespace gpusim::batching
