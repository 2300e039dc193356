// The CPU as a device: one oneTBB arena that all slots share. Rows and boards of a batch run in
// parallel, a large board's rows as well.
#include <algorithm>
#include <bit>
#include <exception>
#include <mutex>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/backend.h"
#include "kernels/cpu/cpu_threads.h"
#include "kernels/cpu/fork_join.h"
#include "kernels/cpu/leg_solver.h"
#include "kernels/cpu/life_stepper.h"
#include "kernels/cpu/race_solver.h"
#include "kernels/cpu/simulator.h"
#include "kernels/race/free_memory.h"
#include "kernels/race_rows.h"

namespace gpusim {
namespace {

// What a worker thread keeps from batch to batch.
struct Workspace {
  camel_up::LegSolver leg_solver;
  life::RowSums row_sums;
  std::vector<std::uint64_t> other_cells;
};
using Workspaces = tbb::enumerable_thread_specific<Workspace>;

// From this many words on, the rows of one board are shared out among the threads.
constexpr std::size_t kWordsOfABand = 8192;
// A row of more simulations than this is shared out; a part's tally costs as much as a hundred of them.
constexpr std::uint32_t kSimulationsOfAPart = 8192;

class BoardRun {
 public:
  BoardRun(const life::Boards::ViewType& boards, std::size_t board, Workspaces& workspaces)
      : grid_{boards.At<life::kWidth>(board), boards.At<life::kHeight>(board),
              boards.At<life::kTopology>(board)},
        rule_masks_(boards.At<life::kRuleMasks>(board)),
        words_per_row_(life::WordsPerRow(grid_.width)),
        words_(words_per_row_ * grid_.height),
        workspaces_(workspaces) {}

  std::size_t words() const { return words_; }

  // Leaves the last generation in `next`; `cells` is not written.
  void Run(const std::uint64_t* cells, std::uint64_t* next, std::uint32_t generations,
           std::vector<std::uint64_t>& other) {
    if (other.size() < words_) other.resize(words_);
    const std::uint64_t* from = cells;
    for (std::uint32_t left = generations; left > 0; --left) {
      // The last generation, and every second before it, goes to `next`.
      std::uint64_t* to = left % 2 == 1 ? next : other.data();
      Step(from, to);
      from = to;
    }
    if (generations == 0) std::copy_n(cells, words_, next);
  }

 private:
  void Step(const std::uint64_t* from, std::uint64_t* to) {
    if (words_ < 2 * kWordsOfABand) {
      life::StepRows(from, to, grid_, rule_masks_, 0, grid_.height, workspaces_.local().row_sums);
      return;
    }
    const std::size_t rows = std::max<std::size_t>(1, kWordsOfABand / words_per_row_);
    ForkJoin loop;
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, grid_.height, rows),
                      [&](const auto& band) {
                        loop.Run([&] {
                          life::StepRows(from, to, grid_, rule_masks_, band.begin(), band.end(),
                                         workspaces_.local().row_sums);
                        });
                      });
    loop.Join();
  }

  life::Grid grid_;
  std::uint32_t rule_masks_;
  std::size_t words_per_row_;
  std::size_t words_;
  Workspaces& workspaces_;
};

class CpuSlot : public Slot {
 public:
  CpuSlot(tbb::task_arena& arena, Workspaces& workspaces, const camel_up::RaceRowsInUse& race_rows,
          const SlotCapacity& capacity)
      : arena_(arena),
        workspaces_(workspaces),
        race_rows_(race_rows),
        odds_batch_(capacity.camel_up_rows, capacity.simulation_rows,
                    std::pmr::get_default_resource()),
        step_batch_(capacity.life_boards, capacity.life_facts, capacity.life_words,
                    std::pmr::get_default_resource()),
        resident_batch_(capacity.resident_boards, capacity.life_facts,
                        std::pmr::get_default_resource()) {}

  camel_up::OddsBatch& camel_up() override { return odds_batch_; }
  life::StepBatch& life() override { return step_batch_; }
  life::ResidentBatch& resident() override { return resident_batch_; }

  DeviceResult<void> RunCamelUp() override {
    if (auto rows = race_rows_.Check(odds_batch_.exact); !rows) return rows;
    const std::size_t exact_rows = odds_batch_.exact.size();
    const std::size_t simulation_rows = odds_batch_.simulations.size();
    odds_batch_.exact_answers.Resize(exact_rows);
    odds_batch_.simulation_answers.Resize(simulation_rows);
    return RunRows(exact_rows + simulation_rows, [this, exact_rows](std::size_t row) {
      if (row < exact_rows) return SolveRow(row);
      SimulateRow(row - exact_rows);
    });
  }

  DeviceResult<void> RunLife() override {
    step_batch_.next.Resize(step_batch_.cells.size());
    return RunRows(step_batch_.boards.size(), [this](std::size_t board) { StepBoard(board); });
  }
  DeviceResult<void> RunResident() override {
    return tl::unexpected(DeviceFault{"resident boards are not there yet"});
  }

 private:
  // Other rows may run while a row waits for its own parallel loop, so a row's memory must not be
  // one thread's: hence the isolation.
  template <class RunRow>
  DeviceResult<void> RunRows(std::size_t rows, RunRow run_row) {
    try {
      ForkJoin loop;
      arena_.execute([&] {
        tbb::parallel_for(std::size_t{0}, rows, [&](std::size_t row) {
          tbb::this_task_arena::isolate([&] { loop.Run([&] { run_row(row); }); });
        });
      });
      loop.Join();
    } catch (const std::exception& error) {
      return tl::unexpected(DeviceFault{std::string("CPU backend: ") + error.what()});
    }
    return {};
  }

