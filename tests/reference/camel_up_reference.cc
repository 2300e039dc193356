#include "tests/reference/camel_up_reference.h"

#include <algorithm>
#include <utility>

#include "tests/reference/philox.h"

namespace gpusim::reference {
namespace {

bool IsCrazy(const Position& p, char camel) {
  return p.edition == 2 && (camel == 'w' || camel == 'k');
}

struct Track {
  std::map<int, std::string> stacks;
  std::string dice;
};

int SpaceOf(const Track& track, char camel) {
  for (const auto& [space, stack] : track.stacks)
    if (stack.find(camel) != std::string::npos) return space;
  return -1;
}

enum class Ending { kNone, kForward, kBackward };

struct MoveResult {
  Ending ending = Ending::kNone;
  int tile_hit = 0;
};

// Moves `camel` and all above it.
MoveResult Move(const Position& p, Track& track, char camel, int steps) {
  const int direction = IsCrazy(p, camel) ? -1 : +1;
  const int from = SpaceOf(track, camel);
  std::string& old_stack = track.stacks[from];
  const auto at = old_stack.find(camel);
  const std::string unit = old_stack.substr(at);
  old_stack.erase(at);
  if (old_stack.empty()) track.stacks.erase(from);

  MoveResult result;
  int to = from + direction * steps;
  bool on_top = true;
  if (auto tile = p.tiles.find(to); tile != p.tiles.end()) {
    result.tile_hit = to;
    to += direction * tile->second;
    on_top = tile->second > 0;
  }
  if (to > 16) result.ending = Ending::kForward;
  if (to < 1) result.ending = Ending::kBackward;
  std::string& stack = track.stacks[to];
  stack = on_top ? stack + unit : unit + stack;
  return result;
}

bool CarriesRacer(const Position& p, const Track& track, char crazy) {
  const std::string& stack = track.stacks.at(SpaceOf(track, crazy));
  const std::string above = stack.substr(stack.find(crazy) + 1);
  return std::any_of(above.begin(), above.end(), [&](char camel) { return !IsCrazy(p, camel); });
}

char CrazyThatMoves(const Position& p, const Track& track, char shown) {
  const bool white = CarriesRacer(p, track, 'w');
  const bool black = CarriesRacer(p, track, 'k');
  if (white && !black) return 'w';
  if (black && !white) return 'k';
  for (const auto& [space, stack] : track.stacks) {
    if (stack.find("wk") != std::string::npos) return 'k';
    if (stack.find("kw") != std::string::npos) return 'w';
  }
  return shown;
}

std::uint64_t WeightOfDraws(const Position& p, std::size_t dice) {
  const std::size_t stays = p.edition == 1 ? 0 : 1;
  std::uint64_t weight = 1;
  for (; dice > stays; --dice) weight *= dice * (p.edition == 1 ? 3 : 6);
  return weight;
}

// First place first.
std::string Ranking(const Position& p, const Track& track) {
  std::string order;
  for (const auto& [space, stack] : track.stacks) order += stack;
  std::reverse(order.begin(), order.end());
  order.erase(
      std::remove_if(order.begin(), order.end(), [&](char camel) { return IsCrazy(p, camel); }),
      order.end());
  return order;
}

// What a leg of the position can count, all 0.
LegOdds NothingYet(const Position& p) {
  LegOdds odds;
  for (const auto& [space, effect] : p.tiles) odds.landing_weight[space] = 0;
  for (const auto& [space, stack] : p.stacks)
    for (char camel : stack)
      if (!IsCrazy(p, camel)) odds.rank_weight[camel] = {};
  return odds;
}

void Score(const std::string& order, std::uint64_t weight, LegOdds& odds) {
  for (std::size_t place = 0; place < order.size(); ++place)
    odds.rank_weight[order[place]][place] += weight;
  odds.pair_weight[order.substr(0, 2)] += weight;
}

std::string WinnerAndLast(const std::string& order) { return {order.front(), order.back()}; }

class Walk {
 public:
  Walk(const Position& p, const std::function<void(const LegPath&)>& visit)
      : p_(p), visit_(visit) {}

