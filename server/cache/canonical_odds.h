// Positions that differ only in the names of their camels have the same odds, up to those names. One of them stands
// for all: the canonical one, in which the racing camels are named by their places on the board.
//
//   board     rearmost .. foremost   rename                      canonical board
//   1:GB 3:W 5:OY                    G>0 B>1 W>2 O>3 Y>4         1:BG 3:O 5:YW      and the dice with them
//
// Racing camels are alike because each has a die of its own of the same faces. So are the two crazy ones of the
// second edition: the grey die shows either colour with the same weight, and where the colour does not decide, the
// rules look at what the camels carry and who stands on whom. Tiles belong to spaces and stay.
//
// All functions are pure and thread-safe.
#pragma once

#include <array>

#include "kernels/odds.h"

namespace gpusim::server {

struct CanonicalQuery {
  camel_up::OddsQuery query;
  // Of the racing camel c of the query asked, its name in the canonical one.
  std::array<camel_up::Camel, camel_up::kRacers> renamed{};
};

// Precondition: every camel of the edition stands on the board once.
CanonicalQuery Canonical(const camel_up::OddsQuery& query);

// The odds of the canonical query out of those of the query, and the other way round.
camel_up::Odds ToCanonical(const CanonicalQuery& canonical, const camel_up::Odds& odds);
camel_up::Odds FromCanonical(const CanonicalQuery& canonical, const camel_up::Odds& odds);

}  // namespace gpusim::server
