// Up to eight generations of large boards in one pass over memory: a warp walks down its tile row by row, and what it
// reads goes through a chain of stages in registers, each a generation ahead of the one before and a row behind it:
//
//   row y of generation 0 is read
//        stage 0 has the sums of rows y - 2, y - 1, y of generation 0    --> row y - 1 of generation 1
//        stage 1 has those of rows y - 3, y - 2, y - 1 of generation 1   --> row y - 2 of generation 2
//        ...                                                                 row y - T of generation T is written
//
// A lane holds 64 cells of the row, shifted by the halo, so that a strip has kHalo cells more than it writes on its left,
// and as many or more on its right; above and below it has T rows more. Wrong cells come in from the ends of a strip, one
// cell a generation, and never reach what is written. Lanes of a strip of words w, w + 1, ...:
//
//           lane 0            lane 1            lane 2
//        +--+-----------+  +--+-----------+  +--+-----------+
//        |hh|  w (56)   |  |w8|w+1 (56)   |  |..|           |      word w = 56 cells of lane 0, 8 of lane 1
//        +--+-----------+  +--+-----------+  +--+-----------+
//
// A torus is an endless plane that repeats: rows beyond an end and cells beside one are read where they repeat, so that
// a torus of any size, one cell wide or high, is literally that. Beyond a plane's edges cells are read as dead and, for
// strips that reach there, set dead after each generation.
#include "kernels/cuda/check.h"
#include "kernels/cuda/life_kernels.h"
#include "kernels/cuda/life_owner.cuh"
#include "kernels/cuda/life_rule.cuh"

namespace gpusim::cuda {
namespace {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * static_cast<int>(kLanes);
constexpr unsigned kAllLanes = 0xffffffff;
constexpr std::uint32_t kWordBits = life::kCellsPerWord;
static_assert(kHalo == 8, "shifts by a halo");

// Reads what a lane holds of a row.
class LaneReader {
 public:
  // The lane's cells begin kHalo before those of word number `word`, which may lie beyond the row.
  __device__ LaneReader(const BoardRun& run, std::uint32_t word)
      : width_(run.width), words_(run.edges().words), word_(word) {
    if (run.topology != life::Topology::kTorus) return;
    // A torus narrower than the halo is read as several of it side by side, which step alike.
    while (width_ < kHalo) {
      width_ += run.width;
      narrow_ = run.width;
    }
    seam_left_ = word == 0;
    const std::int64_t end = std::int64_t{width_} + kHalo - std::int64_t{word} * kWordBits;
    seam_right_ = end < std::int64_t{kWordBits} && end > -std::int64_t{kHalo};
    row_end_ = static_cast<std::int32_t>(end);
  }

  __device__ Cells Read(const std::uint64_t* row) const {
    if (narrow_ != 0) return CellsOf(ReadNarrow(*row));
    std::uint64_t cells = word_ < words_ ? row[word_] << kHalo : 0;
    if (word_ > 0 && word_ - 1 < words_) cells |= row[word_ - 1] >> (kWordBits - kHalo);
    if (seam_left_) cells |= Tail(row);
    if (seam_right_) cells |= AfterEnd(row[0]);
    return CellsOf(cells);
  }

 private:
  // The last kHalo cells of a row.
  __device__ std::uint64_t Tail(const std::uint64_t* row) const {
    const std::uint32_t last_bits = (width_ - 1) % kWordBits + 1;
    std::uint64_t cells = row[words_ - 1] << (kWordBits - last_bits);
    if (last_bits < kHalo) cells |= row[words_ - 2] >> last_bits;
    return cells >> (kWordBits - kHalo);
  }
  // The first cells of a row, where they repeat behind its end.
  __device__ std::uint64_t AfterEnd(std::uint64_t head) const {
    return row_end_ >= 0 ? head << row_end_ : head >> -row_end_;
  }
  __device__ std::uint64_t ReadNarrow(std::uint64_t row) const {
    std::uint64_t cells = row;
    for (std::uint32_t n = narrow_; n < width_; n += narrow_) cells |= row << n;
    return cells << kHalo | cells >> (width_ - kHalo) | cells << (width_ + kHalo);
  }

