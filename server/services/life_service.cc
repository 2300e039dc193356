#include "server/services/life_service.h"

#include <memory>
#include <utility>

#include "server/kinds/kinds.h"
#include "server/kinds/life_kind.h"
#include "server/services/life_convert.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

class StepMethod {
 public:
  using Request = v1::StepRequest;
  using Response = v1::StepResponse;
  using Task = kinds::LifeTask;
  static constexpr batching::KindIndex kKind = kinds::kLife;

  explicit StepMethod(const ServingContext& context) : context_(context) {}

  // Reading costs time by the bytes of the source, whatever size they claim: a few nanoseconds
  // each. The largest board that they may lead to is cleared in about 0.1 ms.
  static bool ConvertIsLight(const Request& request) {
    constexpr std::size_t kLightBytes = 8192;
    return request.pattern().size() + request.packed().rows().size() <= kLightBytes;
  }

  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            batching::TimePoint deadline,
                                                            kinds::Listener<Task>& listener) {
    auto plan = PlanOf(request, {.max_step_cells = context_.max_step_cells,
                                 .max_reply_bytes = context_.max_reply_bytes});
    if (!plan) return tl::unexpected(BadInput(plan.error()));
    result_.format = request.output_format();
    result_.plan = *std::move(plan);
    return std::make_unique<Task>(std::move(result_.plan.run), context_.life_chunk, deadline,
                                  listener);
  }

  void Take(Task& task) {
    result_.board = task.TakeBoard();
    result_.population = task.population();
  }

  // Hashing takes half a nanosecond a cell, writing a file a few more.
  bool FillIsLight() const {
    constexpr std::size_t kLightWords = 256;
    return result_.board.words.size() <= kLightWords;
  }

  tl::expected<void, Violations> Fill(Response& response) {
    *response.mutable_provenance() = context_.provenance;
    return FillStepResponse(std::move(result_), context_.max_reply_bytes, response);
  }

 private:
  const ServingContext& context_;
  StepResult result_;
};

}  // namespace

grpc::ServerUnaryReactor* LifeServiceImpl::Step(grpc::CallbackServerContext* call,
                                                const v1::StepRequest* request,
                                                v1::StepResponse* response) {
  return UnaryCall<StepMethod>::Start(context_, *call, *request, *response);
}

}  // namespace gpusim::server
