// What the scheduler knows of a request: what it costs, until when it is wanted, and whom to tell.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "server/batching/clock.h"

namespace gpusim::batching {

// Of one chunk of a task. A batch closes before any of the three sums passes its limit.
struct Cost {
  std::uint64_t rows = 0;   // of the query columns
  std::uint64_t bytes = 0;  // of staging besides the rows
  std::uint64_t work = 0;   // predicted, in the kind's own unit
  // Memory besides `bytes` that the task has for as long as it is there: no part of a batch, and counted when it is accepted.
  std::uint64_t held_bytes = 0;
};

enum class Outcome : std::uint8_t {
  kAnswered,
  kFailed,      // the device did not deliver; fault() says why
  kCancelled,   // by its caller
  kExpired,     // its deadline passed first
  kDraining,    // the scheduler stopped before it was done
  kDeviceLost,  // the scheduler was abandoned, as its devices can not be used any more
};

// One request under way. The scheduler calls Finish exactly once, outside its locks, on whichever
// thread learns the outcome, and destroys the task right after. Not shared: between two calls of
// the scheduler nobody else touches it, except through what Finish hands on.
class Task {
 public:
  explicit Task(TimePoint deadline) : deadline_(deadline) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Of the next chunk. Called under the scheduler's lock: cheap, no blocking. The first value has
  // to fit a batch.
  virtual Cost cost() const = 0;
  virtual void Finish(Outcome outcome) = 0;

  TimePoint deadline() const { return deadline_; }

 private:
  const TimePoint deadline_;
};

// What became of a task's chunk.
enum class Chunk : std::uint8_t {
  kDone,    // the task is answered
  kAgain,   // more to do: back to the end of the queue
  kFailed,  // the device failed
};

// Runs batches of one kind on one slot; used by the slot's thread alone. `chunks` has one entry a
// task, to be filled. Must not throw.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void Run(std::span<Task* const> batch, std::span<Chunk> chunks) = 0;
};

}  // namespace gpusim::batching
