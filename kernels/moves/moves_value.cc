#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "kernels/moves/moves.h"
#include "kernels/moves/ticket_piles.h"
#include "kernels/race_table.h"

namespace gpusim::camel_up {
namespace {

// Coins, and their bounds over what unknown cards may be.
struct Coins {
  double expected = 0;
  double lower = 0;
  double upper = 0;
};

// What a card earns if it is correct, by the number of earlier correct ones. The last entry also holds for more.
constexpr std::array<int, 5> kPrizes{8, 5, 3, 2, 1};

// What a card that names `camel` and lies on the pile behind `earlier` earns if it is correct.
Coins PrizeBehind(std::span<const RaceCard> earlier, Camel camel) {
  constexpr std::size_t kLast = kPrizes.size() - 1;
  std::array<double, kPrizes.size()> chance{1};  // of so many earlier correct ones
  std::size_t least = 0;
  std::size_t most = 0;
  for (const RaceCard& card : earlier) {
    const double match = !card.camel ? 0.2 : *card.camel == camel ? 1.0 : 0.0;
    chance[kLast] += chance[kLast - 1] * match;
    for (std::size_t k = kLast - 1; k > 0; --k)
      chance[k] = chance[k] * (1 - match) + chance[k - 1] * match;
    chance[0] *= 1 - match;
    if (match == 1) ++least;
    if (match > 0) ++most;
  }
  Coins prize{.expected = kPrizes[kLast],
              .lower = static_cast<double>(kPrizes[std::min(most, kLast)]),
              .upper = static_cast<double>(kPrizes[std::min(least, kLast)])};
  for (std::size_t k = 0; k < kLast; ++k)
    prize.expected += chance[k] * (kPrizes[k] - kPrizes[kLast]);
  return prize;
}

double ChanceToBeCorrect(const Odds& odds, const PlaceCard& card) {
  std::uint64_t weight = 0;
  for (std::size_t other = 0; other < kRacers; ++other)
    weight += card.winner ? odds.race_joint[card.camel][other] : odds.race_joint[other][card.camel];
  constexpr auto kUnits = static_cast<double>(std::uint64_t{1} << kJointUnitBits);
  return static_cast<double>(weight) / (static_cast<double>(odds.total) * kUnits);
}

double CardCoins(double chance, double prize) { return chance * prize - (1 - chance); }

// The player's tickets at the end of a leg.
int TicketCoins(std::span<const LegTicket> tickets, std::size_t first, std::size_t second) {
  int coins = 0;
  for (const LegTicket& ticket : tickets)
    coins += ticket.camel == first ? ticket.face : ticket.camel == second ? 1 : -1;
  return coins;
}

class Valuation {
 public:
  Valuation(const MovesPlan& plan, std::span<const Odds> odds)
      : plan_(plan), question_(plan.question), odds_(odds) {
    CollectPlacedCards(question_.winner_cards, true);
    CollectPlacedCards(question_.loser_cards, false);
    leg_now_ = LegWeight(odds_[0], question_.held_tickets, plan_.own_tile, 0);
  }

  MovesValues Run() && {
    values_.moves.reserve(CountMoves(plan_));
    AddTickets();
    AddCards();
    Add(Roll{}, LegGain(LegWeight(odds_[0], question_.held_tickets, plan_.own_tile, 1)));
    AddTiles();
    std::stable_sort(values_.moves.begin(), values_.moves.end(),
                     [](const MoveValue& a, const MoveValue& b) { return a.value > b.value; });
    values_.baseline = Baseline();
    return std::move(values_);
  }

 private:
  struct PlacedCard {
    PlaceCard card;
    Coins prize;
  };

  void CollectPlacedCards(std::span<const RaceCard> pile, bool winner) {
    for (std::size_t i = 0; i < pile.size(); ++i) {
      if (pile[i].mine)
        placed_.push_back({{*pile[i].camel, winner}, PrizeBehind(pile.first(i), *pile[i].camel)});
    }
  }

