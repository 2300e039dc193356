#pragma once

#include <cuda_runtime_api.h>

#include "kernels/batches.h"

namespace gpusim::cuda {

// Boards up to this many words are stepped in shared memory, one block a board.
inline constexpr std::size_t kSmallBoardWords = 2048;

// Step all boards of the batch that are small, and all that are not. `scratch` has the shape of
// `next`. The kernels take the boards of their own size and leave the others. Populations are added
// to facts, which have to be 0 before. `most_generations`: of any large board. Asynchronous on the
// stream.
void LaunchSmallBoards(const life::Boards::ViewType& boards, const std::uint64_t* cells,
                       std::uint64_t* next, const life::Facts::ViewType& facts,
                       cudaStream_t stream);
void LaunchLargeBoards(const life::Boards::ViewType& boards, const std::uint64_t* cells,
                       std::uint64_t* next, std::uint64_t* scratch,
                       const life::Facts::ViewType& facts, std::uint32_t most_generations,
                       int multiprocessors, cudaStream_t stream);

}  // namespace gpusim::cuda
