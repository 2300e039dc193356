#include "kernels/formats/placement.h"

#include <algorithm>
#include <utility>

namespace gpusim::formats {
namespace {

using life::Board;
using life::kCellsPerWord;
using life::Topology;

// Corners beyond it are refused on a plane and reduced on a torus, so that sums with coordinates,
// which are below 2^34, cannot overflow.
constexpr std::int64_t kMaxCorner = std::int64_t{1} << 62;

constexpr std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

constexpr std::int64_t FloorModulo(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

std::string CellText(const Cell& cell) {
  return std::to_string(cell.x) + "," + std::to_string(cell.y);
}

std::string SizeText(std::uint64_t width, std::uint64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

// What to add to the file's coordinates. Precondition: the corner is within kMaxCorner.
Cell Offset(const Pattern& pattern, const Cell& corner) {
  return {corner.x - pattern.box.x, corner.y - pattern.box.y};
}

std::optional<Violation> CheckPlane(const Pattern& pattern, std::uint32_t width,
                                    std::uint32_t height, const Cell& corner,
                                    const std::string& field) {
  if (pattern.runs.empty()) return std::nullopt;
  if (std::max(corner.x, corner.y) > kMaxCorner || std::min(corner.x, corner.y) < -kMaxCorner) {
    return Violation{field, CellText(corner), "the corner lies far outside the plane"};
  }
  const Cell offset = Offset(pattern, corner);
  for (const CellRun& run : pattern.runs) {
    const std::int64_t y = run.y + offset.y;
    const std::int64_t begin = run.x_begin + offset.x;
    const std::int64_t end = run.x_end + offset.x;
    if (y >= 0 && y < height && begin >= 0 && end <= width) continue;
    // Of a run that begins inside, the first cell outside is the one right of the border.
    const bool begins_inside = y >= 0 && y < height && begin >= 0 && begin < width;
    const Cell cell{begins_inside ? width : begin, y};
    return Violation{field, "cell " + CellText(cell),
                     "live cells lie within the plane of " + SizeText(width, height) +
                         "; the pattern's corner is at " + CellText(corner)};
  }
  return std::nullopt;
}

std::optional<Violation> CheckTorus(const Pattern& pattern, std::uint32_t width,
                                    std::uint32_t height, const std::string& field) {
  const Box live = pattern.LiveBox();
  if (live.width <= width && live.height <= height) return std::nullopt;
  return Violation{
      field,
      SizeText(static_cast<std::uint64_t>(live.width), static_cast<std::uint64_t>(live.height)),
      "a pattern is not larger than the torus of " + SizeText(width, height) +
          ", on which it would overlap itself"};
}

// Columns begin to end of a row come to life; 0 <= begin < end <= width.
void SetRun(Board& board, std::int64_t y, std::int64_t begin, std::int64_t end) {
  std::uint64_t* row =
      board.words.data() + static_cast<std::uint64_t>(y) * life::WordsPerRow(board.width);
  const auto first = static_cast<std::uint64_t>(begin);
  const auto last = static_cast<std::uint64_t>(end) - 1;
  const std::uint64_t from_first = ~std::uint64_t{0} << (first % kCellsPerWord);
  const std::uint64_t to_last = ~std::uint64_t{0} >> (kCellsPerWord - 1 - last % kCellsPerWord);
  std::uint64_t word = first / kCellsPerWord;
  const std::uint64_t last_word = last / kCellsPerWord;
  if (word == last_word) {
    row[word] |= from_first & to_last;
    return;
  }
  row[word] |= from_first;
  while (++word < last_word) row[word] = ~std::uint64_t{0};
  row[last_word] |= to_last;
}

void PlaceOnTorus(const Pattern& pattern, const Cell& corner, Board& board) {
  const std::int64_t width = board.width;
  const std::int64_t height = board.height;
  const Cell offset =
      Offset(pattern, {FloorModulo(corner.x, width), FloorModulo(corner.y, height)});
  for (const CellRun& run : pattern.runs) {
    const std::int64_t y = FloorModulo(run.y + offset.y, height);
    const std::int64_t begin = FloorModulo(run.x_begin + offset.x, width);
    const std::int64_t end = begin + (run.x_end - run.x_begin);
    SetRun(board, y, begin, std::min(end, width));
    if (end > width) SetRun(board, y, 0, end - width);
  }
}

// A side of the frame; nullopt if it is over the largest.
std::optional<std::uint32_t> FrameSide(std::int64_t live, std::uint64_t generations) {
  constexpr auto kMaxSide = static_cast<std::uint64_t>(kMaxExtent);
  if (generations > kMaxSide) return std::nullopt;
  const std::uint64_t side = static_cast<std::uint64_t>(live) + 2 * generations;
  if (side > kMaxSide) return std::nullopt;
  return static_cast<std::uint32_t>(side);
}

}  // namespace

Cell DefaultCorner(const Pattern& pattern, std::uint32_t width, std::uint32_t height) {
  if (pattern.grid && pattern.golly_position) {
    return {pattern.golly_position->x + width / 2, pattern.golly_position->y + height / 2};
  }
  return {FloorDivide(width - pattern.box.width, 2), FloorDivide(height - pattern.box.height, 2)};
}

std::optional<Violation> CheckPlacement(const Pattern& pattern, Topology topology,
                                        std::uint32_t width, std::uint32_t height, Cell corner,
                                        const std::string& field) {
  return topology == Topology::kTorus ? CheckTorus(pattern, width, height, field)
                                      : CheckPlane(pattern, width, height, corner, field);
}

tl::expected<void, Violation> Place(const Pattern& pattern, Topology topology, Cell corner,
                                    const std::string& field, Board& board) {
  if (auto violation =
          CheckPlacement(pattern, topology, board.width, board.height, corner, field)) {
    return tl::unexpected(*std::move(violation));
  }
  if (pattern.runs.empty()) return {};
  if (topology == Topology::kTorus) {
    PlaceOnTorus(pattern, corner, board);
    return {};
  }
  const Cell offset = Offset(pattern, corner);
  for (const CellRun& run : pattern.runs) {
    SetRun(board, run.y + offset.y, run.x_begin + offset.x, run.x_end + offset.x);
  }
  return {};
}

tl::expected<PlaneFrame, Violation> FramePattern(const Pattern& pattern, std::uint64_t generations,
                                                 std::uint64_t max_cells,
                                                 const std::string& field) {
  const Box live = pattern.LiveBox();
  if (live.Empty()) return PlaneFrame{1, 1, {0, 0}};
  const auto width = FrameSide(live.width, generations);
  const auto height = FrameSide(live.height, generations);
  if (!width || !height || std::uint64_t{*width} * *height > max_cells) {
    return tl::unexpected(Violation{
        field, "plane:auto",
        "a pattern of " +
            SizeText(static_cast<std::uint64_t>(live.width),
                     static_cast<std::uint64_t>(live.height)) +
            " cells and " + std::to_string(generations) +
            " generations need a plane of more than " + std::to_string(max_cells) + " cells or " +
            std::to_string(kMaxExtent) + " a side; name a torus or a plane of a fixed size"});
  }
  const auto margin = static_cast<std::int64_t>(generations);
  return PlaneFrame{
      *width, *height, {margin - (live.x - pattern.box.x), margin - (live.y - pattern.box.y)}};
}

}  // namespace gpusim::formats
