// Questions of moves on their way from request to response, for unary calls and for an item of a stream:
//
//   Convert --> a task, submitted --> Take --> Fill
//           \-> no task: no question is good --> Fill (of many alone)
//
// All rows of all good questions are one task.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <grpcpp/support/status.h>
#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/moves/moves.h"
#include "kernels/odds.h"
#include "server/kinds/camel_up_kind.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// For one thread at a time.
class MovesCall {
 public:
  // The context has to outlive it.
  explicit MovesCall(const ServingContext& context) : context_(context) {}

  // Some tens of microseconds. The error is how the call ends: INVALID_ARGUMENT, or RaceTableMissing.
  tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> Convert(
      const v1::EvaluateMovesRequest& request, const batching::Terms& terms,
      kinds::Listener<kinds::CamelUpTask>& listener);

  // The answer out of the task, which is answered.
  void Take(kinds::CamelUpTask& task) { odds_ = task.TakeOdds(); }

  // Some tens of microseconds. The response is empty before.
  void Fill(v1::EvaluateMovesResponse& response) const;

 private:
  const ServingContext& context_;
  camel_up::MovesPlan plan_;
  std::vector<camel_up::Odds> odds_;
};

// For one thread at a time.
class MovesManyCall {
 public:
  static constexpr int kMaxQuestions = 256;

  // The context has to outlive it.
  explicit MovesManyCall(const ServingContext& context) : context_(context) {}

  // As MovesCall a question. A question that is bad, or has no race table, fails alone; the error is of the call as a
  // whole: too many questions or none, or too large a reply.
  tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> Convert(
      const v1::EvaluateMovesManyRequest& request, const batching::Terms& terms,
      kinds::Listener<kinds::CamelUpTask>& listener);

  // As MovesCall.
  void Take(kinds::CamelUpTask& task) { odds_ = task.TakeOdds(); }
  void Fill(v1::EvaluateMovesManyResponse& response) const;

 private:
  using Planned = tl::expected<camel_up::MovesPlan, grpc::Status>;

  std::size_t MaxReplyBytes() const;

  const ServingContext& context_;
  std::vector<Planned> plans_;  // one a question
  std::vector<camel_up::Odds> odds_;
};

}  // namespace gpusim::server
