// EvaluateMoves and EvaluateMovesMany of CamelUpService: moves_call.h on the path of unary_call.h.
#include <memory>

#include "server/kinds/kinds.h"
#include "server/services/camel_up_service.h"
#include "server/services/moves_call.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

// A question takes some tens of microseconds each way.
constexpr int kLightQuestions = 8;

bool IsLight(const v1::EvaluateMovesRequest& /*request*/) { return true; }
bool IsLight(const v1::EvaluateMovesManyRequest& request) {
  return request.questions_size() <= kLightQuestions;
}

template <CallMethod method, class RequestMessage, class ResponseMessage, class Call>
class MovesMethod {
 public:
  using Request = RequestMessage;
  using Response = ResponseMessage;
  using Task = kinds::CamelUpTask;
  static constexpr CallMethod kMethod = method;
  static constexpr batching::KindIndex kKind = kinds::kCamelUp;

  explicit MovesMethod(const ServingContext& context) : call_(context) {}

  bool ConvertIsLight(const Request& request) { return is_light_ = IsLight(request); }
  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            const batching::Terms& terms,
                                                            kinds::Listener<Task>& listener) {
    return call_.Convert(request, terms, listener);
  }

  void Take(Task& task) { call_.Take(task); }
  bool FillIsLight() const { return is_light_; }
  tl::expected<void, Violations> Fill(Response& response) const {
    call_.Fill(response);
    return {};
  }

 private:
  Call call_;
  bool is_light_ = true;
};

}  // namespace

grpc::ServerUnaryReactor* CamelUpServiceImpl::EvaluateMoves(grpc::CallbackServerContext* call,
                                                            const v1::EvaluateMovesRequest* request,
                                                            v1::EvaluateMovesResponse* response) {
  return UnaryCall<MovesMethod<CallMethod::kEvaluateMoves, v1::EvaluateMovesRequest,
                               v1::EvaluateMovesResponse, MovesCall>>::Start(context_, *call,
                                                                             *request, *response);
}

grpc::ServerUnaryReactor* CamelUpServiceImpl::EvaluateMovesMany(
    grpc::CallbackServerContext* call, const v1::EvaluateMovesManyRequest* request,
    v1::EvaluateMovesManyResponse* response) {
  return UnaryCall<MovesMethod<CallMethod::kEvaluateMovesMany, v1::EvaluateMovesManyRequest,
                               v1::EvaluateMovesManyResponse, MovesManyCall>>::Start(context_,
                                                                                     *call,
                                                                                     *request,
                                                                                     *response);
}

}  // namespace gpusim::server
