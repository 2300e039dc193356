// A position as a line of JSON, in either of two forms:
//
//   {"edition": 1, "position": "1:BGO 2:Y 3:W", "tiles": "6+ 8-", "dice": "BGOYW"}
//   {"edition": "EDITION_FIRST", "stacks": [{"space": 1, "camels": ["CAMEL_BLUE", ...]}, ...], ...}
//
// The second is the protobuf JSON of a Position. Tiles and dice may be missing.
#pragma once

#include <string_view>

#include <gpusim/camel_up.h>
#include <gpusim/result.h>

namespace gpusim::cli {

// An error is one of kInvalidArgument. The position itself is not looked at.
Result<AnyPosition> ParsePositionLine(std::string_view line);

}  // namespace gpusim::cli
