// Camel Up odds as tables and as CSV.
#pragma once

#include <string>

#include "client/cli/terminal.h"
#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {

// Per camel, the likeliest winner first: the chance of each place, then the exact weights; then the
// other outputs that the answer has. Bars only at a terminal.
std::string OddsTable(const v1::GetOddsResponse& odds, v1::Edition edition,
                      const Terminal& terminal);

// A header and rows of the one output that the answer has, in the answer's order.
std::string OddsCsv(const v1::GetOddsResponse& odds);

}  // namespace gpusim::cli
