// Resident boards for the scheduler: a task is a board, or what there is to do for it, and asks for the next chunk each time
// anew. Its cells stay on the device, and so does its kind: one kind a device, which the slots of that device alone serve.
//
//   batch:  Begin ... Begin --> one RunResident over the steps of all tasks --> Work ... Work --> End ... End
//
// Chunks of small boards share a launch. What is no step (filling, stamping, comparing) a task does in Work, one task after
// another, by calls of DeviceCells on the slot's thread.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.h"
#include "server/batching/task.h"

namespace gpusim::kinds {

// How long a chunk may be: about 2 ms of the device, see Backend.
struct ResidentChunk {
  std::uint64_t word_steps = 0;   // words times generations
  std::uint32_t generations = 0;  // at least 1
  std::uint32_t fact_rows = 0;    // at least 1
  std::uint64_t fill_words = 0;
};

ResidentChunk ResidentChunkFor(const Backend& backend);

// What counting these facts of one word costs, in generations of that word.
std::uint64_t FactWork(life::FactSet facts);

// Staging that a row of facts takes, as Cost::bytes counts it.
inline constexpr std::uint64_t kFactRowBytes = 56;

class ResidentTask : public batching::Task {
 public:
  explicit ResidentTask(const batching::Terms& terms) : Task(terms) {}

  // The next chunk, at most as large as the last cost() said. Its steps and their rows of facts go to the end of `batch`.
  virtual void Begin(life::ResidentBatch& batch) = 0;
  // The part of the chunk that is no step; may block for as long as a chunk lasts.
  virtual void Work() = 0;
  // The chunk is over; `ran` is of the steps of all tasks.
  virtual batching::Chunk End(const life::ResidentBatch& batch, const DeviceResult<void>& ran) = 0;
};

// The slot has to outlive the runner, and to have room for a batch of the kind.
class ResidentRunner final : public batching::Runner {
 public:
  explicit ResidentRunner(Slot& slot) : slot_(slot) {}

  void Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) override;

 private:
  Slot& slot_;
};

}  // namespace gpusim::kinds
