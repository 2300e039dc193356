// What is wrong with a caller's input, one entry per fault.
#pragma once

#include <string>
#include <vector>

namespace gpusim {

// Names the field (a path such as "position.tiles[1].space"), the value that was given, and the
// rule that it breaks. Callers get all faults of a request at once; how many of them travel, and
// how much of a value, is decided where they become a reply.
struct Violation {
  std::string field;
  std::string value;
  std::string rule;

  friend bool operator==(const Violation&, const Violation&) = default;
};

using Violations = std::vector<Violation>;

}  // namespace gpusim
