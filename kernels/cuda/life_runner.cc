#include "kernels/cuda/life_runner.h"

#include <algorithm>

#include "kernels/cuda/cuda_cells.h"

namespace gpusim::cuda {

using namespace life;

namespace {

constexpr std::uint32_t kFewestStripRows = 8;
constexpr std::uint32_t kUsualStripRows = 128;  // halos above and below cost an eighth
constexpr std::uint64_t kSchedulersOfMultiprocessor = 4;
constexpr std::uint64_t kWarpsOfScheduler = 3;  // of the longest passes

std::uint64_t* WordsOf(const DeviceColumns<Cells>& cells) { return cells.view(0).Column<0>(); }

const std::uint64_t* DataOf(const DeviceCells* cells) {
  return static_cast<const CudaCells*>(cells)->data();
}
std::uint64_t* DataOf(DeviceCells* cells) {
  return cells == nullptr ? nullptr : static_cast<CudaCells*>(cells)->data();
}

// The passes of a board, however it is stepped.
std::uint32_t PassesOf(const BoardRun& run) {
  if (SizeOf(run.width, run.height) == BoardSize::kTiles) return PassPlan(run).passes();
  return run.generations == 0 ? 0 : 1;
}

BoardRun RunOfResident(const ResidentStep& step) {
  BoardRun run{};
  run.from = DataOf(step.from);
  run.a = step.generations == 0 ? nullptr : DataOf(step.work[0]);
  run.b = step.generations == 0 ? nullptr : DataOf(step.work[1]);
  run.width = step.from->width();
  run.height = step.from->height();
  run.rule_masks = RuleMasks(step.rule);
  run.topology = step.topology;
  run.generations = step.generations;
  run.facts_every = step.facts_every;
  run.fact_set = step.fact_set;
  run.first_facts = step.first_facts;
  run.source = Source::kCells;
  return run;
}

template <class Columns>
void ZeroFacts(const Columns& columns, FactSet set, std::size_t rows, const Stream& stream) {
  columns.template Zero<kPopulation>(rows, stream);
  if ((set & kCountChanges) != 0) columns.template Zero<kChanges>(rows, stream);
  if ((set & kFindBox) != 0) columns.template Zero<kBox>(rows, stream);
  if ((set & kMakeDigest) != 0) columns.template Zero<kDigest>(rows, stream);
  if ((set & kMakeShapeDigest) != 0) columns.template Zero<kShapeDigest>(rows, stream);
}

template <class Columns>
void CopyFacts(const Columns& columns, FactSet set, const Facts& host, const Stream& stream) {
  columns.template CopyToHost<kPopulation>(host, stream);
  if ((set & kCountChanges) != 0) columns.template CopyToHost<kChanges>(host, stream);
  if ((set & kFindBox) != 0) columns.template CopyToHost<kBox>(host, stream);
  if ((set & kMakeDigest) != 0) columns.template CopyToHost<kDigest>(host, stream);
  if ((set & kMakeShapeDigest) != 0) columns.template CopyToHost<kShapeDigest>(host, stream);
}

}  // namespace

LifeRunner::LifeRunner(const SlotCapacity& capacity, int multiprocessors,
                       std::pmr::memory_resource* pinned)
    : multiprocessors_(multiprocessors),
      steps_(capacity.life_boards, capacity.life_facts, capacity.life_words, pinned),
      residents_(capacity.resident_boards, capacity.life_facts, pinned),
      runs_(pinned),
      device_runs_(std::max(capacity.life_boards, capacity.resident_boards)),
      device_facts_(capacity.life_facts),
      cells_(capacity.life_words),
      next_(capacity.life_words),
      scratch_(capacity.life_words) {
  runs_.Reserve(device_runs_.capacity());
}

void LifeRunner::RunSteps(const Stream& stream) {
  steps_.next.Resize(steps_.cells.size());
  if (steps_.boards.size() == 0) return;
  Arrange(steps_.boards.size(), [this](std::size_t board) { return RunOfBoard(board); });
  if (any_cells_) cells_.CopyToDevice<0>(steps_.cells, stream);
  Execute(steps_.facts, stream);
  CopyUnmoved(stream);
  next_.CopyToHost<0>(steps_.next, stream);
}

void LifeRunner::RunResidents(const Stream& stream) {
  if (residents_.steps.empty()) return;
  Arrange(residents_.steps.size(),
          [this](std::size_t board) { return RunOfResident(residents_.steps[board]); });
  for (ResidentStep& step : residents_.steps) {
    const std::uint32_t passes = PassesOf(RunOfResident(step));
    step.result = passes == 0 ? step.from : step.work[(passes + 1) % 2];
  }
  Execute(residents_.facts, stream);
}

// The last pass ends in `next`. Random cells are made in b, which the second pass may write again.
BoardRun LifeRunner::RunOfBoard(std::size_t board) const {
  const Boards& boards = steps_.boards;
  const std::uint64_t first = boards.At<kFirstWord>(board);
  BoardRun run{};
  run.width = boards.At<kWidth>(board);
  run.height = boards.At<kHeight>(board);
  run.rule_masks = boards.At<kRuleMasks>(board);
  run.topology = boards.At<kTopology>(board);
  run.generations = boards.At<kGenerations>(board);
  run.facts_every = boards.At<kFactsEvery>(board);
  run.fact_set = boards.At<kFactSet>(board);
  run.first_facts = boards.At<kFirstFacts>(board);
  run.source = boards.At<kSource>(board);
  run.seed = boards.At<kSeed>(board);
  run.threshold = boards.At<kThreshold>(board);
  const bool ends_in_a = PassesOf(run) % 2 == 1;
  run.a = WordsOf(ends_in_a ? next_ : scratch_) + first;
  run.b = WordsOf(ends_in_a ? scratch_ : next_) + first;
  run.from = run.source == Source::kRandom ? run.b : WordsOf(cells_) + first;
  return run;
}

// Boards with nothing to run, whose cells came from the host.
void LifeRunner::CopyUnmoved(const Stream& stream) {
  const BoardRun* runs = runs_.Column<0>();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const BoardRun& run = runs[i];
    if (run.generations > 0 || run.source != Source::kCells) continue;
    CheckCuda(cudaMemcpyAsync(run.b, run.from, run.words() * sizeof(std::uint64_t),
                              cudaMemcpyDeviceToDevice, stream.get()));
  }
}

