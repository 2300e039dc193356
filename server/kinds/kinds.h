// The kinds of work that a server has, in the order in which the scheduler knows them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/backend.h"
#include "server/batching/scheduler.h"
#include "server/kinds/camel_up_kind.h"
#include "server/kinds/life_kind.h"
#include "server/kinds/resident_kind.h"

namespace gpusim::kinds {

// Boards are of one kind a device: device d has kBoards + d.
enum Kind : batching::KindIndex { kCamelUp, kLife, kPing, kBoards };

// How much a batch of a backend may hold.
struct BatchSizes {
  SlotCapacity capacity;
  CamelUpChunk camel_up_chunk;   // of a camel_up batch, and of one task
  LifeChunk life_chunk;          // of a life batch, and of one task
  ResidentChunk resident_chunk;  // of a batch of boards, and of one of them
};

// Sized so that a batch keeps a device busy for about 2 ms, and that the largest single task fits:
// a full leg of the second edition, and a board of `max_step_words` words.
BatchSizes BatchSizesFor(const Backend& backend, std::uint64_t max_step_words);

std::vector<batching::KindOptions> KindsOf(const BatchSizes& sizes, std::size_t devices,
                                           std::uint64_t max_tasks, std::uint64_t max_bytes);

// The runners of one slot of the device, which has to outlive them.
batching::SlotRunners RunnersOf(Slot& slot, std::size_t device, std::size_t devices);

}  // namespace gpusim::kinds
