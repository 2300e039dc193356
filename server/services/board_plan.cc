#include "server/services/board_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/formats/board_region.h"
#include "kernels/formats/placement.h"
#include "kernels/formats/rule_string.h"
#include "server/services/board_stamp.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using boards::BoardShape;
using formats::BoundedGrid;
using formats::Box;
using formats::Cell;
using formats::Pattern;

constexpr char kPatternField[] = "pattern";
constexpr char kPackedField[] = "packed";

constexpr std::int64_t FloorModulo(std::int64_t a, std::int64_t b) { return (a % b + b) % b; }

constexpr std::int64_t FloorHalf(std::int64_t a) { return a / 2 - (a % 2 < 0 ? 1 : 0); }

std::string SizeText(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

const char* FieldOf(const CellSource& source) {
  return std::holds_alternative<Pattern>(source) ? kPatternField : kPackedField;
}

// All cells that the source speaks of, in its own coordinates.
Box WholeBox(const CellSource& source) {
  if (const auto* pattern = std::get_if<Pattern>(&source)) return pattern->box;
  const auto& board = std::get<life::Board>(source);
  return {0, 0, board.width, board.height};
}

Box LiveBox(const CellSource& source) {
  if (const auto* pattern = std::get_if<Pattern>(&source)) return pattern->LiveBox();
  const auto live = formats::LiveRegion(std::get<life::Board>(source));
  if (!live) return {};
  return {live->x, live->y, live->width, live->height};
}

// The source's cells in the box, which is not empty.
std::shared_ptr<const boards::StampRows> StampOf(CellSource source, const Box& box) {
  if (auto* pattern = std::get_if<Pattern>(&source))
    return std::make_shared<PatternStamp>(std::move(pattern->runs), box);
  auto& board = std::get<life::Board>(source);
  if (box.width == board.width && box.height == board.height)
    return std::make_shared<BoardStamp>(std::move(board));
  return std::make_shared<BoardStamp>(
      Crop(board, {static_cast<std::uint32_t>(box.x), static_cast<std::uint32_t>(box.y),
                   static_cast<std::uint32_t>(box.width), static_cast<std::uint32_t>(box.height)}));
}

// Lays the box, whose place in the source's whole box says where it comes to lie.
tl::expected<LaidStamp, Violation> Lay(CellSource source, const BoardShape& shape, const Box& box,
                                       const std::optional<Cell>& at, const Cell& default_corner) {
  if (box.Empty()) return LaidStamp{};
  const Box whole = WholeBox(source);
  Cell corner = at.value_or(default_corner);
  if (shape.topology == life::Topology::kTorus)
    corner = {FloorModulo(corner.x, shape.width), FloorModulo(corner.y, shape.height)};
  // Beyond this no plane reaches, and sums do not overflow.
  constexpr std::int64_t kFar = std::int64_t{1} << 40;
  corner = {std::clamp(corner.x, -kFar, kFar) + (box.x - whole.x),
            std::clamp(corner.y, -kFar, kFar) + (box.y - whole.y)};
  const auto placed = PlaceStamp(shape, box.width, box.height, corner, FieldOf(source),
                                 at ? "at" : FieldOf(source));
  if (!placed) return tl::unexpected(placed.error());
  return LaidStamp{StampOf(std::move(source), box), *placed};
}

class BoardPlanner {
 public:
  explicit BoardPlanner(BoardWishes wishes) : wishes_(std::move(wishes)) {
    pattern_ = std::get_if<Pattern>(&wishes_.source);
    packed_ = std::get_if<life::Board>(&wishes_.source);
  }

  tl::expected<BoardPlan, Violations> Run() && {
    ChooseRule();
    ChooseGrid();
    plan_.generation = wishes_.generation;
    if (plan_.generation == 0 && pattern_ != nullptr)
      plan_.generation = pattern_->generation.value_or(0);
    if (violations_.empty() && (pattern_ != nullptr || packed_ != nullptr)) LaySource();
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return std::move(plan_);
  }

 private:
  void ChooseRule() {
    const auto files = pattern_ != nullptr ? pattern_->rule : std::nullopt;
    plan_.shape.rule = wishes_.rule.value_or(files.value_or(life::kConway));
    if (wishes_.rule && files && *wishes_.rule != *files)
      plan_.notes.push_back("rule " + formats::FormatRule(*wishes_.rule) +
                            " of the request used, the file says " + formats::FormatRule(*files));
  }

  void ChooseGrid() {
    const auto files = pattern_ != nullptr ? pattern_->grid : std::nullopt;
    std::optional<BoundedGrid> grid = wishes_.grid ? wishes_.grid : files;
    if (!grid && packed_ != nullptr)
      grid = BoundedGrid{life::Topology::kTorus, packed_->width, packed_->height};
    if (!grid) {
      violations_.push_back(
          {"topology", "", "a board has a size, such as torus:1024x1024 or plane:100x100"});
      return;
    }
    if (wishes_.grid && files && *files != *wishes_.grid)
      plan_.notes.push_back("topology " + formats::FormatTopology(wishes_.grid) +
                            " of the request used, the file says " +
                            formats::FormatTopology(files));
    plan_.shape.topology = grid->topology;
    plan_.shape.width = grid->width;
    plan_.shape.height = grid->height;
  }

  void LaySource() {
    const Box whole = WholeBox(wishes_.source);
    Pattern outline;
    outline.box = whole;
    if (pattern_ != nullptr) {
      outline.grid = pattern_->grid;
      outline.golly_position = pattern_->golly_position;
    }
    const Cell corner = formats::DefaultCorner(outline, plan_.shape.width, plan_.shape.height);
    const Box live = LiveBox(wishes_.source);
    auto laid = Lay(std::move(wishes_.source), plan_.shape, live, wishes_.at, corner);
    if (laid) {
      plan_.laid = *std::move(laid);
    } else {
      violations_.push_back(laid.error());
    }
  }

  BoardWishes wishes_;
  const Pattern* pattern_ = nullptr;     // the source, if it is one
  const life::Board* packed_ = nullptr;  // likewise
  BoardPlan plan_;
  Violations violations_;
};

}  // namespace

