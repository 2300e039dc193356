#pragma once

#include <cuda_runtime_api.h>

#include "kernels/batches.h"
#include "kernels/race_table.h"

namespace gpusim::cuda {

// Some rows of a batch: by their numbers, in device memory, or the first `count` where there are none.
struct ExactRows {
  GPUSIM_HOST_DEVICE std::size_t at(std::size_t k) const {
    return numbers == nullptr ? k : numbers[k];
  }

  const std::uint32_t* numbers = nullptr;
  std::size_t count = 0;
};

// The race tables' rows where the device can read them, null where a table is not in use.
struct RaceRowsOfDevice {
  const camel_up::RaceRow* first = nullptr;
  const camel_up::RaceRow* second = nullptr;
};

// Adds the answers of the rows named, all of Scope::kLeg, to their rows of `answers`, which have to be 0 before.
// Asynchronous on the stream.
void LaunchLegOdds(const camel_up::ExactQueries::ViewType& queries, const ExactRows& rows,
                   const camel_up::OddsAnswers::ViewType& answers, int multiprocessors,
                   cudaStream_t stream);

// Likewise of Scope::kRace. The tables of their editions have to be there.
void LaunchRaceOdds(const camel_up::ExactQueries::ViewType& queries, const ExactRows& rows,
                    const RaceRowsOfDevice& tables, const camel_up::OddsAnswers::ViewType& answers,
                    int multiprocessors, cudaStream_t stream);

}  // namespace gpusim::cuda
