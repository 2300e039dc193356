#include "server/kinds/camel_up_kind.h"

#include <algorithm>

#include "kernels/rules/camel_up_leg.h"

namespace gpusim::kinds {
namespace {

using camel_up::kRacers;

void AppendQuery(const camel_up::LegQuery& query, camel_up::ExactQueries& queries) {
  const std::size_t row = queries.Append();
  queries.At<camel_up::kBoard>(row) = query.board;
  queries.At<camel_up::kTiles>(row) = query.tiles;
  queries.At<camel_up::kEdition>(row) = query.edition;
  queries.At<camel_up::kScope>(row) = camel_up::Scope::kLeg;
}

LegAnswer TakeAnswer(const camel_up::OddsAnswers& answers, std::size_t row) {
  LegAnswer answer;
  for (std::size_t i = 0; i < kRacers; ++i) {
    for (std::size_t k = 0; k < kRacers; ++k) {
      answer.rank_weight[i][k] = answers.At<camel_up::kRankWeight>(row, i * kRacers + k);
      answer.pair_weight[i][k] = answers.At<camel_up::kPairWeight>(row, i * kRacers + k);
    }
  }
  for (std::size_t tile = 0; tile < camel_up::kMaxTiles; ++tile)
    answer.landing_weight[tile] = answers.At<camel_up::kLandingWeight>(row, tile);
  answer.race_ends_weight = answers.At<camel_up::kRaceEndsWeight>(row, 0);
  answer.race_ends_backward_weight = answers.At<camel_up::kRaceEndsWeight>(row, 1);
  return answer;
}

}  // namespace

batching::Cost CamelUpTask::cost() const {
  return {.rows = 1, .bytes = 0, .work = camel_up::TreeMoves(query_.edition, query_.board)};
}

void CamelUpRunner::Run(std::span<batching::Task* const> batch, std::span<batching::Chunk> chunks) {
  camel_up::OddsBatch& columns = slot_.camel_up();
  columns.Clear();
  for (const batching::Task* task : batch)
    AppendQuery(static_cast<const CamelUpTask*>(task)->query_, columns.exact);

  const DeviceResult<void> ran = slot_.RunCamelUp();
  for (std::size_t row = 0; row < batch.size(); ++row) {
    auto& task = static_cast<CamelUpTask&>(*batch[row]);
    if (ran) {
      task.answer_ = TakeAnswer(columns.exact_answers, row);
    } else {
      task.fault_ = ran.error().what;
    }
  }
  std::fill(chunks.begin(), chunks.end(), ran ? batching::Chunk::kDone : batching::Chunk::kFailed);
}

}  // namespace gpusim::kinds
