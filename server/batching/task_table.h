// The accepted tasks that are not finished yet, by id. Records are reused, last freed first, so
// that a busy server allocates nothing here once it has seen its longest queue.
//
//   id = | generation, 32 bits | record number + 1, 32 bits |
//
// Each reuse of a record raises its generation, so the id of a finished task finds nothing. Ids are
// never 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "server/batching/kind.h"
#include "server/batching/task.h"

namespace gpusim::batching {

using TaskId = std::uint64_t;

struct ClientTasks;

struct TaskRecord {
  TaskId id = 0;  // of the task here, or of the next one to come
  std::unique_ptr<Task> task;
  KindIndex kind = 0;
  Cost cost;                 // of the next chunk; while the task runs, the slot's alone to write
  std::uint64_t charge = 0;  // of that chunk, as ChargeOf has it
  std::uint64_t held_bytes = 0;  // of the first cost, as counted by the kind
  ClientKey client = 0;
  Priority priority = Priority::kInteractive;
  TimePoint deadline;
  TimePoint submitted;
  bool running = false;    // else queued
  bool cancelled = false;  // while running
  bool taken = false;      // has run before

  // Owned by TaskQueue; `next` by TaskTable while the record is free.
  TaskRecord* previous = nullptr;
  TaskRecord* next = nullptr;
  // Owned by ClientQueue.
  ClientTasks* of_client = nullptr;
  // Owned by DeadlineHeap.
  std::size_t heap_position = 0;
};

// Not thread-safe. Records keep their address until the table goes.
class TaskTable {
 public:
  TaskTable() = default;
  TaskTable(const TaskTable&) = delete;
  TaskTable& operator=(const TaskTable&) = delete;

  // A record with its id, the task and the task's terms filled in.
  TaskRecord& Add(std::unique_ptr<Task> task);
  // Null when the id's task is finished or never was.
  TaskRecord* Find(TaskId id);
  // Frees the record for reuse and hands its task back.
  std::unique_ptr<Task> Remove(TaskRecord& record);

 private:
  std::deque<TaskRecord> records_;
  TaskRecord* free_ = nullptr;
};

}  // namespace gpusim::batching
