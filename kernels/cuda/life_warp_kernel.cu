// Boards of up to 64 x 64 cells, all generations in the registers of one warp. A lane has two rows, `even` and `odd`:
//
//   lane 0: rows 0 and 1 | lane 1: rows 2 and 3 | ... | lane 31: rows 62 and 63
//
// Rows meet by shuffles of their sums. On a torus the rows beyond the ends are ghosts: row `height`, a copy of row 0, has
// a place of its own in the lane that is its turn, and lane 0 reads the last row where others read the row above theirs.
// A 64 x 64 torus needs none of this: its words are rings of 64 cells, and its lanes a ring.
//
// For a row of facts the board is put into shared memory, where it is counted like any other.
#include "kernels/cuda/check.h"
#include "kernels/cuda/life_count.cuh"
#include "kernels/cuda/life_kernels.h"
#include "kernels/cuda/life_rule.cuh"

namespace gpusim::cuda {
namespace {

constexpr int kLanesOfWarp = 32;
constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kLanesOfWarp;
constexpr unsigned kAllLanes = 0xffffffff;

struct RowPair {
  Cells even;
  Cells odd;
};

struct SumsPair {
  CellSums even;
  CellSums odd;
};

__device__ RowSum32 Shuffle(RowSum32 sum, int lane) {
  return {__shfl_sync(kAllLanes, sum.ones, lane), __shfl_sync(kAllLanes, sum.twos, lane)};
}
__device__ CellSums Shuffle(const CellSums& sums, int lane) {
  return {Shuffle(sums.low, lane), Shuffle(sums.high, lane)};
}
__device__ Cells Shuffle(Cells cells, int lane) {
  return {__shfl_sync(kAllLanes, cells.low, lane), __shfl_sync(kAllLanes, cells.high, lane)};
}

// By value: a choice between two structs as they lie would put them into memory.
__device__ Cells Choose(bool first, Cells a, Cells b) {
  return {first ? a.low : b.low, first ? a.high : b.high};
}
__device__ CellSums Choose(bool first, const CellSums& a, const CellSums& b) {
  return {{first ? a.low.ones : b.low.ones, first ? a.low.twos : b.low.twos},
          {first ? a.high.ones : b.high.ones, first ? a.high.twos : b.high.twos}};
}

// The torus of 64 x 64.
class WholeBoard {
 public:
  __device__ explicit WholeBoard(const BoardRun& /*run*/) {}

  template <class Rule>
  __device__ RowPair Step(const RowPair& rows, const Rule& rule) const {
    const int lane = static_cast<int>(threadIdx.x) % kLanesOfWarp;
    const SumsPair sums{Sum(rows.even), Sum(rows.odd)};
    const CellSums above = Shuffle(sums.odd, (lane + kLanesOfWarp - 1) % kLanesOfWarp);
    const CellSums below = Shuffle(sums.even, (lane + 1) % kLanesOfWarp);
    return {rule(above, sums.even, sums.odd, rows.even),
            rule(sums.even, sums.odd, below, rows.odd)};
  }

 private:
  __device__ static CellSums Sum(Cells row) {
    const Cells left{__funnelshift_l(row.high, row.low, 1), __funnelshift_l(row.low, row.high, 1)};
    const Cells right{__funnelshift_r(row.low, row.high, 1), __funnelshift_r(row.high, row.low, 1)};
    return SumsOf(left, row, right);
  }
};

// Any other board.
class PartOfBoard {
 public:
  __device__ explicit PartOfBoard(const BoardRun& run) {
    const int lane = static_cast<int>(threadIdx.x) % kLanesOfWarp;
    const life::RowEdges edges = run.edges();
    const auto height = static_cast<int>(run.height);
    torus_ = edges.torus;
    last_cell_ = edges.last_bits - 1;
    const Cells row = CellsOf(life::LastWordMask(edges));
    if (2 * lane < height) inside_.even = row;
    if (2 * lane + 1 < height) inside_.odd = row;
    ghost_even_ = torus_ && 2 * lane == height;
    ghost_odd_ = torus_ && 2 * lane + 1 == height;
    last_lane_ = (height - 1) / 2;
    gives_even_ = lane == last_lane_ && height % 2 == 1;
    above_lane_ = lane > 0 ? lane - 1 : last_lane_;
    dead_above_ = !torus_ && lane == 0;
    dead_below_ = !torus_ && lane == kLanesOfWarp - 1;
  }

  template <class Rule>
  __device__ RowPair Step(const RowPair& rows, const Rule& rule) const {
    const int lane = static_cast<int>(threadIdx.x) % kLanesOfWarp;
    const Cells first = Shuffle(rows.even, 0);
    const RowPair with_ghosts{Choose(ghost_even_, first, rows.even),
                              Choose(ghost_odd_, first, rows.odd)};
    const SumsPair sums{Sum(with_ghosts.even), Sum(with_ghosts.odd)};
    CellSums above = Shuffle(Choose(gives_even_, sums.even, sums.odd), above_lane_);
    CellSums below = Shuffle(sums.even, (lane + 1) % kLanesOfWarp);
    if (dead_above_) above = {};
    if (dead_below_) below = {};
    return {rule(above, sums.even, sums.odd, with_ghosts.even) & inside_.even,
            rule(sums.even, sums.odd, below, with_ghosts.odd) & inside_.odd};
  }

