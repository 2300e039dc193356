#include "server/services/odds_response.h"

#include <array>
#include <cstdint>
#include <span>

#include "server/services/camel_up_names.h"
#include "server/services/odds_figures.h"

namespace gpusim::server {
namespace {

using camel_up::kRacers;
using camel_up::Odds;

class ResponseFiller {
 public:
  ResponseFiller(const OddsQuestion& question, const Odds& odds, v1::GetOddsResponse& response)
      : outputs_(question.outputs),
        leg_(question.query.leg),
        odds_(odds),
        response_(response),
        camels_(ProtoCamels(leg_.edition)) {}

  void Run() {
    FillTotals();
    if (outputs_.leg_ranks || outputs_.leg_values || outputs_.race) FillCamels();
    if (outputs_.leg_pairs) FillPairs();
    if (outputs_.landings) FillLandings();
    if (outputs_.race) FillExpectedLegs();
    if (outputs_.race_joint) FillRacePairs();
  }

 private:
  void FillTotals() {
    if (odds_.exact) {
      response_.set_total_weight(static_cast<std::uint32_t>(odds_.total));
      response_.set_race_ends_weight(static_cast<std::uint32_t>(odds_.race_ends));
      response_.set_race_ends_backward_weight(static_cast<std::uint32_t>(odds_.race_ends_backward));
    } else {
      response_.set_simulations(odds_.total);
    }
    FillProbability(odds_.race_ends, *response_.mutable_race_ends());
    FillProbability(odds_.race_ends_backward, *response_.mutable_race_ends_backward());
  }

  // Of a leg: weight or tally out of the total.
  void FillProbability(std::uint64_t count, v1::Estimate& estimate) const {
    FillMean(count, count, estimate);
  }

  void FillMean(std::uint64_t sum, std::uint64_t squares, v1::Estimate& estimate) const {
    estimate.set_value(Ratio(sum, odds_.total));
    if (odds_.exact) return;
    estimate.set_tally(sum);
    estimate.set_standard_error(StandardError(sum, squares, odds_.total));
  }

  void FillCamels() {
    for (std::size_t camel = 0; camel < kRacers; ++camel) {
      v1::CamelOdds& entry = *response_.add_camels();
      entry.set_camel(camels_[camel]);
      if (outputs_.leg_ranks) FillRanks(odds_.rank[camel], entry);
      if (outputs_.leg_values) FillTickets(odds_.rank[camel], entry);
      if (outputs_.race) FillRace(camel, entry);
    }
  }

  void FillRanks(const std::array<std::uint64_t, kRacers>& ranks, v1::CamelOdds& entry) const {
    for (const std::uint64_t weight : ranks) {
      if (odds_.exact) entry.add_rank_weight(static_cast<std::uint32_t>(weight));
      FillProbability(weight, *entry.add_ranks());
    }
  }

  void FillTickets(const std::array<std::uint64_t, kRacers>& ranks, v1::CamelOdds& entry) const {
    for (const std::uint32_t face : kTicketFaces) {
      v1::TicketValue& ticket = *entry.add_tickets();
      const TicketSums sums = TicketOf(face, ranks[0], ranks[1], odds_.total);
      ticket.set_face(face);
      ticket.set_value(static_cast<double>(sums.sum) / static_cast<double>(odds_.total));
      if (odds_.exact) {
        ticket.set_value_weight(sums.sum);
      } else {
        ticket.set_standard_error(StandardError(sums.sum, sums.squares, odds_.total));
      }
    }
  }

  void FillRace(std::size_t camel, v1::CamelOdds& entry) const {
    const std::uint64_t win = WinOf(odds_.race_joint, camel);
    const std::uint64_t last = LastOf(odds_.race_joint, camel);
    entry.set_race_win(RaceRatio(win));
    entry.set_race_last(RaceRatio(last));
    if (odds_.exact) return;
    entry.set_race_win_tally(win);
    entry.set_race_last_tally(last);
    entry.set_race_win_standard_error(StandardError(win, win, odds_.total));
    entry.set_race_last_standard_error(StandardError(last, last, odds_.total));
  }

  double RaceRatio(std::uint64_t count) const {
    return Ratio(count, odds_.total, odds_.exact ? camel_up::kJointUnitBits : 0);
  }

  void FillPairs() {
    for (std::size_t first = 0; first < kRacers; ++first) {
      for (std::size_t second = 0; second < kRacers; ++second) {
        if (first == second) continue;
        v1::PairOdds& pair = *response_.add_pairs();
        const std::uint64_t weight = odds_.pair[first][second];
        pair.set_first(camels_[first]);
        pair.set_second(camels_[second]);
        if (odds_.exact) pair.set_weight(static_cast<std::uint32_t>(weight));
        FillProbability(weight, *pair.mutable_probability());
      }
    }
  }

  void FillLandings() {
    std::size_t tile = 0;
    for (int space = 1; space <= camel_up::kSpaces; ++space) {
      const std::uint32_t kind = camel_up::TileAt(leg_.tiles, space);
      if (kind == camel_up::kNoTile) continue;
      v1::TileLandings& landings = *response_.add_landings();
      landings.set_space(static_cast<std::uint32_t>(space));
      landings.set_effect(kind == camel_up::kOasis ? v1::TILE_EFFECT_OASIS
                                                   : v1::TILE_EFFECT_MIRAGE);
      if (odds_.exact) landings.set_landing_weight(static_cast<std::uint32_t>(odds_.landing[tile]));
      FillMean(odds_.landing[tile], odds_.landing_squares[tile], *landings.mutable_expected());
      ++tile;
    }
  }

  void FillExpectedLegs() {
    v1::Estimate& legs = *response_.mutable_expected_legs();
    if (odds_.exact) {
      legs.set_value(Ratio(odds_.race_legs, odds_.total, camel_up::kLegsUnitBits));
    } else {
      FillMean(odds_.race_legs, odds_.race_legs_squares, legs);
    }
  }

  void FillRacePairs() {
    for (std::size_t winner = 0; winner < kRacers; ++winner) {
      for (std::size_t last = 0; last < kRacers; ++last) {
        if (winner == last) continue;
        v1::RacePairOdds& pair = *response_.add_race_pairs();
        pair.set_winner(camels_[winner]);
        pair.set_last(camels_[last]);
        const std::uint64_t count = odds_.race_joint[winner][last];
        if (odds_.exact) {
          pair.mutable_probability()->set_value(RaceRatio(count));
        } else {
          FillProbability(count, *pair.mutable_probability());
        }
      }
    }
  }

  const OddsOutputs& outputs_;
  const camel_up::LegQuery& leg_;
  const Odds& odds_;
  v1::GetOddsResponse& response_;
  const std::span<const v1::Camel> camels_;
};

}  // namespace

void FillOddsResponse(const OddsQuestion& question, const Odds& odds,
                      v1::GetOddsResponse& response) {
  ResponseFiller(question, odds, response).Run();
}

void FillProvenance(const OddsQuestion& question, const v1::Provenance& server,
                    v1::Provenance& provenance) {
  provenance = server;
  if (!question.simulation) return;
  const kinds::SimulationRun& run = *question.simulation;
  provenance.set_method(v1::METHOD_MONTE_CARLO);
  v1::RandomStream& stream = *provenance.mutable_stream();
  stream.set_seed(run.base.seed);
  stream.set_subsequence(run.base.subsequence);
  stream.set_offset(run.offset);
  stream.set_stream_version(camel_up::kStreamVersion);
}

}  // namespace gpusim::server
