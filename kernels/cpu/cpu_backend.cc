// The CPU as a device: one oneTBB arena that all slots share. Rows and boards of a batch run in
// parallel, a large board's rows as well.
#include <exception>
#include <mutex>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "kernels/backend.h"
#include "kernels/cpu/backend_for_testing.h"
#include "kernels/cpu/cpu_cells.h"
#include "kernels/cpu/cpu_threads.h"
#include "kernels/cpu/fork_join.h"
#include "kernels/cpu/leg_solver.h"
#include "kernels/cpu/life_runner.h"
#include "kernels/cpu/race_solver.h"
#include "kernels/cpu/simulator.h"
#include "kernels/race/free_memory.h"
#include "kernels/race_rows.h"

namespace gpusim {
namespace {

// What worker threads keep from batch to batch.
struct Workspaces {
  tbb::enumerable_thread_specific<camel_up::LegSolver> leg_solvers;
  life::Workspaces life;
};

// A row of more simulations than this is shared out; a part's tally costs as much as a hundred of them.
constexpr std::uint32_t kSimulationsOfAPart = 8192;

class CpuSlot : public Slot {
 public:
  CpuSlot(tbb::task_arena& arena, Workspaces& workspaces, const camel_up::RaceRowsInUse& race_rows,
          const life::Lanes& lanes, const SlotCapacity& capacity)
      : arena_(arena),
        workspaces_(workspaces),
        race_rows_(race_rows),
        odds_batch_(capacity.camel_up_rows, capacity.simulation_rows,
                    std::pmr::get_default_resource()),
        life_(lanes, capacity, workspaces.life) {}

  camel_up::OddsBatch& camel_up() override { return odds_batch_; }
  life::StepBatch& life() override { return life_.steps(); }
  life::ResidentBatch& resident() override { return life_.residents(); }

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
    life::StepBatch& batch = life_.steps();
    batch.next.Resize(batch.cells.size());
    return RunRows(batch.boards.size(), [this](std::size_t board) { life_.StepBoard(board); });
  }
  DeviceResult<void> RunResident() override {
    return RunRows(life_.residents().steps.size(),
                   [this](std::size_t board) { life_.StepResident(board); });
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
    camel_up::LegSolver& solver = workspaces_.leg_solvers.local();
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

  tbb::task_arena& arena_;
  Workspaces& workspaces_;
  const camel_up::RaceRowsInUse& race_rows_;
  camel_up::OddsBatch odds_batch_;
  life::LifeRunner life_;
};

class CpuBackend : public Backend {
 public:
  CpuBackend(int threads, const life::Lanes& lanes)
      : threads_(threads > 0 ? threads : UsableCpus()), lanes_(lanes), arena_(threads_) {
    devices_.push_back(
        {"CPU, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"), 0,
         static_cast<std::uint32_t>(threads_)});
  }

  BackendKind kind() const override { return BackendKind::kCpu; }
  const std::vector<DeviceInfo>& devices() const override { return devices_; }

  // A move costs about 10 ns, of which merging saves two thirds; one of a simulation 20 ns with its share of
  // random words and tallies. A word of a board costs 0.6 to 1.5 ns, the last under any rule but Conway's with
  // AVX2; a generation of the smallest board 40 to 70 ns; a word of random cells 35 to 70 ns.
  std::uint64_t camel_up_chunk_moves() const override {
    return 500'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint64_t camel_up_chunk_simulated_moves() const override {
    return 100'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint64_t life_chunk_word_steps() const override {
    return 2'000'000ull * static_cast<std::uint64_t>(threads_);
  }
  std::uint32_t life_chunk_generations() const override { return 30'000; }
  std::uint64_t life_chunk_fill_words() const override {
    return 40'000ull * static_cast<std::uint64_t>(threads_);
  }

  DeviceResult<std::unique_ptr<Slot>> MakeSlot(std::size_t, const SlotCapacity& capacity,
                                               const camel_up::StreamBase& /*warm*/) override {
    try {
      return std::make_unique<CpuSlot>(arena_, workspaces_, race_rows_, lanes_, capacity);
    } catch (const std::bad_alloc&) {
      return tl::unexpected(DeviceFault{"CPU backend: no memory for a slot's columns"});
    }
  }

  DeviceResult<std::unique_ptr<life::DeviceCells>> MakeCells(std::size_t, std::uint32_t width,
                                                             std::uint32_t height) override {
    // The kernel promises memory that it does not have, so its word alone is not enough.
    if (life::WordsPerRow(width) * height <= gpusim::FreeMemory() / sizeof(std::uint64_t)) {
      try {
        return std::make_unique<life::CpuCells>(width, height, lanes_, arena_);
      } catch (const std::bad_alloc&) {  // as if it was not free
      }
    }
    return tl::unexpected(DeviceFault{"CPU backend: no memory for a board of " +
                                      std::to_string(width) + "x" + std::to_string(height)});
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
  const life::Lanes& lanes_;
  tbb::task_arena arena_;
  Workspaces workspaces_;
  std::mutex tables_mutex_;
  std::vector<std::shared_ptr<const camel_up::RaceTable>> tables_;  // keeps what is published
  camel_up::RaceRowsInUse race_rows_;
  std::vector<DeviceInfo> devices_;
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend(int threads) {
  return MakeCpuBackendForTesting(threads, life::BestLanes());
}

std::unique_ptr<Backend> MakeCpuBackendForTesting(int threads, const life::Lanes& lanes) {
  return std::make_unique<CpuBackend>(threads, lanes);
}

}  // namespace gpusim
