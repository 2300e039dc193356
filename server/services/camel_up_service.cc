#include "server/services/camel_up_service.h"

#include <memory>
#include <vector>

#include "server/kinds/camel_up_kind.h"
#include "server/kinds/kinds.h"
#include "server/services/camel_up_convert.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

class GetOddsMethod {
 public:
  using Request = v1::GetOddsRequest;
  using Response = v1::GetOddsResponse;
  using Task = kinds::CamelUpTask;
  static constexpr batching::KindIndex kKind = kinds::kCamelUp;

  explicit GetOddsMethod(const ServingContext& context) : context_(context) {}

  static bool ConvertIsLight(const Request& /*request*/) { return true; }
  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            batching::TimePoint deadline,
                                                            kinds::Listener<Task>& listener) {
    auto question = OddsQuestionOf(request);
    if (!question) return tl::unexpected(BadInput(question.error()));
    question_ = *question;
    return std::make_unique<kinds::ExactTask>(std::vector{question_.query}, context_.camel_up_chunk,
                                              deadline, listener);
  }

  void Take(Task& task) { odds_ = task.TakeOdds().front(); }
  static bool FillIsLight() { return true; }
  tl::expected<void, Violations> Fill(Response& response) const {
    FillOddsResponse(question_, odds_, response);
    *response.mutable_provenance() = context_.provenance;
    return {};
  }

 private:
  const ServingContext& context_;
  OddsQuestion question_;
  camel_up::Odds odds_;
};

}  // namespace

grpc::ServerUnaryReactor* CamelUpServiceImpl::GetOdds(grpc::CallbackServerContext* call,
                                                      const v1::GetOddsRequest* request,
                                                      v1::GetOddsResponse* response) {
  return UnaryCall<GetOddsMethod>::Start(context_, *call, *request, *response);
}

}  // namespace gpusim::server
