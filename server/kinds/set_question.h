#pragma once

#include <cstddef>

#include "kernels/odds.h"

namespace gpusim::kinds {

// A row of columns that ask about positions, exact or simulated: what both have.
template <class Queries>
void SetQuestion(Queries& columns, std::size_t row, const camel_up::OddsQuery& query) {
  columns.template At<camel_up::kBoard>(row) = query.leg.board;
  columns.template At<camel_up::kTiles>(row) = query.leg.tiles;
  columns.template At<camel_up::kEdition>(row) = query.leg.edition;
  columns.template At<camel_up::kScope>(row) = query.scope;
}

}  // namespace gpusim::kinds
