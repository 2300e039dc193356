// The exact odds of many positions in one call: questions as columns, answers as columns.
//
// A column is component-major, as in the buffers of the server's device: component k of row i is
// element k * rows + i.
//
//   spaces:   | camel 0: row 0, row 1, ... | camel 1: row 0, row 1, ... | ...
#pragma once

#include <cstdint>
#include <vector>

#include <gpusim/camel_up.h>
#include <gpusim/provenance.h>
#include <gpusim/result.h>

namespace gpusim {

constexpr std::uint32_t kMaxColumnRows = 65536;

struct OddsColumnsRequest {
  Edition edition = Edition::kFirst;  // of all rows
  std::uint32_t rows = 0;             // 1 to kMaxColumnRows
  // [5 or 7 camels], in the order of the edition's letters (B G O Y W; r b g y p w k): the space, 1
  // to 16, and the height in the stack there, 0 the lowest.
  std::vector<std::uint8_t> spaces = {};
  std::vector<std::uint8_t> heights = {};
  // Bit s is set where a tile lies on space s. Empty: no tiles.
  std::vector<std::uint32_t> oases = {};
  std::vector<std::uint32_t> mirages = {};
  // Bit d is set while die d is in the pyramid, in the order of the letters, the grey one last.
  // Empty: all dice.
  std::vector<std::uint8_t> dice = {};
  std::vector<OddsOutput> outputs = {};  // empty: kLegRanks
  // What the reply may have; a larger one is refused before the work. 0: 4 MiB.
  std::uint64_t max_reply_bytes = 0;
};

struct RowError {
  std::uint32_t row = 0;
  Error error = {};
};

// A row that failed has 0 in every column. Columns that were not asked for are empty.
struct OddsColumns {
  std::uint32_t rows = 0;
  std::vector<RowError> failed = {};  // ascending; violations only where the server or the client
                                      // says them
  std::vector<std::uint32_t> total_weight = {};
  std::vector<std::uint32_t> race_ends_weight = {};    // [2]: at all, and backward
  std::vector<std::uint32_t> rank_weight = {};         // [5 camels][5 places]
  std::vector<std::uint32_t> pair_weight = {};         // [5 first][5 second]
  std::vector<std::uint32_t> landing_weight = {};      // [16]: of a tile on space k + 1
  std::vector<std::int32_t> ticket_value_weight = {};  // [5 camels][3]: of face values 5, 3, 2
  std::vector<double> race_win = {};                   // [5 camels]
  std::vector<double> race_last = {};                  // [5 camels]
  std::vector<double> expected_legs = {};
  std::vector<double> race_joint = {};  // [5 winner][5 last]
  Provenance provenance = {};
};

// Positions as the columns of a request. One that columns cannot hold (a camel missing or twice,
// another edition) is a row that the server refuses, and `faults` says what is wrong with it.
struct PackedPositions {
  OddsColumnsRequest request = {};
  std::vector<RowError> faults = {};  // ascending
};

PackedPositions PackPositions(Edition edition, const std::vector<AnyPosition>& positions);

// `faults` among the failed rows of the answer, in the place of what the server said about them.
void MergeFaults(std::vector<RowError> faults, OddsColumns& columns);

}  // namespace gpusim