  void Continue(const Track& track, const LegPath& path) {
    const std::size_t last = p_.edition == 1 ? 0 : 1;
    if (track.dice.size() <= last) return End(track, path);
    for (char die : track.dice) {
      for (int face = 1; face <= 3; ++face) {
        if (die == '*') {
          Draw(track, die, CrazyThatMoves(p_, track, 'w'), face, path, 1);
          Draw(track, die, CrazyThatMoves(p_, track, 'k'), face, path, 1);
        } else {
          Draw(track, die, die, face, path, p_.edition == 1 ? 1 : 2);
        }
      }
    }
  }

 private:
  void Draw(Track track, char die, char camel, int face, LegPath path, std::uint64_t weight) {
    track.dice.erase(track.dice.find(die), 1);
    const MoveResult move = Move(p_, track, camel, face);
    path.weight *= weight;
    if (move.tile_hit != 0) ++path.landings[move.tile_hit];
    if (move.ending == Ending::kNone) return Continue(track, path);
    path.weight *= WeightOfDraws(p_, track.dice.size());
    path.race_ends = true;
    path.backward = move.ending == Ending::kBackward;
    End(track, std::move(path));
  }

  void End(const Track& track, LegPath path) {
    path.stacks = track.stacks;
    path.order = Ranking(p_, track);
    visit_(path);
  }

  const Position& p_;
  const std::function<void(const LegPath&)>& visit_;
};

std::string AllDice(const Position& p) { return p.edition == 1 ? "BGOYW" : "rbgyp*"; }

// 64 bits that turn into draws.
class Digits {
 public:
  Digits(std::uint32_t low, std::uint32_t high) : u_(low + (std::uint64_t{high} << 32)) {}

  std::size_t Below(std::size_t m) {
    const unsigned __int128 product = static_cast<unsigned __int128>(u_) * m;
    u_ = static_cast<std::uint64_t>(product);
    return static_cast<std::size_t>(product >> 64);
  }

 private:
  std::uint64_t u_;
};

struct PlayedLeg {
  Track track;
  Ending ending = Ending::kNone;
  std::map<int, std::uint64_t> landings;
};

PlayedLeg PlayLeg(const Position& p, Digits digits) {
  PlayedLeg leg{{p.stacks, ""}, Ending::kNone, {}};
  std::string& dice = leg.track.dice;
  for (char die : AllDice(p))
    if (p.dice.find(die) != std::string::npos) dice += die;
  const std::size_t last = p.edition == 1 ? 0 : 1;
  const std::size_t faces = p.edition == 1 ? 3 : 6;
  while (dice.size() > last) {
    const std::size_t digit = digits.Below(dice.size() * faces);
    const std::size_t face = digit % faces;
    const char die = dice[digit / faces];
    dice.erase(digit / faces, 1);
    char camel = die;
    if (die == '*') camel = CrazyThatMoves(p, leg.track, face < 3 ? 'w' : 'k');
    const MoveResult move = Move(p, leg.track, camel, static_cast<int>(face % 3) + 1);
    if (move.tile_hit != 0) ++leg.landings[move.tile_hit];
    leg.ending = move.ending;
    if (leg.ending != Ending::kNone) break;
  }
  return leg;
}

class Simulation {
 public:
  Simulation(const Position& p, const Stream& stream) : p_(p), stream_(stream) {
    odds_.leg = NothingYet(p);
    for (const auto& [space, effect] : p.tiles) odds_.landing_squares[space] = 0;
  }

  void Play(std::uint64_t i, bool whole_race) {
    PlayedLeg leg = PlayLeg(p_, Words(i, 0, whole_race));
    CountLeg(leg);
    if (!whole_race) return;
    std::uint64_t legs = 1;
    while (leg.ending == Ending::kNone) {
      const Position next{p_.edition, leg.track.stacks, {}, AllDice(p_)};
      leg = PlayLeg(next, Words(i, legs++, whole_race));
    }
    ++odds_.race.joint[WinnerAndLast(Ranking(p_, leg.track))];
    odds_.race.legs += legs;
    odds_.legs_squared += legs * legs;
  }

  const SimulatedOdds& odds() const { return odds_; }

 private:
  // Of leg `leg` of simulation `i`.
  Digits Words(std::uint64_t i, std::uint64_t leg, bool whole_race) const {
    const std::uint64_t lane = i % 65'536;
    const std::uint64_t row = i / 65'536;
    const std::uint64_t lap = leg / 16;
    const PhiloxBlock words = Philox(stream_.seed, stream_.subsequence + lane + (lap << 56),
                                     stream_.offset + row * (whole_race ? 8 : 1) + leg % 16 / 2);
    return leg % 2 == 0 ? Digits(words[0], words[1]) : Digits(words[2], words[3]);
  }