// Puts the runs in the order of their size.
template <class RunOf>
void LifeRunner::Arrange(std::size_t boards, RunOf run_of) {
  sections_ = {};
  fact_set_ = 0;
  any_cells_ = any_random_ = false;
  for (std::size_t board = 0; board < boards; ++board) {
    const BoardRun run = run_of(board);
    ++of(SizeOf(run.width, run.height)).end;
    fact_set_ |= run.fact_set;
    any_cells_ |= run.source == Source::kCells;
    any_random_ |= run.source == Source::kRandom;
  }
  for (std::size_t size = 1; size < kBoardSizes; ++size) {
    sections_[size].begin = sections_[size - 1].end;
    sections_[size].end += sections_[size].begin;
  }
  runs_.Resize(boards);
  std::array<std::uint32_t, kBoardSizes> next{};
  for (std::size_t size = 0; size < kBoardSizes; ++size) next[size] = sections_[size].begin;
  for (std::size_t board = 0; board < boards; ++board) {
    const BoardRun run = run_of(board);
    runs_.At<0>(next[static_cast<std::size_t>(SizeOf(run.width, run.height))]++) = run;
  }
  ChooseStripRows();
  NumberTilesAndParts();
}

// A warp waits for itself as long as it works. So with little to do each of the device's schedulers gets one warp, whose
// strip is as high as that takes; with more, as many warps as fit, in as many equal waves as strips of the usual height
// need.
void LifeRunner::ChooseStripRows() {
  std::uint64_t warp_rows = 0;
  const Section& tiled = of(BoardSize::kTiles);
  for (std::uint32_t i = tiled.begin; i < tiled.end; ++i)
    warp_rows += TilesOf(runs_.At<0>(i).width, runs_.At<0>(i).height, 1).tiles;
  const std::uint64_t schedulers =
      kSchedulersOfMultiprocessor * static_cast<std::uint64_t>(multiprocessors_);
  std::uint64_t warps = schedulers;
  if (warp_rows > schedulers * kUsualStripRows) {
    const std::uint64_t wave = schedulers * kWarpsOfScheduler;
    const std::uint64_t wave_rows = wave * kUsualStripRows;
    warps = wave * std::max<std::uint64_t>(1, (warp_rows + wave_rows / 2) / wave_rows);
  }
  strip_rows_ = static_cast<std::uint32_t>(
      std::max<std::uint64_t>((warp_rows + warps - 1) / warps, kFewestStripRows));
}

