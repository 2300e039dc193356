#include "kernels/cpu/race_solver.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "kernels/race/huge_array.h"
#include "kernels/cpu/worker_team.h"
#include "kernels/race/race_layers.h"
#include "kernels/race/race_progress.h"

namespace gpusim::camel_up {
namespace {

constexpr std::uint32_t kShapesOfAPart = 256;

// Two numbers at once; compilers do not find these by themselves in loops of ten.
using Two = double __attribute__((vector_size(16)));

Two Load(const double* from) {
  Two two;
  std::memcpy(&two, from, sizeof two);
  return two;
}
void Store(double* to, Two two) { std::memcpy(to, &two, sizeof two); }

constexpr RaceRenaming kRenaming = RaceRenaming::Make();

// One layer of one part, with its tables turned to what the loops ask for.
class LayerRun {
 public:
  LayerRun(const RaceLayer& layer, RacePart part)
      : layer_(layer), antisymmetric_(part == RacePart::kAntisymmetric) {
    for (int sum = 0; sum < layer.sums.count; ++sum)
      for (int t = 0; t < layer.terms_of_a_sum; ++t) {
        const RaceLayer::Term term = layer.terms[sum][t];
        Uses& uses = uses_[term.die];
        uses.list[uses.count++] = {static_cast<std::uint16_t>(sum * kRaceNumbers),
                                   static_cast<std::uint16_t>(term.from * kRaceNumbers)};
      }
    for (std::uint32_t p = 0; p < kPermutations; ++p) {
      const Permutation permutation = PermutationOf(p);
      for (int set = 0; set < layer.from.count; ++set) {
        const int renamed = RenamedSet(layer.from, permutation, set);
        renamed_row_[p][set] = static_cast<std::uint16_t>(renamed * kRaceNumbers);
      }
      for (int number = 0; number < kRaceNumbers; ++number)
        sign_[p][number] = kRenaming.turned[p][number] ? -1.0 : 1.0;
    }
  }

  std::size_t from_row() const { return static_cast<std::size_t>(layer_.from.count * kRaceNumbers); }
  std::size_t to_row() const { return static_cast<std::size_t>(layer_.to.count * kRaceNumbers); }

  // `in` is the whole layer before, `out` the shape's own row.
  void SumShape(const RaceMove* moves, int dice, const double* in, double* out) const {
    alignas(64) double sums[kMostSets * kRaceNumbers];
    std::fill_n(sums, layer_.sums.count * kRaceNumbers, 0.0);
    alignas(64) double renamed[2 * kFaces][kMostSets * kRaceNumbers];
    for (int die = 0; die < dice; ++die) {
      const RaceMove* move = moves + die * kFaces;
      const double* row[2 * kFaces];
      const bool two_colours = die == kGreyDie && move[0].word != move[kFaces].word;
      for (int i = 0; i < (two_colours ? 2 * kFaces : kFaces); ++i)
        row[i] = AsNamedHere(move[i], uses_[die], in, renamed[i]);
      if (two_colours)
        AddTwoColours(uses_[die], row, sums);
      else
        AddFaces(uses_[die], row, sums);
    }
    Finish(sums, out);
  }

 private:
  // A sum and the set that it takes from the layer before, as offsets into rows.
  struct Use {
    std::uint16_t sum;
    std::uint16_t from;
  };
  struct Uses {
    int count = 0;
    Use list[kMostSets];
  };

  // The row that the move leads to, its sets and numbers named as before the move: where it lies, or
  // where names change a copy of the sets in use.
  const double* AsNamedHere(RaceMove move, const Uses& uses, const double* in,
                            double* renamed) const {
    const double* row = in + move.shape() * from_row();
    const std::uint32_t p = move.permutation();
    if (p == 0) return row;
    for (int u = 0; u < uses.count; ++u) {
      const int from = uses.list[u].from;
      const double* set = row + renamed_row_[p][from / kRaceNumbers];
      if (antisymmetric_) {
        for (int i = 0; i < kRaceNumbers; ++i)
          renamed[from + i] = set[kRenaming.number[p][i]] * sign_[p][i];
      } else {
        for (int i = 0; i < kRaceNumbers; ++i) renamed[from + i] = set[kRenaming.number[p][i]];
      }
    }
    return renamed;
  }