  // What the leg's end adds to the coins in hand, out of total^2: below 2^53 for all that Validate lets in.
  std::int64_t LegWeight(const Odds& odds, std::span<const LegTicket> tickets,
                         const std::optional<Tile>& tile, int roll_coins) const {
    const auto total = static_cast<std::int64_t>(odds.total);
    const std::int64_t purse =
        total * (question_.coins + roll_coins) + (tile ? Landings(odds, *tile) : 0);
    std::int64_t weight = 0;
    for (std::size_t first = 0; first < kRacers; ++first) {
      for (std::size_t second = 0; second < kRacers; ++second) {
        const std::int64_t after = purse + total * TicketCoins(tickets, first, second);
        weight += static_cast<std::int64_t>(odds.pair[first][second]) *
                  (question_.coin_floor ? std::max<std::int64_t>(0, after) : after);
      }
    }
    return weight - total * total * question_.coins;
  }

  // Of the player's tile at that place. Landings are counted by space; the other tiles lie the same in all rows.
  std::int64_t Landings(const Odds& odds, const Tile& tile) const {
    std::size_t before = 0;
    for (const Tile& other : question_.position.tiles) {
      const bool own = plan_.own_tile && other.space == plan_.own_tile->space;
      if (!own && other.space < tile.space) ++before;
    }
    return static_cast<std::int64_t>(odds.landing[before]);
  }

  double LegCoins(std::int64_t weight) const {
    const auto total = static_cast<double>(odds_[0].total);
    return static_cast<double>(weight) / (total * total);
  }
  Coins LegGain(std::int64_t weight) const {
    const double gain = LegCoins(weight - leg_now_);
    return {gain, gain, gain};
  }

  double Baseline() const {
    double baseline = LegCoins(leg_now_);
    for (const PlacedCard& placed : placed_)
      baseline += CardCoins(ChanceToBeCorrect(odds_[0], placed.card), placed.prize.expected);
    return baseline;
  }

  void AddTickets() {
    const auto faces = TicketsToTake(question_);
    std::vector<LegTicket> tickets = question_.held_tickets;
    for (Camel camel = 0; camel < kRacers; ++camel) {
      if (faces[camel] == 0) continue;
      tickets.push_back({camel, faces[camel]});
      Add(tickets.back(), LegGain(LegWeight(odds_[0], tickets, plan_.own_tile, 0)));
      tickets.pop_back();
    }
  }

  void AddCards() {
    std::vector<Camel> hand = question_.hand;
    std::sort(hand.begin(), hand.end());
    for (const Camel camel : hand) {
      for (const bool winner : {true, false}) {
        const PlaceCard card{camel, winner};
        const double chance = ChanceToBeCorrect(odds_[0], card);
        const Coins prize =
            PrizeBehind(winner ? question_.winner_cards : question_.loser_cards, camel);
        Add(card, {CardCoins(chance, prize.expected), CardCoins(chance, prize.lower),
                   CardCoins(chance, prize.upper)});
      }
    }
  }

  void AddTiles() {
    for (std::size_t i = 0; i < plan_.placements.size(); ++i) {
      const Odds& odds = odds_[i + 1];
      Coins gain = LegGain(LegWeight(odds, question_.held_tickets, plan_.placements[i], 0));
      for (const PlacedCard& placed : placed_) AddCardGain(placed, odds, gain);
      Add(plan_.placements[i], gain);
    }
  }

  // What changed odds do to a card on a pile.
  void AddCardGain(const PlacedCard& placed, const Odds& odds, Coins& gain) const {
    const double change =
        ChanceToBeCorrect(odds, placed.card) - ChanceToBeCorrect(odds_[0], placed.card);
    const auto [low, high] =
        std::minmax({change * (placed.prize.lower + 1), change * (placed.prize.upper + 1)});
    gain.expected += change * (placed.prize.expected + 1);
    gain.lower += low;
    gain.upper += high;
  }

  void Add(const Action& action, const Coins& gain) {
    values_.moves.push_back({action, gain.expected, gain.lower, gain.upper});
  }

  const MovesPlan& plan_;
  const MovesQuestion& question_;
  const std::span<const Odds> odds_;
  std::vector<PlacedCard> placed_;
  std::int64_t leg_now_ = 0;
  MovesValues values_;
};

}  // namespace

MovesValues ValueMoves(const MovesPlan& plan, std::span<const Odds> odds) {
  return Valuation(plan, odds).Run();
}

}  // namespace gpusim::camel_up
