#include "kernels/formats/topology_string.h"

#include <array>
#include <limits>
#include <utility>

#include "kernels/formats/text_cursor.h"

namespace gpusim::formats {
namespace {

using life::Topology;

constexpr std::string_view kTopologyRule =
    "a topology is torus:WIDTHxHEIGHT, plane:WIDTHxHEIGHT or plane:auto";
constexpr std::string_view kSuffixRule =
    "a topology suffix is :TWIDTH,HEIGHT for a torus or :PWIDTH,HEIGHT for a plane";

struct OtherSurface {
  std::string_view name;  // lower case
  std::string_view rule;
};

constexpr std::array<OtherSurface, 3> kOtherSurfaces = {{
    {"klein", "a Klein bottle is not served, only torus and plane"},
    {"cross", "a cross-surface is not served, only torus and plane"},
    {"sphere", "a sphere is not served, only torus and plane"},
}};

tl::expected<std::uint32_t, TextError> TakeSide(TextCursor& cursor, std::string_view what,
                                                std::string_view zero_rule) {
  const std::size_t from = cursor.offset();
  const auto side = cursor.TakeNumber(std::numeric_limits<std::uint32_t>::max(), what);
  if (!side) return tl::unexpected(side.error());
  if (*side == 0) return tl::unexpected(cursor.ErrorFrom(from, std::string(zero_rule)));
  return static_cast<std::uint32_t>(*side);
}

tl::expected<BoundedGrid, TextError> TakeSides(TextCursor& cursor, Topology topology,
                                               char separator, std::string_view rule,
                                               std::string_view zero_rule) {
  const auto width = TakeSide(cursor, "a width", zero_rule);
  if (!width) return tl::unexpected(width.error());
  if (!cursor.Take(separator)) return tl::unexpected(cursor.Error(std::string(rule)));
  const auto height = TakeSide(cursor, "a height", zero_rule);
  if (!height) return tl::unexpected(height.error());
  cursor.SkipBlanks();
  if (!cursor.AtEnd()) return tl::unexpected(cursor.Error(std::string(rule)));
  return BoundedGrid{topology, *width, *height};
}

// The error of a surface letter or of a mark behind a size that Golly knows and this service does
// not.
std::string_view UnservedSuffix(char letter) {
  switch (LowerCase(letter)) {
    case 'k':
      return kOtherSurfaces[0].rule;
    case 'c':
      return kOtherSurfaces[1].rule;
    case 's':
      return kOtherSurfaces[2].rule;
    case '+':
    case '-':
      return "shifted edges are not served";
    case '*':
      return "twisted edges are not served";
    default:
      return kSuffixRule;
  }
}

}  // namespace

tl::expected<std::optional<BoundedGrid>, TextError> ParseTopology(std::string_view text) {
  TextCursor cursor(text, TextCursor::Kind::kOneLine);
  cursor.SkipBlanks();
  const std::string_view rest = cursor.Rest();
  for (const OtherSurface& other : kOtherSurfaces) {
    if (!StartsWithWord(rest, other.name)) continue;
    const std::size_t from = cursor.offset();
    cursor.Advance(other.name.size());
    return tl::unexpected(cursor.ErrorFrom(from, std::string(other.rule)));
  }
  const bool torus = StartsWithWord(rest, "torus:");
  if (!torus && !StartsWithWord(rest, "plane:")) {
    return tl::unexpected(cursor.Error(std::string(kTopologyRule)));
  }
  cursor.Advance(6);
  if (!torus && StartsWithWord(cursor.Rest(), "auto")) {
    cursor.Advance(4);
    cursor.SkipBlanks();
    if (!cursor.AtEnd()) return tl::unexpected(cursor.Error(std::string(kTopologyRule)));
    return std::optional<BoundedGrid>();
  }
  const auto grid = TakeSides(cursor, torus ? Topology::kTorus : Topology::kPlane, 'x',
                              kTopologyRule, "a board has at least one column and one row");
  if (!grid) return tl::unexpected(grid.error());
  return std::optional<BoundedGrid>(*grid);
}

std::string FormatTopology(const std::optional<BoundedGrid>& grid) {
  if (!grid) return "plane:auto";
  return (grid->topology == Topology::kTorus ? "torus:" : "plane:") + std::to_string(grid->width) +
         "x" + std::to_string(grid->height);
}

tl::expected<BoundedGrid, TextError> ParseGridSuffix(std::string_view text) {
  TextCursor cursor(text, TextCursor::Kind::kOneLine);
  const char letter = LowerCase(cursor.Peek());
  if (letter != 't' && letter != 'p') {
    return tl::unexpected(cursor.Error(std::string(UnservedSuffix(letter))));
  }
  cursor.Advance();
  auto grid = TakeSides(cursor, letter == 't' ? Topology::kTorus : Topology::kPlane, ',',
                        kSuffixRule, "an infinite side (0) is not served");
  if (grid || cursor.AtEnd() || IsDigit(cursor.Peek())) return grid;
  const std::string_view rule = UnservedSuffix(cursor.Peek());
  if (rule != kSuffixRule && !IsLetter(cursor.Peek())) grid.error().rule = rule;
  return grid;
}

std::string FormatGridSuffix(const BoundedGrid& grid) {
  return (grid.topology == Topology::kTorus ? "T" : "P") + std::to_string(grid.width) + "," +
         std::to_string(grid.height);
}

}  // namespace gpusim::formats
