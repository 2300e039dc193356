#include "server/services/step_plan.h"

#include <limits>
#include <utility>

#include "kernels/formats/board_region.h"
#include "kernels/formats/placement.h"
#include "kernels/formats/rule_string.h"

namespace gpusim::server {
namespace {

using formats::BoundedGrid;
using formats::Cell;
using formats::Pattern;

constexpr char kPatternField[] = "pattern";
constexpr char kPackedField[] = "packed";

// A pattern with the same box and live box as the board's: all that the choice of a place needs.
// The runs of every cell would be a hundred times larger than the board.
Pattern OutlineOf(const life::Board& board) {
  Pattern outline;
  outline.box = {0, 0, board.width, board.height};
  if (const auto live = formats::LiveRegion(board)) {
    const std::int64_t right = std::int64_t{live->x} + live->width;
    const std::int64_t bottom = std::int64_t{live->y} + live->height - 1;
    outline.runs.push_back({live->y, live->x, right});
    if (live->height > 1) outline.runs.push_back({bottom, live->x, right});
  }
  return outline;
}

class StepPlanner {
 public:
  StepPlanner(StepWishes wishes, std::uint64_t max_step_cells)
      : wishes_(std::move(wishes)), max_step_cells_(max_step_cells) {
    packed_ = std::get_if<life::Board>(&wishes_.source);
    if (packed_ != nullptr) outline_ = OutlineOf(*packed_);
    pattern_ = packed_ != nullptr ? &outline_ : &std::get<Pattern>(wishes_.source);
  }

  tl::expected<StepPlan, Violations> Run() && {
    ChooseRule();
    ChooseGrid();
    CountGenerations();
    if (violations_.empty()) plan_.grid ? LayOnGrid(*plan_.grid) : LayInFrame();
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return std::move(plan_);
  }

 private:
  const char* SourceField() const { return packed_ != nullptr ? kPackedField : kPatternField; }

  void ChooseRule() {
    plan_.run.rule = wishes_.rule.value_or(pattern_->rule.value_or(life::kConway));
    if (wishes_.rule && pattern_->rule && *wishes_.rule != *pattern_->rule)
      plan_.notes.push_back("rule " + formats::FormatRule(*wishes_.rule) +
                            " of the request used, the file says " +
                            formats::FormatRule(*pattern_->rule));
  }

  void ChooseGrid() {
    if (wishes_.grid) {
      plan_.grid = *wishes_.grid;
      if (pattern_->grid && pattern_->grid != plan_.grid)
        plan_.notes.push_back("topology " + formats::FormatTopology(plan_.grid) +
                              " of the request used, the file says " +
                              formats::FormatTopology(pattern_->grid));
    } else if (packed_ != nullptr) {
      plan_.grid = BoundedGrid{life::Topology::kTorus, packed_->width, packed_->height};
    } else {
      plan_.grid = pattern_->grid;
    }
    plan_.run.topology = plan_.grid ? plan_.grid->topology : life::Topology::kPlane;
    if (!plan_.grid && (plan_.run.rule.birth & 1) != 0)
      violations_.push_back(
          {"topology", "plane:auto",
           "a rule with B0 (" + formats::FormatRule(plan_.run.rule) +
               ") fills the whole plane; name a torus or a plane of a fixed size"});
  }

  void CountGenerations() {
    const std::uint64_t before = pattern_->generation.value_or(0);
    if (wishes_.generations > std::numeric_limits<std::uint64_t>::max() - before)
      violations_.push_back(
          {"generations", std::to_string(wishes_.generations),
           "with the file's " + std::to_string(before) + " the count of generations passes 2^64"});
    plan_.generation = before + wishes_.generations;
    plan_.run.generations = wishes_.generations;
  }

  void LayOnGrid(const BoundedGrid& grid) {
    if (!FitsLimit(wishes_.grid ? "topology" : SourceField(), grid.width, grid.height)) return;
    plan_.corner = wishes_.at.value_or(formats::DefaultCorner(*pattern_, grid.width, grid.height));
    Lay(grid.width, grid.height, wishes_.at ? "at" : SourceField());
  }

  void LayInFrame() {
    const auto frame =
        formats::FramePattern(*pattern_, wishes_.generations, max_step_cells_, "topology");
    if (!frame) {
      violations_.push_back(frame.error());
      return;
    }
    if (!FitsLimit("topology", frame->width, frame->height)) return;
    if (wishes_.at)
      plan_.notes.emplace_back("'at' has no meaning on plane:auto: origin counts from the pattern");
    // Nothing stays nothing, however long: the frame of no cells is one cell.
    if (pattern_->runs.empty()) plan_.run.generations = 0;
    plan_.corner = frame->corner;
    // On the open plane Golly's Pos is the corner of the box.
    const Cell unplaced{pattern_->box.x, pattern_->box.y};
    plan_.file_corner = pattern_->golly_position.value_or(unplaced);
    Lay(frame->width, frame->height, SourceField());
  }

  bool FitsLimit(const char* field, std::uint32_t width, std::uint32_t height) {
    const std::uint64_t cells = PaddedCells(width, height);
    if (cells <= max_step_cells_) return true;
    violations_.push_back({field, formats::FormatTopology(plan_.grid),
                           "a board of " + std::to_string(width) + "x" + std::to_string(height) +
                               " has " + std::to_string(cells) +
                               " cells with rows padded to 64, max-step-cells is " +
                               std::to_string(max_step_cells_) +
                               (plan_.grid ? "" : "; name a torus or a plane of a fixed size")});
    return false;
  }

  void Lay(std::uint32_t width, std::uint32_t height, const char* field) {
    const life::Topology topology = plan_.run.topology;
    if (auto fault =
            formats::CheckPlacement(*pattern_, topology, width, height, plan_.corner, field)) {
      violations_.push_back(*std::move(fault));
      return;
    }
    life::Board& board = plan_.run.board;
    if (packed_ != nullptr && packed_->width == width && packed_->height == height &&
        plan_.corner == Cell{0, 0}) {
      board = std::move(*packed_);
      return;
    }
    board = life::Board::Empty(width, height);
    const auto laid = packed_ != nullptr
                          ? LayRows(*packed_, topology, field, board)
                          : formats::Place(*pattern_, topology, plan_.corner, field, board);
    if (!laid) violations_.push_back(laid.error());
  }

  // A row at a time, so that runs take memory for one row only.
  tl::expected<void, Violation> LayRows(const life::Board& from, life::Topology topology,
                                        const char* field, life::Board& board) const {
    Pattern row;
    row.box = outline_.box;
    for (std::uint32_t y = 0; y < from.height; ++y) {
      row.runs.clear();
      for (formats::Columns run = formats::NextLiveRun(from, y, 0, from.width); !run.Empty();
           run = formats::NextLiveRun(from, y, run.end, from.width))
        row.runs.push_back(
            {y, static_cast<std::int64_t>(run.begin), static_cast<std::int64_t>(run.end)});
      if (auto laid = formats::Place(row, topology, plan_.corner, field, board); !laid) return laid;
    }
    return {};
  }

  StepWishes wishes_;
  const std::uint64_t max_step_cells_;
  life::Board* packed_ = nullptr;  // the source, if it is a board
  Pattern outline_;                // then what stands for it
  const Pattern* pattern_ = nullptr;
  StepPlan plan_;
  Violations violations_;
};

}  // namespace

tl::expected<StepPlan, Violations> PlanStep(StepWishes wishes, std::uint64_t max_step_cells) {
  return StepPlanner(std::move(wishes), max_step_cells).Run();
}

}  // namespace gpusim::server
