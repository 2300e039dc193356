#include "kernels/odds.h"

#include <bit>

#include "kernels/rules/camel_up_leg.h"

namespace gpusim::camel_up {
namespace {

Odds ReadRow(const OddsAnswers& answers, std::size_t row, Scope scope) {
  Odds odds;
  for (std::size_t i = 0; i < kRacers; ++i) {
    for (std::size_t k = 0; k < kRacers; ++k) {
      odds.rank[i][k] = answers.At<kRankWeight>(row, i * kRacers + k);
      odds.pair[i][k] = answers.At<kPairWeight>(row, i * kRacers + k);
      if (scope == Scope::kRace)
        odds.race_joint[i][k] = answers.At<kRaceJoint>(row, i * kRacers + k);
    }
  }
  for (std::size_t tile = 0; tile < kMaxTiles; ++tile) {
    odds.landing[tile] = answers.At<kLandingWeight>(row, tile);
    odds.landing_squares[tile] = answers.At<kLandingSquares>(row, tile);
  }
  odds.race_ends = answers.At<kRaceEndsWeight>(row, 0);
  odds.race_ends_backward = answers.At<kRaceEndsWeight>(row, 1);
  if (scope == Scope::kRace) {
    odds.race_legs = answers.At<kRaceLegs>(row, 0);
    odds.race_legs_squares = answers.At<kRaceLegs>(row, 1);
  }
  return odds;
}

template <class T, std::size_t kCount>
void Add(const std::array<T, kCount>& more, std::array<T, kCount>& sum) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if constexpr (std::is_integral_v<T>) {
      sum[i] += more[i];
    } else {
      Add(more[i], sum[i]);
    }
  }
}

}  // namespace

Odds ReadExact(const OddsAnswers& answers, std::size_t row, const OddsQuery& query) {
  Odds odds = ReadRow(answers, row, query.scope);
  odds.total = TotalWeight(query.leg.edition, std::popcount(DiceLeft(query.leg.board)));
  return odds;
}

Odds ReadSimulated(const OddsAnswers& answers, std::size_t row, Scope scope,
                   std::uint64_t simulations) {
  Odds odds = ReadRow(answers, row, scope);
  odds.total = simulations;
  odds.exact = false;
  return odds;
}

void AddSimulated(const Odds& more, Odds& sum) {
  sum.exact = false;
  sum.total += more.total;
  Add(more.rank, sum.rank);
  Add(more.pair, sum.pair);
  Add(more.landing, sum.landing);
  Add(more.landing_squares, sum.landing_squares);
  sum.race_ends += more.race_ends;
  sum.race_ends_backward += more.race_ends_backward;
  Add(more.race_joint, sum.race_joint);
  sum.race_legs += more.race_legs;
  sum.race_legs_squares += more.race_legs_squares;
}

}  // namespace gpusim::camel_up
