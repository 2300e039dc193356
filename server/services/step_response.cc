#include "server/services/step_response.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/formats/board_region.h"
#include "kernels/formats/cells.h"
#include "kernels/formats/life105.h"
#include "kernels/formats/life106.h"
#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"
#include "kernels/formats/topology_string.h"
#include "server/services/life_facts.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using formats::Cell;
using formats::Region;

Violation ReplyTooLarge(v1::OutputFormat format, std::uint64_t max_reply_bytes) {
  return {"output_format", v1::OutputFormat_Name(format),
          "the board in this format passes max-reply-bytes, " + std::to_string(max_reply_bytes) +
              "; ask for OUTPUT_FORMAT_PACKED, a smaller board, or no board"};
}

std::uint64_t KnownBoardBytes(const Grid& grid, v1::OutputFormat format) {
  constexpr std::uint64_t kFrame = 32;
  if (!grid) return 0;
  if (format == v1::OUTPUT_FORMAT_PACKED) return PackedBytes(grid->width, grid->height) + kFrame;
  if (format == v1::OUTPUT_FORMAT_CELLS)
    return (std::uint64_t{grid->width} + 1) * grid->height + kFrame;
  return 0;
}

std::uint64_t SeriesRows(const StepPlan& plan) {
  return plan.run.facts_every == 0 ? 0 : plan.run.generations / plan.run.facts_every;
}

// Of a plane:auto, where its digest would be of a frame that is not the caller's.
life::FactSet ToldFacts(const StepPlan& plan) {
  constexpr auto kAllButDigest = static_cast<life::FactSet>(~life::kMakeDigest);
  return plan.grid ? plan.facts.set : plan.facts.set & kAllButDigest;
}

// Where the live cells of an open plane lay in its frame; 0 x 0 if there are none. Keeps their box of the board.
Region Trim(kinds::LifeAnswer& answer, bool has_cells) {
  const std::uint32_t* box = answer.last.box;
  Region live{box[0], box[1], box[2], box[3]};
  if (has_cells) live = formats::LiveRegion(answer.board).value_or(Region{});
  if (answer.last.population == 0) live = {};
  if (has_cells) {
    answer.board = Crop(answer.board, live);
  } else {
    answer.board.width = live.width;
    answer.board.height = live.height;
  }
  return live;
}

tl::expected<std::string, formats::OutputTooLarge> WriteFile(const StepResult& result, Cell origin,
                                                             std::uint64_t generation,
                                                             std::uint64_t max_bytes) {
  const life::Board& board = result.answer.board;
  const Region whole = formats::WholeBoard(board);
  const StepPlan& plan = result.plan;
  const Cell corner{plan.file_corner.x + origin.x, plan.file_corner.y + origin.y};
  if (result.format == v1::OUTPUT_FORMAT_CELLS) return formats::WriteCells(board, whole, max_bytes);
  if (result.format == v1::OUTPUT_FORMAT_LIFE106)
    return formats::WriteLife106(board, whole, corner, max_bytes);
  if (result.format == v1::OUTPUT_FORMAT_LIFE105)
    return formats::WriteLife105(board, whole, corner, plan.run.rule, max_bytes);
  formats::RleHeader header{.rule = plan.run.rule, .grid = plan.grid};
  if (!plan.grid) header.golly_position = corner;
  if (generation != 0) header.generation = generation;
  return formats::WriteRle(board, whole, header, max_bytes);
}

tl::expected<void, Violations> FillBoard(const StepResult& result, Cell origin,
                                         std::uint64_t max_board_bytes,
                                         std::uint64_t max_reply_bytes,
                                         v1::StepResponse& response) {
  const life::Board& board = result.answer.board;
  if (result.format == v1::OUTPUT_FORMAT_UNSPECIFIED) return {};
  const auto too_large = [&] {
    return tl::unexpected(Violations{ReplyTooLarge(result.format, max_reply_bytes)});
  };
  const std::uint64_t max_bytes = BoardSizeIsUnknown(result.plan, result.format)
                                      ? max_board_bytes
                                      : KnownBoardBytes(result.plan.grid, result.format);
  if (result.format == v1::OUTPUT_FORMAT_PACKED) {
    if (PackedBytes(board.width, board.height) > max_bytes) return too_large();
    response.mutable_packed()->set_width(board.width);
    response.mutable_packed()->set_height(board.height);
    response.mutable_packed()->set_rows(PackRows(board));
    return {};
  }
  auto file = WriteFile(result, origin, response.generation(), max_bytes);
  if (!file) return too_large();
  response.set_file(*std::move(file));
  return {};
}

