// Tasks of one client, first in, first out, with removal from the middle in O(1). The links are
// in the records, so queueing allocates nothing.
#pragma once

#include "server/batching/task_table.h"

namespace gpusim::batching {

// Not thread-safe. Does not own the records; a record is in one queue at most.
class TaskQueue {
 public:
  bool empty() const { return front_ == nullptr; }
  // Null when empty.
  TaskRecord* front() const { return front_; }

  void PushBack(TaskRecord& record);
  void Remove(TaskRecord& record);

 private:
  TaskRecord* front_ = nullptr;
  TaskRecord* back_ = nullptr;
};

}  // namespace gpusim::batching
