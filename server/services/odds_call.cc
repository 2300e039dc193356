#include "server/services/odds_call.h"

#include <vector>

#include "server/services/error_mapping.h"
#include "server/services/odds_response.h"

namespace gpusim::server {

tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> OddsCall::Convert(
    const v1::GetOddsRequest& request, const batching::Terms& terms,
    kinds::Listener<kinds::CamelUpTask>& listener) {
  auto question = OddsQuestionOf(request, context_.max_call_simulations);
  if (!question) return tl::unexpected(BadInput(question.error()));
  question_ = *question;
  if (auto admitted = Admit(context_, question_); !admitted)
    return tl::unexpected(admitted.error());
  if (question_.simulation)
    return std::make_unique<kinds::SimulationTask>(*question_.simulation, context_.camel_up_chunk,
                                                   terms, listener);
  if (const auto found = context_.odds_cache.Find(question_.query)) {
    odds_ = *found;
    cached_ = true;
    return nullptr;
  }
  return std::make_unique<kinds::ExactTask>(std::vector{question_.query}, context_.camel_up_chunk,
                                            terms, listener);
}

void OddsCall::Take(kinds::CamelUpTask& task) {
  odds_ = task.TakeOdds().front();
  if (odds_.exact) context_.odds_cache.Insert(question_.query, odds_);
}

void OddsCall::Fill(v1::GetOddsResponse& response) const {
  FillOddsResponse(question_, odds_, response);
  FillProvenance(question_, context_.provenance, *response.mutable_provenance());
  if (cached_) response.mutable_provenance()->set_cached(true);
}

tl::expected<void, grpc::Status> RaceTableFor(const ServingContext& context,
                                              camel_up::Edition edition, camel_up::Scope scope) {
  if (scope == camel_up::Scope::kLeg) return {};
  const RaceTableReport report = context.race_tables.Report(edition);
  if (report.state == RaceTableState::kReady) return {};
  return tl::unexpected(RaceTableMissing(edition, report));
}

tl::expected<void, grpc::Status> Admit(const ServingContext& context, OddsQuestion& question) {
  if (!question.simulation)
    return RaceTableFor(context, question.query.leg.edition, question.query.scope);
  if (question.wants_warm_stream) {
    kinds::SimulationRun& run = *question.simulation;
    const std::uint64_t rows = camel_up::RowsOf(run.first + run.count);
    const auto blocks = context.warm_streams.Take(rows * BlocksOf(run.query.scope));
    run.base = blocks.base;
    run.offset = blocks.offset;
    question.wants_warm_stream = false;
  }
  return {};
}

}  // namespace gpusim::server
