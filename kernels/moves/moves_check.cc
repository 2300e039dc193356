#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/moves/moves.h"
#include "kernels/moves/ticket_piles.h"

namespace gpusim::camel_up {
namespace {

std::string Element(const std::string& list, std::size_t i) {
  return list + "[" + std::to_string(i) + "]";
}

std::string FacesText(std::span<const int> faces) {
  std::string text;
  for (const int face : faces) text += (text.empty() ? "" : ", ") + std::to_string(face);
  return text;
}

class MovesCheck {
 public:
  MovesCheck(const MovesQuestion& question, const std::string& prefix)
      : question_(question), edition_(question.position.edition), prefix_(prefix) {}

  Violations Run() && {
    CheckPlayer();
    CheckTickets();
    CheckHeldTickets();
    CheckCards();
    return std::move(violations_);
  }

 private:
  void Fault(const std::string& field, std::string value, std::string rule) {
    violations_.push_back({prefix_ + field, std::move(value), std::move(rule)});
  }

  bool Fits(const std::string& list, std::size_t length, std::size_t most) {
    if (length <= most) return true;
    Fault(list, std::to_string(length) + " entries",
          "no question needs more than " + std::to_string(most));
    return false;
  }

  bool CheckRacer(Camel camel, const std::string& field) {
    if (camel < kRacers) return true;
    std::string letters;
    for (Camel racer = 0; racer < kRacers; ++racer)
      letters += std::string(racer == 0 ? 0 : 1, ' ') + CamelLetter(edition_, racer);
    Fault(field, camel < CamelsOf(edition_) ? Letter(camel) : std::to_string(camel),
          "one of the racing camels " + letters);
    return false;
  }

  std::string Letter(Camel camel) const { return {CamelLetter(edition_, camel)}; }

  void CheckPlayer() {
    if (question_.me != 0) {
      const std::string me{question_.me};
      if (question_.me < 'a' || question_.me > 'z')
        Fault("me", me, "a player is one lower-case letter");
      const auto& tiles = question_.position.tiles;
      const auto own = std::count_if(tiles.begin(), tiles.end(),
                                     [&](const Tile& tile) { return tile.owner == question_.me; });
      if (own > 1)
        Fault("me", me, std::to_string(own) + " tiles on the board are this player's, who has one");
    }
    if (question_.coins < 0 || question_.coins > kMaxCoins)
      Fault("coins", std::to_string(question_.coins),
            "coins run from 0 to " + std::to_string(kMaxCoins));
  }

  void CheckTickets() {
    const std::vector<LegTicket>& tickets = question_.tickets;
    if (!Fits("tickets", tickets.size(), kRacers)) return;
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      const auto [camel, face] = tickets[i];
      const std::string field = Element("tickets", i);
      const bool face_is_good = face == 0 || CheckFace(face, field);
      if (!CheckRacer(camel, field + ".camel")) continue;
      if (seen >> camel & 1)
        Fault(field + ".camel", Letter(camel), "the camel's highest ticket is listed already");
      seen |= 1u << camel;
      const auto left = PileBelow(edition_, camel, question_.held_tickets);
      if (face_is_good && face != 0 && std::find(left.begin(), left.end(), face) == left.end())
        Fault(field + ".face", std::to_string(face),
              left.empty() ? "the player holds the camel's last ticket"
                           : "the player holds a lower one of the camel: " + FacesText(left) +
                                 " may be left");
    }
  }

  bool CheckFace(int face, const std::string& field) {
    const auto pile = TicketPile(edition_);
    if (std::find(pile.begin(), pile.end(), face) != pile.end()) return true;
    Fault(field + ".face", std::to_string(face), "leg tickets have the face values 5, 3 and 2");
    return false;
  }

  void CheckHeldTickets() {
    const std::vector<LegTicket>& held = question_.held_tickets;
    const auto pile = TicketPile(edition_);
    if (!Fits("held_tickets", held.size(), kRacers * pile.size())) return;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::string field = Element("held_tickets", i);
      const bool face_is_good = CheckFace(held[i].face, field);
      if (!CheckRacer(held[i].camel, field + ".camel") || !face_is_good) continue;
      const auto so_far =
          std::count(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(i) + 1, held[i]);
      const auto in_game = std::count(pile.begin(), pile.end(), held[i].face);
      if (so_far > in_game)
        Fault(field + ".face", std::to_string(held[i].face),
              "a camel has " + std::to_string(in_game) + " such ticket" + (in_game > 1 ? "s" : ""));
    }
  }

  // The player has one race card of each camel: in the hand, or on one of the piles.
  void CheckCards() {
    if (Fits("hand", question_.hand.size(), kRacers)) {
      for (std::size_t i = 0; i < question_.hand.size(); ++i)
        CheckOwnCard(question_.hand[i], Element("hand", i));
    }
    CheckPile(question_.winner_cards, "winner_cards");
    CheckPile(question_.loser_cards, "loser_cards");
  }

  void CheckPile(const std::vector<RaceCard>& pile, const std::string& name) {
    if (!Fits(name, pile.size(), kMaxPile)) return;
    for (std::size_t i = 0; i < pile.size(); ++i) {
      const RaceCard& card = pile[i];
      if (!card.camel) {
        if (card.mine) Fault(Element(name, i) + ".camel", "", "the player knows the own cards");
      } else if (card.mine) {
        CheckOwnCard(*card.camel, Element(name, i) + ".camel");
      } else {
        CheckRacer(*card.camel, Element(name, i) + ".camel");
      }
    }
  }

  void CheckOwnCard(Camel camel, const std::string& field) {
    if (!CheckRacer(camel, field)) return;
    if (own_cards_ >> camel & 1)
      Fault(
          field, Letter(camel),
          "the player has one race card of a camel, and this one is in the hand or placed already");
    own_cards_ |= 1u << camel;
  }

  const MovesQuestion& question_;
  const Edition edition_;
  const std::string& prefix_;
  Violations violations_;
  std::uint32_t own_cards_ = 0;
};

}  // namespace

Violations Validate(const MovesQuestion& question, const std::string& prefix) {
  return MovesCheck(question, prefix).Run();
}

}  // namespace gpusim::camel_up
