// From what a caller of Step says to the board that is stepped.
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
#include "server/services/life_facts.h"

namespace gpusim::server {

// A bounded grid, or nullopt for plane:auto.
using Grid = std::optional<formats::BoundedGrid>;

// Cells that the device makes: kernels/rules/life_random.h.
struct RandomCells {
  std::uint64_t seed = 0;
  std::uint64_t threshold = 0;
};

struct StepWishes {
  std::variant<formats::Pattern, life::Board, RandomCells> source;
  std::optional<life::Rule> rule;
  std::optional<Grid> grid;
  std::optional<formats::Cell> at;  // the corner of the source's box
  std::uint64_t generations = 0;
  kinds::Until until = {};
  std::optional<FactChoice> facts;  // nullopt: the hash alone, unless it takes long
  std::uint64_t facts_every = 0;
  bool wants_board = false;
};

struct StepPlan {
  kinds::LifeRun run;
  FactChoice facts;  // that the caller wants; the run may need more
  Grid grid;
  formats::Cell corner;                // of the source's box, on the board of the run
  formats::Cell file_corner;           // of the source's box, as the file calls it
  std::uint64_t first_generation = 0;  // as the file counts
  std::uint64_t skipped = 0;           // generations that need not be run, as nothing lives
  std::vector<std::string> notes;
};

// Rows of the series that facts_every makes, at most.
inline constexpr std::uint64_t kMaxSeriesRows = 65'536;

// Cells of a board with rows padded to whole words, which is what memory and time follow.
constexpr std::uint64_t PaddedCells(std::uint64_t width, std::uint64_t height) {
  return life::WordsPerRow(width) * life::kCellsPerWord * height;
}

// Violations name the fields of StepRequest.
tl::expected<StepPlan, Violations> PlanStep(StepWishes wishes, std::uint64_t max_step_cells);

}  // namespace gpusim::server
