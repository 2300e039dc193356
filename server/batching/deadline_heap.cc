#include "server/batching/deadline_heap.h"

#include <cassert>

namespace gpusim::batching {
namespace {

bool HasDeadline(const TaskRecord& record) { return record.deadline != TimePoint::max(); }

}  // namespace

void DeadlineHeap::Add(TaskRecord& record) {
  if (!HasDeadline(record)) return;
  heap_.push_back(&record);
  SiftUp(&record, heap_.size() - 1);
}

void DeadlineHeap::Remove(TaskRecord& record) {
  if (!HasDeadline(record)) return;
  const std::size_t hole = record.heap_position;
  assert(hole < heap_.size() && heap_[hole] == &record);
  TaskRecord* const last = heap_.back();
  heap_.pop_back();
  if (last == &record) return;
  // The last record fills the hole; it may belong above or below it.
  if (hole > 0 && last->deadline < heap_[(hole - 1) / 2]->deadline) {
    SiftUp(last, hole);
  } else {
    SiftDown(last, hole);
  }
}

void DeadlineHeap::Place(TaskRecord* record, std::size_t position) {
  heap_[position] = record;
  record->heap_position = position;
}

void DeadlineHeap::SiftUp(TaskRecord* record, std::size_t position) {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (heap_[parent]->deadline <= record->deadline) break;
    Place(heap_[parent], position);
    position = parent;
  }
  Place(record, position);
}

void DeadlineHeap::SiftDown(TaskRecord* record, std::size_t position) {
  while (true) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1]->deadline < heap_[child]->deadline) ++child;
    if (record->deadline <= heap_[child]->deadline) break;
    Place(heap_[child], position);
    position = child;
  }
  Place(record, position);
}

}  // namespace gpusim::batching
