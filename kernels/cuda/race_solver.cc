#include "kernels/cuda/race_solver.h"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/handles.h"
#include "kernels/cuda/race_kernel.h"
#include "kernels/race/huge_array.h"
#include "kernels/race/race_layers.h"
#include "kernels/race/race_progress.h"

namespace gpusim::cuda {
namespace {

using namespace camel_up;

// What a solve takes of the device's memory, in bytes.
struct Sizes {
  explicit Sizes(Edition edition)
      : shapes(ShapesOf(edition)),
        moves(shapes * static_cast<std::size_t>(RaceMovesOf(edition)) * sizeof(RaceMove)),
        values((shapes + 1) * kRaceNumbers * sizeof(double)),
        lesser(values * static_cast<std::size_t>(LesserBufferSets(edition))),
        greater(values * static_cast<std::size_t>(GreaterBufferSets(edition))),
        legs(shapes * sizeof(double)) {}

  std::size_t total() const { return moves + 2 * values + lesser + greater + legs; }

  std::size_t shapes;
  std::size_t moves;
  std::size_t values;
  std::size_t lesser;
  std::size_t greater;
  std::size_t legs;
};

RaceLayerPlan PlanOf(const RaceLayer& layer) {
  constexpr RaceRenaming kRenaming = RaceRenaming::Make();
  RaceLayerPlan plan{};
  plan.from_sets = layer.from.count;
  plan.sums = layer.sums.count;
  plan.to_sets = layer.to.count;
  plan.folds = layer.folds;
  plan.factor = layer.factor;
  for (int sum = 0; sum < plan.sums; ++sum) {
    for (int t = 0; t < layer.terms_of_a_sum; ++t) {
      plan.term_die[sum][t] = layer.terms[sum][t].die;
      plan.term_from[sum][t] = layer.terms[sum][t].from;
    }
  }
  for (int set = 0; set < plan.to_sets; ++set)
    for (int i = 0; i < 3; ++i) plan.folded[set][i] = layer.folded[set][i];
  for (std::uint32_t p = 0; p < kPermutations; ++p) {
    const Permutation permutation = PermutationOf(p);
    for (int set = 0; set < plan.from_sets; ++set) {
      const int renamed = RenamedSet(layer.from, permutation, set);
      plan.set_at[p][set] = static_cast<std::uint8_t>(renamed * kRaceNumbers);
    }
    for (int i = 0; i < kRaceNumbers; ++i) {
      const std::uint8_t turned = kRenaming.turned[p][i] ? RaceLayerPlan::kTurned : 0;
      plan.number_at[p][i] = kRenaming.number[p][i] | turned;
    }
  }
  return plan;
}

template <class T>
T* As(const DeviceMemory& memory) {
  return static_cast<T*>(memory.get());
}

class Solve {
 public:
  Solve(Edition edition, int multiprocessors, const Sizes& sizes, const RaceSolveWatch& watch)
      : edition_(edition),
        multiprocessors_(multiprocessors),
        sizes_(sizes),
        layers_(MakeRaceLayers(edition)),
        watch_(watch),
        progress_(edition),
        stream_(MakeStream()),
        done_(MakeEvent()),
        plans_(MakeDeviceMemory(kRaceLayers * sizeof(RaceLayerPlan))),
        moves_(MakeDeviceMemory(sizes.moves)),
        lesser_(MakeDeviceMemory(sizes.lesser)),
        greater_(MakeDeviceMemory(sizes.greater)),
        symmetric_(MakeDeviceMemory(sizes.values)),
        antisymmetric_(MakeDeviceMemory(sizes.values)),
        legs_(MakeDeviceMemory(sizes.legs)),
        most_missing_(MakeDeviceMemory(sizeof(double))) {}

  // nullptr when the watch stopped it.
  std::shared_ptr<const RaceTable> Run() {
    std::vector<RaceLayerPlan> plans;
    for (const RaceLayer& layer : layers_) plans.push_back(PlanOf(layer));
    CopyToDevice(plans_.get(), plans.data(), plans.size() * sizeof(RaceLayerPlan));
    LaunchRaceMoves(edition_, As<RaceMove>(moves_), stream_.get());
    if (!SolveSymmetric() || !SolveAntisymmetric()) return nullptr;
    return MakeTable();
  }

 private:
  void CopyToDevice(void* to, const void* from, std::size_t bytes) {
    CheckCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_.get()));
  }

  // Zero, but for the row of 'race over'.
  void StartValues(RacePart part, const DeviceMemory& values) {
    std::array<double, kRaceNumbers> over;
    for (int i = 0; i < kRaceNumbers; ++i) over[i] = RaceOverValue(part, i);
    CheckCuda(cudaMemsetAsync(values.get(), 0, sizes_.values, stream_.get()));
    CopyToDevice(As<double>(values) + sizes_.shapes * kRaceNumbers, over.data(), sizeof over);
  }

