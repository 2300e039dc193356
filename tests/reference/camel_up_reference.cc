#include "tests/reference/camel_up_reference.h"

#include <algorithm>
#include <cctype>
#include <utility>

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

class Walk {
 public:
  Walk(const Position& p, const std::function<void(const LegPath&)>& visit)
      : p_(p), visit_(visit) {}

  void Continue(const Track& track, LegPath path) {
    const std::size_t last = p_.edition == 1 ? 0 : 1;
    if (track.dice.size() <= last) return Score(track, std::move(path));
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
    if (move.ending == Ending::kNone) return Continue(track, std::move(path));
    path.weight *= WeightOfDraws(p_, track.dice.size());
    path.race_ends = true;
    path.backward = move.ending == Ending::kBackward;
    Score(track, std::move(path));
  }

  void Score(const Track& track, LegPath path) {
    path.order = Ranking(p_, track);
    visit_(path);
  }

  const Position& p_;
  const std::function<void(const LegPath&)>& visit_;
};

}  // namespace

void WalkPaths(const Position& position, const std::function<void(const LegPath&)>& visit) {
  Walk(position, visit).Continue({position.stacks, position.dice}, {.weight = 1});
}

LegOdds SolveLeg(const Position& position) {
  LegOdds odds;
  odds.total_weight = WeightOfDraws(position, position.dice.size());
  for (const auto& [space, effect] : position.tiles) odds.landing_weight[space] = 0;
  for (const auto& [space, stack] : position.stacks)
    for (char camel : stack)
      if (!IsCrazy(position, camel)) odds.rank_weight[camel] = {};
  WalkPaths(position, [&](const LegPath& path) {
    for (std::size_t place = 0; place < path.order.size(); ++place)
      odds.rank_weight[path.order[place]][place] += path.weight;
    odds.pair_weight[path.order.substr(0, 2)] += path.weight;
    for (const auto& [space, times] : path.landings)
      odds.landing_weight[space] += path.weight * static_cast<std::uint64_t>(times);
    if (path.race_ends) odds.race_ends_weight += path.weight;
    if (path.backward) odds.race_ends_backward_weight += path.weight;
  });
  return odds;
}

}  // namespace gpusim::reference