  std::uint32_t width_;
  std::uint32_t words_;
  std::uint32_t word_;
  std::uint32_t narrow_ = 0;  // the width of a torus that is narrower than the halo, else 0
  std::int32_t row_end_ = 0;  // the lane's cell that is the first behind the row, at a seam
  bool seam_left_ = false;
  bool seam_right_ = false;
};

// What a lane has to do in a pass. Rows are counted from the first that its strip writes.
struct Strip {
  const std::uint64_t* from;  // row 0 of the board
  std::uint64_t* to;          // the lane's word of row 0
  std::uint32_t row_words;
  std::uint32_t word;         // the one written, counted in its row
  std::uint32_t top;          // of the strip, in the board
  std::uint32_t height;       // of the board
  std::int32_t rows;          // of the tallest strip of the warp
  std::int32_t written_rows;  // by this lane
  std::int32_t first_row;     // [first_row, end_row) are rows of the board
  std::int32_t end_row;
  bool torus;
  Cells kept;    // of the word that is written, those inside the board
  Cells inside;  // of the lane's cells, those inside the board
};

// Cells [0, count) of a word; count may be below 0 or above 64.
__device__ std::uint64_t FirstCells(std::int64_t count) {
  return count <= 0                         ? 0
         : count >= std::int64_t{kWordBits} ? ~std::uint64_t{0}
                                            : (std::uint64_t{1} << count) - 1;
}

__device__ Strip StripOf(const BoardRun& run, const TileGrid& grid, std::uint64_t tile,
                         std::uint32_t pass) {
  const std::uint32_t lane = threadIdx.x % kLanes;
  const auto tile_row = static_cast<std::uint32_t>(tile / grid.columns);
  const auto column = static_cast<std::uint32_t>(tile - std::uint64_t{tile_row} * grid.columns);
  const std::uint32_t strip = lane / grid.lanes;
  const std::uint32_t lane_of_strip = lane - strip * grid.lanes;
  const std::uint32_t word = column * grid.words + lane_of_strip;
  const std::int64_t first = std::int64_t{tile_row} * grid.strips_of_tile * grid.rows;
  const std::int64_t top = first + std::int64_t{strip} * grid.rows;
  const std::int64_t below = std::int64_t{run.height} - top;  // rows from the strip's first on
  const life::RowEdges edges = run.edges();
  const std::int64_t cells = std::int64_t{run.width} - std::int64_t{word} * kWordBits;
  const bool used = strip < grid.strips_of_tile && below > 0;
  const bool writes = used && lane_of_strip < grid.words && word < edges.words;
  constexpr std::int64_t kFar = 1 << 30;  // beyond all rows of a strip

  Strip result;
  result.from = SourceOf(run, pass);
  result.to = TargetOf(run, pass) + static_cast<std::uint64_t>(top) * edges.words + word;
  result.row_words = edges.words;
  result.word = word;
  result.top = static_cast<std::uint32_t>(used ? top : 0);
  result.height = run.height;
  result.rows = static_cast<std::int32_t>(min(std::int64_t{grid.rows}, run.height - first));
  result.written_rows = writes ? static_cast<std::int32_t>(min(std::int64_t{grid.rows}, below)) : 0;
  result.torus = edges.torus;
  result.first_row = edges.torus ? static_cast<std::int32_t>(-kFar)
                                 : static_cast<std::int32_t>(used ? max(-top, -kFar) : 0);
  result.end_row = edges.torus ? static_cast<std::int32_t>(kFar)
                               : static_cast<std::int32_t>(used ? min(below, kFar) : 0);
  result.kept = CellsOf(FirstCells(cells));
  result.inside = CellsOf(FirstCells(cells + kHalo) & ~(word == 0 ? FirstCells(kHalo) : 0));
  return result;
}

// Whether cells beyond a plane's edges come into the lane, or rows beyond them.
__device__ bool ReachesEdge(const Strip& strip, std::int32_t generations) {
  return !strip.torus &&
         (WordOf(strip.inside) != ~std::uint64_t{0} || strip.first_row > -generations ||
          strip.end_row < strip.rows + generations);
}

template <class Rule, int kGenerations, bool kAtEdge>
class Walk {
 public:
  __device__ Walk(const Strip& strip, const LaneReader& reader, Rule rule)
      : strip_(strip), reader_(reader), rule_(rule), row_(-kGenerations) {
    std::int64_t y = std::int64_t{strip.top} - kGenerations;
    if (strip.torus && y < 0) y = (y + std::int64_t{strip.height} * kGenerations) % strip.height;
    from_ = strip.from + y * std::int64_t{strip.row_words};
    to_ = strip.to - 2 * kGenerations * std::int64_t{strip.row_words};
    before_wrap_ = static_cast<std::uint32_t>(strip.height - y);
    ahead_ = Read();
  }

  // Three rows at a time, so that stages find their three rows of sums in the same registers again.
  __device__ void Run() {
#pragma unroll 1
    for (; row_ < strip_.rows + kGenerations;) {
      TakeRow<0>();
      TakeRow<1>();
      TakeRow<2>();
    }
  }

 private:
  struct Stage {
    CellSums sums[3];  // of its last three rows, found by the row's number modulo 3
    Cells cells[3];
  };

  __device__ bool IsRow(std::int32_t row) const {
    return row >= strip_.first_row && row < strip_.end_row;
  }
  __device__ Cells Read() const {
    if (kAtEdge && !IsRow(row_)) return {};
    return reader_.Read(from_);
  }
  __device__ void GoOn() {
    ++row_;
    from_ += strip_.row_words;
    to_ += strip_.row_words;
    if (--before_wrap_ == 0 && !kAtEdge) {
      before_wrap_ = strip_.height;
      from_ = strip_.from;
    }
  }

