#include "kernels/cpu/race_layer.h"

#include <algorithm>
#include <cstring>

namespace gpusim::camel_up {
namespace {

constexpr RaceRenaming kRenaming = RaceRenaming::Make();

// Two numbers at once; compilers do not find these by themselves in loops of ten.
using Two = double __attribute__((vector_size(16)));

Two Load(const double* from) {
  Two two;
  std::memcpy(&two, from, sizeof two);
  return two;
}
void Store(double* to, Two two) { std::memcpy(to, &two, sizeof two); }

bool SameMoves(const RaceMove* a, const RaceMove* b) {
  return a[0].word == b[0].word && a[1].word == b[1].word && a[2].word == b[2].word;
}

}  // namespace

RaceLayerSums::RaceLayerSums(const RaceLayer& layer, RacePart part)
    : layer_(layer), antisymmetric_(part == RacePart::kAntisymmetric) {
  for (int sum = 0; sum < layer.sums.count; ++sum) {
    for (int t = 0; t < layer.terms_of_a_sum; ++t) {
      const RaceLayer::Term term = layer.terms[sum][t];
      Uses& uses = uses_[term.die];
      uses.list[uses.count++] = {static_cast<std::uint16_t>(sum * kRaceNumbers),
                                 static_cast<std::uint16_t>(term.from * kRaceNumbers)};
    }
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

void RaceLayerSums::SumShape(const RaceMove* moves, int dice, const double* in, double* out) const {
  double sums[kMostSets * kRaceNumbers];
  std::fill_n(sums, Row(layer_.sums), 0.0);
  double renamed[2 * kFaces][kMostSets * kRaceNumbers];
  for (int die = 0; die < dice; ++die) {
    const RaceMove* move = moves + die * kFaces;
    const double* row[2 * kFaces];
    const bool two_colours = die == kGreyDie && !SameMoves(move, move + kFaces);
    for (int i = 0; i < (two_colours ? 2 * kFaces : kFaces); ++i)
      row[i] = AsNamedHere(move[i], uses_[die], in, renamed[i]);
    if (two_colours)
      AddTwoColours(uses_[die], row, sums);
    else
      AddFaces(uses_[die], row, sums);
  }
  Finish(sums, out);
}

// The row that the move leads to, its sets and numbers named as before the move: where it lies, or
// where names change a copy of the sets in use.
const double* RaceLayerSums::AsNamedHere(RaceMove move, const Uses& uses, const double* in,
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

void RaceLayerSums::AddFaces(const Uses& uses, const double* const* row, double* sums) {
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

// Six faces count as much as three of another die. Where both colours move the same camel, AddFaces
// gives these bits with half the work.
void RaceLayerSums::AddTwoColours(const Uses& uses, const double* const* row, double* sums) {
  for (int u = 0; u < uses.count; ++u) {
    const Use use = uses.list[u];
    double* sum = sums + use.sum;
    const double* from[2 * kFaces];
    for (int i = 0; i < 2 * kFaces; ++i) from[i] = row[i] + use.from;
    for (int i = 0; i < kRaceNumbers; i += 2) {
      const Two white = (Load(from[0] + i) + Load(from[1] + i)) + Load(from[2] + i);
      const Two black = (Load(from[3] + i) + Load(from[4] + i)) + Load(from[5] + i);
      Store(sum + i, Load(sum + i) + 0.5 * (white + black));
    }
  }
}

void RaceLayerSums::Finish(const double* sums, double* out) const {
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

}  // namespace gpusim::camel_up
