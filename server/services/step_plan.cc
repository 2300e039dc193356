#include "server/services/step_plan.h"

#include <algorithm>
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
constexpr char kRandomField[] = "random";

// A hash takes half a nanosecond a cell: beyond this it is made for those who ask.
constexpr std::uint64_t kMaxCellsHashedUnasked = std::uint64_t{1} << 26;

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
    random_ = std::get_if<RandomCells>(&wishes_.source);
    pattern_ = std::get_if<Pattern>(&wishes_.source);
    if (packed_ != nullptr) outline_ = OutlineOf(*packed_);
    if (pattern_ == nullptr) pattern_ = &outline_;
  }

  tl::expected<StepPlan, Violations> Run() && {
    ChooseRule();
    ChooseGrid();
    CountGenerations();
    if (violations_.empty()) plan_.grid ? LayOnGrid(*plan_.grid) : LayInFrame();
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    ChooseFacts();
    return std::move(plan_);
  }

 private:
  const char* SourceField() const {
    if (random_ != nullptr) return kRandomField;
    return packed_ != nullptr ? kPackedField : kPatternField;
  }

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
    if (!plan_.grid && random_ != nullptr) {
      violations_.push_back({"topology", wishes_.grid ? "plane:auto" : "",
                             "random cells need a torus or a plane of a fixed size"});
      return;
    }
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
    plan_.first_generation = before;
    plan_.run.generations = wishes_.generations;
    plan_.run.until = wishes_.until;
    plan_.run.facts_every = wishes_.facts_every;
    if (wishes_.facts_every == 0) return;
    const std::uint64_t rows = wishes_.generations / wishes_.facts_every;
    if (rows > kMaxSeriesRows)
      violations_.push_back({"facts_every", std::to_string(wishes_.facts_every),
                             std::to_string(wishes_.generations) +
                                 " generations make a series of " + std::to_string(rows) +
                                 " rows, the longest has " + std::to_string(kMaxSeriesRows)});
  }

  void LayOnGrid(const BoundedGrid& grid) {
    if (!FitsLimit(wishes_.grid ? "topology" : SourceField(), grid.width, grid.height)) return;
    if (random_ != nullptr) {
      plan_.run.board.width = grid.width;
      plan_.run.board.height = grid.height;
      plan_.run.source = life::Source::kRandom;
      plan_.run.seed = random_->seed;
      plan_.run.threshold = random_->threshold;
      if (wishes_.at) plan_.notes.emplace_back("'at' has no meaning for random cells");
      return;
    }
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
    if (pattern_->runs.empty()) SkipNothing();
    plan_.corner = frame->corner;
    // On the open plane Golly's Pos is the corner of the box.
    const Cell unplaced{pattern_->box.x, pattern_->box.y};
    plan_.file_corner = pattern_->golly_position.value_or(unplaced);
    Lay(frame->width, frame->height, SourceField());
  }

  // Nothing stays nothing, however long: the frame of no cells is one cell. Whatever condition it meets, it does at 0 or 1.
  void SkipNothing() {
    if (wishes_.facts_every != 0) return;
    plan_.run.generations = std::min<std::uint64_t>(1, wishes_.generations);
    plan_.skipped = wishes_.generations - plan_.run.generations;
  }

  void ChooseFacts() {
    kinds::LifeRun& run = plan_.run;
    const std::uint64_t cells = std::uint64_t{run.board.width} * run.board.height;
    plan_.facts = wishes_.facts.value_or(FactChoice{.hash = cells <= kMaxCellsHashedUnasked});
    run.facts = plan_.facts.set;
    run.wants_cells = wishes_.wants_board || plan_.facts.hash;
    // The board of an open plane is told by its box, which is found in the cells where they come back.
    if (!plan_.grid && !run.wants_cells) run.facts |= life::kFindBox;
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
  life::Board* packed_ = nullptr;        // the source, if it is a board
  const RandomCells* random_ = nullptr;  // or if the device makes it
  Pattern outline_;                      // what then stands for it
  const Pattern* pattern_ = nullptr;
  StepPlan plan_;
  Violations violations_;
};

}  // namespace

tl::expected<StepPlan, Violations> PlanStep(StepWishes wishes, std::uint64_t max_step_cells) {
  return StepPlanner(std::move(wishes), max_step_cells).Run();
}

}  // namespace gpusim::server
