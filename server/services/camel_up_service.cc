#include "server/services/camel_up_service.h"

#include <memory>

#include "server/kinds/kinds.h"
#include "server/services/odds_call.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

class GetOddsMethod {
 public:
  using Request = v1::GetOddsRequest;
  using Response = v1::GetOddsResponse;
  using Task = kinds::CamelUpTask;
  static constexpr batching::KindIndex kKind = kinds::kCamelUp;

  explicit GetOddsMethod(const ServingContext& context) : call_(context) {}

  static bool ConvertIsLight(const Request& /*request*/) { return true; }
  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            batching::TimePoint deadline,
                                                            kinds::Listener<Task>& listener) {
    return call_.Convert(request, deadline, listener);
  }

  void Take(Task& task) { call_.Take(task); }
  static bool FillIsLight() { return true; }
  tl::expected<void, Violations> Fill(Response& response) const {
    call_.Fill(response);
    return {};
  }

 private:
  OddsCall call_;
};

}  // namespace

grpc::ServerUnaryReactor* CamelUpServiceImpl::GetOdds(grpc::CallbackServerContext* call,
                                                      const v1::GetOddsRequest* request,
                                                      v1::GetOddsResponse* response) {
  return UnaryCall<GetOddsMethod>::Start(context_, *call, *request, *response);
}

}  // namespace gpusim::server
