// From what a caller says to the board that is made, and to the stamp that is laid on one. Knows no protobuf.
//
// Who decides: an explicit rule or topology beats the file's, with a note where the two differ; the file's
// beats the default.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "kernels/formats/pattern.h"
#include "kernels/formats/topology_string.h"
#include "kernels/life.h"
#include "kernels/violation.h"
#include "server/boards/board_store.h"

namespace gpusim::server {

// Where the cells come from: a pattern, a board, or elsewhere.
using CellSource = std::variant<std::monostate, formats::Pattern, life::Board>;

// A stamp that lies on a board at a cell of it.
struct LaidStamp {
  std::shared_ptr<const boards::StampRows> stamp;  // null: no cell is alive
  formats::Cell corner;
};

struct BoardWishes {
  CellSource source = std::monostate{};
  std::optional<life::Rule> rule = std::nullopt;
  std::optional<formats::BoundedGrid> grid = std::nullopt;
  std::optional<formats::Cell> at = std::nullopt;
  std::uint64_t generation = 0;  // 0: the file's
};

struct BoardPlan {
  boards::BoardShape shape;
  std::uint64_t generation = 0;
  LaidStamp laid;
  std::vector<std::string> notes;
};

// Violations name the fields of CreateBoardHeader.
tl::expected<BoardPlan, Violations> PlanBoard(BoardWishes wishes);

// The corner of a stamp in the middle of the board, left = floor((W - w) / 2) and top likewise.
formats::Cell Centre(const boards::BoardShape& shape, std::int64_t width, std::int64_t height);

// The cell of the board at which the corner of a stamp comes to lie; on a torus it wraps. A violation of
// `source_field` where the stamp is larger than the board, of `corner_field` where on a plane it does not lie within.
tl::expected<formats::Cell, Violation> PlaceStamp(const boards::BoardShape& shape,
                                                  std::int64_t width, std::int64_t height,
                                                  const formats::Cell& corner,
                                                  const std::string& source_field,
                                                  const std::string& corner_field);

struct WritePlan {
  LaidStamp laid;
  std::vector<std::string> notes;
};

// Of a pattern or a board for a board of that shape. With `whole_box` dead cells around the live ones are part of the
// stamp. Violations name the fields of WriteRegionHeader.
tl::expected<WritePlan, Violations> PlanWrite(CellSource source, const boards::BoardShape& shape,
                                              const std::optional<formats::Cell>& at,
                                              bool whole_box);

}  // namespace gpusim::server