  void CountLeg(const PlayedLeg& leg) {
    ++odds_.leg.total_weight;
    Score(Ranking(p_, leg.track), 1, odds_.leg);
    if (leg.ending != Ending::kNone) ++odds_.leg.race_ends_weight;
    if (leg.ending == Ending::kBackward) ++odds_.leg.race_ends_backward_weight;
    for (const auto& [space, landings] : leg.landings) {
      odds_.leg.landing_weight[space] += landings;
      odds_.landing_squares[space] += landings * landings;
    }
  }

  const Position& p_;
  const Stream& stream_;
  SimulatedOdds odds_;
};

// All sorted lists of `length` numbers, each from 1 to `most`, in order of their last number, then the one
// before it, and so on.
void ListMultisets(int length, int most, std::vector<int> tail,
                   std::map<std::vector<int>, std::uint32_t>& numbers) {
  if (length == 0) {
    const auto number = static_cast<std::uint32_t>(numbers.size());
    numbers.emplace(std::move(tail), number);
    return;
  }
  for (int greatest = 1; greatest <= most; ++greatest) {
    std::vector<int> longer{greatest};
    longer.insert(longer.end(), tail.begin(), tail.end());
    ListMultisets(length - 1, greatest, longer, numbers);
  }
}

std::map<std::vector<int>, std::uint32_t> NumberMultisets(int length) {
  std::map<std::vector<int>, std::uint32_t> numbers;
  ListMultisets(length, 16, {}, numbers);
  return numbers;
}

}  // namespace

void WalkPaths(const Position& position, const std::function<void(const LegPath&)>& visit) {
  Walk(position, visit).Continue({position.stacks, position.dice}, {.weight = 1});
}

LegOdds SolveLeg(const Position& position) {
  LegOdds odds = NothingYet(position);
  odds.total_weight = WeightOfDraws(position, position.dice.size());
  WalkPaths(position, [&](const LegPath& path) {
    Score(path.order, path.weight, odds);
    for (const auto& [space, times] : path.landings)
      odds.landing_weight[space] += path.weight * static_cast<std::uint64_t>(times);
    if (path.race_ends) odds.race_ends_weight += path.weight;
    if (path.backward) odds.race_ends_backward_weight += path.weight;
  });
  return odds;
}

RaceOdds SolveRace(const Position& position, const RaceUnits& units) {
  RaceOdds race;
  WalkPaths(position, [&](const LegPath& path) {
    race.legs += path.weight * units.one_leg;
    if (path.race_ends) {
      race.joint[WinnerAndLast(path.order)] += path.weight * units.certain;
      return;
    }
    const RaceOdds rest = units.at_leg_boundary(path.stacks);
    for (const auto& [pair, chance] : rest.joint) race.joint[pair] += path.weight * chance;
    race.legs += path.weight * rest.legs;
  });
  return race;
}

std::uint32_t ShapeNumber(int edition, const Stacks& stacks) {
  static const auto kOfFive = NumberMultisets(5);
  static const auto kOfSeven = NumberMultisets(7);
  std::vector<int> spaces;
  std::vector<int> crazy;
  for (const auto& [space, stack] : stacks) {
    for (char camel : stack) {
      if (edition == 2 && (camel == 'w' || camel == 'k'))
        crazy.push_back(static_cast<int>(spaces.size()));
      spaces.push_back(space);
    }
  }
  if (edition == 1) return kOfFive.at(spaces);
  std::uint32_t pair = 0;
  for (int far = 1; far < 7; ++far)
    for (int near = 0; near < far; ++near, ++pair)
      if (crazy == std::vector<int>{near, far}) return kOfSeven.at(spaces) * 21 + pair;
  return ~std::uint32_t{0};
}

SimulatedOdds Simulate(const Position& position, const Stream& stream, bool whole_race,
                       std::uint64_t first, std::uint64_t count) {
  Simulation simulation(position, stream);
  for (std::uint64_t i = first; i < first + count; ++i) simulation.Play(i, whole_race);
  return simulation.odds();
}

}  // namespace gpusim::reference
