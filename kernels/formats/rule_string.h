// Rules of Life-like automata as people write them.
//
// All functions are pure and thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/text_error.h"
#include "kernels/formats/topology_string.h"
#include "kernels/life.h"

namespace gpusim::formats {

// Reads `B3/S23`, `b3s23`, `S23/B3` and the older `23/3` (survival first). Either list may be
// empty, its digits stand in any order. A 9, a digit given twice, and every other kind of rule
// (Hensel letters, MAP, Generations, V, H and L neighbourhoods, Larger than Life, Wolfram) are
// errors that name it.
tl::expected<life::Rule, TextError> ParseRule(std::string_view text);

// "B3/S23".
std::string FormatRule(const life::Rule& rule);
// "23/3", survival first, as Life 1.05 has it.
std::string FormatOldRule(const life::Rule& rule);

struct RuleAndGrid {
  life::Rule rule;
  std::optional<BoundedGrid> grid;

  friend bool operator==(const RuleAndGrid&, const RuleAndGrid&) = default;
};

// As it stands in a pattern's header: a rule, and perhaps a bounded grid (`B3/S23:T100,200`).
tl::expected<RuleAndGrid, TextError> ParseRuleAndGrid(std::string_view text);

}  // namespace gpusim::formats
