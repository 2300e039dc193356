// Queued tasks, the earliest deadline first. A binary heap whose records know their position, so
// that a task leaves from anywhere in O(log n) and nothing stale is left behind. Tasks mostly come
// in the order of their deadlines, which makes Add O(1).
#pragma once

#include <cstddef>
#include <vector>

#include "server/batching/task_table.h"

namespace gpusim::batching {

// Not thread-safe. Does not own the records, which must not change their deadline while here.
class DeadlineHeap {
 public:
  bool empty() const { return heap_.empty(); }
  // The heap must not be empty.
  TaskRecord& earliest() const { return *heap_.front(); }

  // A record without a deadline (TimePoint::max()) is not kept; Remove ignores it likewise.
  void Add(TaskRecord& record);
  void Remove(TaskRecord& record);

 private:
  void Place(TaskRecord* record, std::size_t position);
  void SiftUp(TaskRecord* record, std::size_t position);
  void SiftDown(TaskRecord* record, std::size_t position);

  std::vector<TaskRecord*> heap_;
};

}  // namespace gpusim::batching
