// The Camel Up engines of the CPU on one core: exact rows one at a time, simulations per second. Run on an
// otherwise idle machine.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels/backend.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim {
namespace {

constexpr SlotCapacity kOneRow{
    .camel_up_rows = 1, .simulation_rows = 1, .life_boards = 1, .life_words = 1};

// Of the truths, those with all dice in the pyramid.
std::vector<reference::Position> FullDiceTruths(int edition) {
  std::vector<reference::Position> positions;
  for (const auto& truth : testing::LoadLegTruths()) {
    const std::size_t dice = edition == 1 ? 5 : 6;
    if (truth.position.edition == edition && truth.position.dice.size() == dice)
      positions.push_back(truth.position);
  }
  return positions;
}

template <class Queries>
void Ask(Queries& queries, const reference::Position& position, camel_up::Scope scope) {
  const camel_up::LegQuery query = camel_up::Encode(testing::ToDomain(position));
  queries.Clear();
  queries.Append();
  queries.template At<camel_up::kBoard>(0) = query.board;
  queries.template At<camel_up::kTiles>(0) = query.tiles;
  queries.template At<camel_up::kEdition>(0) = query.edition;
  queries.template At<camel_up::kScope>(0) = scope;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// An iteration is one row: the truths in turn. median_ms is of the rows.
void SolveInTurn(benchmark::State& state, Backend& backend, camel_up::Scope scope) {
  const auto positions = FullDiceTruths(static_cast<int>(state.range(0)));
  const auto slot = backend.MakeSlot(0, kOneRow, {}).value();
  std::vector<double> row_ms;
  std::size_t next = 0;
  for (auto _ : state) {
    Ask(slot->camel_up().exact, positions[next++ % positions.size()], scope);
    const auto begin = std::chrono::steady_clock::now();
    if (!slot->RunCamelUp()) state.SkipWithError("the row failed");
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - begin;
    row_ms.push_back(taken.count());
  }
  state.counters["median_ms"] = Median(row_ms);
}

void ExactLeg(benchmark::State& state) {
  const auto backend = MakeCpuBackend(1);
  SolveInTurn(state, *backend, camel_up::Scope::kLeg);
}
BENCHMARK(ExactLeg)->ArgName("edition")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// The table's numbers make no difference to the time, its size does.
void ExactRace(benchmark::State& state) {
  const auto edition = static_cast<camel_up::Edition>(state.range(0));
  const auto backend = MakeCpuBackend(1);
  if (!backend->UseRaceTable(testing::MakeSyntheticTable(edition), TableMemory::kHost))
    return state.SkipWithError("no table");
  SolveInTurn(state, *backend, camel_up::Scope::kRace);
}
BENCHMARK(ExactRace)->ArgName("edition")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Items are simulations.
void Simulate(benchmark::State& state, camel_up::Scope scope) {
  constexpr std::uint32_t kSimulations = 200'000;
  const reference::Position start{1, {{1, "BGO"}, {2, "YW"}}, {{4, 1}, {7, -1}}, "BGOYW"};
  const reference::Position second{
      2, {{1, "rb"}, {2, "gy"}, {3, "p"}, {14, "w"}, {16, "k"}}, {{5, 1}, {7, -1}}, "rbgyp*"};
  const auto backend = MakeCpuBackend(1);
  const auto slot = backend->MakeSlot(0, kOneRow, {}).value();
  auto& simulations = slot->camel_up().simulations;
  Ask(simulations, state.range(0) == 1 ? start : second, scope);
  simulations.At<camel_up::kSeed>(0) = 42;
  simulations.At<camel_up::kSubsequence>(0) = 7;
  simulations.At<camel_up::kOffset>(0) = 0;
  simulations.At<camel_up::kFirst>(0) = 0;
  simulations.At<camel_up::kCount>(0) = kSimulations;
  for (auto _ : state)
    if (!slot->RunCamelUp()) state.SkipWithError("the row failed");
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * kSimulations);
}
void SimulatedLegs(benchmark::State& state) { Simulate(state, camel_up::Scope::kLeg); }
void SimulatedRaces(benchmark::State& state) { Simulate(state, camel_up::Scope::kRace); }
BENCHMARK(SimulatedLegs)->ArgName("edition")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK(SimulatedRaces)->ArgName("edition")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gpusim

BENCHMARK_MAIN();
