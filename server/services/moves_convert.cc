#include "server/services/moves_convert.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "server/services/camel_up_names.h"
#include "server/services/position_convert.h"

namespace gpusim::server {
namespace {

using camel_up::Edition;
using camel_up::MovesQuestion;

// Larger values are faults anyway.
int Number(std::uint32_t value) { return static_cast<int>(std::min(value, 0x7fff'ffffu)); }

class MovesReader {
 public:
  MovesReader(const v1::EvaluateMovesRequest& message, const std::string& prefix)
      : message_(message), prefix_(prefix) {}

  tl::expected<camel_up::MovesPlan, Violations> Run() && {
    const v1::Position& position_message = message_.position();
    auto position = ReadPosition(position_message, prefix_ + "position.");
    if (position) {
      question_.position = std::move(*position);
    } else {
      violations_ = std::move(position.error());
      const auto edition = ReadEdition(position_message.edition(), "");
      if (!edition) return tl::unexpected(std::move(violations_));  // camels mean nothing then
      question_.position.edition = *edition;
    }
    ReadFields();
    AddRuleFaults(Validate(question_, prefix_), violations_);
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return PlanMoves(std::move(question_));
  }

 private:
  void ReadFields() {
    ReadMe();
    question_.coins = Number(message_.coins());
    ReadTickets("tickets", message_.tickets(), question_.tickets);
    ReadTickets("held_tickets", message_.held_tickets(), question_.held_tickets);
    if (StartList(message_.hand_size(), question_.hand)) {
      for (int i = 0; i < message_.hand_size(); ++i)
        question_.hand[static_cast<std::size_t>(i)] =
            ReadCamel(message_.hand(i), Element("hand", i));
    }
    ReadPile("winner_cards", message_.winner_cards(), question_.winner_cards);
    ReadPile("loser_cards", message_.loser_cards(), question_.loser_cards);
    question_.no_tile = message_.no_tile();
    question_.allow_flip = message_.allow_flip();
    question_.coin_floor = message_.coin_floor();
  }

  void ReadMe() {
    const std::string& me = message_.me();
    if (me.size() == 1) question_.me = me[0];
    if (me.size() > 1 || me == std::string(1, '\0'))
      violations_.push_back({prefix_ + "me", me, "a player is one lower-case letter"});
  }

  // Makes room. A list that is too long for any question keeps its length alone: Validate refuses it for that.
  template <class T>
  static bool StartList(int length, std::vector<T>& list) {
    list.resize(static_cast<std::size_t>(length));
    return list.size() <= camel_up::kMaxPile;
  }

  void ReadTickets(const std::string& field,
                   const google::protobuf::RepeatedPtrField<v1::LegTicket>& messages,
                   std::vector<camel_up::LegTicket>& tickets) {
    if (!StartList(messages.size(), tickets)) return;
    for (int i = 0; i < messages.size(); ++i)
      tickets[static_cast<std::size_t>(i)] = {
          ReadCamel(messages[i].camel(), Element(field, i) + ".camel"), Number(messages[i].face())};
  }

  void ReadPile(const std::string& field,
                const google::protobuf::RepeatedPtrField<v1::RaceCard>& messages,
                std::vector<camel_up::RaceCard>& pile) {
    if (!StartList(messages.size(), pile)) return;
    for (int i = 0; i < messages.size(); ++i) {
      camel_up::RaceCard& card = pile[static_cast<std::size_t>(i)];
      card.mine = messages[i].mine();
      if (messages[i].camel() != v1::CAMEL_UNSPECIFIED)
        card.camel = ReadCamel(messages[i].camel(), Element(field, i) + ".camel");
    }
  }

  camel_up::Camel ReadCamel(int camel, const std::string& field) {
    const Edition edition = question_.position.edition;
    const camel_up::Camel read = CamelOf(edition, camel);
    if (read == kNotOfEdition)
      violations_.push_back({prefix_ + field, NameOf<v1::Camel>(camel, v1::Camel_Name),
                             "no camel of " + EditionName(edition)});
    return read;
  }

  const v1::EvaluateMovesRequest& message_;
  const std::string& prefix_;
  MovesQuestion question_;
  Violations violations_;
};

class ActionWriter {
 public:
  ActionWriter(Edition edition, v1::MoveValue& message) : edition_(edition), message_(message) {}

  void operator()(const camel_up::LegTicket& ticket) {
    v1::LegTicket& message = *message_.mutable_take_ticket();
    message.set_camel(ProtoCamels(edition_)[ticket.camel]);
    message.set_face(static_cast<std::uint32_t>(ticket.face));
  }
  void operator()(const camel_up::PlaceCard& card) {
    v1::RaceCardAction& message = *message_.mutable_place_card();
    message.set_camel(ProtoCamels(edition_)[card.camel]);
    message.set_winner(card.winner);
  }
  void operator()(const camel_up::Roll& /*roll*/) { message_.mutable_roll(); }
  void operator()(const camel_up::Tile& tile) {
    v1::Tile& message = *message_.mutable_place_tile();
    message.set_space(static_cast<std::uint32_t>(tile.space));
    message.set_effect(tile.effect > 0 ? v1::TILE_EFFECT_OASIS : v1::TILE_EFFECT_MIRAGE);
    if (tile.owner != 0) message.set_owner(std::string(1, tile.owner));
  }

 private:
  const Edition edition_;
  v1::MoveValue& message_;
};

}  // namespace

tl::expected<camel_up::MovesPlan, Violations> MovesPlanOf(const v1::EvaluateMovesRequest& request,
                                                          const std::string& prefix) {
  return MovesReader(request, prefix).Run();
}

void FillMovesResponse(const camel_up::MovesPlan& plan, std::span<const camel_up::Odds> odds,
                       v1::EvaluateMovesResponse& response) {
  const camel_up::MovesValues values = ValueMoves(plan, odds);
  response.set_baseline(values.baseline);
  for (const camel_up::MoveValue& move : values.moves) {
    v1::MoveValue& message = *response.add_moves();
    std::visit(ActionWriter(plan.question.position.edition, message), move.action);
    message.set_value(move.value);
    message.set_expected(values.baseline + move.value);
    message.set_lower(move.lower);
    message.set_upper(move.upper);
  }
}

std::size_t MaxMovesResponseBytes(const camel_up::MovesPlan& plan) {
  // Four doubles of 9 bytes; the longest action, a tile, has 9 with its frame; the move's own frame.
  constexpr std::size_t kMoveBytes = 4 * 9 + 9 + 2;
  constexpr std::size_t kBaselineBytes = 9;
  return kBaselineBytes + CountMoves(plan) * kMoveBytes;
}

}  // namespace gpusim::server
