#include <utility>

#include <gpusim/client.h>
#include <gpusim/client_proto.h>

#include "client/connection.h"
#include "client/life_messages.h"
#include "client/messages.h"

namespace gpusim {
namespace {

template <class Message>
auto ToTyped(Result<Message> reply) {
  return std::move(reply).map([](Message&& message) { return FromMessage(std::move(message)); });
}

// The replies that may be unreadable.
Result<OddsColumns> ToTyped(Result<v1::GetOddsColumnsResponse> reply) {
  return std::move(reply).and_then(
      [](v1::GetOddsColumnsResponse&& message) { return FromMessage(message); });
}

Result<StepManyResult> ToTyped(Result<v1::StepManyResponse> reply) {
  return std::move(reply).and_then(
      [](v1::StepManyResponse&& message) { return FromMessage(std::move(message)); });
}

// A callback that fulfils a promise; the promise is shared because std::function has to be
// copyable.
template <class T>
std::pair<std::function<void(Result<T>)>, std::future<Result<T>>> PromiseCallback() {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  return {[promise](Result<T> result) { promise->set_value(std::move(result)); },
          std::move(future)};
}

}  // namespace

Result<Client> Client::Create(ClientOptions options) {
  auto proto = ProtoClient::Create(std::move(options));
  if (!proto) return tl::unexpected(std::move(proto.error()));
  return Client(std::move(*proto));
}

Client::Client(std::unique_ptr<ProtoClient> proto) : proto_(std::move(proto)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Odds> Client::GetOdds(const OddsRequest& request, const CallOptions& options) {
  return ToTyped(proto_->GetOdds(ToMessage(request), options));
}

Result<OddsColumns> Client::GetOddsColumns(const OddsColumnsRequest& request,
                                           const CallOptions& options) {
  if (auto faults = LengthFaults(request); !faults.empty())
    return tl::unexpected(BadArguments("the columns are bad", std::move(faults)));
  return ToTyped(proto_->GetOddsColumns(ToMessage(request), options));
}

Result<OddsColumns> Client::GetOddsColumns(Edition edition,
                                           const std::vector<AnyPosition>& positions,
                                           std::vector<OddsOutput> outputs,
                                           const CallOptions& options) {
  PackedPositions packed = PackPositions(edition, positions);
  packed.request.outputs = std::move(outputs);
  auto columns = GetOddsColumns(packed.request, options);
  if (columns) MergeFaults(std::move(packed.faults), *columns);
  return columns;
}

Result<Moves> Client::EvaluateMoves(const MovesRequest& request, const CallOptions& options) {
  return ToTyped(proto_->EvaluateMoves(ToMessage(request), options));
}

Result<std::vector<Result<Moves>>> Client::EvaluateMovesMany(
    const std::vector<MovesRequest>& questions, const CallOptions& options) {
  return ToTyped(proto_->EvaluateMovesMany(ToMessage(questions), options));
}

Result<SimulateUpdate> Client::Simulate(const SimulateRequest& request,
                                        const std::function<bool(const SimulateUpdate&)>& on_update,
                                        const CallOptions& options) {
  return ToTyped(proto_->Simulate(
      ToMessage(request),
      [&](const v1::SimulateResponse& update) { return on_update(FromMessage(update)); }, options));
}

Result<StepResult> Client::Step(const StepRequest& request, const CallOptions& options) {
  return ToTyped(proto_->Step(ToMessage(request), options));
}

Result<StepManyResult> Client::StepMany(const StepManyRequest& request,
                                        const CallOptions& options) {
  return ToTyped(proto_->StepMany(ToMessage(request), options));
}

Boards Client::boards() { return Boards(proto_->boards()); }

Result<ServerInfo> Client::GetInfo(const CallOptions& options) {
  return ToTyped(proto_->GetInfo({}, options));
}

Result<ServerStatistics> Client::GetStatistics(const CallOptions& options) {
  return ToTyped(proto_->GetStatistics({}, options));
}

Result<void> Client::Ping(const CallOptions& options) {
  return proto_->Ping({}, options).map([](const v1::PingResponse&) {});
}

void Client::GetOddsAsync(const OddsRequest& request, std::function<void(Result<Odds>)> done,
                          const CallOptions& options) {
  proto_->GetOddsAsync(
      ToMessage(request),
      [done = std::move(done)](Result<v1::GetOddsResponse> reply) {
        done(ToTyped(std::move(reply)));
      },
      options);
}

void Client::StepAsync(const StepRequest& request, std::function<void(Result<StepResult>)> done,
                       const CallOptions& options) {
  proto_->StepAsync(
      ToMessage(request),
      [done = std::move(done)](Result<v1::StepResponse> reply) { done(ToTyped(std::move(reply))); },
      options);
}

std::future<Result<Odds>> Client::GetOddsFuture(const OddsRequest& request,
                                                const CallOptions& options) {
  auto [callback, future] = PromiseCallback<Odds>();
  GetOddsAsync(request, std::move(callback), options);
  return std::move(future);
}

std::future<Result<StepResult>> Client::StepFuture(const StepRequest& request,
                                                   const CallOptions& options) {
  auto [callback, future] = PromiseCallback<StepResult>();
  StepAsync(request, std::move(callback), options);
  return std::move(future);
}

std::future<Result<OddsColumns>> Client::GetOddsColumnsFuture(const OddsColumnsRequest& request,
                                                              const CallOptions& options) {
  auto [callback, future] = PromiseCallback<OddsColumns>();
  if (auto faults = LengthFaults(request); !faults.empty()) {
    callback(tl::unexpected(BadArguments("the columns are bad", std::move(faults))));
    return std::move(future);
  }
  proto_->GetOddsColumnsAsync(
      ToMessage(request),
      [done = std::move(callback)](Result<v1::GetOddsColumnsResponse> reply) {
        done(ToTyped(std::move(reply)));
      },
      options);
  return std::move(future);
}

std::future<Result<Moves>> Client::EvaluateMovesFuture(const MovesRequest& request,
                                                       const CallOptions& options) {
  auto [callback, future] = PromiseCallback<Moves>();
  proto_->EvaluateMovesAsync(
      ToMessage(request),
      [done = std::move(callback)](Result<v1::EvaluateMovesResponse> reply) {
        done(ToTyped(std::move(reply)));
      },
      options);
  return std::move(future);
}

OddsStream Client::StreamOdds(const CallOptions& options) {
  return OddsStream(proto_->StreamOdds(nullptr, options));
}

OddsStream Client::StreamOddsAsync(std::function<void(StreamAnswer)> on_answer,
                                   const CallOptions& options) {
  return OddsStream(proto_->StreamOdds(
      [done = std::move(on_answer)](const v1::StreamItem& item) { done(FromMessage(item)); },
      options));
}

}  // namespace gpusim
