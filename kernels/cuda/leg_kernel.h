#pragma once

#include <cuda_runtime_api.h>

#include "kernels/batches.h"

namespace gpusim::cuda {

// Adds the answers of all rows of `queries` to the rows of `answers`, which have to be 0 before.
// Asynchronous on the stream.
void LaunchLegOdds(const camel_up::ExactQueries::ViewType& queries,
                   const camel_up::OddsAnswers::ViewType& answers, int multiprocessors,
                   cudaStream_t stream);

}  // namespace gpusim::cuda
