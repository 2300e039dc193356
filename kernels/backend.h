// What a backend is: slots with columns of questions and columns of answers, and one call that
// turns the one into the other. Everything here is domain; neither CUDA nor protobuf shows.
//
//   caller (one thread a slot)                    backend
//   fill the query columns of slot->camel_up()   --- RunCamelUp() --->   one copy a property, launches
//   read the answer columns                      <-------------------    copies back
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/batches.h"
#include "kernels/device_cells.h"
#include "kernels/device_fault.h"
#include "kernels/race_table.h"

namespace gpusim {

enum class BackendKind : std::uint8_t { kCpu, kCuda };

struct DeviceInfo {
  std::string name;
  std::uint64_t memory_bytes = 0;  // of a GPU, 0 for the CPU
  std::uint32_t threads = 0;       // of the CPU, 0 for a GPU
};

// How much one batch may hold. Columns are made this large once and never grow.
struct SlotCapacity {
  std::size_t camel_up_rows = 0;
  std::size_t simulation_rows = 0;
  std::size_t life_boards = 0;
  std::size_t life_words = 0;  // 64-bit words of all boards of a batch together
  std::size_t life_facts = 0;  // rows of facts of a batch
  std::size_t resident_boards = 0;
};

// One stream of work of one device, with its own columns. Used by one thread at a time; different
// slots, also of one device, are independent. Fill the columns up to the capacity, run, read the
// answers, Clear().
class Slot {
 public:
  virtual ~Slot() = default;

  virtual camel_up::OddsBatch& camel_up() = 0;
  virtual life::StepBatch& life() = 0;
  virtual life::ResidentBatch& resident() = 0;

  // Answer every row of the batch. Block until the answers are in the answer columns. On a fault no
  // answer is to be trusted. Do not allocate. Exact rows of Scope::kRace need the edition's race table
  // in use before.
  virtual DeviceResult<void> RunCamelUp() = 0;
  virtual DeviceResult<void> RunLife() = 0;
  virtual DeviceResult<void> RunResident() = 0;
};

// Where a race table lies for the queries of a GPU; the CPU reads it where it is.
enum class TableMemory : std::uint8_t { kDevice, kHost };

// Hears of a solver's progress; false stops it. Called on the solver's thread.
using RaceSolveWatch = std::function<bool(const camel_up::RaceSolveProgress&)>;

// Thread-safe. Has to outlive its slots.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  virtual const std::vector<DeviceInfo>& devices() const = 0;

  // Work that keeps a device busy for about 2 ms: moves of the odds tree (camel_up::TreeMoves, times
  // kRaceRowFactor for a race row), moves of simulations (camel_up::SimulatedMoves times their count), words
  // times generations, and generations of the smallest board (each has a latency of its own). What a batch
  // should hold at the most, so that other work gets its turn.
  virtual std::uint64_t camel_up_chunk_moves() const = 0;
  virtual std::uint64_t camel_up_chunk_simulated_moves() const = 0;
  virtual std::uint64_t life_chunk_word_steps() const = 0;
  virtual std::uint32_t life_chunk_generations() const = 0;
  // The same of DeviceCells::Fill, in words.
  virtual std::uint64_t life_chunk_fill_words() const = 0;

  // Allocates all columns of the slot on host and device, and seeds the slot's warm random states with
  // `warm`: rows of that stream start from them, all others from states made in registers, to the
  // same bits.
  virtual DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t device,
                                                       const SlotCapacity& capacity,
                                                       const camel_up::StreamBase& warm) = 0;

  // Memory for the cells of a board, both sides at least 1; what they are is unspecified. A fault, not
  // sticky, where memory is short.
  virtual DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t device,
                                                                     std::uint32_t width,
                                                                     std::uint32_t height) = 0;

  // The first fault after which the process can not use its devices any more, of any call so far: also of those on cells, and
  // of another thread's. Nothing while they are fine.
  virtual std::optional<DeviceFault> StickyFault() const { return std::nullopt; }

  // Bytes that can still be had on the device, now.
  virtual std::uint64_t FreeMemory(std::size_t device) const = 0;

  // Solves the race table of an edition: the same bytes on every backend. Blocks for as long as it takes,
  // on the CPU with `threads` threads of its own (0: as many as the backend has), which inherit the caller's
  // priority; slots go on working. nullptr when the watch stopped it; a fault where memory is short.
  virtual DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTable(
      camel_up::Edition edition, int threads, const RaceSolveWatch& watch) = 0;

  // Exact race rows read this table from now on; called at most once an edition. Copies it to every GPU, or
  // where `memory` says so lets them read it in host memory.
  virtual DeviceResult<void> UseRaceTable(std::shared_ptr<const camel_up::RaceTable> table,
                                          TableMemory memory) = 0;
};

// A backend of `threads` worker threads (0: as many as the process may use, by affinity and cgroup
// quota).
std::unique_ptr<Backend> MakeCpuBackend(int threads);

// All visible GPUs. The fault says what is missing where there is none: the toolkit when this was
// built, the driver, or a device.
DeviceResult<std::unique_ptr<Backend>> MakeCudaBackend();

}  // namespace gpusim