  void SolveRow(std::size_t row) {
    const auto queries = odds_batch_.exact.view();
    const camel_up::LegQuery query{queries.At<camel_up::kBoard>(row),
                                   queries.At<camel_up::kTiles>(row),
                                   queries.At<camel_up::kEdition>(row)};
    camel_up::LegSolver& solver = workspaces_.local().leg_solver;
    const auto answers = odds_batch_.exact_answers.view();
    if (queries.At<camel_up::kScope>(row) == camel_up::Scope::kLeg)
      return solver.SolveLeg(query, answers, row);
    solver.SolveRace(query, race_rows_.of(query.edition), answers, row);
  }

  void SimulateRow(std::size_t row) {
    using namespace camel_up;
    const auto queries = odds_batch_.simulations.view();
    const auto answers = odds_batch_.simulation_answers.view();
    const SimulationQuery query{
        {queries.At<kBoard>(row), queries.At<kTiles>(row), queries.At<kEdition>(row)},
        queries.At<kScope>(row),
        {queries.At<kSeed>(row), queries.At<kSubsequence>(row)},
        queries.At<kOffset>(row)};
    const std::uint64_t first = queries.At<kFirst>(row);
    ClearAnswer(answers, row);
    ForkJoin loop;
    tbb::parallel_for(
        tbb::blocked_range<std::uint32_t>(0, queries.At<kCount>(row), kSimulationsOfAPart),
        [&](const auto& part) {
          loop.Run([&] {
            SimulationTally tally;
            Simulate(query, first + part.begin(), part.end() - part.begin(), tally);
            AddTally(query, tally, answers, row);
          });
        });
    loop.Join();
  }

  void StepBoard(std::size_t board) {
    const auto boards = step_batch_.boards.view();
    BoardRun run(boards, board, workspaces_);
    const std::uint64_t first = boards.At<life::kFirstWord>(board);
    std::uint64_t* next = step_batch_.next.Column<0>() + first;
    run.Run(step_batch_.cells.Column<0>() + first, next, boards.At<life::kGenerations>(board),
            workspaces_.local().other_cells);
    std::uint64_t population = 0;
    for (std::size_t i = 0; i < run.words(); ++i)
      population += static_cast<std::uint64_t>(std::popcount(next[i]));
    step_batch_.facts.At<life::kPopulation>(boards.At<life::kFirstFacts>(board)) = population;
  }

  tbb::task_arena& arena_;
  Workspaces& workspaces_;
  const camel_up::RaceRowsInUse& race_rows_;
  camel_up::OddsBatch odds_batch_;
  life::StepBatch step_batch_;
  life::ResidentBatch resident_batch_;
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(int threads)
      : threads_(threads > 0 ? threads : UsableCpus()), arena_(threads_) {
    devices_.push_back(
        {"CPU, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"), 0,
         static_cast<std::uint32_t>(threads_)});
  }

  BackendKind kind() const override { return BackendKind::kCpu; }
  const std::vector<DeviceInfo>& devices() const override { return devices_; }

  // A move costs about 10 ns, of which merging saves two thirds; one of a simulation 20 ns with its share of
  // random words and tallies; a word 2 to 10 ns, the more the
  // narrower the board; a generation of the smallest board 0.5 us.
  std::uint64_t camel_up_chunk_moves() const override {
    return 500'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint64_t camel_up_chunk_simulated_moves() const override {
    return 100'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint64_t life_chunk_word_steps() const override {
    return 400'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint32_t life_chunk_generations() const override { return 4096; }
  std::uint64_t life_chunk_fill_words() const override {
    return 20'000ull * static_cast<std::uint64_t>(threads_);
  }

  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& /*warm*/) override {
    try {
      return std::make_unique<CpuSlot>(arena_, workspaces_, race_rows_, capacity);
    } catch (const std::bad_alloc&) {
      return tl::unexpected(DeviceFault{"CPU backend: no memory for a slot's columns"});
    }
  }

  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t, std::uint32_t,
                                                             std::uint32_t) override {
    return tl::unexpected(DeviceFault{"resident boards are not there yet"});
  }
  std::uint64_t FreeMemory(std::size_t) const override { return gpusim::FreeMemory(); }

  DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTable(
      camel_up::Edition edition, int threads, const RaceSolveWatch& watch) override {
    return camel_up::SolveRaceTableOnCpu(edition, threads > 0 ? threads : threads_, watch);
  }
  DeviceResult<void> UseRaceTable(std::shared_ptr<const camel_up::RaceTable> table,
                                  TableMemory /*memory*/) override {
    const std::lock_guard lock(tables_mutex_);
    if (auto unused = race_rows_.CheckUnused(table->edition()); !unused) return unused;
    race_rows_.Publish(table->edition(), table->rows().data());
    tables_.push_back(std::move(table));
    return {};
  }

 private:
  int threads_;
  tbb::task_arena arena_;
  Workspaces workspaces_;
  std::mutex tables_mutex_;
  std::vector<std::shared_ptr<const camel_up::RaceTable>> tables_;  // keeps what is published
  camel_up::RaceRowsInUse race_rows_;
  std::vector<DeviceInfo> devices_;
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend(int threads) {
  return std::make_unique<CpuBackend>(threads);
}

}  // namespace gpusim
