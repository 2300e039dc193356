// Camel Up positions as people write them.
//
//   stacks   1:BGO 2:Y 3:W     space:camels, bottom to top
//   tiles    6+a 8-            space and side (+ oasis, - mirage), then perhaps the owner's letter
//   dice     BGOYW             still in the pyramid, * the grey one; empty: all of the edition
//
// Letters are those of CamelLetter and DieLetter, and owners' letters a to z, in either case. Entries are parted by blanks,
// line ends or commas. Only what cannot be said in a Position is a fault here. Everything that can,
// such as a camel named twice or a space 17, goes on as it stands, and camel_up::Validate judges
// it.
//
// All functions are pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "kernels/camel_up.h"
#include "kernels/violation.h"

namespace gpusim::formats {

// No position needs more: longer texts are refused unread.
inline constexpr std::size_t kMaxPositionTextBytes = 1024;

struct PositionText {
  std::string_view stacks;
  std::string_view tiles;
  std::string_view dice;
};

struct ParsedPosition {
  camel_up::Position position;
  Violations violations;  // of "text.stacks", "text.tiles" and "text.dice", behind the prefix
};

// All faults of the texts at once. What has a fault is missing from the position, so that Validate
// has more to say about it: a caller that finds violations here may leave Validate out.
ParsedPosition ParsePosition(camel_up::Edition edition, const PositionText& text,
                             const std::string& prefix);

// The notation of a position, in the order in which it stands there.
std::string FormatStacks(const camel_up::Position& position);
std::string FormatTiles(const camel_up::Position& position);
std::string FormatDice(const camel_up::Position& position);

}  // namespace gpusim::formats
