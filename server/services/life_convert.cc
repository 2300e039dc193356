#include "server/services/life_convert.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/formats/board_region.h"
#include "kernels/formats/cells.h"
#include "kernels/formats/life106.h"
#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"
#include "kernels/formats/topology_string.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using formats::Region;

// What else is in a reply than the board: numbers, hash, rule, topology, notes, provenance.
constexpr std::uint64_t kReplyRestBytes = 2048;

constexpr std::string_view kFormatRule =
    "one of OUTPUT_FORMAT_UNSPECIFIED, _PACKED, _RLE, _CELLS and _LIFE106";

std::uint64_t BoardBudget(std::uint64_t max_reply_bytes) {
  return max_reply_bytes > kReplyRestBytes ? max_reply_bytes - kReplyRestBytes : 0;
}

Violation ReplyTooLarge(v1::OutputFormat format, std::uint64_t max_reply_bytes) {
  return {"output_format", v1::OutputFormat_Name(format),
          "the board in this format passes max-reply-bytes, " + std::to_string(max_reply_bytes) +
              "; ask for OUTPUT_FORMAT_PACKED, a smaller board, or no board"};
}

std::optional<life::Board> ReadPacked(const v1::PackedBoard& packed, Violations& violations,
                                      std::uint64_t max_step_cells) {
  const std::size_t faults_before = violations.size();
  const std::string sides[] = {"packed.width", "packed.height"};
  for (const bool height : {false, true}) {
    if ((height ? packed.height() : packed.width()) == 0)
      violations.push_back({sides[height], "0", "a board is at least one cell wide and high"});
  }
  if (violations.size() > faults_before) return std::nullopt;

  const std::string size = std::to_string(packed.width()) + "x" + std::to_string(packed.height());
  const std::uint64_t cells = PaddedCells(packed.width(), packed.height());
  const std::uint64_t bytes = PackedBytes(packed.width(), packed.height());
  if (cells > max_step_cells) {
    violations.push_back({"packed", size,
                          std::to_string(cells) +
                              " cells with rows padded to 64, max-step-cells is " +
                              std::to_string(max_step_cells)});
    return std::nullopt;
  }
  if (packed.rows().size() != bytes) {
    violations.push_back({"packed.rows", std::to_string(packed.rows().size()) + " bytes",
                          "a board of " + size + " has " + std::to_string(bytes) +
                              " bytes, each row padded to whole bytes"});
    return std::nullopt;
  }
  auto board = UnpackRows(packed.width(), packed.height(), packed.rows());
  if (!board) {
    violations.push_back({"packed.rows", "row " + std::to_string(board.error()),
                          "the bits that pad a row to whole bytes are 0"});
    return std::nullopt;
  }
  return *std::move(board);
}

bool ReadSource(const v1::StepRequest& request, const StepLimits& limits, StepWishes& wishes,
                Violations& violations) {
  switch (request.source_case()) {
    case v1::StepRequest::kPattern: {
      auto pattern =
          formats::ReadPattern(request.pattern(), {.max_live_cells = limits.max_step_cells});
      if (pattern) {
        wishes.source = *std::move(pattern);
        return true;
      }
      violations.push_back(pattern.error().ToViolation("pattern"));
      return false;
    }
    case v1::StepRequest::kPacked: {
      auto board = ReadPacked(request.packed(), violations, limits.max_step_cells);
      if (!board) return false;
      wishes.source = *std::move(board);
      return true;
    }
    case v1::StepRequest::SOURCE_NOT_SET:
      break;
  }
  violations.push_back({"source", "", "a step starts from a pattern or a packed board"});
  return false;
}

void ReadSettings(const v1::StepRequest& request, StepWishes& wishes, Violations& violations) {
  wishes.generations = request.generations();
  if (!request.rule().empty()) {
    if (const auto rule = formats::ParseRule(request.rule())) {
      wishes.rule = *rule;
    } else {
      violations.push_back(rule.error().ToViolation("rule"));
    }
  }
  if (!request.topology().empty()) {
    if (const auto grid = formats::ParseTopology(request.topology())) {
      wishes.grid = *grid;
    } else {
      violations.push_back(grid.error().ToViolation("topology"));
    }
  }
  if (request.has_at()) wishes.at = formats::Cell{request.at().x(), request.at().y()};
  if (!v1::OutputFormat_IsValid(request.output_format()))
    violations.push_back(
        {"output_format", std::to_string(request.output_format()), std::string(kFormatRule)});
}

