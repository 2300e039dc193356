#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include <gpusim/client_proto.h>

#include "client/board_owners.h"
#include "client/connection.h"
#include "client/odds_stream_call.h"
#include "client/request_priority.h"
#include "client/updates_call.h"

namespace gpusim {

Result<std::unique_ptr<ProtoClient>> ProtoClient::Create(ClientOptions options) {
  options.server = ResolveServer(options.server);
  std::vector<FieldViolation> violations = OptionFaults(options);
  if (!violations.empty()) {
    return tl::unexpected(BadArguments("the client's options are bad", std::move(violations)));
  }
  auto credentials = CredentialsOf(options);
  if (!credentials)
    return tl::unexpected(
        BadArguments("the client's options are bad", std::move(credentials.error())));
  return std::unique_ptr<ProtoClient>(
      new ProtoClient(std::make_unique<Connection>(std::move(options), *std::move(credentials))));
}

ProtoClient::ProtoClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)),
      boards_(new ProtoBoards(std::make_unique<ProtoBoards::Owners>(*connection_))) {}

ProtoClient::~ProtoClient() = default;

const std::string& ProtoClient::server() const { return connection_->options().server; }

Result<v1::GetOddsResponse> ProtoClient::GetOdds(const v1::GetOddsRequest& request,
                                                 const CallOptions& options) {
  return connection_->Wait(connection_->camel_up(), &v1::CamelUpService::StubInterface::GetOdds,
                           request, options);
}

Result<v1::GetOddsColumnsResponse> ProtoClient::GetOddsColumns(
    const v1::GetOddsColumnsRequest& request, const CallOptions& options) {
  return connection_->Wait(connection_->camel_up(),
                           &v1::CamelUpService::StubInterface::GetOddsColumns, request, options);
}

Result<v1::EvaluateMovesResponse> ProtoClient::EvaluateMoves(
    const v1::EvaluateMovesRequest& request, const CallOptions& options) {
  return connection_->Wait(connection_->camel_up(),
                           &v1::CamelUpService::StubInterface::EvaluateMoves, request, options);
}

Result<v1::EvaluateMovesManyResponse> ProtoClient::EvaluateMovesMany(
    const v1::EvaluateMovesManyRequest& request, const CallOptions& options) {
  return connection_->Wait(connection_->camel_up(),
                           &v1::CamelUpService::StubInterface::EvaluateMovesMany, request, options);
}

Result<v1::SimulateResponse> ProtoClient::Simulate(
    const v1::SimulateRequest& request,
    const std::function<bool(const v1::SimulateResponse&)>& on_update, const CallOptions& options) {
  if (auto violations = StringsNotUtf8(request); !violations.empty())
    return tl::unexpected(BadArguments("the request is bad", std::move(violations)));
  CallOptions used = options;
  if (!used.timeout) {
    const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(kNoTimeout);
    const auto bound = static_cast<std::uint64_t>(longest.count());
    const std::uint64_t duration_ms = std::min(request.max_duration_ms(), bound);
    used.timeout = duration_ms == 0 ? kNoTimeout
                                    : std::chrono::milliseconds(duration_ms) +
                                          std::min(connection_->options().timeout, kNoTimeout);
  }
  const std::optional<v1::SimulateRequest> prioritised = WithPriority(request, options.priority);
  const auto open = [&](grpc::ClientContext* context) {
    return connection_->camel_up().Simulate(context, prioritised ? *prioritised : request);
  };
  return ReadUpdates<v1::SimulateResponse>(connection_->Terms(used), open, on_update);
}

Result<v1::StepResponse> ProtoClient::Step(const v1::StepRequest& request,
                                           const CallOptions& options) {
  return connection_->Wait(connection_->life(), &v1::LifeService::StubInterface::Step, request,
                           options);
}

Result<v1::StepManyResponse> ProtoClient::StepMany(const v1::StepManyRequest& request,
                                                   const CallOptions& options) {
  return connection_->Wait(connection_->life(), &v1::LifeService::StubInterface::StepMany, request,
                           options);
}

Result<v1::GetInfoResponse> ProtoClient::GetInfo(const v1::GetInfoRequest& request,
                                                 const CallOptions& options) {
  return connection_->Wait(connection_->server(), &v1::ServerService::StubInterface::GetInfo,
                           request, options);
}

Result<v1::GetStatisticsResponse> ProtoClient::GetStatistics(
    const v1::GetStatisticsRequest& request, const CallOptions& options) {
  return connection_->Wait(connection_->server(), &v1::ServerService::StubInterface::GetStatistics,
                           request, options);
}

Result<v1::PingResponse> ProtoClient::Ping(const v1::PingRequest& request,
                                           const CallOptions& options) {
  return connection_->Wait(connection_->server(), &v1::ServerService::StubInterface::Ping, request,
                           options);
}

void ProtoClient::GetOddsAsync(v1::GetOddsRequest request,
                               std::function<void(Result<v1::GetOddsResponse>)> done,
                               const CallOptions& options) {
  auto method = [&stub = connection_->camel_up()](auto* context, auto* sent, auto* response,
                                                  auto* reactor) {
    stub.async()->GetOdds(context, sent, response, reactor);
  };
  connection_->Start<v1::GetOddsResponse>(std::move(request), method, std::move(done), options);
}

void ProtoClient::GetOddsColumnsAsync(v1::GetOddsColumnsRequest request,
                                      std::function<void(Result<v1::GetOddsColumnsResponse>)> done,
                                      const CallOptions& options) {
  auto method = [&stub = connection_->camel_up()](auto* context, auto* sent, auto* response,
                                                  auto* reactor) {
    stub.async()->GetOddsColumns(context, sent, response, reactor);
  };
  connection_->Start<v1::GetOddsColumnsResponse>(std::move(request), method, std::move(done),
                                                 options);
}

void ProtoClient::EvaluateMovesAsync(v1::EvaluateMovesRequest request,
                                     std::function<void(Result<v1::EvaluateMovesResponse>)> done,
                                     const CallOptions& options) {
  auto method = [&stub = connection_->camel_up()](auto* context, auto* sent, auto* response,
                                                  auto* reactor) {
    stub.async()->EvaluateMoves(context, sent, response, reactor);
  };
  connection_->Start<v1::EvaluateMovesResponse>(std::move(request), method, std::move(done),
                                                options);
}

void ProtoClient::StepAsync(v1::StepRequest request,
                            std::function<void(Result<v1::StepResponse>)> done,
                            const CallOptions& options) {
  auto method = [&stub = connection_->life()](auto* context, auto* sent, auto* response,
                                              auto* reactor) {
    stub.async()->Step(context, sent, response, reactor);
  };
  connection_->Start<v1::StepResponse>(std::move(request), method, std::move(done), options);
}

std::unique_ptr<ProtoOddsStream> ProtoClient::StreamOdds(
    std::function<void(v1::StreamItem)> on_item, const CallOptions& options) {
  CallOptions used = options;
  if (!used.timeout) used.timeout = kNoTimeout;
  return std::unique_ptr<ProtoOddsStream>(
      new ProtoOddsStream(std::make_unique<ProtoOddsStream::Call>(
          connection_->channel(), connection_->Terms(used), connection_->options().timeout,
          connection_->calls(), options.priority, std::move(on_item))));
}

}  // namespace gpusim
