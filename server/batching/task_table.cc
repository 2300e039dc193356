#include "server/batching/task_table.h"

#include <utility>

namespace gpusim::batching {
namespace {

constexpr TaskId kOneGeneration = TaskId{1} << 32;

}  // namespace

TaskRecord& TaskTable::Add(std::unique_ptr<Task> task) {
  if (free_ == nullptr) {
    free_ = &records_.emplace_back();
    free_->id = records_.size();
  }
  TaskRecord& record = *std::exchange(free_, free_->next);
  record.next = nullptr;
  record.deadline = task->deadline();
  record.client = task->client();
  record.priority = task->priority();
  record.task = std::move(task);
  return record;
}

TaskRecord* TaskTable::Find(TaskId id) {
  const std::size_t number = id % kOneGeneration;
  if (number == 0 || number > records_.size()) return nullptr;
  TaskRecord& record = records_[number - 1];
  return record.id == id && record.task != nullptr ? &record : nullptr;
}

std::unique_ptr<Task> TaskTable::Remove(TaskRecord& record) {
  std::unique_ptr<Task> task = std::move(record.task);
  const TaskId next_id = record.id + kOneGeneration;
  record = TaskRecord{};
  record.id = next_id;
  record.next = std::exchange(free_, &record);
  return task;
}

}  // namespace gpusim::batching
