#include "client/messages.h"

#include <chrono>
#include <utility>

namespace gpusim {
namespace {

Provenance ToProvenance(const v1::Provenance& message) {
  return {.backend = static_cast<AnsweredBy>(message.backend()),
          .device = message.device(),
          .method = static_cast<AnswerMethod>(message.method())};
}

void Fill(const Position& position, v1::Position& message) {
  message.set_edition(static_cast<v1::Edition>(position.edition));
  for (const Stack& stack : position.stacks) {
    v1::Stack& added = *message.add_stacks();
    added.set_space(stack.space);
    for (const Camel camel : stack.camels) added.add_camels(static_cast<v1::Camel>(camel));
  }
  for (const Tile& tile : position.tiles) {
    v1::Tile& added = *message.add_tiles();
    added.set_space(tile.space);
    added.set_effect(static_cast<v1::TileEffect>(tile.effect));
  }
  for (const Die die : position.dice) message.add_dice(static_cast<v1::Die>(die));
}

void Fill(const PositionText& position, v1::Position& message) {
  message.set_edition(static_cast<v1::Edition>(position.edition));
  message.mutable_text()->set_stacks(position.stacks);
  message.mutable_text()->set_tiles(position.tiles);
  message.mutable_text()->set_dice(position.dice);
}

void Fill(const PatternFile& pattern, v1::StepRequest& message) {
  message.set_pattern(pattern.bytes);
}

void Fill(const PackedBoard& board, v1::StepRequest& message) {
  message.mutable_packed()->set_width(board.width);
  message.mutable_packed()->set_height(board.height);
  message.mutable_packed()->set_rows(board.rows);
}

}  // namespace

v1::GetOddsRequest ToMessage(const OddsRequest& request) {
  v1::GetOddsRequest message;
  std::visit([&](const auto& position) { Fill(position, *message.mutable_position()); },
             request.position);
  for (const OddsOutput output : request.outputs) {
    message.add_outputs(static_cast<v1::Output>(output));
  }
  return message;
}

v1::StepRequest ToMessage(const StepRequest& request) {
  v1::StepRequest message;
  std::visit([&](const auto& source) { Fill(source, message); }, request.source);
  message.set_rule(request.rule);
  message.set_topology(request.topology);
  if (request.at) {
    message.mutable_at()->set_x(request.at->x);
    message.mutable_at()->set_y(request.at->y);
  }
  message.set_generations(request.generations);
  message.set_output_format(static_cast<v1::OutputFormat>(request.output_format));
  return message;
}

Odds FromMessage(const v1::GetOddsResponse& message) {
  Odds odds;
  odds.total_weight = message.total_weight();
  for (const v1::CamelOdds& camel : message.camels()) {
    odds.camels.push_back({static_cast<Camel>(camel.camel()),
                           {camel.rank_weight().begin(), camel.rank_weight().end()}});
  }
  odds.race_ends_weight = message.race_ends_weight();
  odds.race_ends_backward_weight = message.race_ends_backward_weight();
  for (const v1::PairOdds& pair : message.pairs()) {
    odds.pairs.push_back(
        {static_cast<Camel>(pair.first()), static_cast<Camel>(pair.second()), pair.weight()});
  }
  for (const v1::TileLandings& tile : message.landings()) {
    odds.landings.push_back(
        {tile.space(), static_cast<TileEffect>(tile.effect()), tile.landing_weight()});
  }
  odds.provenance = ToProvenance(message.provenance());
  return odds;
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
    v1::PackedBoard& packed = *message.mutable_packed();
    result.board = PackedBoard{packed.width(), packed.height(), std::move(*packed.mutable_rows())};
  } else if (message.has_file()) {
    result.board = PatternFile{std::move(*message.mutable_file())};
  }
  result.notes.assign(message.notes().begin(), message.notes().end());
  result.provenance = ToProvenance(message.provenance());
  return result;
}

ServerInfo FromMessage(const v1::GetInfoResponse& message) {
  ServerInfo info;
  info.version = message.version();
  info.backend = static_cast<AnsweredBy>(message.backend());
  for (const v1::Device& device : message.devices()) {
    info.devices.push_back(
        {device.index(), device.name(), device.slots(), device.memory_bytes(), device.threads()});
  }
  for (const v1::Limit& limit : message.limits()) {
    info.limits.push_back({limit.flag(), limit.value(), limit.used()});
  }
  info.uptime = std::chrono::milliseconds(message.uptime_ms());
  return info;
}

ServerStatistics FromMessage(const v1::GetStatisticsResponse& message) {
  ServerStatistics statistics;
  for (const v1::KindStatistics& kind : message.kinds()) {
    statistics.kinds.push_back({.kind = kind.kind(),
                                .requests = kind.requests(),
                                .answered = kind.answered(),
                                .failed = kind.failed(),
                                .cancelled = kind.cancelled(),
                                .expired = kind.expired(),
                                .refused_queue_full = kind.refused_queue_full(),
                                .refused_draining = kind.refused_draining(),
                                .batches = kind.batches(),
                                .batched = kind.batched(),
                                .largest_batch = kind.largest_batch(),
                                .queue = std::chrono::nanoseconds(kind.queue_ns()),
                                .compute = std::chrono::nanoseconds(kind.compute_ns())});
  }
  return statistics;
}

}  // namespace gpusim