void LifeRunner::NumberTilesAndParts() {
  tiles_ = 0;
  parts_ = 0;
  first_tiled_part_ = 0;
  for (std::uint32_t i = 0; i < runs_.size(); ++i) {
    BoardRun& run = runs_.At<0>(i);
    if (i == of(BoardSize::kTiles).begin) first_tiled_part_ = parts_;
    run.first_tile = tiles_;
    run.first_part = parts_;
    if (i >= of(BoardSize::kTiles).begin)
      tiles_ += TilesOf(run.width, run.height, strip_rows_).tiles;
    parts_ += PartsOf(run.words());
  }
}

RunRange LifeRunner::RangeOf(const Section& section) const {
  return {device_runs_.view(runs_.size()).Column<0>() + section.begin, section.count()};
}

void LifeRunner::Execute(const Facts& facts, const Stream& stream) {
  const auto view = device_facts_.view(facts.size());
  device_runs_.CopyToDevice<0>(runs_, stream);
  ZeroFacts(device_facts_, fact_set_, facts.size(), stream);
  if (any_random_) {
    LaunchRandomBoards(RangeOf({0, static_cast<std::uint32_t>(runs_.size())}), parts_,
                       stream.get());
  }
  LaunchSmall(view, stream);
  LaunchPasses(view, stream);
  if ((fact_set_ & kFindBox) != 0) LaunchFinishBoxes(view, stream.get());
  CopyFacts(device_facts_, fact_set_, facts, stream);
}

void LifeRunner::LaunchSmall(const Facts::ViewType& facts, const Stream& stream) {
  if (const Section& warp = of(BoardSize::kWarp); warp.count() > 0)
    LaunchWarpBoards(RangeOf(warp), facts, stream.get());
  const Section& block = of(BoardSize::kBlock);
  if (block.count() == 0) return;
  std::uint64_t most_words = 0;
  for (std::uint32_t i = block.begin; i < block.end; ++i)
    most_words = std::max(most_words, runs_.At<0>(i).words());
  LaunchBlockBoards(RangeOf(block), most_words, facts, stream.get());
}

void LifeRunner::LaunchPasses(const Facts::ViewType& facts, const Stream& stream) {
  const Section& tiled = of(BoardSize::kTiles);
  if (tiled.count() == 0) return;
  const RunRange range = RangeOf(tiled);
  const std::uint64_t parts = parts_ - first_tiled_part_;
  const bool few = parts < kSlicesOfPart * static_cast<std::uint64_t>(multiprocessors_);
  const bool in_slices = few || (fact_set_ & kMakeShapeDigest) != 0;
  for (std::uint32_t pass = 0;; ++pass) {
    std::uint32_t lengths = 0;  // bit g: a board makes g generations in this pass
    bool ends_row = false;
    for (std::uint32_t i = tiled.begin; i < tiled.end; ++i) {
      const Pass of_board = PassPlan(runs_.At<0>(i)).At(pass);
      lengths |= 1u << of_board.generations;
      ends_row |= of_board.ends_row;
    }
    if (lengths == 1u && !ends_row) return;  // behind the last of all boards
    for (const std::uint32_t generations : {8u, 4u, 2u, 1u}) {
      if ((lengths >> generations & 1) != 0)
        LaunchTiles({range, strip_rows_, tiles_, pass}, generations, stream.get());
    }
    if (ends_row)
      LaunchCounts({range, first_tiled_part_, parts, in_slices, pass}, facts, stream.get());
  }
}

}  // namespace gpusim::cuda
