// Positions as the columns of a GetOddsColumns request.
#pragma once

#include <vector>

#include "gpusim/v1/camel_up.pb.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::testing {

// All of one edition; tiles and dice always stated. No outputs yet.
v1::GetOddsColumnsRequest ColumnsOf(const std::vector<reference::Position>& positions);

}  // namespace gpusim::testing
