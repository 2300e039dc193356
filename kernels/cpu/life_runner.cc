// A run is cut into passes. Each reads one buffer and writes the other, and every row of facts is about the end of one:
//
//   facts every 10, passes of at most 8:   0 --> 8 --> 10 --> 18 --> 20 ...
//                                                      facts         facts
#include "kernels/cpu/life_runner.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/cpu/cpu_cells.h"
#include "kernels/cpu/fork_join.h"
#include "kernels/cpu/life_fill.h"
#include "kernels/cpu/life_tally.h"

namespace gpusim::life {
namespace {

// Boards with more words than this are counted in parts.
constexpr std::uint64_t kWordsOfABand = 8192;

struct RunPlan {
  Grid grid{};
  std::uint32_t rule_masks = 0;
  std::uint32_t generations = 0;
  std::uint32_t facts_every = 0;
  FactSet fact_set = 0;
  std::uint64_t first_facts = 0;
};

// Generations that the plan's fact row `row` is after the one before.
std::uint32_t GenerationsOfRow(const RunPlan& plan, std::uint32_t row) {
  if (plan.facts_every == 0) return plan.generations;
  return std::min(plan.facts_every, plan.generations - row * plan.facts_every);
}

class BoardRun {
 public:
  BoardRun(const Lanes& lanes, const RunPlan& plan, const Facts::ViewType& facts,
           Workspaces& workspaces)
      : lanes_(lanes),
        plan_(plan),
        facts_(facts),
        workspaces_(workspaces),
        shape_(ShapeOf(plan.grid, tbb::this_task_arena::max_concurrency())) {}

  std::uint64_t passes() const {
    if (plan_.generations == 0) return 0;
    const std::uint32_t rows = FactRows(plan_.generations, plan_.facts_every);
    return (rows - 1) * PassesOf(GenerationsOfRow(plan_, 0)) +
           PassesOf(GenerationsOfRow(plan_, rows - 1));
  }

  // The passes go from `from` to to[0], to to[1], to to[0] ... Returns where the last generation lies.
  const std::uint64_t* Run(const std::uint64_t* from, std::uint64_t* const (&to)[2]) {
    if (plan_.generations == 0) {
      WriteFacts(CountCells(from), from, 0);
      return from;
    }
    std::uint64_t pass = 0;
    for (std::uint32_t row = 0; row < FactRows(plan_.generations, plan_.facts_every); ++row) {
      Tally tally;
      for (std::uint32_t left = GenerationsOfRow(plan_, row); left > 0; ++pass) {
        const std::uint32_t generations = std::min(left, shape_.generations);
        left -= generations;
        tally = RunPass(from, to[pass % 2], generations, left == 0);
        from = to[pass % 2];
      }
      WriteFacts(tally, from, row);
    }
    return from;
  }

 private:
  std::uint64_t PassesOf(std::uint64_t generations) const {
    return (generations + shape_.generations - 1) / shape_.generations;
  }
  std::uint64_t row_words() const { return WordsPerRow(plan_.grid.width); }

  // Calls part(i, tally) for i below `parts`, in parallel, and gives the sum of the tallies.
  template <class Part>
  static Tally SumOver(std::uint64_t parts, Part part) {
    Tally sum;
    if (parts == 1) {
      part(std::uint64_t{0}, sum);
      return sum;
    }
    std::mutex mutex;
    ForkJoin loop;
    tbb::parallel_for(std::uint64_t{0}, parts, [&](std::uint64_t i) {
      loop.Run([&] {
        Tally tally;
        part(i, tally);
        const std::lock_guard lock(mutex);
        sum.Add(tally);
      });
    });
    loop.Join();
    return sum;
  }

  // The same with part(begin, end, tally) for bands of the board's rows.
  template <class Part>
  Tally SumOverBands(Part part) const {
    const std::uint64_t height = plan_.grid.height;
    const std::uint64_t rows = std::max<std::uint64_t>(1, kWordsOfABand / row_words());
    return SumOver((height + rows - 1) / rows, [&](std::uint64_t i, Tally& tally) {
      part(static_cast<std::uint32_t>(i * rows),
           static_cast<std::uint32_t>(std::min(height, (i + 1) * rows)), tally);
    });
  }

