// Exact odds of one position on one core: of its leg, and of its race.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/batches.h"
#include "kernels/race_table.h"
#include "kernels/rules/camel_up_leg.h"

namespace gpusim::camel_up {

// Walks the leg draw by draw. After each draw equal boards with equal dice are one node whose
// weight is the sum, since what follows depends on nothing else: a fraction of the full tree's
// moves is left. For a race equal boards at the end of the leg are one leaf as well, whose weight
// multiplies the race table's row of its shape.
//
// Keeps its memory between positions (some MiB at most). Not thread-safe: one solver a thread.
class LegSolver {
 public:
  LegSolver();

  // Writes row `row` of the answers. Precondition: the query comes from a legal position.
  void SolveLeg(const LegQuery& query, const OddsAnswers::ViewType& answers, std::size_t row);
  // Its race columns, too. `table` has the rows of the query's edition.
  void SolveRace(const LegQuery& query, const RaceRow* table, const OddsAnswers::ViewType& answers,
                 std::size_t row);

 private:
  struct Node {
    Board board;
    std::uint32_t weight;
  };

  // Nodes of one level, found by board: an open-addressing table of indices into a dense list.
  class Level {
   public:
    Level();
    void Clear();
    void Add(Board board, std::uint32_t weight);
    const std::vector<Node>& nodes() const { return nodes_; }

   private:
    static constexpr std::uint32_t kFree = ~std::uint32_t{0};
    std::size_t Probe(Board board) const;
    void Grow();

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> table_;  // at most half full
    int shift_ = 0;                     // 64 - log2 of the table's size
  };

  // Sums over the leaves of a race, in the order of the answer's columns.
  struct RaceSums {
    std::array<std::uint64_t, kRacers * kRacers> joint{};
    std::uint64_t legs = 0;
  };

  template <Scope kScope>
  void Walk(const LegQuery& query);
  template <Scope kScope>
  void PlayDraw(const LegQuery& query, int draws_left);
  void Count(const Draw& draw, std::uint32_t weight);
  void Write(const LegQuery& query, const OddsAnswers::ViewType& answers, std::size_t row) const;
  void ReadTable(Edition edition, const RaceRow* table, RaceSums& sums);

  Level current_;
  Level next_;
  Level leaves_;  // of a race: the leg is over, the race is not; without dice
  std::vector<const RaceRow*> leaf_rows_;
  std::array<std::uint32_t, kOrders> order_weight_{};
  std::array<std::uint32_t, kOrders> race_order_weight_{};   // of races that end in this leg
  std::array<std::uint32_t, kSpaces + 1> landing_weight_{};  // by space
  std::array<std::uint32_t, 2> race_ends_{};
};

}  // namespace gpusim::camel_up