void FillFacts(const StepResult& result, v1::StepResponse& response) {
  const StepPlan& plan = result.plan;
  const life::FactSet told = ToldFacts(plan);
  kinds::LifeFacts last = result.answer.last;
  if (!plan.grid) {
    const std::uint32_t box[4] = {0, 0, result.answer.board.width, result.answer.board.height};
    std::copy_n(box, 4, last.box);
  }
  v1::BoardFacts& facts = *response.mutable_facts();
  FillBoardFacts(last, told, plan.first_generation, facts);
  facts.set_generation(response.generation());
  if (plan.facts.hash) {
    facts.set_hash(DigestText(life::Hash(result.answer.board)));
    response.set_hash(facts.hash());
  }
  for (kinds::LifeFacts row : result.answer.series) {
    if (!plan.grid) row.box[0] = row.box[1] = 0;  // of the frame, which is not the caller's
    FillBoardFacts(row, told, plan.first_generation, *response.add_series());
  }
}

}  // namespace

std::uint64_t KnownResponseBytes(const StepPlan& plan, v1::OutputFormat format) {
  // Numbers of up to 10 bytes with their tags, two hashes, and what frames facts and origin.
  constexpr std::uint64_t kNumbers = 2 * 11 + 2 * 6 + 2 + 6;
  constexpr std::uint64_t kRest = kNumbers + 2 * 18 + 24 + 6;
  std::uint64_t bytes = kRest + MaxBoardFactsBytes(plan.facts.set) +
                        formats::FormatRule(plan.run.rule).size() +
                        formats::FormatTopology(plan.grid).size();
  for (const std::string& note : plan.notes) bytes += note.size() + 3;
  return bytes + SeriesRows(plan) * MaxBoardFactsBytes(plan.facts.set) +
         KnownBoardBytes(plan.grid, format);
}

std::optional<Violation> ReplySizeFault(const StepPlan& plan, v1::OutputFormat format,
                                        std::uint64_t max_reply_bytes) {
  const std::uint64_t bytes = KnownResponseBytes(plan, format) + kProvenanceBytes;
  if (bytes <= max_reply_bytes) return std::nullopt;
  if (KnownBoardBytes(plan.grid, format) + kProvenanceBytes > max_reply_bytes / 2)
    return ReplyTooLarge(format, max_reply_bytes);
  return Violation{"facts_every", std::to_string(plan.run.facts_every),
                   "a reply with a series of " + std::to_string(SeriesRows(plan)) +
                       " rows may have " + std::to_string(bytes) + " bytes, max-reply-bytes is " +
                       std::to_string(max_reply_bytes)};
}

bool BoardSizeIsUnknown(const StepPlan& plan, v1::OutputFormat format) {
  return format != v1::OUTPUT_FORMAT_UNSPECIFIED && KnownBoardBytes(plan.grid, format) == 0;
}

tl::expected<void, Violations> FillStepResponse(StepResult result, std::uint64_t max_board_bytes,
                                                std::uint64_t max_reply_bytes,
                                                v1::StepResponse& response) {
  const StepPlan& plan = result.plan;
  kinds::LifeAnswer& answer = result.answer;
  Cell origin{0, 0};
  if (!plan.grid) {
    const Region live = Trim(answer, plan.run.wants_cells);
    // No live cell is left: 0 x 0, and no place is more right than the pattern's own.
    if (live.width != 0) origin = {live.x - plan.corner.x, live.y - plan.corner.y};
  }
  response.set_generation(plan.first_generation + answer.last.generation +
                          (answer.met ? 0 : plan.skipped));
  response.set_population(answer.last.population);
  response.set_rule(formats::FormatRule(plan.run.rule));
  response.set_topology(formats::FormatTopology(plan.grid));
  response.set_width(answer.board.width);
  response.set_height(answer.board.height);
  response.mutable_origin()->set_x(origin.x);
  response.mutable_origin()->set_y(origin.y);
  response.set_stop_reason(answer.met ? v1::STOP_REASON_CONDITION : v1::STOP_REASON_TARGET);
  response.set_period(answer.period);
  for (const std::string& note : plan.notes) response.add_notes(note);
  FillFacts(result, response);
  return FillBoard(result, origin, max_board_bytes, max_reply_bytes, response);
}

}  // namespace gpusim::server
