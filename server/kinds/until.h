// When a run ends before its generations are over: told from the facts of its generations, one after another, so that it is
// exact to the generation however many of them a device makes at a time.
//
//   chunk on the device      facts of every generation ---> UntilWatch::Look, in order
//                                                                |
//   chunk again, up to j  <--- the board is wanted at j <--- holds first at generation j
//
// A period is found by digests of the run's own generations, which only look equal: the board at j is kept, `period` more
// generations are run, and if the cells are those of j again, the period is true. Else the watch goes on behind j.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/batches.h"

namespace gpusim::kinds {

inline constexpr std::uint32_t kMaxPeriod = 4096;

struct Until {
  enum class Kind : std::uint8_t {
    kNever,
    kExtinct,
    kStill,
    kPeriodAtMost,
    kPopulationAtMost,
    kPopulationAtLeast
  };
  Kind kind = Kind::kNever;
  std::uint64_t bound = 0;  // the period, 1 to kMaxPeriod, or the population; else without meaning

  friend bool operator==(const Until&, const Until&) = default;
};

// What Look needs of every generation; 0 where populations are enough.
life::FactSet FactsFor(const Until& until);

// Of one run. For one thread at a time.
class UntilWatch {
 public:
  explicit UntilWatch(const Until& until);

  struct Met {
    std::uint32_t period = 0;  // of kPeriodAtMost, the smallest: still to be confirmed by the cells
  };
  // Whether the condition holds at the next generation, whose facts are row `row`. The first call is about the cells that
  // the run started from (of which kStill never holds, and no period is known).
  std::optional<Met> Look(const life::Facts& facts, std::size_t row);

 private:
  struct Past {
    std::uint64_t digest = 0;
    std::uint16_t older = 0;  // 1 + the place of the next older one of the bucket; 0: none
  };

  std::optional<Met> LookBack(std::uint64_t digest);
  std::uint64_t AgeOf(std::size_t place) const;

  const Until until_;
  std::uint64_t looked_ = 0;
  // Of kPeriodAtMost: a ring of the last `bound` generations, chained by the low bits of their digests, so that a look takes
  // no longer for a longer period.
  std::vector<Past> past_;
  std::vector<std::uint16_t> newest_;  // of each bucket, as Past::older
};

// Bytes that a watch holds at the most.
std::uint64_t WatchBytes(const Until& until);

}  // namespace gpusim::kinds
