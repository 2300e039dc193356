#include "server/batching/queue.h"

namespace gpusim::batching {

void TaskQueue::PushBack(TaskRecord& record) {
  record.previous = back_;
  record.next = nullptr;
  (back_ == nullptr ? front_ : back_->next) = &record;
  back_ = &record;
}

void TaskQueue::Remove(TaskRecord& record) {
  (record.previous == nullptr ? front_ : record.previous->next) = record.next;
  (record.next == nullptr ? back_ : record.next->previous) = record.previous;
  record.previous = record.next = nullptr;
}

}  // namespace gpusim::batching
