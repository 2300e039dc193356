// The notation of positions (PositionText), for what the client has to know of a position itself:
// its columns. Calls that take text leave reading it to the server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gpusim/camel_up.h>
#include <gpusim/result.h>

namespace gpusim {

// Only what cannot be said in a Position is a fault here, such as a letter that is no camel.
// Entries are parted by blanks, line ends or commas.
Position ParsePositionText(const PositionText& text, std::vector<FieldViolation>& faults);

// "'value': rule", as the server writes them. Of a long value the beginning alone.
FieldViolation Fault(std::string field, std::string_view value, std::string_view rule);

}  // namespace gpusim
