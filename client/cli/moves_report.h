// What a player's actions are worth, as a table and as CSV.
#pragma once

#include <string>

#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {

// Best first, as the answer has them; bounds where an unknown card leaves room.
std::string MovesTable(const v1::EvaluateMovesResponse& moves, v1::Edition edition, bool color);

// A header and a row for each action, with empty fields where they say nothing.
std::string MovesCsv(const v1::EvaluateMovesResponse& moves);

}  // namespace gpusim::cli
