// The Camel Up part of a slot on a GPU: columns of questions and answers on both sides, the warm random
// states, and what is launched for a batch.
#pragma once

#include <cstdint>
#include <memory_resource>

#include "kernels/backend.h"
#include "kernels/cuda/device_columns.h"
#include "kernels/cuda/handles.h"
#include "kernels/cuda/leg_kernel.h"
#include "kernels/cuda/simulation_kernel.h"

namespace gpusim::cuda {

// Not thread-safe. Throws CudaError. The device has to be the current one of the calling thread.
class OddsRunner {
 public:
  // Takes all memory that it will ever need; `pinned` has to outlive it. Asynchronous on the stream.
  OddsRunner(const SlotCapacity& capacity, int multiprocessors, const camel_up::StreamBase& warm,
             std::pmr::memory_resource* pinned, const Stream& stream);

  camel_up::OddsBatch& batch() { return batch_; }

  // Answers the batch, asynchronously on the stream. Every edition of a race row has its table.
  void Run(const RaceRowsOfDevice& tables, const Stream& stream);

 private:
  void RunExact(const RaceRowsOfDevice& tables, const Stream& stream);
  void RunSimulations(const Stream& stream);
  void ListRaceRowsLast();
  bool CutIntoParts();
  void AdvanceWarmStates(const Stream& stream);

  int multiprocessors_;
  camel_up::OddsBatch batch_;

  // Numbers of the exact rows, those of legs before those of races.
  using RowNumbers = soa::Vector<std::uint32_t>;
  RowNumbers row_numbers_;
  std::size_t leg_rows_ = 0;
  Parts parts_;

  DeviceColumns<camel_up::ExactQueries> exact_queries_;
  DeviceColumns<camel_up::OddsAnswers> exact_answers_;
  DeviceColumns<RowNumbers> device_row_numbers_;
  DeviceColumns<camel_up::SimulationQueries> simulation_queries_;
  DeviceColumns<camel_up::OddsAnswers> simulation_answers_;
  DeviceColumns<Parts> device_parts_;
  DeviceMemory warm_memory_;
  WarmStates warm_;
};

}  // namespace gpusim::cuda