 private:
  __device__ CellSums Sum(Cells row) const {
    const std::uint64_t cells = WordOf(row);
    std::uint64_t left = cells << 1;
    std::uint64_t right = cells >> 1;
    if (torus_) {
      left |= cells >> last_cell_ & 1;
      right |= (cells & 1) << last_cell_;
    }
    return SumsOf(CellsOf(left), row, CellsOf(right));
  }

  bool torus_;
  std::uint32_t last_cell_;  // of a row
  RowPair inside_{};         // cells of the board
  bool ghost_even_;          // the row is a ghost of row 0
  bool ghost_odd_;
  int last_lane_;    // has the board's last row
  bool gives_even_;  // to the lane that reads here what is above it
  int above_lane_;
  bool dead_above_;
  bool dead_below_;
};

// The board in shared memory, for counting.
struct Picture {
  std::uint64_t before[kWarpRows];
  std::uint64_t cells[kWarpRows];
};

__device__ void Put(const RowPair& rows, std::uint64_t (&to)[kWarpRows]) {
  const std::uint32_t lane = threadIdx.x % kLanesOfWarp;
  to[2 * lane] = WordOf(rows.even);
  to[2 * lane + 1] = WordOf(rows.odd);
}

__device__ void CountRow(const RowPair& before, const RowPair& rows, const BoardRun& run,
                         std::uint32_t row, Picture& picture, const life::Facts::ViewType& facts) {
  Put(before, picture.before);
  Put(rows, picture.cells);
  __syncwarp();
  const Counts counts = CountWords(picture.cells, picture.before, run, threadIdx.x % kLanesOfWarp,
                                   run.height, kLanesOfWarp);
  AddFacts(counts, run.fact_set, facts, run.first_facts + row);
  __syncwarp();
}

template <class Shape, class Rule>
__device__ RowPair RunShape(RowPair rows, const BoardRun& run, const Shape& shape, const Rule& rule,
                            Picture& picture, const life::Facts::ViewType& facts) {
  const std::uint32_t every = run.facts_every == 0 ? run.generations : run.facts_every;
  std::uint32_t done = 0;
  for (std::uint32_t row = 0; done < run.generations; ++row) {
    RowPair before = rows;
    const std::uint32_t end = run.generations - done > every ? done + every : run.generations;
    for (; done < end; ++done) {
      before = rows;
      rows = shape.Step(rows, rule);
    }
    CountRow(before, rows, run, row, picture, facts);
  }
  return rows;
}

template <class Rule>
__device__ RowPair RunBoard(const RowPair& rows, const BoardRun& run, const Rule& rule,
                            Picture& picture, const life::Facts::ViewType& facts) {
  const bool whole = run.width == life::kCellsPerWord && run.height == kWarpRows &&
                     run.topology == life::Topology::kTorus;
  if (whole) return RunShape(rows, run, WholeBoard(run), rule, picture, facts);
  return RunShape(rows, run, PartOfBoard(run), rule, picture, facts);
}

// Left to itself the compiler takes too few registers and spills.
__global__ void __launch_bounds__(kThreads, 4)
    WarpBoards(const __grid_constant__ RunRange range,
               const __grid_constant__ life::Facts::ViewType facts) {
  __shared__ Picture pictures[kWarps];
  const std::uint32_t warp = threadIdx.x / kLanesOfWarp;
  const std::uint32_t lane = threadIdx.x % kLanesOfWarp;
  const std::uint32_t board = blockIdx.x * kWarps + warp;
  if (board >= range.count) return;
  const BoardRun& run = range.runs[board];
  Picture& picture = pictures[warp];
  RowPair rows;
  if (2 * lane < run.height) rows.even = CellsOf(run.from[2 * lane]);
  if (2 * lane + 1 < run.height) rows.odd = CellsOf(run.from[2 * lane + 1]);
  if (run.generations == 0) {
    CountRow(rows, rows, run, 0, picture, facts);
  } else if (run.rule_masks == life::RuleMasks(life::kConway)) {
    rows = RunBoard(rows, run, ConwayRule(run.rule_masks), picture, facts);
  } else {
    rows = RunBoard(rows, run, AnyRule(run.rule_masks), picture, facts);
  }
  if (run.a == nullptr) return;
  if (2 * lane < run.height) run.a[2 * lane] = WordOf(rows.even);
  if (2 * lane + 1 < run.height) run.a[2 * lane + 1] = WordOf(rows.odd);
}

}  // namespace

void LaunchWarpBoards(const RunRange& range, const life::Facts::ViewType& facts,
                      cudaStream_t stream) {
  const unsigned blocks = (range.count + kWarps - 1) / kWarps;
  WarpBoards<<<blocks, kThreads, 0, stream>>>(range, facts);
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