  // kNew is where the newest row of a stage goes.
  template <int kNew>
  __device__ void TakeRow() {
    Cells row = ahead_;
    const std::int32_t number = row_;
    GoOn();
    ahead_ = Read();
#pragma unroll
    for (int k = 0; k < kGenerations; ++k) row = Step<kNew>(stages_[k], row, number - 1 - k);
    Write(row, number - kGenerations);
  }

  // Takes a row into a stage and returns the one before, which is row `number`, a generation later.
  template <int kNew>
  __device__ Cells Step(Stage& stage, Cells row, std::int32_t number) const {
    constexpr int kMiddle = (kNew + 2) % 3;
    constexpr int kTop = (kNew + 1) % 3;
    const std::uint32_t before = __shfl_up_sync(kAllLanes, row.high, 1);
    const std::uint32_t after = __shfl_down_sync(kAllLanes, row.low, 1);
    const Cells left{__funnelshift_l(before, row.low, 1), __funnelshift_l(row.low, row.high, 1)};
    const Cells right{__funnelshift_r(row.low, row.high, 1), __funnelshift_r(row.high, after, 1)};
    stage.sums[kNew] = SumsOf(left, row, right);
    stage.cells[kNew] = row;
    const Cells next =
        rule_(stage.sums[kTop], stage.sums[kMiddle], stage.sums[kNew], stage.cells[kMiddle]);
    if (!kAtEdge) return next;
    return IsRow(number) ? next & strip_.inside : Cells{};
  }

  __device__ void Write(Cells row, std::int32_t number) const {
    const std::uint32_t after = __shfl_down_sync(kAllLanes, row.low, 1);
    const Cells word{__funnelshift_r(row.low, row.high, kHalo),
                     __funnelshift_r(row.high, after, kHalo)};
    if (number >= 0 && number < strip_.written_rows) *to_ = WordOf(word & strip_.kept);
  }

  const Strip& strip_;
  const LaneReader& reader_;
  const Rule rule_;
  std::int32_t row_;           // the one in ahead_, which lies at from_
  std::uint32_t before_wrap_;  // rows up to the end of the board
  const std::uint64_t* from_;
  std::uint64_t* to_;  // kGenerations rows above the row in ahead_
  Cells ahead_;
  Stage stages_[kGenerations] = {};
};

template <int kGenerations, class Rule>
__device__ void WalkDown(const Strip& strip, const LaneReader& reader, Rule rule) {
  if (__any_sync(kAllLanes, ReachesEdge(strip, kGenerations))) {
    Walk<Rule, kGenerations, true>(strip, reader, rule).Run();
  } else {
    Walk<Rule, kGenerations, false>(strip, reader, rule).Run();
  }
}

// Blocks of a multiprocessor, which bounds the registers of a thread.
constexpr int BlocksFor(int generations) { return generations == 8 ? 3 : generations == 4 ? 4 : 5; }

// Boards whose pass makes another number of generations are left to another launch.
template <int kGenerations>
__global__ void __launch_bounds__(kThreads, BlocksFor(kGenerations))
    StepTiles(RunRange range, std::uint32_t rows, std::uint64_t tiles, std::uint32_t pass) {
  const std::uint64_t tile = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  if (tile >= tiles) return;
  const BoardRun& run = OwnerOf(range, &BoardRun::first_tile, tile);
  if (PassPlan(run).At(pass).generations != kGenerations) return;
  const Strip strip =
      StripOf(run, TilesOf(run.width, run.height, rows), tile - run.first_tile, pass);
  const LaneReader reader(run, strip.word);
  if constexpr (kGenerations > kMostGenerationsAnyRule) {
    WalkDown<kGenerations>(strip, reader, ConwayRule(run.rule_masks));
  } else {
    WithRule(run.rule_masks, [&](auto rule) { WalkDown<kGenerations>(strip, reader, rule); });
  }
}

template <int kGenerations>
void Launch(const TileLaunch& launch, unsigned blocks, cudaStream_t stream) {
  StepTiles<kGenerations>
      <<<blocks, kThreads, 0, stream>>>(launch.range, launch.rows, launch.tiles, launch.pass);
}

}  // namespace

void LaunchTiles(const TileLaunch& launch, std::uint32_t generations, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((launch.tiles + kWarps - 1) / kWarps);
  switch (generations) {
    case 8:
      Launch<8>(launch, blocks, stream);
      break;
    case 4:
      Launch<4>(launch, blocks, stream);
      break;
    case 2:
      Launch<2>(launch, blocks, stream);
      break;
    default:
      Launch<1>(launch, blocks, stream);
  }
  CheckCuda(cudaGetLastError());
}

}  // namespace gpusim::cuda
