// Camel Up odds as tables and as CSV.
#pragma once

#include <string>

#include "client/cli/terminal.h"
#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {

// What the answer has: per camel, the likeliest winner first, the chance of each place and the
// exact weights or the standard errors; tickets, race, pairs, landings. Bars only at a terminal.
std::string OddsTable(const v1::GetOddsResponse& odds, v1::Edition edition,
                      const Terminal& terminal);

// Into how many CSVs the outputs would go: places, tickets and race are columns of one.
template <class Outputs>
int CsvsFor(const Outputs& outputs) {
  bool camels = outputs.empty();
  int others = 0;
  for (const auto output : outputs) {
    if (output == v1::OUTPUT_LEG_RANKS || output == v1::OUTPUT_LEG_VALUES ||
        output == v1::OUTPUT_RACE) {
      camels = true;
    } else {
      ++others;
    }
  }
  return others + (camels ? 1 : 0);
}

// A header and rows in the answer's order: of the camels, or else of the one other output. Exact
// answers have weights and a total, Monte Carlo has probabilities, standard errors and simulations.
std::string OddsCsv(const v1::GetOddsResponse& odds);

}  // namespace gpusim::cli
