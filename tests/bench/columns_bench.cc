// What GetOddsColumns costs besides the odds: 65,536 rows from the bytes of a request into queries, and
// from the answers of batches into the bytes of a reply.
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "server/services/odds_columns.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/odds_column_cases.h"

namespace gpusim::server {
namespace {

constexpr std::size_t kBatchRows = 4096;
constexpr std::uint64_t kMaxReplyBytes = std::uint64_t{1} << 30;

v1::GetOddsColumnsRequest Request(int edition, bool tiles) {
  std::mt19937_64 random(7);
  std::vector<reference::Position> positions;
  for (std::uint32_t row = 0; row < kMaxColumnRows; ++row) {
    positions.push_back(testing::RandomPosition(edition, random));
    if (!tiles) positions.back().tiles.clear();
  }
  v1::GetOddsColumnsRequest request = testing::ColumnsOf(positions);
  request.set_max_reply_bytes(kMaxReplyBytes);
  return request;
}

void AddOutputs(benchmark::State& state, v1::GetOddsColumnsRequest& request) {
  request.add_outputs(v1::OUTPUT_LEG_RANKS);
  if (state.range(1) == 0) return;
  for (const v1::Output output : {v1::OUTPUT_LEG_PAIRS, v1::OUTPUT_LANDINGS, v1::OUTPUT_LEG_VALUES})
    request.add_outputs(output);
  if (state.range(1) == 2) {
    request.add_outputs(v1::OUTPUT_RACE);
    request.add_outputs(v1::OUTPUT_RACE_JOINT);
  }
}

// Prints the time a row.
void ReportRows(benchmark::State& state) {
  state.counters["row"] = benchmark::Counter(
      kMaxColumnRows, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Bytes into queries. Argument: the edition.
void ReadRows(benchmark::State& state) {
  const v1::GetOddsColumnsRequest request = Request(static_cast<int>(state.range(0)), true);
  const auto question = ColumnsQuestionOf(request, kMaxReplyBytes);
  for (auto _ : state) {
    OddsRows rows = ReadOddsRows(question->columns, camel_up::Scope::kLeg);
    benchmark::DoNotOptimize(rows.queries.data());
  }
  ReportRows(state);
}
BENCHMARK(ReadRows)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// The whole way but for the odds and for gRPC. Arguments: the edition; the outputs: 0 ranks, 1 all of the
// leg, 2 all.
void ReadTakeAndFill(benchmark::State& state) {
  v1::GetOddsColumnsRequest request = Request(static_cast<int>(state.range(0)), true);
  AddOutputs(state, request);
  camel_up::OddsBatch batch(kBatchRows, 1, std::pmr::get_default_resource());
  // Figures of any size will do, but zeros would be divided faster.
  for (std::size_t row = 0; row < kBatchRows; ++row) {
    for (std::size_t k = 0; k < 25; ++k)
      batch.exact_answers.At<camel_up::kRaceJoint>(row, k) = (row * 25 + k) << 36 | row;
  }
  for (auto _ : state) {
    const auto question = ColumnsQuestionOf(request, kMaxReplyBytes);
    OddsRows rows = ReadOddsRows(question->columns, question->outputs.scope());
    ColumnsReply reply(*question, std::move(rows.bad));
    reply.Reserve(rows.queries);
    for (std::size_t first = 0; first < rows.queries.size(); first += kBatchRows)
      reply.Take(first, std::min(kBatchRows, rows.queries.size() - first), batch.exact_answers, 0);
    v1::GetOddsColumnsResponse response;
    reply.Fill(response);
    benchmark::DoNotOptimize(&response);
  }
  ReportRows(state);
}
BENCHMARK(ReadTakeAndFill)->ArgsProduct({{1, 2}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gpusim::server

BENCHMARK_MAIN();
