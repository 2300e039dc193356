// One odds question on its way from request to response, for a unary call and for an item of a stream:
//
//   Convert --> a task, submitted --> Take --> Fill
//           \-> no task: the answer is known already (cache) --> Fill
#pragma once

#include <memory>

#include <grpcpp/support/status.h>
#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/odds.h"
#include "server/kinds/camel_up_kind.h"
#include "server/services/camel_up_convert.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// For one thread at a time.
class OddsCall {
 public:
  // The context has to outlive it.
  explicit OddsCall(const ServingContext& context) : context_(context) {}

  // Microseconds. Without a task the answer is known already: on to Fill. The error is how the call ends:
  // INVALID_ARGUMENT, or RaceTableMissing.
  tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> Convert(
      const v1::GetOddsRequest& request, const batching::Terms& terms,
      kinds::Listener<kinds::CamelUpTask>& listener);

  // The answer out of the task, which is answered.
  void Take(kinds::CamelUpTask& task);

  // Microseconds. The response is empty before.
  void Fill(v1::GetOddsResponse& response) const;

 private:
  const ServingContext& context_;
  OddsQuestion question_;
  camel_up::Odds odds_;
  bool cached_ = false;
};

// Whether exact answers of the scope can be worked out: a race needs the edition's table. The error is how the call ends.
tl::expected<void, grpc::Status> RaceTableFor(const ServingContext& context,
                                              camel_up::Edition edition, camel_up::Scope scope);

// What a question needs before it can be worked on: an exact race its table, a simulation that names no stream
// its rows of a warm one. The error is how the call ends.
tl::expected<void, grpc::Status> Admit(const ServingContext& context, OddsQuestion& question);

}  // namespace gpusim::server
