// The Life work of a slot: boards that come and go with a batch, and resident ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tbb/enumerable_thread_specific.h>

#include "kernels/backend.h"
#include "kernels/batches.h"
#include "kernels/cpu/life_lanes.h"
#include "kernels/cpu/life_tile.h"
#include "kernels/race/huge_array.h"

namespace gpusim::life {

using Workspaces = tbb::enumerable_thread_specific<TileBuffers>;

// Rows of a batch may be run at the same time, in an arena; a large board takes all its threads.
class LifeRunner {
 public:
  // Throws std::bad_alloc. The workspaces have to outlive the runner.
  LifeRunner(const Lanes& lanes, const SlotCapacity& capacity, Workspaces& workspaces);

  StepBatch& steps() { return steps_; }
  ResidentBatch& residents() { return residents_; }

  // Answers one row of the batch. `next` has the size of `cells` before.
  void StepBoard(std::size_t board);
  void StepResident(std::size_t board);

 private:
  const Lanes& lanes_;
  StepBatch steps_;
  ResidentBatch residents_;
  HugeArray<std::uint64_t> other_;  // twin of `next`, for boards of several passes
  Workspaces& workspaces_;
};

}  // namespace gpusim::life
