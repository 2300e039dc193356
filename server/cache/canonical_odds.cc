#include "server/cache/canonical_odds.h"

#include <cstddef>

namespace gpusim::server {
namespace {

using camel_up::Board;
using camel_up::kRacers;
using camel_up::Odds;

using Names = std::array<camel_up::Camel, kRacers>;
using Figures = Odds::Square<std::uint64_t>;

Names Inverse(const Names& names) {
  Names inverse{};
  for (std::size_t camel = 0; camel < kRacers; ++camel)
    inverse[names[camel]] = static_cast<camel_up::Camel>(camel);
  return inverse;
}

Figures RenameRows(const Names& names, const Figures& figures) {
  Figures renamed;
  for (std::size_t camel = 0; camel < kRacers; ++camel) renamed[names[camel]] = figures[camel];
  return renamed;
}

// Rows and columns are camels.
Figures RenameBoth(const Names& names, const Figures& figures) {
  Figures renamed;
  for (std::size_t a = 0; a < kRacers; ++a) {
    for (std::size_t b = 0; b < kRacers; ++b) renamed[names[a]][names[b]] = figures[a][b];
  }
  return renamed;
}

Odds Rename(const Names& names, const Odds& odds) {
  Odds renamed = odds;
  renamed.rank = RenameRows(names, odds.rank);
  renamed.pair = RenameBoth(names, odds.pair);
  renamed.race_joint = RenameBoth(names, odds.race_joint);
  return renamed;
}

}  // namespace

CanonicalQuery Canonical(const camel_up::OddsQuery& query) {
  CanonicalQuery canonical{.query = query, .renamed = {}};
  const Board board = query.leg.board;
  const int camels = camel_up::CamelsOf(query.leg.edition);
  Board slots = board & camel_up::kSlotBytes;
  Board dice = camel_up::DiceLeft(board) & (1u << camel_up::kGreyDie);
  int racers = 0;
  int crazy = camel_up::kCrazyWhite;
  for (int slot = 0; slot < camels; ++slot) {
    const int camel = camel_up::CamelIn(board, slot);
    const bool races = camel < kRacers;
    const int name = races ? racers++ : crazy++;
    slots ^= static_cast<Board>(camel ^ name) << (8 * slot);
    if (!races) continue;
    canonical.renamed[static_cast<std::size_t>(camel)] = static_cast<camel_up::Camel>(name);
    dice |= static_cast<Board>(camel_up::DiceLeft(board) >> camel & 1) << name;
  }
  canonical.query.leg.board = slots | dice << camel_up::kDiceShift;
  return canonical;
}

Odds ToCanonical(const CanonicalQuery& canonical, const Odds& odds) {
  return Rename(canonical.renamed, odds);
}

Odds FromCanonical(const CanonicalQuery& canonical, const Odds& odds) {
  return Rename(Inverse(canonical.renamed), odds);
}

}  // namespace gpusim::server
