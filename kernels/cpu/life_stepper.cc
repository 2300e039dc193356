// Row by row: the horizontal sums of a row (rules/life_step.h) are made once and serve three output
// rows. The inner loops run over whole rows without branches, so that the compiler vectorises them;
// a row's two ends are apart.
#include "kernels/cpu/life_stepper.h"

#include <algorithm>

#include "kernels/batches.h"
#include "kernels/rules/life_step.h"

namespace gpusim::life {
namespace {

void SumWholeRow(const std::uint64_t* row, RowEdges edges, std::uint64_t* ones,
                 std::uint64_t* twos) {
  auto keep = [&](std::uint32_t i, RowSum<std::uint64_t> sum) {
    ones[i] = sum.ones;
    twos[i] = sum.twos;
  };
  keep(0, SumRowAt(row, 0, edges));
  for (std::uint32_t i = 1; i + 1 < edges.words; ++i) {
    const std::uint64_t centre = row[i];
    keep(i, SumRow(centre << 1 | row[i - 1] >> 63, centre, centre >> 1 | row[i + 1] << 63));
  }
  if (edges.words > 1) keep(edges.words - 1, SumRowAt(row, edges.words - 1, edges));
}

// Steps rows with the word function `next_word`.
template <class NextWord>
class Band {
 public:
  Band(const std::uint64_t* cells, std::uint64_t* next, Grid grid, RowSums& sums,
       NextWord next_word)
      : cells_(cells),
        next_(next),
        grid_(grid),
        edges_(EdgesOf(grid.width, grid.topology)),
        sums_(sums),
        next_word_(next_word) {}

  // Buffer slot k holds the sums of the row begin - 1 + k, slots taken modulo 3.
  void Step(std::uint32_t begin, std::uint32_t end) {
    LoadSums(0, begin, -1);
    LoadSums(1, begin, 0);
    for (std::uint32_t y = begin; y < end; ++y) {
      const std::uint32_t slot = y - begin;
      LoadSums(slot + 2, y, +1);
      StepRow(y, slot);
    }
  }

 private:
  void LoadSums(std::uint32_t slot, std::uint32_t y, int offset) {
    std::uint32_t row =
        y + static_cast<std::uint32_t>(offset);  // above row 0: wraps to the largest
    if (row >= grid_.height) {
      if (!edges_.torus) {
        std::fill_n(sums_.ones(slot), edges_.words, 0);
        std::fill_n(sums_.twos(slot), edges_.words, 0);
        return;
      }
      row = offset < 0 ? grid_.height - 1 : 0;
    }
    SumWholeRow(cells_ + std::size_t{row} * edges_.words, edges_, sums_.ones(slot),
                sums_.twos(slot));
  }

  void StepRow(std::uint32_t y, std::uint32_t slot) {
    const std::uint64_t* row = cells_ + std::size_t{y} * edges_.words;
    std::uint64_t* out = next_ + std::size_t{y} * edges_.words;
    const std::uint64_t *top1 = sums_.ones(slot), *top2 = sums_.twos(slot);
    const std::uint64_t *mid1 = sums_.ones(slot + 1), *mid2 = sums_.twos(slot + 1);
    const std::uint64_t *bot1 = sums_.ones(slot + 2), *bot2 = sums_.twos(slot + 2);
    for (std::uint32_t i = 0; i < edges_.words; ++i) {
      out[i] = next_word_(RowSum<std::uint64_t>{top1[i], top2[i]},
                          RowSum<std::uint64_t>{mid1[i], mid2[i]},
                          RowSum<std::uint64_t>{bot1[i], bot2[i]}, row[i]);
    }
    out[edges_.words - 1] &= LastWordMask(edges_);
  }

  const std::uint64_t* cells_;
  std::uint64_t* next_;
  Grid grid_;
  RowEdges edges_;
  RowSums& sums_;
  NextWord next_word_;
};

}  // namespace

void RowSums::Resize(std::uint32_t words) {
  words_ = words;
  if (ones_.size() < 3 * words_) {
    ones_.resize(3 * words_);
    twos_.resize(3 * words_);
  }
}

void StepRows(const std::uint64_t* cells, std::uint64_t* next, Grid grid, std::uint32_t rule_masks,
              std::uint32_t begin, std::uint32_t end, RowSums& sums) {
  using Sum = RowSum<std::uint64_t>;
  sums.Resize(static_cast<std::uint32_t>(WordsPerRow(grid.width)));
  if (rule_masks == RuleMasks(kConway)) {
    auto conway = [](Sum top, Sum middle, Sum bottom, std::uint64_t centre) {
      return NextConwayCells(top, middle, bottom, centre);
    };
    Band(cells, next, grid, sums, conway).Step(begin, end);
    return;
  }
  const RuleWords<std::uint64_t> rule = MakeRuleWords<std::uint64_t>(rule_masks);
  auto any = [&rule](Sum top, Sum middle, Sum bottom, std::uint64_t centre) {
    return NextCells(top, middle, bottom, centre, rule);
  };
  Band(cells, next, grid, sums, any).Step(begin, end);
}

}  // namespace gpusim::life
