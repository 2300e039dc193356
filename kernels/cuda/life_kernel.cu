// Generations of many boards in one launch. A small board stays in the shared memory of one block
// for its whole run; the words of larger ones are shared out over the whole device, with a
// grid-wide barrier after each generation.
#include <cooperative_groups.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/life_kernel.h"
#include "kernels/rules/life_step.h"

namespace gpusim::cuda {
namespace {

using namespace life;

constexpr int kThreads = 256;

struct BoardInfo {
  std::uint64_t first;
  std::uint32_t height;
  std::uint32_t rule_masks;
  std::uint32_t generations;
  RowEdges edges;

  __device__ std::size_t words() const { return std::size_t{height} * edges.words; }
};

__device__ BoardInfo ReadBoard(const Boards::ViewType& boards, std::size_t i) {
  return {boards.At<kFirstWord>(i), boards.At<kHeight>(i), boards.At<kRuleMasks>(i),
          boards.At<kGenerations>(i), EdgesOf(boards.At<kWidth>(i), boards.At<kTopology>(i))};
}

// Sums of the row `offset` (-1, 0, +1) rows away from y.
__device__ RowSum<std::uint64_t> SumNear(const std::uint64_t* cells, const BoardInfo& board,
                                         std::uint32_t y, std::uint32_t i, int offset) {
  std::uint32_t row = y + static_cast<std::uint32_t>(offset);  // wraps to huge above the top row
  if (row >= board.height) {
    if (!board.edges.torus) return {0, 0};
    row = offset < 0 ? board.height - 1 : 0;
  }
  return SumRowAt(cells + std::size_t{row} * board.edges.words, i, board.edges);
}

template <class NextWord>
__device__ std::uint64_t StepWord(const std::uint64_t* cells, const BoardInfo& board,
                                  std::size_t word, NextWord next_word) {
  const auto y = static_cast<std::uint32_t>(word / board.edges.words);
  const auto i = static_cast<std::uint32_t>(word - std::size_t{y} * board.edges.words);
  const std::uint64_t next =
      next_word(SumNear(cells, board, y, i, -1), SumNear(cells, board, y, i, 0),
                SumNear(cells, board, y, i, +1), cells[word]);
  return i + 1 == board.edges.words ? next & LastWordMask(board.edges) : next;
}

// Steps the words begin, begin + stride, ... of one board by one generation.
__device__ void StepWords(const std::uint64_t* cells, std::uint64_t* next, const BoardInfo& board,
                          std::size_t begin, std::size_t stride) {
  using Sum = RowSum<std::uint64_t>;
  if (board.rule_masks == RuleMasks(kConway)) {
    for (std::size_t word = begin; word < board.words(); word += stride) {
      next[word] =
          StepWord(cells, board, word, [](Sum top, Sum middle, Sum bottom, std::uint64_t centre) {
            return NextConwayCells(top, middle, bottom, centre);
          });
    }
    return;
  }
  const RuleWords<std::uint64_t> rule = MakeRuleWords<std::uint64_t>(board.rule_masks);
  for (std::size_t word = begin; word < board.words(); word += stride) {
    next[word] = StepWord(cells, board, word,
                          [&rule](Sum top, Sum middle, Sum bottom, std::uint64_t centre) {
                            return NextCells(top, middle, bottom, centre, rule);
                          });
  }
}

// Adds the warp's live cells to the board's population.
__device__ void AddPopulation(const Facts::ViewType& facts, std::size_t board,
                              unsigned long long live) {
  for (int offset = 16; offset > 0; offset /= 2) live += __shfl_down_sync(0xffffffff, live, offset);
  if (threadIdx.x % 32 == 0 && live != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(&facts.At<kPopulation>(board)), live);
}

__global__ void __launch_bounds__(kThreads)
    SmallBoards(Boards::ViewType boards, const std::uint64_t* cells, std::uint64_t* next,
                Facts::ViewType facts) {
  __shared__ std::uint64_t buffers[2][kSmallBoardWords];
  const BoardInfo board = ReadBoard(boards, blockIdx.x);
  const std::size_t words = board.words();
  if (words > kSmallBoardWords) return;
  for (std::size_t word = threadIdx.x; word < words; word += kThreads)
    buffers[0][word] = cells[board.first + word];
  __syncthreads();
  for (std::uint32_t generation = 0; generation < board.generations; ++generation) {
    StepWords(buffers[generation % 2], buffers[(generation + 1) % 2], board, threadIdx.x, kThreads);
    __syncthreads();
  }
  unsigned long long live = 0;
  for (std::size_t word = threadIdx.x; word < words; word += kThreads) {
    const std::uint64_t final_word = buffers[board.generations % 2][word];
    next[board.first + word] = final_word;
    live += static_cast<unsigned long long>(__popcll(final_word));
  }
  AddPopulation(facts, blockIdx.x, live);
}

// In generation g the boards that have more than g to run are stepped. A board's last generation,
// and every second one before it, goes to `next`, the others to `scratch`.
__global__ void __launch_bounds__(kThreads)
    LargeBoards(Boards::ViewType boards, const std::uint64_t* cells, std::uint64_t* next,
                std::uint64_t* scratch, Facts::ViewType facts, std::uint32_t most_generations) {
  const auto grid = cooperative_groups::this_grid();
  const std::size_t thread = grid.thread_rank();
  const std::size_t threads = grid.size();
  for (std::uint32_t generation = 0; generation < most_generations; ++generation) {
    for (std::size_t b = 0; b < boards.size(); ++b) {
      const BoardInfo board = ReadBoard(boards, b);
      if (board.words() <= kSmallBoardWords || generation >= board.generations) continue;
      const bool to_next = (board.generations - generation) % 2 == 1;
      const std::uint64_t* from = generation == 0 ? cells : to_next ? scratch : next;
      StepWords(from + board.first, (to_next ? next : scratch) + board.first, board, thread,
                threads);
    }
    grid.sync();
  }
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const BoardInfo board = ReadBoard(boards, b);
    if (board.words() <= kSmallBoardWords) continue;
    unsigned long long live = 0;
    for (std::size_t word = thread; word < board.words(); word += threads) {
      if (board.generations == 0) next[board.first + word] = cells[board.first + word];
      live += static_cast<unsigned long long>(__popcll(next[board.first + word]));
    }
    AddPopulation(facts, b, live);
  }
}

}  // namespace

