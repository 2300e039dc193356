#include "server/services/camel_up_service.h"

#include <memory>
#include <optional>
#include <utility>

#include "server/kinds/kinds.h"
#include "server/services/odds_call.h"
#include "server/services/odds_columns.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

class GetOddsMethod {
 public:
  using Request = v1::GetOddsRequest;
  using Response = v1::GetOddsResponse;
  using Task = kinds::CamelUpTask;
  static constexpr CallMethod kMethod = CallMethod::kGetOdds;
  static constexpr batching::KindIndex kKind = kinds::kCamelUp;

  explicit GetOddsMethod(const ServingContext& context) : call_(context) {}

  static bool ConvertIsLight(const Request& /*request*/) { return true; }
  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            const batching::Terms& terms,
                                                            kinds::Listener<Task>& listener) {
    return call_.Convert(request, terms, listener);
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

class GetOddsColumnsMethod {
 public:
  using Request = v1::GetOddsColumnsRequest;
  using Response = v1::GetOddsColumnsResponse;
  using Task = kinds::CamelUpTask;
  static constexpr CallMethod kMethod = CallMethod::kGetOddsColumns;
  static constexpr batching::KindIndex kKind = kinds::kCamelUp;

  explicit GetOddsColumnsMethod(const ServingContext& context) : context_(context) {}

  // A row takes some 20 ns to read, and its place in the reply as much to clear.
  static bool ConvertIsLight(const Request& request) {
    constexpr std::uint32_t kLightRows = 256;
    return request.rows() <= kLightRows;
  }

  tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(const Request& request,
                                                            const batching::Terms& terms,
                                                            kinds::Listener<Task>& listener) {
    const auto question = ColumnsQuestionOf(request, context_.max_columns_reply_bytes);
    if (!question) return tl::unexpected(BadInput(question.error()));
    const camel_up::Scope scope = question->outputs.scope();
    if (auto ready = RaceTableFor(context_, question->columns.edition, scope); !ready)
      return tl::unexpected(ready.error());
    OddsRows rows = ReadOddsRows(question->columns, scope);
    reply_.emplace(*question, std::move(rows.bad));
    if (const Violations faults = reply_->SizeFaults(); !faults.empty())
      return tl::unexpected(BadInput(faults));
    reply_->Reserve(rows.queries);
    if (rows.queries.empty()) return nullptr;
    return std::make_unique<kinds::ExactTask>(
        std::move(rows.queries), context_.camel_up_chunk, terms, listener,
        [this](std::size_t first, std::size_t count, const camel_up::OddsAnswers& answers,
               std::size_t row) { reply_->Take(first, count, answers, row); },
        reply_->bytes());
  }

  static void Take(const Task& /*task*/) {}
  // gRPC copies the reply on this thread, and figures of a race are divided.
  bool FillIsLight() const {
    constexpr std::uint64_t kLightBytes = 16'384;
    return reply_->bytes() <= kLightBytes;
  }
  tl::expected<void, Violations> Fill(Response& response) {
    reply_->Fill(response);
    *response.mutable_provenance() = context_.provenance;
    return {};
  }

 private:
  const ServingContext& context_;
  std::optional<ColumnsReply> reply_;
};

}  // namespace

grpc::ServerUnaryReactor* CamelUpServiceImpl::GetOdds(grpc::CallbackServerContext* call,
                                                      const v1::GetOddsRequest* request,
                                                      v1::GetOddsResponse* response) {
  return UnaryCall<GetOddsMethod>::Start(context_, *call, *request, *response);
}

grpc::ServerUnaryReactor* CamelUpServiceImpl::GetOddsColumns(
    grpc::CallbackServerContext* call, const v1::GetOddsColumnsRequest* request,
    v1::GetOddsColumnsResponse* response) {
  return UnaryCall<GetOddsColumnsMethod>::Start(context_, *call, *request, *response);
}

StreamOddsReactor* CamelUpServiceImpl::StreamOdds(grpc::CallbackServerContext* call) {
  return StartStreamOdds(context_, *call);
}

grpc::ServerWriteReactor<v1::SimulateResponse>* CamelUpServiceImpl::Simulate(
    grpc::CallbackServerContext* call, const v1::SimulateRequest* request) {
  return StartSimulate(context_, *call, *request);
}

}  // namespace gpusim::server
