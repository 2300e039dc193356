#include <chrono>
#include <utility>

#include "client/messages.h"

namespace gpusim {
namespace {

void FillStructured(const Position& position, v1::Position& message) {
  for (const Stack& stack : position.stacks) {
    v1::Stack& added = *message.add_stacks();
    added.set_space(stack.space);
    for (const Camel camel : stack.camels) added.add_camels(static_cast<v1::Camel>(camel));
  }
  for (const Tile& tile : position.tiles) {
    v1::Tile& added = *message.add_tiles();
    added.set_space(tile.space);
    added.set_effect(static_cast<v1::TileEffect>(tile.effect));
    added.set_owner(tile.owner);
  }
  for (const Die die : position.dice) message.add_dice(static_cast<v1::Die>(die));
}

Estimate ToEstimate(const v1::Estimate& message) {
  Estimate estimate{.value = message.value(), .standard_error = {}, .tally = {}};
  if (message.has_standard_error()) estimate.standard_error = message.standard_error();
  if (message.has_tally()) estimate.tally = message.tally();
  return estimate;
}

CamelOdds ToCamelOdds(const v1::CamelOdds& message) {
  CamelOdds odds;
  odds.camel = static_cast<Camel>(message.camel());
  odds.rank_weight.assign(message.rank_weight().begin(), message.rank_weight().end());
  for (const v1::Estimate& rank : message.ranks()) odds.ranks.push_back(ToEstimate(rank));
  for (const v1::TicketValue& ticket : message.tickets()) {
    odds.tickets.push_back({.face = ticket.face(),
                            .value = ticket.value(),
                            .value_weight = ticket.value_weight(),
                            .standard_error = {}});
    if (ticket.has_standard_error()) odds.tickets.back().standard_error = ticket.standard_error();
  }
  if (message.has_race_win()) {
    odds.race_win.emplace(Estimate{message.race_win(), {}, {}});
    if (message.has_race_win_standard_error())
      odds.race_win->standard_error = message.race_win_standard_error();
    if (message.has_race_win_tally()) odds.race_win->tally = message.race_win_tally();
  }
  if (message.has_race_last()) {
    odds.race_last.emplace(Estimate{message.race_last(), {}, {}});
    if (message.has_race_last_standard_error())
      odds.race_last->standard_error = message.race_last_standard_error();
    if (message.has_race_last_tally()) odds.race_last->tally = message.race_last_tally();
  }
  return odds;
}

}  // namespace

void Fill(const AnyPosition& position, v1::Position& message) {
  if (const auto* structured = std::get_if<Position>(&position)) {
    message.set_edition(static_cast<v1::Edition>(structured->edition));
    FillStructured(*structured, message);
    return;
  }
  const auto& text = std::get<PositionText>(position);
  message.set_edition(static_cast<v1::Edition>(text.edition));
  message.mutable_text()->set_stacks(text.stacks);
  message.mutable_text()->set_tiles(text.tiles);
  message.mutable_text()->set_dice(text.dice);
}

v1::GetOddsRequest ToMessage(const OddsRequest& request) {
  v1::GetOddsRequest message;
  Fill(request.position, *message.mutable_position());
  FillOutputs(request.outputs, message);
  if (request.monte_carlo) {
    v1::MonteCarlo& monte_carlo = *message.mutable_monte_carlo();
    monte_carlo.set_simulations(request.monte_carlo->simulations);
    if (request.monte_carlo->stream)
      Fill(*request.monte_carlo->stream, *monte_carlo.mutable_stream());
  }
  return message;
}

v1::SimulateRequest ToMessage(const SimulateRequest& request) {
  v1::SimulateRequest message;
  Fill(request.position, *message.mutable_position());
  FillOutputs(request.outputs, message);
  message.set_simulations(request.simulations);
  if (request.stream) Fill(*request.stream, *message.mutable_stream());
  message.set_first_simulation(request.first_simulation);
  message.set_target_error(request.target_error);
  message.set_max_duration_ms(static_cast<std::uint64_t>(request.max_duration.count()));
  message.set_update_interval_ms(static_cast<std::uint32_t>(request.update_interval.count()));
  return message;
}

Odds FromMessage(const v1::GetOddsResponse& message) {
  Odds odds;
  odds.total_weight = message.total_weight();
  odds.simulations = message.simulations();
  for (const v1::CamelOdds& camel : message.camels()) odds.camels.push_back(ToCamelOdds(camel));
  odds.race_ends_weight = message.race_ends_weight();
  odds.race_ends_backward_weight = message.race_ends_backward_weight();
  odds.race_ends = ToEstimate(message.race_ends());
  odds.race_ends_backward = ToEstimate(message.race_ends_backward());
  for (const v1::PairOdds& pair : message.pairs()) {
    odds.pairs.push_back({static_cast<Camel>(pair.first()), static_cast<Camel>(pair.second()),
                          pair.weight(), ToEstimate(pair.probability())});
  }
  for (const v1::TileLandings& tile : message.landings()) {
    odds.landings.push_back({tile.space(), static_cast<TileEffect>(tile.effect()),
                             tile.landing_weight(), ToEstimate(tile.expected())});
  }
  if (message.has_expected_legs()) odds.expected_legs = ToEstimate(message.expected_legs());
  for (const v1::RacePairOdds& pair : message.race_pairs()) {
    odds.race_pairs.push_back({static_cast<Camel>(pair.winner()), static_cast<Camel>(pair.last()),
                               ToEstimate(pair.probability())});
  }
  odds.provenance = FromMessage(message.provenance());
  return odds;
}

SimulateUpdate FromMessage(const v1::SimulateResponse& message) {
  return {.estimate = FromMessage(message.estimate()),
          .next_simulation = message.next_simulation(),
          .state = static_cast<SimulateState>(message.state()),
          .elapsed = std::chrono::milliseconds(message.elapsed_ms())};
}

}  // namespace gpusim