  Tally RunPass(const std::uint64_t* from, std::uint64_t* to, std::uint32_t generations,
                bool counted) {
    const Count count = !counted                                ? Count::kNothing
                        : (plan_.fact_set & kCountChanges) != 0 ? Count::kChanges
                                                                : Count::kPopulation;
    const Pass pass{&lanes_, from, to, plan_.grid, plan_.rule_masks, generations, count};
    return SumOver(std::uint64_t{shape_.TilesDown(plan_.grid)} * shape_.TilesAcross(plan_.grid),
                   [&](std::uint64_t i, Tally& tally) {
                     StepTile(pass, shape_.TileAt(plan_.grid, i), workspaces_.local(), tally);
                   });
  }

  Tally CountCells(const std::uint64_t* cells) const {
    return SumOverBands([&](std::uint32_t begin, std::uint32_t end, Tally& tally) {
      for (std::uint64_t i = begin * row_words(); i < end * row_words(); ++i)
        tally.population += static_cast<std::uint64_t>(std::popcount(cells[i]));
    });
  }

  // Counts the rest, too.
  void WriteFacts(Tally tally, const std::uint64_t* cells, std::uint32_t row) const {
    if ((plan_.fact_set & ~kCountChanges) != 0) {
      tally.Add(SumOverBands([&](std::uint32_t begin, std::uint32_t end, Tally& part) {
        TallyRows(cells, plan_.grid, plan_.fact_set, begin, end, part);
      }));
    }
    life::WriteFacts(tally, plan_.fact_set, facts_, plan_.first_facts + row);
  }

  const Lanes& lanes_;
  const RunPlan& plan_;
  const Facts::ViewType facts_;
  Workspaces& workspaces_;
  const PassShape shape_;
};

std::uint64_t* DataOf(DeviceCells* cells) { return static_cast<CpuCells*>(cells)->data(); }
const std::uint64_t* DataOf(const DeviceCells* cells) {
  return static_cast<const CpuCells*>(cells)->data();
}

}  // namespace

LifeRunner::LifeRunner(const Lanes& lanes, const SlotCapacity& capacity, Workspaces& workspaces)
    : lanes_(lanes),
      steps_(capacity.life_boards, capacity.life_facts, capacity.life_words,
             std::pmr::get_default_resource()),
      residents_(capacity.resident_boards, capacity.life_facts, std::pmr::get_default_resource()),
      other_(std::max<std::size_t>(1, steps_.next.capacity())),
      workspaces_(workspaces) {}

void LifeRunner::StepBoard(std::size_t board) {
  const auto boards = steps_.boards.view();
  const RunPlan plan{
      {boards.At<kWidth>(board), boards.At<kHeight>(board), boards.At<kTopology>(board)},
      boards.At<kRuleMasks>(board),
      boards.At<kGenerations>(board),
      boards.At<kFactsEvery>(board),
      boards.At<kFactSet>(board),
      boards.At<kFirstFacts>(board)};
  BoardRun run(lanes_, plan, steps_.facts.view(), workspaces_);
  const std::uint64_t first = boards.At<kFirstWord>(board);
  const std::uint64_t* cells = steps_.cells.Column<0>() + first;
  std::uint64_t* next = steps_.next.Column<0>() + first;
  std::uint64_t* other = other_.data() + first;
  // The last pass ends in `next`.
  std::uint64_t* const to[2] = {run.passes() % 2 == 1 ? next : other,
                                run.passes() % 2 == 1 ? other : next};
  if (boards.At<kSource>(board) == Source::kRandom) {
    FillRows(lanes_, plan.grid.width, 0, plan.grid.height, boards.At<kSeed>(board),
             boards.At<kThreshold>(board), to[1]);
    cells = to[1];
  }
  if (const std::uint64_t* last = run.Run(cells, to); last != next)
    std::copy_n(last, WordsPerRow(plan.grid.width) * plan.grid.height, next);
}

void LifeRunner::StepResident(std::size_t board) {
  ResidentStep& step = residents_.steps[board];
  const RunPlan plan{{step.from->width(), step.from->height(), step.topology},
                     RuleMasks(step.rule),
                     step.generations,
                     step.facts_every,
                     step.fact_set,
                     step.first_facts};
  BoardRun run(lanes_, plan, residents_.facts.view(), workspaces_);
  if (plan.generations == 0) {
    run.Run(DataOf(step.from), {nullptr, nullptr});
    step.result = step.from;
    return;
  }
  run.Run(DataOf(step.from), {DataOf(step.work[0]), DataOf(step.work[1])});
  step.result = step.work[(run.passes() + 1) % 2];
}

}  // namespace gpusim::life
