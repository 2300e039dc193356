// From what a caller of Step says to the board that is stepped. Knows no protobuf.
//
// Who decides: an explicit rule, topology or place beats the file's, with a note where the two
// differ; the file's beats the default. No board is allocated before its size is within the limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/formats/topology_string.h"
#include "kernels/life.h"
#include "kernels/violation.h"
#include "server/kinds/life_kind.h"

namespace gpusim::server {

// A bounded grid, or nullopt for plane:auto.
using Grid = std::optional<formats::BoundedGrid>;

struct StepWishes {
  std::variant<formats::Pattern, life::Board> source;
  std::optional<life::Rule> rule;
  std::optional<Grid> grid;
  std::optional<formats::Cell> at;  // the corner of the source's box
  std::uint64_t generations = 0;
};

struct StepPlan {
  kinds::LifeRun run;
  Grid grid;
  formats::Cell corner;          // of the source's box, on the board of the run
  formats::Cell file_corner;     // of the source's box, as the file calls it
  std::uint64_t generation = 0;  // once all have run
  std::vector<std::string> notes;
};

// Cells of a board with rows padded to whole words, which is what memory and time follow.
constexpr std::uint64_t PaddedCells(std::uint64_t width, std::uint64_t height) {
  return life::WordsPerRow(width) * life::kCellsPerWord * height;
}

// Violations name the fields of StepRequest.
tl::expected<StepPlan, Violations> PlanStep(StepWishes wishes, std::uint64_t max_step_cells);

}  // namespace gpusim::server
