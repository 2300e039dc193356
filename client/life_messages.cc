#include "client/life_messages.h"

#include <algorithm>
#include <utility>

#include "client/call_error.h"
#include "client/column_reader.h"
#include "client/messages.h"

namespace gpusim {
namespace {

Result<UniformResults> FromMessage(v1::UniformResults message) {
  UniformResults results;
  // The population always comes.
  const std::size_t boards = message.population().size() / sizeof(std::uint64_t);
  ColumnReader reader(boards);
  std::vector<std::uint8_t> reasons;
  std::vector<std::uint32_t> boxes;
  reader.Read("generation", message.generation(), 1, results.generation);
  reader.Read("population", message.population(), 1, results.population);
  reader.Read("stop_reason", message.stop_reason(), 1, reasons);
  reader.Read("period", message.period(), 1, results.period);
  reader.Read("births", message.births(), 1, results.births);
  reader.Read("deaths", message.deaths(), 1, results.deaths);
  reader.Read("box", message.box(), 4, boxes);
  reader.Read("digest", message.digest(), 1, results.digest);
  reader.Read("shape_digest", message.shape_digest(), 1, results.shape_digest);
  reader.Read("hash", message.hash(), 1, results.hash);
  if (!reader.fault().empty()) return tl::unexpected(BadReply(reader.fault()));
  for (const std::uint8_t reason : reasons)
    results.stop_reason.push_back(static_cast<StopReason>(reason));
  for (std::size_t i = 0; i < boxes.size() / 4; ++i) {
    results.box.push_back(
        {boxes[i], boxes[boards + i], boxes[2 * boards + i], boxes[3 * boards + i]});
  }
  results.rows = std::move(*message.mutable_rows());
  return results;
}

struct FillSource {
  v1::StepRequest& message;
  void operator()(const PatternFile& pattern) const { message.set_pattern(pattern.bytes); }
  void operator()(const PackedBoard& board) const { Fill(board, *message.mutable_packed()); }
  void operator()(const RandomCells& random) const { Fill(random, *message.mutable_random()); }
};

}  // namespace

void Fill(const PackedBoard& board, v1::PackedBoard& message) {
  message.set_width(board.width);
  message.set_height(board.height);
  message.set_rows(board.rows);
}

void Fill(const RandomCells& random, v1::RandomFill& message) {
  message.set_density(random.density);
  message.set_seed(random.seed);
}

void Fill(const CellOffset& at, v1::Offset& message) {
  message.set_x(at.x);
  message.set_y(at.y);
}

void Fill(const CellRegion& region, v1::Region& message) {
  message.set_x(region.x);
  message.set_y(region.y);
  message.set_width(region.width);
  message.set_height(region.height);
}

std::optional<v1::Until> ToMessage(const Until& until) {
  v1::Until message;
  constexpr std::uint64_t kMostPeriod = 0xffff'ffff;
  switch (until.condition) {
    case Until::Condition::kNever:
      return std::nullopt;
    case Until::Condition::kExtinct:
      message.set_extinct(true);
      break;
    case Until::Condition::kStill:
      message.set_still(true);
      break;
    case Until::Condition::kPeriodAtMost:
      message.set_period_at_most(static_cast<std::uint32_t>(std::min(until.bound, kMostPeriod)));
      break;
    case Until::Condition::kPopulationAtMost:
      message.set_population_at_most(until.bound);
      break;
    case Until::Condition::kPopulationAtLeast:
      message.set_population_at_least(until.bound);
      break;
  }
  return message;
}

v1::StepRequest ToMessage(const StepRequest& request) {
  v1::StepRequest message;
  std::visit(FillSource{message}, request.source);
  message.set_rule(request.rule);
  message.set_topology(request.topology);
  if (request.at) Fill(*request.at, *message.mutable_at());
  message.set_generations(request.generations);
  message.set_output_format(static_cast<v1::OutputFormat>(request.output_format));
  FillUntil(request.until, message);
  FillFacts(request.facts, message);
  message.set_facts_every(request.facts_every);
  return message;
}

v1::StepManyRequest ToMessage(const StepManyRequest& request) {
  v1::StepManyRequest message;
  for (const StepRequest& board : request.boards) *message.add_boards() = ToMessage(board);
  if (!request.uniform) return message;
  const UniformBoards& uniform = *request.uniform;
  v1::UniformBoards& filled = *message.mutable_uniform();
  filled.set_topology(uniform.topology);
  filled.set_count(uniform.count);
  if (const auto* random = std::get_if<RandomCells>(&uniform.source)) {
    Fill(*random, *filled.mutable_random());
  } else {
    filled.set_rows(std::get<std::string>(uniform.source));
  }
  filled.set_rule(uniform.rule);
  filled.set_generations(uniform.generations);
  FillUntil(uniform.until, filled);
  FillFacts(uniform.facts, filled);
  filled.set_return_rows(uniform.return_rows);
  return message;
}

Until FromMessage(const v1::Until& message) {
  using Condition = Until::Condition;
  switch (message.condition_case()) {
    case v1::Until::kExtinct:
      return {Condition::kExtinct, 0};
    case v1::Until::kStill:
      return {Condition::kStill, 0};
    case v1::Until::kPeriodAtMost:
      return {Condition::kPeriodAtMost, message.period_at_most()};
    case v1::Until::kPopulationAtMost:
      return {Condition::kPopulationAtMost, message.population_at_most()};
    case v1::Until::kPopulationAtLeast:
      return {Condition::kPopulationAtLeast, message.population_at_least()};
    case v1::Until::CONDITION_NOT_SET:
      break;
  }
  return {};
}

CellRegion FromMessage(const v1::Region& message) {
  return {message.x(), message.y(), message.width(), message.height()};
}

PackedBoard FromMessage(v1::PackedBoard message) {
  return {message.width(), message.height(), std::move(*message.mutable_rows())};
}

LifeFacts FromMessage(const v1::BoardFacts& message) {
  LifeFacts facts{.generation = message.generation(),
                  .population = message.population(),
                  .births = message.births(),
                  .deaths = message.deaths(),
                  .box = {},
                  .digest = message.digest(),
                  .shape_digest = message.shape_digest(),
                  .hash = message.hash()};
  if (message.has_box()) facts.box = FromMessage(message.box());
  return facts;
}

StepResult FromMessage(v1::StepResponse message) {
  StepResult result;
  result.generation = message.generation();
  result.population = message.population();
  result.hash = message.hash();
  result.rule = message.rule();
  result.topology = message.topology();
  result.width = message.width();
  result.height = message.height();
  result.origin = {message.origin().x(), message.origin().y()};
  if (message.has_packed()) {
    result.board = FromMessage(std::move(*message.mutable_packed()));
  } else if (message.has_file()) {
    result.board = PatternFile{std::move(*message.mutable_file())};
  }
  result.notes.assign(message.notes().begin(), message.notes().end());
  result.provenance = FromMessage(message.provenance());
  result.facts = FromMessage(message.facts());
  for (const v1::BoardFacts& facts : message.series()) result.series.push_back(FromMessage(facts));
  result.stop_reason = static_cast<StopReason>(message.stop_reason());
  result.period = message.period();
  return result;
}

Result<StepManyResult> FromMessage(v1::StepManyResponse message) {
  StepManyResult result;
  for (v1::StepManyResult& board : *message.mutable_results()) {
    if (board.has_error()) {
      result.boards.emplace_back(tl::unexpected(ErrorFromStatus(board.error())));
    } else {
      result.boards.emplace_back(FromMessage(std::move(*board.mutable_step())));
    }
  }
  auto uniform = FromMessage(std::move(*message.mutable_uniform()));
  if (!uniform) return tl::unexpected(std::move(uniform.error()));
  result.uniform = std::move(*uniform);
  result.provenance = FromMessage(message.provenance());
  return result;
}

}  // namespace gpusim
