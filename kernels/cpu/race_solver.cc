#include "kernels/cpu/race_solver.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <system_error>

#include "kernels/cpu/race_layer.h"
#include "kernels/cpu/worker_team.h"
#include "kernels/race/free_memory.h"
#include "kernels/race/huge_array.h"
#include "kernels/race/race_layers.h"
#include "kernels/race/race_progress.h"
#include "kernels/race/race_sizes.h"

namespace gpusim::camel_up {
namespace {

constexpr std::uint32_t kShapesOfAPart = 256;

// The greatest of the values that several threads tell.
class Greatest {
 public:
  void Tell(double value) {
    double seen = value_.load();
    while (seen < value && !value_.compare_exchange_weak(seen, value)) {
    }
  }
  double value() const { return value_.load(); }

 private:
  std::atomic<double> value_{0};
};

// Makes its arrays when it is made, so that a lack of memory shows at once.
class Solve {
 public:
  Solve(Edition edition, int threads, const RaceSolveWatch& watch)
      : edition_(edition),
        sizes_(edition),
        shapes_(sizes_.shapes),
        move_count_(static_cast<std::size_t>(RaceMovesOf(edition))),
        layers_(MakeRaceLayers(edition)),
        watch_(watch),
        progress_(edition),
        moves_(sizes_.moves / sizeof(RaceMove)),
        lesser_(sizes_.lesser / sizeof(double)),
        greater_(sizes_.greater / sizeof(double)),
        symmetric_(sizes_.values / sizeof(double)),
        antisymmetric_(sizes_.values / sizeof(double)),
        legs_(sizes_.legs / sizeof(double)),
        team_(threads) {}

  // nullptr when the watch stopped it.
  std::shared_ptr<const RaceTable> Run() {
    if (!MakeMoves() || !SolveSymmetric() || !SolveAntisymmetric()) return nullptr;
    lesser_ = {};
    greater_ = {};
    return MakeTable();
  }

 private:
  // Runs each(shape) for all shapes; `of_sweep` tells the part of the current sweep that is done from
  // the number of shapes that are.
  template <class Each, class OfSweep>
  bool ForAllShapes(const Each& each, const OfSweep& of_sweep) {
    const auto look = [&](std::size_t parts) {
      return watch_(progress_.At(of_sweep(parts * kShapesOfAPart)));
    };
    const auto part = [&](std::size_t i) {
      const std::size_t begin = i * kShapesOfAPart;
      const std::size_t end = std::min<std::size_t>(shapes_, begin + kShapesOfAPart);
      for (std::size_t shape = begin; shape < end; ++shape) each(shape);
    };
    return team_.Run((shapes_ + kShapesOfAPart - 1) / kShapesOfAPart, part, look);
  }

  bool MakeMoves() {
    return ForAllShapes(
        [this](std::size_t shape) {
          MakeRaceMoves(static_cast<std::uint32_t>(shape), edition_, &moves_[shape * move_count_]);
        },
        [](std::size_t) { return 0.0; });
  }

  static void WriteRaceOver(RacePart part, int sets, double* row) {
    for (int i = 0; i < sets * kRaceNumbers; ++i) row[i] = RaceOverValue(part, i % kRaceNumbers);
  }

  bool SolveSymmetric() {
    for (std::size_t shape = 0; shape < shapes_; ++shape) legs_[shape] = 1;
    WriteRaceOver(RacePart::kSymmetric, 1, &symmetric_[shapes_ * kRaceNumbers]);
    while (progress_.sweeps_of_a_part() == 0) {
      Greatest missing;
      const auto add_missing = [&](std::size_t shape) {
        const double misses = MissingOf(&symmetric_[shape * kRaceNumbers]);
        legs_[shape] += misses;
        missing.Tell(misses);
      };
      if (!Sweep(RacePart::kSymmetric, symmetric_.data(), add_missing)) return false;
      progress_.SweepDone(missing.value());
      if (!watch_(progress_.At(0))) return false;
    }
    return true;
  }

