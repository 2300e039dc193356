// Up to eight generations of large boards in one pass over memory: a warp walks down its tile row by row, and what it
// reads goes through a chain of stages in registers, each a generation ahead of the one before and a row behind it:
//
//   row y of generation 0 is read
//        stage 0 has the sums of rows y - 2, y - 1, y of generation 0    --> row y - 1 of generation 1
//        stage 1 has those of rows y - 3, y - 2, y - 1 of generation 1   --> row y - 2 of generation 2
//        ...                                                                 row y - T of generation T is written
//
// A lane holds 64 cells of the row, shifted by the halo, so that beside those that come to be written there are kHalo
// cells on the left, and as many or more on the right. Wrong cells come in from the ends of a strip and of a warp, one
// cell a generation, and never reach what is written; above and below a strip T rows more are read.
//
//           lane 0            lane 1            lane 2
//        +--+-----------+  +--+-----------+  +--+-----------+
//        |hh|  w (56)   |  |w8|w+1 (56)   |  |..|           |      word w = 56 cells of lane 0, 8 of lane 1
//        +--+-----------+  +--+-----------+  +--+-----------+
//
// A torus is an endless plane that repeats: rows beyond an end and cells beside one are read where they repeat, so that
// a torus of any size, one cell wide or high, is literally that. Beyond a plane's edges cells are read as dead and, for
// warps that reach there, set dead after each generation.
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

// What a lane needs of a row, as it is read: its word, the one before, and one more at a torus's seam.
struct LaneWords {
  std::uint64_t here;
  std::uint64_t before;
  std::uint64_t extra;
};

// Reads what a lane holds of a row. Its cells begin kHalo before those of word number `word`, which may lie beyond the
// row. Words are read long before they are put together, since memory takes its time:
//
//   on the left:     ... before | here ...           cells = the last kHalo of `before`, then `here`
//   left seam:       before is the row's last word, extra the one before that if the last has less than kHalo cells
//   right seam:      extra is the row's first word, whose cells follow the last of the row
class LaneReader {
 public:
  __device__ LaneReader(const BoardRun& run, std::uint32_t word) {
    const life::RowEdges edges = run.edges();
    here_ = word < edges.words ? static_cast<std::int32_t>(word) : kNone;
    before_ = word > 0 && word - 1 < edges.words ? static_cast<std::int32_t>(word - 1) : kNone;
    if (!edges.torus) return;
    // A torus narrower than the halo is read as several of it side by side, which step alike.
    if (run.width < kHalo) {
      before_ = kNone;
      narrow_ = run.width;
      return;
    }
    if (word == 0) JoinLeft(edges);
    const std::int64_t end = std::int64_t{run.width} + kHalo - std::int64_t{word} * kWordBits;
    if (end >= std::int64_t{kWordBits} || end <= -std::int64_t{kHalo}) return;
    extra_ = 0;
    extra_left_ = static_cast<std::uint32_t>(max(end, std::int64_t{0}));
    extra_right_ = static_cast<std::uint32_t>(max(-end, std::int64_t{0}));
  }

  __device__ LaneWords Read(const std::uint64_t* row) const {
    return {At(row, here_), At(row, before_), At(row, extra_)};
  }

  __device__ Cells Join(const LaneWords& words) const {
    if (narrow_ != 0) return CellsOf(Repeat(words.here));
    return CellsOf(words.here << kHalo | words.before << before_left_ >> (kWordBits - kHalo) |
                   words.extra << extra_left_ >> extra_right_);
  }

 private:
  static constexpr std::int32_t kNone = -1;

  __device__ static std::uint64_t At(const std::uint64_t* row, std::int32_t i) {
    return i == kNone ? 0 : row[i];
  }
  __device__ void JoinLeft(life::RowEdges edges) {
    before_ = static_cast<std::int32_t>(edges.words - 1);
    before_left_ = kWordBits - edges.last_bits;
    if (edges.last_bits >= kHalo) return;
    extra_ = static_cast<std::int32_t>(edges.words - 2);
    extra_right_ = kWordBits - kHalo + edges.last_bits;
  }
  // The cells of a narrow torus, over and over.
  __device__ std::uint64_t Repeat(std::uint64_t row) const {
    std::uint64_t cells = row;
    std::uint32_t width = narrow_;
    for (; width < kHalo; width += narrow_) cells |= row << width;
    return cells << kHalo | cells >> (width - kHalo) | cells << (width + kHalo);
  }

  std::int32_t here_;  // words of the row, or kNone
  std::int32_t before_;
  std::int32_t extra_ = kNone;
  std::uint32_t before_left_ = 0;  // shifts
  std::uint32_t extra_left_ = 0;
  std::uint32_t extra_right_ = 0;
  std::uint32_t narrow_ = 0;  // the width of a torus that is narrower than the halo, else 0
};

// What a lane has to do in a pass. Rows are counted from the first that its strip writes.
struct Strip {
  const std::uint64_t* from;  // row 0 of the board
  std::uint64_t* to;          // the lane's word of row 0
  std::uint32_t row_words;
  std::uint32_t word;         // the one written, counted in its row
  std::uint32_t top;          // of the strip, in the board
  std::uint32_t height;       // of the board
  std::int32_t rows;          // of all strips but the last
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
  const std::uint64_t place = tile * kWritingLanes + lane;  // among the lanes of all strips
  const std::uint64_t strip = place / grid.lanes;
  const auto word = static_cast<std::uint32_t>(place - strip * grid.lanes);
  const auto top = static_cast<std::int64_t>(strip * grid.rows);
  const std::int64_t below = std::int64_t{run.height} - top;  // rows from the strip's first on
  const life::RowEdges edges = run.edges();
  const std::int64_t cells = std::int64_t{run.width} - std::int64_t{word} * kWordBits;
  const bool used = below > 0;
  const bool writes = used && lane < kWritingLanes && word < edges.words;
  constexpr std::int64_t kFar = 1 << 30;  // beyond all rows of a strip

  Strip result;
  result.from = SourceOf(run, pass);
  result.to = TargetOf(run, pass) + static_cast<std::uint64_t>(top) * edges.words + word;
  result.row_words = edges.words;
  result.word = word;
  result.top = static_cast<std::uint32_t>(used ? top : 0);
  result.height = run.height;
  result.rows = static_cast<std::int32_t>(min(grid.rows, run.height));
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
  __device__ LaneWords Read() const {
    if (kAtEdge && !IsRow(row_)) return {};
    return reader_.Read(from_);
  }
  __device__ void GoOn() {
    ++row_;
    from_ += strip_.row_words;
    if (--before_wrap_ == 0 && !kAtEdge) {
      before_wrap_ = strip_.height;
      from_ = strip_.from;
    }
  }

  // kNew is where the newest row of a stage goes.
  template <int kNew>
  __device__ void TakeRow() {
    Cells row = reader_.Join(ahead_);
    const std::int32_t number = row_;
    GoOn();
    ahead_ = Read();
#pragma unroll
    for (int k = 0; k < kGenerations; ++k) row = Step<kNew>(stages_[k], row, number - 1 - k);
    Write(row, number - kGenerations);
    to_ += strip_.row_words;
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
  std::uint64_t* to_;  // of the next row to come out of the last stage
  LaneWords ahead_;
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