// Bytes of the reply's board where they are known before the work.
std::uint64_t KnownBoardBytes(const Grid& grid, v1::OutputFormat format) {
  if (!grid) return 0;
  if (format == v1::OUTPUT_FORMAT_PACKED) return PackedBytes(grid->width, grid->height);
  if (format == v1::OUTPUT_FORMAT_CELLS) return (std::uint64_t{grid->width} + 1) * grid->height;
  return 0;
}

// As Step numbers it: 16 lower-case digits.
std::string HashText(std::uint64_t hash) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, hash >>= 4)
    text[static_cast<std::size_t>(i)] = "0123456789abcdef"[hash & 15];
  return text;
}

// Keeps the live box alone, and returns where it lay; an empty board keeps nothing.
Region Trim(life::Board& board) {
  const Region live = formats::LiveRegion(board).value_or(Region{});
  board = Crop(board, live);
  return live;
}

tl::expected<std::string, formats::OutputTooLarge> WriteFile(const StepResult& result,
                                                             formats::Cell origin,
                                                             std::uint64_t max_bytes) {
  const life::Board& board = result.board;
  const Region whole = formats::WholeBoard(board);
  const formats::Cell corner{result.plan.file_corner.x + origin.x,
                             result.plan.file_corner.y + origin.y};
  if (result.format == v1::OUTPUT_FORMAT_CELLS) return formats::WriteCells(board, whole, max_bytes);
  if (result.format == v1::OUTPUT_FORMAT_LIFE106)
    return formats::WriteLife106(board, whole, corner, max_bytes);
  formats::RleHeader header{.rule = result.plan.run.rule,
                            .grid = result.plan.grid,
                            .golly_position = std::nullopt,
                            .generation = std::nullopt};
  if (!result.plan.grid) header.golly_position = corner;
  if (result.plan.generation != 0) header.generation = result.plan.generation;
  return formats::WriteRle(board, whole, header, max_bytes);
}

tl::expected<void, Violations> FillBoard(const StepResult& result, formats::Cell origin,
                                         std::uint64_t max_reply_bytes,
                                         v1::StepResponse& response) {
  const std::uint64_t max_bytes = BoardBudget(max_reply_bytes);
  const life::Board& board = result.board;
  if (result.format == v1::OUTPUT_FORMAT_UNSPECIFIED) return {};
  if (result.format == v1::OUTPUT_FORMAT_PACKED) {
    if (PackedBytes(board.width, board.height) > max_bytes)
      return tl::unexpected(Violations{ReplyTooLarge(result.format, max_reply_bytes)});
    response.mutable_packed()->set_width(board.width);
    response.mutable_packed()->set_height(board.height);
    response.mutable_packed()->set_rows(PackRows(board));
    return {};
  }
  auto file = WriteFile(result, origin, max_bytes);
  if (!file) return tl::unexpected(Violations{ReplyTooLarge(result.format, max_reply_bytes)});
  response.set_file(*std::move(file));
  return {};
}

}  // namespace

tl::expected<StepPlan, Violations> PlanOf(const v1::StepRequest& request,
                                          const StepLimits& limits) {
  StepWishes wishes;
  Violations violations;
  ReadSource(request, limits, wishes, violations);
  ReadSettings(request, wishes, violations);
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  auto plan = PlanStep(std::move(wishes), limits.max_step_cells);
  if (plan &&
      KnownBoardBytes(plan->grid, request.output_format()) > BoardBudget(limits.max_reply_bytes))
    return tl::unexpected(
        Violations{ReplyTooLarge(request.output_format(), limits.max_reply_bytes)});
  return plan;
}

tl::expected<void, Violations> FillStepResponse(StepResult result, std::uint64_t max_reply_bytes,
                                                v1::StepResponse& response) {
  formats::Cell origin{0, 0};
  if (!result.plan.grid) {
    const Region live = Trim(result.board);
    // No live cell is left: 0 x 0, and no place is more right than the pattern's own.
    if (live.width != 0) origin = {live.x - result.plan.corner.x, live.y - result.plan.corner.y};
  }
  response.set_generation(result.plan.generation);
  response.set_population(result.population);
  response.set_hash(HashText(life::Hash(result.board)));
  response.set_rule(formats::FormatRule(result.plan.run.rule));
  response.set_topology(formats::FormatTopology(result.plan.grid));
  response.set_width(result.board.width);
  response.set_height(result.board.height);
  response.mutable_origin()->set_x(origin.x);
  response.mutable_origin()->set_y(origin.y);
  for (std::string& note : result.plan.notes) response.add_notes(std::move(note));
  return FillBoard(result, origin, max_reply_bytes, response);
}

}  // namespace gpusim::server