  static void AddFaces(const Uses& uses, const double* const* row, double* sums) {
    for (int u = 0; u < uses.count; ++u) {
      const Use use = uses.list[u];
      double* sum = sums + use.sum;
      const double* a = row[0] + use.from;
      const double* b = row[1] + use.from;
      const double* c = row[2] + use.from;
      for (int i = 0; i < kRaceNumbers; i += 2)
        Store(sum + i, Load(sum + i) + ((Load(a + i) + Load(b + i)) + Load(c + i)));
    }
  }

  // Six faces count as much as three of another die. Where both colours have the same faces, this
  // would give AddFaces' bits.
  static void AddTwoColours(const Uses& uses, const double* const* row, double* sums) {
    for (int u = 0; u < uses.count; ++u) {
      const Use use = uses.list[u];
      double* sum = sums + use.sum;
      const double* from[2 * kFaces];
      for (int i = 0; i < 2 * kFaces; ++i) from[i] = row[i] + use.from;
      for (int i = 0; i < kRaceNumbers; i += 2) {
        const Two low = (Load(from[0] + i) + Load(from[1] + i)) + Load(from[2] + i);
        const Two high = (Load(from[3] + i) + Load(from[4] + i)) + Load(from[5] + i);
        Store(sum + i, Load(sum + i) + 0.5 * (low + high));
      }
    }
  }

  void Finish(const double* sums, double* out) const {
    for (int set = 0; set < layer_.to.count; ++set) {
      double* to = out + set * kRaceNumbers;
      if (layer_.folds) {
        const double* a = sums + layer_.folded[set][0] * kRaceNumbers;
        const double* b = sums + layer_.folded[set][1] * kRaceNumbers;
        const double* c = sums + layer_.folded[set][2] * kRaceNumbers;
        for (int i = 0; i < kRaceNumbers; i += 2)
          Store(to + i, ((Load(a + i) + Load(b + i)) + Load(c + i)) * layer_.factor);
      } else {
        const double* sum = sums + set * kRaceNumbers;
        for (int i = 0; i < kRaceNumbers; i += 2) Store(to + i, Load(sum + i) * layer_.factor);
      }
    }
  }

  const RaceLayer& layer_;
  bool antisymmetric_;
  Uses uses_[kMaxDice];
  std::uint16_t renamed_row_[kPermutations][kMostSets];
  double sign_[kPermutations][kRaceNumbers];
};

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
        shapes_(ShapesOf(edition)),
        move_count_(static_cast<std::size_t>(RaceMovesOf(edition))),
        layers_(MakeRaceLayers(edition)),
        watch_(watch),
        progress_(edition),
        moves_(shapes_ * move_count_),
        lesser_((shapes_ + 1) * static_cast<std::size_t>(LesserBufferSets(edition) * kRaceNumbers)),
        greater_((shapes_ + 1) *
                 static_cast<std::size_t>(GreaterBufferSets(edition) * kRaceNumbers)),
        symmetric_((shapes_ + 1) * kRaceNumbers),
        antisymmetric_((shapes_ + 1) * kRaceNumbers),
        legs_(shapes_),
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
      const LayerRun run(layers_[l], part);
      const auto of_sweep = [&](std::size_t done) {
        const double of_layer = static_cast<double>(done) / static_cast<double>(shapes_);
        return (reads_before + of_layer * layers_[l].reads()) / reads_of_sweep;
      };
      const auto sum_shape = [&](std::size_t shape) {
        run.SumShape(&moves_[shape * move_count_], DiceOf(edition_), in, out + shape * run.to_row());
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
  try {
    return Solve(edition, threads, watch).Run();
  } catch (const std::bad_alloc&) {
    return tl::unexpected(DeviceFault{"no memory to solve the race table"});
  } catch (const std::system_error& error) {
    return tl::unexpected(DeviceFault{std::string("no threads to solve it: ") + error.what()});
  }
}

}  // namespace gpusim::camel_up