void LaunchSmallBoards(const Boards::ViewType& boards, const std::uint64_t* cells,
                       std::uint64_t* next, const Facts::ViewType& facts, cudaStream_t stream) {
  SmallBoards<<<static_cast<unsigned>(boards.size()), kThreads, 0, stream>>>(boards, cells, next,
                                                                             facts);
  CheckCuda(cudaGetLastError());
}

void LaunchLargeBoards(const Boards::ViewType& boards, const std::uint64_t* cells,
                       std::uint64_t* next, std::uint64_t* scratch, const Facts::ViewType& facts,
                       std::uint32_t most_generations, int multiprocessors, cudaStream_t stream) {
  int blocks = 0;
  CheckCuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, LargeBoards, kThreads, 0));
  // A grid-wide barrier needs all blocks resident at once. Two slots may run at the same time: half
  // each would starve a lone one, and the driver queues a cooperative launch that does not fit yet.
  const dim3 grid(static_cast<unsigned>(blocks * multiprocessors));
  Boards::ViewType boards_argument = boards;
  Facts::ViewType facts_argument = facts;
  void* arguments[] = {&boards_argument, &cells,          &next,
                       &scratch,         &facts_argument, &most_generations};
  CheckCuda(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(LargeBoards), grid,
                                        dim3(kThreads), arguments, 0, stream));
}

}  // namespace gpusim::cuda
