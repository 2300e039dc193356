#include "server/services/moves_call.h"

#include <span>
#include <string>
#include <utility>

#include "server/services/camel_up_names.h"
#include "server/services/error_mapping.h"
#include "server/services/moves_convert.h"
#include "server/services/odds_call.h"

namespace gpusim::server {
namespace {

tl::expected<camel_up::MovesPlan, grpc::Status> Plan(const ServingContext& context,
                                                     const v1::EvaluateMovesRequest& request,
                                                     const std::string& prefix) {
  auto plan = MovesPlanOf(request, prefix);
  if (!plan) return tl::unexpected(BadInput(plan.error()));
  // If any row is about the race, the first one is.
  if (auto admitted =
          RaceTableFor(context, plan->queries.front().leg.edition, plan->queries.front().scope);
      !admitted)
    return tl::unexpected(admitted.error());
  return std::move(*plan);
}

}  // namespace

tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> MovesCall::Convert(
    const v1::EvaluateMovesRequest& request, const batching::Terms& terms,
    kinds::Listener<kinds::CamelUpTask>& listener) {
  auto plan = Plan(context_, request, "");
  if (!plan) return tl::unexpected(std::move(plan.error()));
  plan_ = std::move(*plan);
  return std::make_unique<kinds::ExactTask>(plan_.queries, context_.camel_up_chunk, terms,
                                            listener);
}

void MovesCall::Fill(v1::EvaluateMovesResponse& response) const {
  FillMovesResponse(plan_, odds_, response);
  *response.mutable_provenance() = context_.provenance;
}

tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> MovesManyCall::Convert(
    const v1::EvaluateMovesManyRequest& request, const batching::Terms& terms,
    kinds::Listener<kinds::CamelUpTask>& listener) {
  const std::string count = std::to_string(request.questions_size()) + " questions";
  if (request.questions().empty() || request.questions_size() > kMaxQuestions)
    return tl::unexpected(BadInput(
        {{"questions", count, "1 to " + std::to_string(kMaxQuestions) + " questions a call"}}));
  std::vector<camel_up::OddsQuery> queries;
  for (int i = 0; i < request.questions_size(); ++i) {
    plans_.push_back(Plan(context_, request.questions(i), Element("questions", i) + "."));
    if (plans_.back())
      queries.insert(queries.end(), plans_.back()->queries.begin(), plans_.back()->queries.end());
  }
  if (MaxReplyBytes() > context_.max_reply_bytes)
    return tl::unexpected(
        BadInput({{"questions", count,
                   "the reply might pass max-reply-bytes, " +
                       std::to_string(context_.max_reply_bytes) + ": ask in several calls"}}));
  if (queries.empty()) return nullptr;
  return std::make_unique<kinds::ExactTask>(std::move(queries), context_.camel_up_chunk, terms,
                                            listener);
}

std::size_t MovesManyCall::MaxReplyBytes() const {
  constexpr std::size_t kFrameBytes = 4 + 4 + 3;  // of the result, its outcome and the provenance
  std::size_t bytes = 0;
  for (const Planned& plan : plans_) {
    bytes += kFrameBytes;
    bytes += plan ? MaxMovesResponseBytes(*plan) + context_.provenance.ByteSizeLong()
                  : RpcStatusOf(plan.error()).ByteSizeLong();
  }
  return bytes;
}

void MovesManyCall::Fill(v1::EvaluateMovesManyResponse& response) const {
  std::span<const camel_up::Odds> odds = odds_;
  for (const Planned& plan : plans_) {
    v1::EvaluateMovesResult& result = *response.add_results();
    if (!plan) {
      *result.mutable_error() = RpcStatusOf(plan.error());
      continue;
    }
    FillMovesResponse(*plan, odds.first(plan->queries.size()), *result.mutable_moves());
    *result.mutable_moves()->mutable_provenance() = context_.provenance;
    odds = odds.subspan(plan->queries.size());
  }
}

}  // namespace gpusim::server
