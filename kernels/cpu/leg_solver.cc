#include "kernels/cpu/leg_solver.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/rules/camel_up_orders.h"
#include "kernels/rules/camel_up_shape.h"

namespace gpusim::camel_up {

LegSolver::Level::Level() : table_(1024, kFree), shift_(64 - 10) {
  nodes_.reserve(table_.size() / 2);
}

void LegSolver::Level::Clear() {
  nodes_.clear();
  std::fill(table_.begin(), table_.end(), kFree);
}

// The table's slot that holds the board, or the free one where it belongs.
std::size_t LegSolver::Level::Probe(Board board) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = (board * 0x9e37'79b9'7f4a'7c15) >> shift_;
  while (table_[slot] != kFree && nodes_[table_[slot]].board != board) slot = (slot + 1) & mask;
  return slot;
}

void LegSolver::Level::Add(Board board, std::uint32_t weight) {
  std::size_t slot = Probe(board);
  if (table_[slot] != kFree) {
    nodes_[table_[slot]].weight += weight;
    return;
  }
  if (2 * nodes_.size() >= table_.size()) {
    Grow();
    slot = Probe(board);
  }
  table_[slot] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({board, weight});
}

void LegSolver::Level::Grow() {
  table_.assign(2 * table_.size(), kFree);
  --shift_;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) table_[Probe(nodes_[i].board)] = i;
}

LegSolver::LegSolver() = default;

void LegSolver::SolveLeg(const LegQuery& query, const OddsAnswers::ViewType& answers,
                         std::size_t row) {
  Walk<Scope::kLeg>(query);
  Write(query, answers, row);
}

void LegSolver::SolveRace(const LegQuery& query, const RaceRow* table,
                          const OddsAnswers::ViewType& answers, std::size_t row) {
  leaves_.Clear();
  race_order_weight_.fill(0);
  Walk<Scope::kRace>(query);
  Write(query, answers, row);
  RaceSums sums;
  for (int order = 0; order < kOrders; ++order) {
    const std::uint64_t weight = race_order_weight_[static_cast<std::size_t>(order)];
    if (weight == 0) continue;
    const auto [camel] = DecodeOrder(order);
    sums.joint[static_cast<std::size_t>(RaceComponent(camel[0], camel[kRacers - 1]))] +=
        weight << kJointUnitBits;
    sums.legs += weight << kLegsUnitBits;
  }
  ReadTable(query.edition, table, sums);
  for (std::size_t k = 0; k < sums.joint.size(); ++k)
    answers.At<kRaceJoint>(row, k) = sums.joint[k];
  answers.At<kRaceLegs>(row, 0) = sums.legs;
  answers.At<kRaceLegs>(row, 1) = 0;
}

// Adds the leaves' parts. The table is far larger than any cache and leaves are all over it, so its rows
// are called for some leaves ahead.
void LegSolver::ReadTable(Edition edition, const RaceRow* table, RaceSums& sums) {
  constexpr std::size_t kAhead = 16;
  constexpr std::size_t kCacheLine = 64;
  leaf_rows_.clear();
  for (const Node& leaf : leaves_.nodes())
    leaf_rows_.push_back(table + ShapeOf(leaf.board, edition));
  for (std::size_t i = 0; i < leaf_rows_.size(); ++i) {
    const auto* ahead =
        reinterpret_cast<const char*>(leaf_rows_[std::min(i + kAhead, leaf_rows_.size() - 1)]);
    for (std::size_t byte = 0; byte < sizeof(RaceRow); byte += kCacheLine)
      __builtin_prefetch(ahead + byte);
    const RaceRow& row = *leaf_rows_[i];
    const std::uint64_t weight = leaves_.nodes()[i].weight;
    const RacersByRank racers(leaves_.nodes()[i].board);
    for (int winner = 0; winner < kRacers; ++winner) {
      for (int last = 0; last < kRacers; ++last) {
        if (last == winner) continue;
        sums.joint[static_cast<std::size_t>(RaceComponent(racers.at(winner), racers.at(last)))] +=
            weight * row.joint[JointComponent(winner, last)];
      }
    }
    sums.legs += weight * ((std::uint64_t{1} << kLegsUnitBits) + row.legs);
  }
}

template <Scope kScope>
void LegSolver::Walk(const LegQuery& query) {
  order_weight_.fill(0);
  landing_weight_.fill(0);
  race_ends_.fill(0);
  current_.Clear();
  current_.Add(query.board, 1);
  const int dice = std::popcount(DiceLeft(query.board));
  for (int draws = DrawsLeft(query.edition, dice); draws > 0; --draws)
    PlayDraw<kScope>(query, draws);
}

template <Scope kScope>
void LegSolver::PlayDraw(const LegQuery& query, int draws_left) {
  next_.Clear();
  for (const Node& node : current_.nodes()) {
    // A race that ends here stands for all draws that would have followed.
    const std::uint32_t unplayed =
        TotalWeight(query.edition, std::popcount(DiceLeft(node.board)) - 1);
    ForEachDraw(node.board, query.tiles, query.edition, [&](const Draw& draw) {
      const std::uint32_t weight = node.weight * draw.weight;
      Count(draw, weight * unplayed);
      const bool race_over = draw.finish != Finish::kNone;
      if (!race_over && draws_left > 1) return next_.Add(draw.board, weight);
      const auto order = static_cast<std::size_t>(OrderOf(draw.board));
      order_weight_[order] += weight * unplayed;
      if constexpr (kScope == Scope::kRace) {
        if (race_over) {
          race_order_weight_[order] += weight * unplayed;
        } else {
          leaves_.Add(draw.board & kSlotBytes, weight);
        }
      }
    });
  }
  std::swap(current_, next_);
}

void LegSolver::Count(const Draw& draw, std::uint32_t weight) {
  landing_weight_[static_cast<std::size_t>(draw.landed_tile)] += weight;
  if (draw.finish != Finish::kNone) race_ends_[0] += weight;
  if (draw.finish == Finish::kBackward) race_ends_[1] += weight;
}

void LegSolver::Write(const LegQuery& query, const OddsAnswers::ViewType& answers,
                      std::size_t row) const {
  for (std::size_t k = 0; k < kRacers * kRacers; ++k) {
    answers.At<kRankWeight>(row, k) = 0;
    answers.At<kPairWeight>(row, k) = 0;
  }
  for (int order = 0; order < kOrders; ++order) {
    const std::uint32_t weight = order_weight_[static_cast<std::size_t>(order)];
    if (weight == 0) continue;
    const FinishingOrder finish = DecodeOrder(order);
    for (int place = 0; place < kRacers; ++place)
      answers.At<kRankWeight>(
          row, static_cast<std::size_t>(RankComponent(finish.camel[place], place))) += weight;
    answers.At<kPairWeight>(
        row, static_cast<std::size_t>(PairComponent(finish.camel[0], finish.camel[1]))) += weight;
  }
  std::size_t tile = 0;
  for (int space = 1; space <= kSpaces; ++space) {
    if (TileAt(query.tiles, space) != kNoTile)
      answers.At<kLandingWeight>(row, tile++) = landing_weight_[static_cast<std::size_t>(space)];
  }
  for (; tile < kMaxTiles; ++tile) answers.At<kLandingWeight>(row, tile) = 0;
  for (tile = 0; tile < kMaxTiles; ++tile) answers.At<kLandingSquares>(row, tile) = 0;
  for (std::size_t k = 0; k < 2; ++k) answers.At<kRaceEndsWeight>(row, k) = race_ends_[k];
}

}  // namespace gpusim::camel_up
