// What is wrong with a text, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/violation.h"

namespace gpusim::formats {

// The first fault of a text: readers stop there. `found` and `rule` are printable ASCII and short,
// whatever bytes came in, so that they may travel in a message or a log as they are.
struct TextError {
  std::uint64_t line =
      0;  // from 1; 0 in a text that has one line by its nature, such as a rule string
  std::uint64_t column = 0;  // from 1, in bytes
  std::string found;
  std::string rule;

  // "line 2, column 5: found '9': neighbour counts run from 0 to 8".
  std::string Message() const;

  // The place goes into the rule, the rest as it is.
  Violation ToViolation(std::string field) const;

  friend bool operator==(const TextError&, const TextError&) = default;
};

// The error of a part of a text, made an error of the whole: the part lies in `line`, behind
// `columns` bytes of that line.
TextError WithinLine(TextError error, std::uint64_t line, std::uint64_t columns);

// At most 40 bytes of `text`, with "..." if it is longer and every byte outside printable ASCII as
// \xNN.
std::string Excerpt(std::string_view text);

}  // namespace gpusim::formats