  bool SolveAntisymmetric() {
    WriteRaceOver(RacePart::kAntisymmetric, 1, &antisymmetric_[shapes_ * kRaceNumbers]);
    for (int sweep = 0; sweep < progress_.sweeps_of_a_part(); ++sweep) {
      if (!Sweep(RacePart::kAntisymmetric, antisymmetric_.data(), [](std::size_t) {})) return false;
      progress_.SweepDone();
      if (!watch_(progress_.At(0))) return false;
    }
    return true;
  }

  // Replaces the values by their mean over a leg, and calls then(shape) for each.
  template <class Then>
  bool Sweep(RacePart part, double* values, const Then& then) {
    double reads_before = 0;
    double reads_of_sweep = 0;
    for (const RaceLayer& layer : layers_) reads_of_sweep += layer.reads();
    for (int l = 0; l < kRaceLayers; ++l) {
      const bool last = l == kRaceLayers - 1;
      const double* in = l == 0 ? values : l % 2 == 1 ? lesser_.data() : greater_.data();
      double* out = last ? values : l % 2 == 0 ? lesser_.data() : greater_.data();
      const RaceLayerSums run(layers_[l], part);
      const auto of_sweep = [&](std::size_t done) {
        const double of_layer = static_cast<double>(done) / static_cast<double>(shapes_);
        return (reads_before + of_layer * layers_[l].reads()) / reads_of_sweep;
      };
      const auto sum_shape = [&](std::size_t shape) {
        run.SumShape(&moves_[shape * move_count_], DiceOf(edition_), in,
                     out + shape * run.to_row());
        if (last) then(shape);
      };
      if (!ForAllShapes(sum_shape, of_sweep)) return false;
      WriteRaceOver(part, layers_[l].to.count, out + shapes_ * run.to_row());
      reads_before += layers_[l].reads();
    }
    return true;
  }

  std::shared_ptr<const RaceTable> MakeTable() {
    const auto rows = std::make_shared<HugeArray<RaceRow>>(shapes_);
    const auto make_row = [&](std::size_t shape) {
      (*rows)[shape] = MakeRaceRow(&symmetric_[shape * kRaceNumbers],
                                   &antisymmetric_[shape * kRaceNumbers], legs_[shape]);
    };
    if (!ForAllShapes(make_row, [](std::size_t) { return 0.0; })) return nullptr;
    return std::make_shared<RaceTable>(edition_, rows,
                                       std::span<const RaceRow>(rows->data(), shapes_));
  }

  Edition edition_;
  RaceSizes sizes_;
  std::size_t shapes_;
  std::size_t move_count_;
  std::array<RaceLayer, kRaceLayers> layers_;
  const RaceSolveWatch& watch_;
  RaceProgress progress_;
  HugeArray<RaceMove> moves_;
  HugeArray<double> lesser_;
  HugeArray<double> greater_;
  HugeArray<double> symmetric_;
  HugeArray<double> antisymmetric_;
  HugeArray<double> legs_;
  WorkerTeam team_;
};

}  // namespace

DeviceResult<std::shared_ptr<const RaceTable>> SolveRaceTableOnCpu(Edition edition, int threads,
                                                                   const RaceSolveWatch& watch) {
  const RaceSizes sizes(edition);
  const std::string need = RaceMemoryNeed(sizes, "memory");
  if (const std::uint64_t free_bytes = FreeMemory(); free_bytes < sizes.total())
    return tl::unexpected(DeviceFault{need + InGib(free_bytes) + " are free"});
  try {
    return Solve(edition, threads, watch).Run();
  } catch (const std::bad_alloc&) {
    return tl::unexpected(DeviceFault{need + "this process may not take as much"});
  } catch (const std::system_error& error) {
    return tl::unexpected(
        DeviceFault{std::string("no threads to solve the race table: ") + error.what()});
  }
}

}  // namespace gpusim::camel_up