tl::expected<BoardPlan, Violations> PlanBoard(BoardWishes wishes) {
  return BoardPlanner(std::move(wishes)).Run();
}

Cell Centre(const BoardShape& shape, std::int64_t width, std::int64_t height) {
  return {FloorHalf(shape.width - width), FloorHalf(shape.height - height)};
}

tl::expected<Cell, Violation> PlaceStamp(const BoardShape& shape, std::int64_t width,
                                         std::int64_t height, const Cell& corner,
                                         const std::string& source_field,
                                         const std::string& corner_field) {
  const std::string board = SizeText(shape.width, shape.height);
  if (width > shape.width || height > shape.height)
    return tl::unexpected(
        Violation{source_field, SizeText(width, height),
                  "the cells are not wider or higher than the board of " + board});
  if (shape.topology == life::Topology::kTorus)
    return Cell{FloorModulo(corner.x, shape.width), FloorModulo(corner.y, shape.height)};
  if (corner.x >= 0 && corner.x <= shape.width - width && corner.y >= 0 &&
      corner.y <= shape.height - height)
    return corner;
  return tl::unexpected(Violation{
      corner_field, std::to_string(corner.x) + "," + std::to_string(corner.y),
      "the " + SizeText(width, height) +
          " cells, whose top left one comes to lie there, lie within the plane of " + board});
}

tl::expected<WritePlan, Violations> PlanWrite(CellSource source, const BoardShape& shape,
                                              const std::optional<Cell>& at, bool whole_box) {
  WritePlan plan;
  if (const auto* pattern = std::get_if<Pattern>(&source);
      pattern != nullptr && pattern->rule && *pattern->rule != shape.rule)
    plan.notes.push_back("rule " + formats::FormatRule(shape.rule) +
                         " of the board stays, the file says " +
                         formats::FormatRule(*pattern->rule));
  const Box whole = WholeBox(source);
  const Box box = whole_box ? whole : LiveBox(source);
  auto laid = Lay(std::move(source), shape, box, at, Centre(shape, whole.width, whole.height));
  if (!laid) return tl::unexpected(Violations{laid.error()});
  plan.laid = *std::move(laid);
  return plan;
}

}  // namespace gpusim::server
