#include "server/services/life_service.h"

#include <memory>
#include <utility>
#include <vector>

#include "server/kinds/kinds.h"
#include "server/kinds/life_kind.h"
#include "server/services/life_convert.h"
#include "server/services/step_many.h"
#include "server/services/step_response.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

constexpr std::size_t kLightBytes = 8192;
constexpr std::size_t kLightWords = 256;
constexpr std::size_t kLightRows = 64;
constexpr int kLightBoards = 16;

std::size_t SourceBytes(const v1::StepRequest& request) {
  return request.pattern().size() + request.packed().rows().size();
}

class StepMethod {
 public:
  using Request = v1::StepRequest;
  using Response = v1::StepResponse;
  using Task = kinds::LifeTask;
  static constexpr CallMethod kMethod = CallMethod::kStep;
  static constexpr batching::KindIndex kKind = kinds::kLife;

  explicit StepMethod(const ServingContext& context) : context_(context) {}

  // Reading costs time by the bytes of the source, whatever size they claim: a few nanoseconds
  // each. The largest board that they may lead to is cleared in about 0.1 ms.
  static bool ConvertIsLight(const Request& request) { return SourceBytes(request) <= kLightBytes; }

  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            const batching::Terms& terms,
                                                            kinds::Listener<Task>& listener) {
    auto plan = PlanOf(request, {.max_step_cells = context_.max_step_cells,
                                 .max_reply_bytes = context_.max_reply_bytes});
    if (!plan) return tl::unexpected(BadInput(plan.error()));
    result_.format = request.output_format();
    result_.plan = *std::move(plan);
    // Not negative, as PlanOf has seen to it.
    max_board_bytes_ = context_.max_reply_bytes - kProvenanceBytes -
                       KnownResponseBytes(result_.plan, result_.format);
    std::vector<kinds::LifeRun> runs;
    runs.push_back(std::move(result_.plan.run));
    return std::make_unique<Task>(std::move(runs), context_.life_chunk, terms, listener);
  }

  void Take(Task& task) { result_.answer = task.TakeAnswer(0); }

  // Hashing takes half a nanosecond a cell, writing a file a few more, a row of the series some hundred.
  bool FillIsLight() const {
    return result_.answer.board.words.size() <= kLightWords &&
           result_.answer.series.size() <= kLightRows;
  }

  tl::expected<void, Violations> Fill(Response& response) {
    *response.mutable_provenance() = context_.provenance;
    return FillStepResponse(std::move(result_), max_board_bytes_, context_.max_reply_bytes,
                            response);
  }

 private:
  const ServingContext& context_;
  StepResult result_;
  std::uint64_t max_board_bytes_ = 0;  // where its size depends on the cells
};

class StepManyMethod {
 public:
  using Request = v1::StepManyRequest;
  using Response = v1::StepManyResponse;
  using Task = kinds::LifeTask;
  static constexpr CallMethod kMethod = CallMethod::kStepMany;
  static constexpr batching::KindIndex kKind = kinds::kLife;

  explicit StepManyMethod(const ServingContext& context) : call_(context) {}

  // A board takes a microsecond besides its bytes.
  static bool ConvertIsLight(const Request& request) {
    if (request.boards_size() > kLightBoards ||
        request.uniform().count() > static_cast<std::uint32_t>(kLightBoards))
      return false;
    std::size_t bytes = request.uniform().rows().size();
    for (const v1::StepRequest& board : request.boards()) bytes += SourceBytes(board);
    return bytes <= kLightBytes;
  }

  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            const batching::Terms& terms,
                                                            kinds::Listener<Task>& listener) {
    return call_.Convert(request, terms, listener);
  }

  void Take(Task& task) { call_.Take(task); }
  bool FillIsLight() const {
    return call_.boards() <= static_cast<std::size_t>(kLightBoards) &&
           call_.answered_words() <= kLightWords && call_.series_rows() <= kLightRows;
  }
  tl::expected<void, Violations> Fill(Response& response) {
    call_.Fill(response);
    return {};
  }

 private:
  StepManyCall call_;
};

}  // namespace

grpc::ServerUnaryReactor* LifeServiceImpl::Step(grpc::CallbackServerContext* call,
                                                const v1::StepRequest* request,
                                                v1::StepResponse* response) {
  return UnaryCall<StepMethod>::Start(context_, *call, *request, *response);
}

grpc::ServerUnaryReactor* LifeServiceImpl::StepMany(grpc::CallbackServerContext* call,
                                                    const v1::StepManyRequest* request,
                                                    v1::StepManyResponse* response) {
  return UnaryCall<StepManyMethod>::Start(context_, *call, *request, *response);
}

}  // namespace gpusim::server
