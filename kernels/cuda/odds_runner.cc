#include "kernels/cuda/odds_runner.h"

#include <algorithm>
#include <limits>

#include "kernels/rules/camel_up_draws.h"

namespace gpusim::cuda {

using namespace camel_up;

namespace {

// Blocks that a batch of simulations is cut into where it is large enough: some for each place on a
// multiprocessor, so that late ones find company.
constexpr std::size_t kPartsAMultiprocessor = 32;

// Figures of a leg, which all rows have; those of a race travel only where a row has them.
template <class Columns>
void ZeroAnswers(const Columns& answers, std::size_t rows, bool any_race, const Stream& stream) {
  answers.template Zero<kRankWeight, kPairWeight, kLandingWeight, kLandingSquares, kRaceEndsWeight>(
      rows, stream);
  if (any_race) answers.template Zero<kRaceJoint, kRaceLegs>(rows, stream);
}

template <class Columns>
void CopyAnswers(const Columns& answers, const OddsAnswers& host, bool any_race,
                 const Stream& stream) {
  answers.template CopyToHost<kRankWeight, kPairWeight, kLandingWeight, kLandingSquares,
                              kRaceEndsWeight>(host, stream);
  if (any_race) answers.template CopyToHost<kRaceJoint, kRaceLegs>(host, stream);
}

std::uint64_t MovesOfAUnit(const SimulationQueries& queries, std::size_t row) {
  return SimulatedMoves(queries.At<kEdition>(row), queries.At<kBoard>(row),
                        queries.At<kScope>(row) == Scope::kRace);
}

std::uint64_t FirstBlock(const SimulationQueries& queries, std::size_t row) {
  const bool race = queries.At<kScope>(row) == Scope::kRace;
  return PlaceOf(0, queries.At<kOffset>(row), queries.At<kFirst>(row),
                 race ? kRaceBlocks : kLegBlocks)
      .block;
}

}  // namespace

OddsRunner::OddsRunner(const SlotCapacity& capacity, int multiprocessors, const StreamBase& warm,
                       std::pmr::memory_resource* pinned, const Stream& stream)
    : multiprocessors_(multiprocessors),
      batch_(capacity.camel_up_rows, capacity.simulation_rows, pinned),
      row_numbers_(pinned),
      parts_(pinned),
      exact_queries_(capacity.camel_up_rows),
      exact_answers_(capacity.camel_up_rows),
      device_row_numbers_(capacity.camel_up_rows),
      simulation_queries_(capacity.simulation_rows),
      simulation_answers_(capacity.simulation_rows),
      device_parts_(capacity.simulation_rows +
                    kPartsAMultiprocessor * static_cast<std::size_t>(multiprocessors)),
      warm_memory_(MakeDeviceMemory(kWarmStateBytes)),
      warm_{warm_memory_.get(), warm, 0} {
  row_numbers_.Reserve(capacity.camel_up_rows);
  parts_.Reserve(device_parts_.capacity());
  LaunchSeed(warm_, stream.get());
}

void OddsRunner::Run(const RaceRowsOfDevice& tables, const Stream& stream) {
  batch_.exact_answers.Resize(batch_.exact.size());
  batch_.simulation_answers.Resize(batch_.simulations.size());
  if (batch_.exact.size() > 0) RunExact(tables, stream);
  if (batch_.simulations.size() > 0) RunSimulations(stream);
}

void OddsRunner::RunExact(const RaceRowsOfDevice& tables, const Stream& stream) {
  const std::size_t rows = batch_.exact.size();
  ListRaceRowsLast();
  const bool any_race = leg_rows_ < rows;
  const bool mixed = any_race && leg_rows_ > 0;
  exact_queries_.CopyToDevice<kBoard, kTiles, kEdition>(batch_.exact, stream);
  if (mixed) device_row_numbers_.CopyToDevice<0>(row_numbers_, stream);
  ZeroAnswers(exact_answers_, rows, any_race, stream);
  const std::uint32_t* numbers = mixed ? device_row_numbers_.view(rows).Column<0>() : nullptr;
  const std::uint32_t* race_numbers = mixed ? numbers + leg_rows_ : nullptr;
  const auto queries = exact_queries_.view(rows);
  const auto answers = exact_answers_.view(rows);
  LaunchLegOdds(queries, {numbers, leg_rows_}, answers, multiprocessors_, stream.get());
  LaunchRaceOdds(queries, {race_numbers, rows - leg_rows_}, tables, answers, multiprocessors_,
                 stream.get());
  CopyAnswers(exact_answers_, batch_.exact_answers, any_race, stream);
}

void OddsRunner::ListRaceRowsLast() {
  const std::size_t rows = batch_.exact.size();
  const Scope* scopes = batch_.exact.Column<kScope>();
  leg_rows_ = static_cast<std::size_t>(std::count(scopes, scopes + rows, Scope::kLeg));
  row_numbers_.Resize(rows);
  std::uint32_t* next_leg = row_numbers_.Column<0>();
  std::uint32_t* next_race = next_leg + leg_rows_;
  for (std::uint32_t row = 0; row < rows; ++row)
    *(scopes[row] == Scope::kLeg ? next_leg : next_race)++ = row;
}

void OddsRunner::RunSimulations(const Stream& stream) {
  const std::size_t rows = batch_.simulations.size();
  const bool any_race = CutIntoParts();
  simulation_queries_
      .CopyToDevice<kBoard, kTiles, kEdition, kScope, kSeed, kSubsequence, kOffset, kFirst, kCount>(
          batch_.simulations, stream);
  device_parts_.CopyToDevice<kRow, kShare, kShares>(parts_, stream);
  ZeroAnswers(simulation_answers_, rows, any_race, stream);
  AdvanceWarmStates(stream);
  LaunchSimulations(simulation_queries_.view(rows), device_parts_.view(parts_.size()), warm_,
                    simulation_answers_.view(rows), stream.get());
  CopyAnswers(simulation_answers_, batch_.simulation_answers, any_race, stream);
}

// Every row gets a share of the parts by its moves, one at least and no more than it has units. True if
// there is a race among the rows.
bool OddsRunner::CutIntoParts() {
  const SimulationQueries& queries = batch_.simulations;
  std::uint64_t all_moves = 0;
  bool any_race = false;
  for (std::size_t row = 0; row < queries.size(); ++row) {
    all_moves += UnitsOf(queries.At<kCount>(row)) * MovesOfAUnit(queries, row);
    any_race |= queries.At<kScope>(row) == Scope::kRace;
  }
  const std::uint64_t most_parts =
      kPartsAMultiprocessor * static_cast<std::uint64_t>(multiprocessors_);
  const std::uint64_t moves_of_a_part = all_moves / most_parts + 1;
  parts_.Clear();
  for (std::uint32_t row = 0; row < queries.size(); ++row) {
    const std::uint32_t units = UnitsOf(queries.At<kCount>(row));
    const std::uint64_t wanted = units * MovesOfAUnit(queries, row) / moves_of_a_part + 1;
    const auto shares = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, units));
    for (std::uint32_t share = 0; share < shares; ++share) {
      const std::size_t part = parts_.Append();
      parts_.At<kRow>(part) = row;
      parts_.At<kShare>(part) = share;
      parts_.At<kShares>(part) = shares;
    }
  }
  return any_race;
}

// To the first block that a row of their stream needs, if that is ahead: they never go back, and rows behind
// them do without.
void OddsRunner::AdvanceWarmStates(const Stream& stream) {
  const SimulationQueries& queries = batch_.simulations;
  std::uint64_t needed = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t row = 0; row < queries.size(); ++row) {
    if (StreamBase{queries.At<kSeed>(row), queries.At<kSubsequence>(row)} == warm_.stream)
      needed = std::min(needed, FirstBlock(queries, row));
  }
  if (needed == std::numeric_limits<std::uint64_t>::max() || needed <= warm_.block) return;
  LaunchAdvance(warm_, needed - warm_.block, stream.get());
  warm_.block = needed;
}

}  // namespace gpusim::cuda
