// Rows of GetOddsColumns as questions, read where they lie in the request.
//
//   spaces:   | camel 0: row 0, row 1, ... | camel 1: row 0, row 1, ... | ...      heights alike
//
// Rows are checked and packed in blocks, a camel at a time, so that neighbouring rows go through the same
// instructions and a compiler can take several at once; no Position is built. What is wrong with a row is
// found out a second time, slowly, and only for the rows that are to say so. Both judge as
// camel_up::Validate does.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/odds.h"
#include "kernels/violation.h"

namespace gpusim::server {

// Does not own. Every column has the length that its rows and the edition ask for.
struct PositionColumns {
  camel_up::Edition edition = camel_up::Edition::kFirst;
  std::size_t rows = 0;
  std::string_view spaces;   // uint8 [camels]
  std::string_view heights;  // uint8 [camels]
  std::string_view oases;    // uint32, bit s: a tile on space s; empty: none
  std::string_view mirages;
  std::string_view dice;  // uint8, bit d: die d is in; empty: all

  // Spaces with a tile of either kind, as bits.
  std::uint32_t TiledSpaces(std::size_t row) const;
};

struct OddsRows {
  std::vector<camel_up::OddsQuery> queries;  // of the good rows, ascending
  std::vector<std::uint32_t> bad;            // rows, ascending
};
OddsRows ReadOddsRows(const PositionColumns& columns, camel_up::Scope scope);

// All faults of a row, none if it is good; fields are named "rows[17].camel B.space".
Violations FaultsOfRow(const PositionColumns& columns, std::size_t row);

}  // namespace gpusim::server
