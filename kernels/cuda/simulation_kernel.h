#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "kernels/batches.h"
#include "kernels/soa/layout.h"
#include "kernels/soa/vector.h"

namespace gpusim::cuda {

// Simulations are handed to blocks in units: kLanesOfAUnit neighbouring lanes, each with up to kRowsOfAUnit rows
// of the stream one after another.
inline constexpr std::uint32_t kLanesOfAUnit = 128;
inline constexpr std::uint32_t kRowsOfAUnit = 32;

GPUSIM_HOST_DEVICE constexpr std::uint32_t UnitsOf(std::uint32_t simulations) {
  constexpr auto kAllLanes = static_cast<std::uint32_t>(camel_up::kLanes);
  const std::uint32_t lanes = simulations < kAllLanes ? simulations : kAllLanes;
  const auto rows = static_cast<std::uint32_t>(camel_up::RowsOf(simulations));
  return ((lanes + kLanesOfAUnit - 1) / kLanesOfAUnit) * ((rows + kRowsOfAUnit - 1) / kRowsOfAUnit);
}

// A block's work: of row kRow of the batch the units kShare, kShare + kShares and so on.
enum PartColumn : std::size_t { kRow, kShare, kShares };
using Parts = soa::Vector<std::uint32_t, std::uint32_t, std::uint32_t>;

// The resident cuRAND Philox states of all lanes of one stream, in device memory, all standing at the first word
// of one block.
struct WarmStates {
  void* states = nullptr;
  camel_up::StreamBase stream;
  std::uint64_t block = 0;
};
extern const std::size_t kWarmStateBytes;  // of all lanes

// All are asynchronous on the stream.

// Makes the states of `warm`.
void LaunchSeed(const WarmStates& warm, cudaStream_t stream);

// Moves the states on by `blocks`; the caller does the same to warm.block.
void LaunchAdvance(const WarmStates& warm, std::uint64_t blocks, cudaStream_t stream);

// Adds the tallies of all parts to the answers, which have to be 0 before. Rows of the warm stream at or ahead
// of its block start from its states, others from states made in registers; the states stay as they are.
void LaunchSimulations(const camel_up::SimulationQueries::ViewType& queries,
                       const Parts::ViewType& parts, const WarmStates& warm,
                       const camel_up::OddsAnswers::ViewType& answers, cudaStream_t stream);

}  // namespace gpusim::cuda
