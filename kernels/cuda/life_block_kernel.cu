// Boards of up to kBlockWords words, all generations in the shared memory of one block, in two buffers. A thread has a
// column of words and walks down some rows of it, so that each row's sums are made once for three rows:
//
//   words of a row    0    1    2   ...        threads of a board of 3 words a row, 42 strips of rows:
//   strip 0           t0   t1   t2
//   strip 1           t3   t4   t5   ...       rows wider than the block give a thread several columns
#include "kernels/cuda/check.h"
#include "kernels/cuda/life_count.cuh"
#include "kernels/cuda/life_kernels.h"
#include "kernels/cuda/life_rule.cuh"

namespace gpusim::cuda {
namespace {

constexpr std::uint32_t kThreads = 128;

// A word of a row, and its sums with what is left and right of it.
struct SummedRow {
  CellSums sums;
  Cells cells;
};

// The words and bits that come in from the left and the right of a word. Beyond a plane's edges the masks are 0.
class Column {
 public:
  __device__ Column(std::uint32_t i, life::RowEdges edges) : i_(i) {
    const bool first = i == 0;
    const bool last = i + 1 == edges.words;
    left_ = first ? edges.words - 1 : i - 1;
    left_shift_ = first ? edges.last_bits - 1 : life::kCellsPerWord - 1;
    left_mask_ = !first || edges.torus ? 1 : 0;
    right_ = last ? 0 : i + 1;
    right_shift_ = last ? edges.last_bits - 1 : life::kCellsPerWord - 1;
    right_mask_ = !last || edges.torus ? 1 : 0;
    kept_ = last ? life::LastWordMask(edges) : ~std::uint64_t{0};
  }

  __device__ SummedRow Sum(const std::uint64_t* row) const {
    const std::uint64_t centre = row[i_];
    const std::uint64_t left = centre << 1 | (row[left_] >> left_shift_ & left_mask_);
    const std::uint64_t right = centre >> 1 | (row[right_] & right_mask_) << right_shift_;
    return {SumsOf(CellsOf(left), CellsOf(centre), CellsOf(right)), CellsOf(centre)};
  }
  __device__ std::uint64_t kept() const { return kept_; }

 private:
  std::uint32_t i_;
  std::uint32_t left_;
  std::uint32_t right_;
  std::uint32_t left_shift_;
  std::uint32_t right_shift_;
  std::uint64_t left_mask_;
  std::uint64_t right_mask_;
  std::uint64_t kept_;
};

// Rows of a thread, and the board's size.
struct Strip {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t height;
  std::uint32_t row_words;
  bool torus;
};

// Row `inside`, or where that is beyond an end the row `wrapped` of a torus.
__device__ SummedRow SumBeyond(const std::uint64_t* cells, const Strip& strip, const Column& column,
                               std::uint32_t inside, std::uint32_t wrapped) {
  if (inside < strip.height) return column.Sum(cells + inside * strip.row_words);
  return strip.torus ? column.Sum(cells + wrapped * strip.row_words) : SummedRow{};
}

template <class Rule>
__device__ void StepColumn(const std::uint64_t* cells, std::uint64_t* next, std::uint32_t i,
                           const Strip& strip, const Column& column, const Rule& rule) {
  SummedRow top = SumBeyond(cells, strip, column, strip.begin - 1, strip.height - 1);
  SummedRow middle = column.Sum(cells + strip.begin * strip.row_words);
  std::uint64_t* to = next + strip.begin * strip.row_words + i;
  const auto step = [&](const SummedRow& bottom) {
    *to = WordOf(rule(top.sums, middle.sums, bottom.sums, middle.cells)) & column.kept();
    to += strip.row_words;
    top = middle;
    middle = bottom;
  };
  for (std::uint32_t y = strip.begin + 1; y < strip.end; ++y)
    step(column.Sum(cells + y * strip.row_words));
  step(SumBeyond(cells, strip, column, strip.end, 0));
}

// Steps from buffer to buffer and returns the one where the last generation lies. All threads of the block call it.
template <class Rule>
__device__ std::uint64_t* RunBoard(std::uint64_t* cells, std::uint64_t* next, const BoardRun& run,
                                   const Rule& rule, const life::Facts::ViewType& facts) {
  const life::RowEdges edges = run.edges();
  const std::uint32_t strips = min(run.height, max(1u, kThreads / edges.words));
  const std::uint32_t rows = (run.height + strips - 1) / strips;
  const std::uint32_t thread_strip = edges.words >= kThreads ? 0 : threadIdx.x / edges.words;
  const std::uint32_t first_column = threadIdx.x - thread_strip * edges.words;
  const std::uint32_t begin = min(run.height, thread_strip * rows);
  const Strip strip{begin, min(run.height, begin + rows), run.height, edges.words, edges.torus};
  const std::uint32_t every = run.facts_every == 0 ? run.generations : run.facts_every;
  const std::uint64_t words = run.words();

  std::uint32_t row_end = min(every, run.generations);
  std::uint32_t row = 0;
  for (std::uint32_t done = 0; done < run.generations;) {
    if (strip.begin < strip.end) {
      for (std::uint32_t i = first_column; i < edges.words; i += kThreads)
        StepColumn(cells, next, i, strip, Column(i, edges), rule);
    }
    __syncthreads();
    std::uint64_t* const before = cells;
    cells = next;
    next = before;
    if (++done != row_end) continue;
    AddFacts(CountWords(cells, before, run, threadIdx.x, words, kThreads), run.fact_set, facts,
             run.first_facts + row++);
    row_end = run.generations - done > every ? done + every : run.generations;
    __syncthreads();
  }
  return cells;
}

// A block waits at its barriers and for its own loads: several of them to a multiprocessor fill the time.
__global__ void __launch_bounds__(kThreads, 5)
    BlockBoards(const __grid_constant__ RunRange range, std::uint32_t most_words,
                const __grid_constant__ life::Facts::ViewType facts) {
  extern __shared__ std::uint64_t shared[];
  const BoardRun& run = range.runs[blockIdx.x];
  const std::uint64_t words = run.words();
  for (std::uint64_t word = threadIdx.x; word < words; word += kThreads)
    shared[word] = run.from[word];
  __syncthreads();
  const std::uint64_t* last = shared;
  if (run.generations == 0) {
    AddFacts(CountWords(shared, shared, run, threadIdx.x, words, kThreads), run.fact_set, facts,
             run.first_facts);
  } else if (run.rule_masks == life::RuleMasks(life::kConway)) {
    last = RunBoard(shared, shared + most_words, run, ConwayRule(run.rule_masks), facts);
  } else {
    last = RunBoard(shared, shared + most_words, run, AnyRule(run.rule_masks), facts);
  }
  if (run.a == nullptr) return;
  for (std::uint64_t word = threadIdx.x; word < words; word += kThreads) run.a[word] = last[word];
}

}  // namespace

void LaunchBlockBoards(const RunRange& range, std::uint64_t most_words,
                       const life::Facts::ViewType& facts, cudaStream_t stream) {
  const std::size_t bytes = 2 * most_words * sizeof(std::uint64_t);
  BlockBoards<<<range.count, kThreads, bytes, stream>>>(
      range, static_cast<std::uint32_t>(most_words), facts);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