  bool SolveSymmetric() {
    std::vector<double> one_leg(sizes_.shapes, 1.0);
    CopyToDevice(legs_.get(), one_leg.data(), sizes_.legs);
    StartValues(RacePart::kSymmetric, symmetric_);
    while (progress_.sweeps_of_a_part() == 0) {
      if (!Sweep(RacePart::kSymmetric, symmetric_)) return false;
      progress_.SweepDone(AddMissing());
      if (!watch_(progress_.At(0))) return false;
    }
    return true;
  }

  bool SolveAntisymmetric() {
    StartValues(RacePart::kAntisymmetric, antisymmetric_);
    for (int sweep = 0; sweep < progress_.sweeps_of_a_part(); ++sweep) {
      if (!Sweep(RacePart::kAntisymmetric, antisymmetric_)) return false;
      progress_.SweepDone();
      if (!watch_(progress_.At(0))) return false;
    }
    return true;
  }

  // Layer by layer: on a slow device a sweep takes seconds.
  bool Sweep(RacePart part, const DeviceMemory& values) {
    for (int l = 0; l < kRaceLayers; ++l) {
      const DeviceMemory& in = l == 0 ? values : l % 2 == 1 ? lesser_ : greater_;
      const DeviceMemory& out = l == kRaceLayers - 1 ? values : l % 2 == 0 ? lesser_ : greater_;
      LaunchRaceLayer(edition_, part, layers_[l].terms_of_a_sum, As<RaceLayerPlan>(plans_) + l,
                      As<RaceMove>(moves_), As<double>(in), As<double>(out), multiprocessors_,
                      stream_.get());
      WaitFor(stream_, done_);
      if (!watch_(progress_.At(static_cast<double>(l) / kRaceLayers))) return false;
    }
    return true;
  }

  double AddMissing() {
    double most_missing = 0;
    CheckCuda(cudaMemsetAsync(most_missing_.get(), 0, sizeof most_missing, stream_.get()));
    LaunchRaceMissing(static_cast<std::uint32_t>(sizes_.shapes), As<double>(symmetric_),
                      As<double>(legs_), As<double>(most_missing_), stream_.get());
    CheckCuda(cudaMemcpyAsync(&most_missing, most_missing_.get(), sizeof most_missing,
                              cudaMemcpyDeviceToHost, stream_.get()));
    WaitFor(stream_, done_);
    return most_missing;
  }

  // The greater buffer is free by then, and has room for the rows.
  std::shared_ptr<const RaceTable> MakeTable() {
    const auto rows = std::make_shared<HugeArray<RaceRow>>(sizes_.shapes);
    LaunchRaceRows(static_cast<std::uint32_t>(sizes_.shapes), As<double>(symmetric_),
                   As<double>(antisymmetric_), As<double>(legs_), As<RaceRow>(greater_),
                   stream_.get());
    CheckCuda(cudaMemcpyAsync(rows->data(), greater_.get(), rows->bytes(), cudaMemcpyDeviceToHost,
                              stream_.get()));
    WaitFor(stream_, done_);
    return std::make_shared<const RaceTable>(edition_, rows,
                                             std::span<const RaceRow>(rows->data(), rows->size()));
  }

  Edition edition_;
  int multiprocessors_;
  Sizes sizes_;
  std::array<RaceLayer, kRaceLayers> layers_;
  const RaceSolveWatch& watch_;
  RaceProgress progress_;
  Stream stream_;
  Event done_;
  DeviceMemory plans_;
  DeviceMemory moves_;
  DeviceMemory lesser_;
  DeviceMemory greater_;
  DeviceMemory symmetric_;
  DeviceMemory antisymmetric_;
  DeviceMemory legs_;
  DeviceMemory most_missing_;
};

struct FreeMemory {
  int device = 0;
  std::size_t bytes = 0;
};

FreeMemory MostFreeMemory() {
  int count = 0;
  CheckCuda(cudaGetDeviceCount(&count));
  FreeMemory most;
  for (int device = 0; device < count; ++device) {
    std::size_t free = 0;
    std::size_t total = 0;
    CheckCuda(cudaSetDevice(device));
    CheckCuda(cudaMemGetInfo(&free, &total));
    if (free > most.bytes) most = {device, free};
  }
  return most;
}

std::string Gib(std::size_t bytes) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text.data();
}

}  // namespace

DeviceResult<std::shared_ptr<const RaceTable>> SolveRaceTableOnGpu(Edition edition,
                                                                   const RaceSolveWatch& watch) {
  const Sizes sizes(edition);
  const FreeMemory memory = MostFreeMemory();
  if (memory.bytes < sizes.total()) {
    return tl::unexpected(DeviceFault{"the race table takes " + Gib(sizes.total()) +
                                      " of GPU memory to solve, at most " + Gib(memory.bytes) +
                                      " are free"});
  }
  CheckCuda(cudaSetDevice(memory.device));
  int multiprocessors = 0;
  CheckCuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, memory.device));
  return Solve(edition, multiprocessors, sizes, watch).Run();
}

}  // namespace gpusim::cuda
