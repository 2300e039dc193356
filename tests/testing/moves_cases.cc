#include "tests/testing/moves_cases.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "tests/testing/camel_up_cases.h"

namespace gpusim::testing {
namespace {

using camel_up::Camel;

std::string Racers(int edition) { return edition == 1 ? "BGOYW" : "rbgyp"; }
std::string Letters(int edition) { return edition == 1 ? "BGOYW" : "rbgypwk"; }

Camel CamelOf(int edition, char letter) {
  return static_cast<Camel>(Letters(edition).find(letter));
}

std::vector<camel_up::RaceCard> Pile(int edition, const std::string& text) {
  std::vector<camel_up::RaceCard> pile;
  for (const char letter : text) {
    if (letter == '!') {
      pile.back().mine = true;
    } else if (letter == '?') {
      pile.push_back({});
    } else {
      pile.push_back({.camel = CamelOf(edition, letter)});
    }
  }
  return pile;
}

// What the owner of the marked cards gets for one pile.
double PileCoins(const std::string& pile, char correct) {
  double coins = 0;
  int right = 0;
  for (std::size_t i = 0; i < pile.size(); ++i) {
    if (pile[i] == '!') continue;
    double earned = -1;
    if (pile[i] == correct) {
      ++right;
      earned = right == 1 ? 8 : right == 2 ? 5 : right == 3 ? 3 : right == 4 ? 2 : 1;
    }
    if (i + 1 < pile.size() && pile[i + 1] == '!') coins += earned;
  }
  return coins;
}

// A state of the player's affairs, with nothing unknown.
struct Outlook {
  std::map<int, int> tiles;
  std::optional<int> own_tile;
  std::vector<std::pair<char, int>> held;
  int roll_coins = 0;
  std::string winners;
  std::string losers;
};

class Enumeration {
 public:
  Enumeration(const MovesCase& moves_case, const reference::RaceUnits* races)
      : case_(moves_case), races_(races) {}

  EnumeratedValues Run() {
    Assign(case_.winners + "/" + case_.losers);
    for (auto& [action, value] : values_.moves) value.value /= assignments_;
    values_.baseline /= assignments_;
    return values_;
  }

 private:
  // Every camel for every unknown card in turn.
  void Assign(const std::string& piles) {
    if (const auto unknown = piles.find('?'); unknown != std::string::npos) {
      for (const char letter : Racers(case_.position.edition)) {
        std::string next = piles;
        next[unknown] = letter;
        Assign(next);
      }
      return;
    }
    const auto bar = piles.find('/');
    ValueAll(piles.substr(0, bar), piles.substr(bar + 1));
    ++assignments_;
  }

  void ValueAll(const std::string& winners, const std::string& losers) {
    Outlook now{case_.position.tiles, {}, case_.held, 0, winners, losers};
    for (const auto& [space, owner] : case_.owners)
      if (owner == case_.me) now.own_tile = space;
    baseline_ = Expected(now);
    values_.baseline += baseline_;
    Outlook rolled = now;
    rolled.roll_coins = 1;
    Count("roll", rolled);
    for (const char camel : Racers(case_.position.edition)) {
      if (const int face = TicketLeft(camel); face != 0) {
        Outlook taken = now;
        taken.held.emplace_back(camel, face);
        Count(std::string("ticket ") + camel + std::to_string(face), taken);
      }
    }
    for (const char camel : case_.hand) {
      Outlook bet = now;
      bet.winners += {camel, '!'};
      Count(std::string("winner ") + camel, bet);
      bet = now;
      bet.losers += {camel, '!'};
      Count(std::string("loser ") + camel, bet);
    }
    if (!case_.no_tile) PlaceTiles(now);
  }

  void PlaceTiles(const Outlook& now) {
    std::map<int, int> others = now.tiles;
    if (now.own_tile) others.erase(*now.own_tile);
    for (int space = 2; space <= 16; ++space) {
      if (case_.position.stacks.count(space)) continue;
      if (others.count(space - 1) || others.count(space) || others.count(space + 1)) continue;
      for (const int effect : {1, -1}) {
        if (now.own_tile == space && (!case_.allow_flip || now.tiles.at(space) == effect)) continue;
        Outlook placed = now;
        placed.tiles = others;
        placed.tiles[space] = effect;
        placed.own_tile = space;
        Count("tile " + std::to_string(space) + (effect > 0 ? "+" : "-"), placed);
      }
    }
  }

