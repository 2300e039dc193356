// Who hears how a task ended.
#pragma once

#include "server/batching/task.h"

namespace gpusim::kinds {

// One listener a task, which has to live until it has been told.
template <class Task>
class Listener {
 public:
  // Called once, on a thread of the scheduler, without locks. The task is destroyed right after:
  // take out of it what is needed. Must not block and must not throw.
  virtual void OnTaskFinished(Task& task, batching::Outcome outcome) = 0;

 protected:
  ~Listener() = default;
};

}  // namespace gpusim::kinds
