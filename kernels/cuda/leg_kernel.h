#pragma once

#include <cuda_runtime_api.h>

#include "kernels/batches.h"

namespace gpusim::cuda {

// Answers all rows of `queries`, one block a row at a time. Asynchronous on the stream.
void LaunchLegOdds(const camel_up::LegQueries::ViewType& queries,
                   const camel_up::LegAnswers::ViewType& answers, int multiprocessors,
                   cudaStream_t stream);

}  // namespace gpusim::cuda