  void Count(const std::string& action, const Outlook& after) {
    const double value = Expected(after) - baseline_;
    const auto [at, is_new] = values_.moves.try_emplace(action, EnumeratedValue{0, value, value});
    at->second.value += value;
    at->second.lower = std::min(at->second.lower, value);
    at->second.upper = std::max(at->second.upper, value);
  }

  double Expected(const Outlook& outlook) {
    const std::vector<reference::LegPath>& paths = PathsWith(outlook.tiles);
    double total = 0;
    double mean_landings = 0;
    for (const auto& path : paths) {
      total += static_cast<double>(path.weight);
      mean_landings += static_cast<double>(path.weight) * LandingsOn(outlook, path);
    }
    mean_landings /= total;
    double sum = 0;
    for (const auto& path : paths)
      sum += static_cast<double>(path.weight) * CoinsOf(outlook, path, mean_landings);
    return sum / total;
  }

  double CoinsOf(const Outlook& outlook, const reference::LegPath& path, double mean_landings) {
    double coins = case_.coins + outlook.roll_coins;
    coins += case_.coin_floor ? mean_landings : LandingsOn(outlook, path);
    for (const auto& [camel, face] : outlook.held)
      coins += camel == path.order[0] ? face : camel == path.order[1] ? 1 : -1;
    if (case_.coin_floor && coins < 0) coins = 0;
    if (outlook.winners.find('!') != std::string::npos ||
        outlook.losers.find('!') != std::string::npos) {
      coins += RaceCoins(outlook, path);
    }
    return coins - case_.coins;
  }

  double RaceCoins(const Outlook& outlook, const reference::LegPath& path) const {
    if (path.race_ends)
      return PileCoins(outlook.winners, path.order.front()) +
             PileCoins(outlook.losers, path.order.back());
    if (races_ == nullptr) throw std::logic_error("the race may go on: " + case_.name);
    double coins = 0;
    for (const auto& [pair, chance] : races_->at_leg_boundary(path.stacks).joint)
      coins += static_cast<double>(chance) / static_cast<double>(races_->certain) *
               (PileCoins(outlook.winners, pair[0]) + PileCoins(outlook.losers, pair[1]));
    return coins;
  }

  static double LandingsOn(const Outlook& outlook, const reference::LegPath& path) {
    if (!outlook.own_tile) return 0;
    const auto found = path.landings.find(*outlook.own_tile);
    return found == path.landings.end() ? 0 : found->second;
  }

  const std::vector<reference::LegPath>& PathsWith(const std::map<int, int>& tiles) {
    const auto [at, is_new] = paths_.try_emplace(tiles);
    if (is_new) {
      reference::Position position = case_.position;
      position.tiles = tiles;
      reference::WalkPaths(position,
                           [&paths = at->second](const auto& path) { paths.push_back(path); });
    }
    return at->second;
  }

  // Takes the held tickets off the pile, from the top, with all that has to be gone before.
  int TicketLeft(char camel) const {
    if (!case_.tickets.empty()) return case_.tickets.count(camel) ? case_.tickets.at(camel) : 0;
    std::vector<int> held;
    for (const auto& [held_camel, face] : case_.held)
      if (held_camel == camel) held.push_back(face);
    std::sort(held.rbegin(), held.rend());
    std::string pile = case_.position.edition == 1 ? "532" : "5322";
    for (const int face : held) pile.erase(0, pile.find(std::to_string(face)) + 1);
    return pile.empty() ? 0 : pile[0] - '0';
  }

