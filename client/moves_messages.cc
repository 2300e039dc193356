#include <utility>

#include "client/call_error.h"
#include "client/messages.h"

namespace gpusim {
namespace {

void Fill(const LegTicket& ticket, v1::LegTicket& message) {
  message.set_camel(static_cast<v1::Camel>(ticket.camel));
  message.set_face(ticket.face);
}

void Fill(const RaceCard& card, v1::RaceCard& message) {
  if (card.camel) message.set_camel(static_cast<v1::Camel>(*card.camel));
  message.set_mine(card.mine);
}

MoveAction ToAction(const v1::MoveValue& message) {
  switch (message.action_case()) {
    case v1::MoveValue::kTakeTicket:
      return LegTicket{static_cast<Camel>(message.take_ticket().camel()),
                       message.take_ticket().face()};
    case v1::MoveValue::kPlaceCard:
      return PlaceRaceCard{static_cast<Camel>(message.place_card().camel()),
                           message.place_card().winner()};
    case v1::MoveValue::kRoll:
      return RollDie{};
    case v1::MoveValue::kPlaceTile:
      return Tile{message.place_tile().space(),
                  static_cast<TileEffect>(message.place_tile().effect()),
                  message.place_tile().owner()};
    case v1::MoveValue::ACTION_NOT_SET:
      break;
  }
  return std::monostate{};
}

}  // namespace

v1::EvaluateMovesRequest ToMessage(const MovesRequest& request) {
  v1::EvaluateMovesRequest message;
  gpusim::Fill(request.position, *message.mutable_position());
  message.set_me(request.me);
  message.set_coins(request.coins);
  for (const LegTicket& ticket : request.tickets) Fill(ticket, *message.add_tickets());
  for (const LegTicket& ticket : request.held_tickets) Fill(ticket, *message.add_held_tickets());
  for (const Camel camel : request.hand) message.add_hand(static_cast<v1::Camel>(camel));
  for (const RaceCard& card : request.winner_cards) Fill(card, *message.add_winner_cards());
  for (const RaceCard& card : request.loser_cards) Fill(card, *message.add_loser_cards());
  message.set_no_tile(request.no_tile);
  message.set_allow_flip(request.allow_flip);
  message.set_coin_floor(request.coin_floor);
  return message;
}

v1::EvaluateMovesManyRequest ToMessage(const std::vector<MovesRequest>& questions) {
  v1::EvaluateMovesManyRequest message;
  for (const MovesRequest& question : questions) *message.add_questions() = ToMessage(question);
  return message;
}

Moves FromMessage(const v1::EvaluateMovesResponse& message) {
  Moves moves;
  for (const v1::MoveValue& move : message.moves()) {
    moves.moves.push_back({.action = ToAction(move),
                           .value = move.value(),
                           .expected = move.expected(),
                           .lower = move.lower(),
                           .upper = move.upper()});
  }
  moves.baseline = message.baseline();
  moves.provenance = FromMessage(message.provenance());
  return moves;
}

std::vector<Result<Moves>> FromMessage(const v1::EvaluateMovesManyResponse& message) {
  std::vector<Result<Moves>> results;
  for (const v1::EvaluateMovesResult& result : message.results()) {
    if (result.has_error()) {
      results.emplace_back(tl::unexpected(ErrorFromStatus(result.error())));
    } else {
      results.emplace_back(FromMessage(result.moves()));
    }
  }
  return results;
}

StreamAnswer FromMessage(const v1::StreamItem& message) {
  StreamAnswer answer{.id = message.id(), .answer = {}};
  switch (message.answer_case()) {
    case v1::StreamItem::kOdds:
      answer.answer = FromMessage(message.odds());
      break;
    case v1::StreamItem::kMoves:
      answer.answer = FromMessage(message.moves());
      break;
    case v1::StreamItem::kError:
      answer.answer = tl::unexpected(ErrorFromStatus(message.error()));
      break;
    case v1::StreamItem::ANSWER_NOT_SET:
      answer.answer = tl::unexpected(
          Error{.code = StatusCode::kInternal, .message = "the server's answer is empty"});
      break;
  }
  return answer;
}

}  // namespace gpusim
