// What a backend is: slots with columns of questions and columns of answers, and one call that
// turns the one into the other. Everything here is domain; neither CUDA nor protobuf shows.
//
//   caller (one thread a slot)                    backend
//   fill slot->camel_up().queries   --- RunCamelUp() --->   one copy a property, one launch, copies
//   back read slot->camel_up().answers   <--------------------
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/batches.h"

namespace gpusim {

enum class BackendKind : std::uint8_t { kCpu, kCuda };

struct DeviceInfo {
  std::string name;
  std::uint64_t memory_bytes = 0;  // of a GPU, 0 for the CPU
  std::uint32_t threads = 0;       // of the CPU, 0 for a GPU
};

// A device failed. After a sticky fault the process can not use the device any more.
struct DeviceFault {
  std::string what;
  bool sticky = false;
};

template <class T>
using DeviceResult = tl::expected<T, DeviceFault>;

// How much one batch may hold. Columns are made this large once and never grow.
struct SlotCapacity {
  std::size_t camel_up_rows = 0;
  std::size_t life_boards = 0;
  std::size_t life_words = 0;  // 64-bit words of all boards of a batch together
};

// One stream of work of one device, with its own columns. Used by one thread at a time; different
// slots, also of one device, are independent. Fill the columns up to the capacity, run, read the
// answers, Clear().
class Slot {
 public:
  virtual ~Slot() = default;

  virtual camel_up::LegBatch& camel_up() = 0;
  virtual life::StepBatch& life() = 0;

  // Answer every row of the batch. Block until the answers are in the answer columns. On a fault no
  // answer is to be trusted. Do not allocate.
  virtual DeviceResult<void> RunCamelUp() = 0;
  virtual DeviceResult<void> RunLife() = 0;
};

// Thread-safe. Has to outlive its slots.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  virtual const std::vector<DeviceInfo>& devices() const = 0;

  // Work that keeps a device busy for about 2 ms: moves of the odds tree (camel_up::TreeMoves),
  // words times generations, and generations of the smallest board (each has a latency of its own).
  // What a batch should hold at the most, so that other work gets its turn.
  virtual std::uint64_t camel_up_chunk_moves() const = 0;
  virtual std::uint64_t life_chunk_word_steps() const = 0;
  virtual std::uint32_t life_chunk_generations() const = 0;

  // Allocates all columns of the slot on host and device.
  virtual DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t device,
                                                       const SlotCapacity& capacity) = 0;
};

// A backend of `threads` worker threads (0: as many as the process may use, by affinity and cgroup
// quota).
std::unique_ptr<Backend> MakeCpuBackend(int threads);

// All visible GPUs. The fault says what is missing where there is none: the toolkit when this was
// built, the driver, or a device.
DeviceResult<std::unique_ptr<Backend>> MakeCudaBackend();

}  // namespace gpusim