  const MovesCase& case_;
  const reference::RaceUnits* races_;
  std::map<std::map<int, int>, std::vector<reference::LegPath>> paths_;  // by tiles
  EnumeratedValues values_;
  double baseline_ = 0;
  double assignments_ = 0;
};

int Below(int bound, std::mt19937_64& random) {
  return std::uniform_int_distribution<int>(0, bound - 1)(random);
}

// Puts two camels on 16 and leaves their dice in: they cross the line whatever happens, if nothing carries them back.
void EndTheRace(reference::Position& position, std::mt19937_64& random) {
  const std::string racers = Racers(position.edition);
  const std::string crazy = position.edition == 1 ? "" : "wk";
  const auto at = static_cast<std::size_t>(Below(4, random));
  position.stacks.clear();
  position.stacks[16] = racers.substr(at, 2);
  for (const char camel : racers + crazy) {
    if (position.stacks[16].find(camel) == std::string::npos)
      position.stacks[9 + Below(7, random)] += camel;
  }
  position.tiles.clear();
  position.dice =
      racers.substr(at, 2) + racers[at == 0 ? 4 : 0] + (position.edition == 1 ? "" : "*");
}

void DealCards(MovesCase& moves_case, std::mt19937_64& random) {
  int unknown = 0;
  for (const char camel : Racers(moves_case.position.edition)) {
    std::string& pile = Below(2, random) ? moves_case.winners : moves_case.losers;
    switch (Below(4, random)) {
      case 0:
        moves_case.hand += camel;
        break;
      case 1:
        pile += {camel, '!'};
        break;
      case 2:
        pile += camel;
        break;
      default:
        if (++unknown <= 2) pile += '?';
    }
  }
}

void DealTickets(MovesCase& moves_case, std::mt19937_64& random) {
  const bool explicit_tickets = Below(2, random) == 1;
  const std::vector<int> faces{5, 3, 2};
  for (const char camel : Racers(moves_case.position.edition)) {
    std::size_t next = 0;
    while (next < faces.size() && Below(2, random) == 0) {
      if (Below(2, random) == 0) moves_case.held.emplace_back(camel, faces[next]);
      ++next;
    }
    if (explicit_tickets && next < faces.size()) moves_case.tickets[camel] = faces[next];
  }
}

reference::Position Decode(const camel_up::LegQuery& query) {
  reference::Position position;
  position.edition = static_cast<int>(query.edition);
  const std::string letters = Letters(position.edition);
  for (int slot = 0; slot < camel_up::CamelsOf(query.edition); ++slot) {
    const auto camel = static_cast<Camel>(camel_up::CamelIn(query.board, slot));
    position.stacks[camel_up::SpaceOf(query.board, slot)] += letters[camel];
  }
  for (int space = 1; space <= 16; ++space) {
    if (const auto tile = camel_up::TileAt(query.tiles, space); tile != camel_up::kNoTile)
      position.tiles[space] = tile == camel_up::kOasis ? 1 : -1;
  }
  const std::string dice = position.edition == 1 ? "BGOYW" : "rbgyp*";
  for (std::size_t die = 0; die < dice.size(); ++die)
    if (camel_up::DiceLeft(query.board) >> die & 1) position.dice += dice[die];
  return position;
}

void AddRaceByReference(const camel_up::OddsQuery& query, camel_up::Odds& odds) {
  const reference::Position position = Decode(query.leg);
  reference::WalkPaths(position, [&](const reference::LegPath& path) {
    if (!path.race_ends) throw std::logic_error("the race may go on: " + Describe(position));
    const Camel winner = CamelOf(position.edition, path.order.front());
    const Camel last = CamelOf(position.edition, path.order.back());
    odds.race_joint[winner][last] += path.weight << camel_up::kJointUnitBits;
  });
}

}  // namespace

camel_up::MovesQuestion ToQuestion(const MovesCase& moves_case) {
  const int edition = moves_case.position.edition;
  camel_up::MovesQuestion question;
  question.position = ToDomain(moves_case.position);
  for (camel_up::Tile& tile : question.position.tiles)
    if (const auto owner = moves_case.owners.find(tile.space); owner != moves_case.owners.end())
      tile.owner = owner->second;
  question.me = moves_case.me;
  question.coins = moves_case.coins;
  for (const auto& [camel, face] : moves_case.tickets)
    question.tickets.push_back({CamelOf(edition, camel), face});
  for (const auto& [camel, face] : moves_case.held)
    question.held_tickets.push_back({CamelOf(edition, camel), face});
  for (const char camel : moves_case.hand) question.hand.push_back(CamelOf(edition, camel));
  question.winner_cards = Pile(edition, moves_case.winners);
  question.loser_cards = Pile(edition, moves_case.losers);
  question.no_tile = moves_case.no_tile;
  question.allow_flip = moves_case.allow_flip;
  question.coin_floor = moves_case.coin_floor;
  return question;
}

std::string ActionText(camel_up::Edition edition, const camel_up::Action& action) {
  if (const auto* ticket = std::get_if<camel_up::LegTicket>(&action))
    return std::string("ticket ") + CamelLetter(edition, ticket->camel) +
           std::to_string(ticket->face);
  if (const auto* card = std::get_if<camel_up::PlaceCard>(&action))
    return std::string(card->winner ? "winner " : "loser ") + CamelLetter(edition, card->camel);
  if (const auto* tile = std::get_if<camel_up::Tile>(&action))
    return "tile " + std::to_string(tile->space) + (tile->effect > 0 ? "+" : "-");
  return "roll";
}

EnumeratedValues EnumerateMoves(const MovesCase& moves_case, const reference::RaceUnits* races) {
  return Enumeration(moves_case, races).Run();
}

reference::RaceUnits UnitsOf(const camel_up::RaceTable& table) {
  const auto edition = static_cast<int>(table.edition());
  const auto odds_of = [edition, rows = table.rows()](const reference::Stacks& stacks) {
    const camel_up::RaceRow& row = rows[reference::ShapeNumber(edition, stacks)];
    std::string racers;  // rearmost first
    for (const auto& [space, stack] : stacks)
      for (const char camel : stack)
        if (Racers(edition).find(camel) != std::string::npos) racers += camel;
    reference::RaceOdds odds;
    std::size_t number = 0;
    for (const char winner : racers)
      for (const char last : racers)
        if (winner != last) odds.joint[{winner, last}] = row.joint[number++];
    odds.legs = row.legs;
    return odds;
  };
  return {odds_of, std::uint64_t{1} << camel_up::kJointUnitBits,
          std::uint64_t{1} << camel_up::kLegsUnitBits};
}

MovesCase RandomMovesCase(int edition, std::mt19937_64& random) {
  MovesCase moves_case;
  const std::size_t most_dice = edition == 1 ? 3 : 4;
  do {
    moves_case.position = RandomPosition(edition, random);
  } while (moves_case.position.dice.size() > most_dice);
  if (Below(2, random) == 0) {
    EndTheRace(moves_case.position, random);
    DealCards(moves_case, random);
  }
  std::string players = "abcdefgh";
  std::shuffle(players.begin(), players.end(), random);
  for (const auto& [space, effect] : moves_case.position.tiles) {
    if (Below(4, random) != 0) moves_case.owners[space] = players.back();
    players.pop_back();
  }
  moves_case.me =
      moves_case.owners.empty() || Below(3, random) == 0 ? 'a' : moves_case.owners.begin()->second;
  moves_case.coins = Below(4, random);
  DealTickets(moves_case, random);
  moves_case.no_tile = Below(8, random) == 0;
  moves_case.allow_flip = Below(2, random) == 0;
  moves_case.coin_floor = Below(2, random) == 0;
  moves_case.name = Describe(moves_case.position) + " winners " + moves_case.winners + " losers " +
                    moves_case.losers + " hand " + moves_case.hand;
  return moves_case;
}

std::vector<camel_up::Odds> SolveMoves(Slot& slot, std::span<const camel_up::OddsQuery> queries,
                                       RacesBy races) {
  const auto on_slot = [&](const camel_up::OddsQuery& query) {
    return races == RacesBy::kSlot ? query.scope : camel_up::Scope::kLeg;
  };
  camel_up::OddsBatch& batch = slot.camel_up();
  batch.Clear();
  for (const camel_up::OddsQuery& query : queries) {
    const std::size_t row = batch.exact.Append();
    batch.exact.At<camel_up::kBoard>(row) = query.leg.board;
    batch.exact.At<camel_up::kTiles>(row) = query.leg.tiles;
    batch.exact.At<camel_up::kEdition>(row) = query.leg.edition;
    batch.exact.At<camel_up::kScope>(row) = on_slot(query);
  }
  if (const auto run = slot.RunCamelUp(); !run) throw std::runtime_error(run.error().what);
  std::vector<camel_up::Odds> odds;
  for (const camel_up::OddsQuery& query : queries) {
    odds.push_back(
        camel_up::ReadExact(batch.exact_answers, odds.size(), {query.leg, on_slot(query)}));
    if (query.scope != on_slot(query)) AddRaceByReference(query, odds.back());
  }
  return odds;
}

}  // namespace gpusim::testing
