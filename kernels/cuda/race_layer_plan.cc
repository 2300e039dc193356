#include "kernels/cuda/race_kernel.h"

namespace gpusim::cuda {

RaceLayerPlan RaceLayerPlan::Of(const camel_up::RaceLayer& layer) {
  using namespace camel_up;
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

}  // namespace gpusim::cuda
