#include <algorithm>
#include <limits>
#include <utility>

#include <gpusim/client_proto.h>
#include <grpcpp/channel.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "client/cancellation_state.h"
#include "client/duration_text.h"
#include "client/unary_call.h"
#include "client/utf8_check.h"
#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"

namespace gpusim {
namespace {

using std::chrono::nanoseconds;

// UNAVAILABLE is repeated by gRPC, which knows best when a connection is back; only calls that are
// named here, all of which just read. A new call that changes something must not be added without a
// request id.
std::string ServiceConfig(int max_attempts) {
  std::string config = R"({"loadBalancingConfig": [{"round_robin": {}}])";
  if (max_attempts > 1) {
    config += R"(, "methodConfig": [{"name": [
      {"service": "gpusim.v1.CamelUpService", "method": "GetOdds"},
      {"service": "gpusim.v1.LifeService", "method": "Step"},
      {"service": "gpusim.v1.ServerService", "method": "GetInfo"},
      {"service": "gpusim.v1.ServerService", "method": "GetStatistics"},
      {"service": "gpusim.v1.ServerService", "method": "Ping"}],
      "retryPolicy": {"maxAttempts": )" +
              std::to_string(max_attempts) + R"(, "initialBackoff": "0.05s", "maxBackoff": "1s",
      "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}])";
  }
  return config + "}";
}

std::shared_ptr<grpc::Channel> OpenChannel(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(ServiceConfig(options.max_attempts));
  arguments.SetMaxReceiveMessageSize(static_cast<int>(options.max_reply_bytes));
  // gRPC waits up to two minutes before it tries a lost server again; a bot at the table will not.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  // A request larger than this is sent only once, for gRPC has to keep it for a repeat. 256 KiB
  // would leave out larger patterns.
  arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, 16 << 20);
  return grpc::CreateCustomChannel(options.server, grpc::InsecureChannelCredentials(), arguments);
}

std::vector<FieldViolation> Check(const ClientOptions& options) {
  std::vector<FieldViolation> violations;
  const std::string fault = ServerAddressFault(options.server);
  if (!fault.empty()) violations.push_back({"server", "'" + options.server + "': " + fault});
  if (options.timeout <= nanoseconds(0)) {
    violations.push_back({"timeout", DurationText(options.timeout) + ": it has to be positive"});
  }
  if (options.max_attempts < 1 || options.max_attempts > 5) {
    violations.push_back({"max_attempts", std::to_string(options.max_attempts) + ": 1 to 5"});
  }
  if (options.max_reply_bytes > std::numeric_limits<int>::max()) {
    violations.push_back(
        {"max_reply_bytes", std::to_string(options.max_reply_bytes) + ": at most 2147483647"});
  }
  return violations;
}

Error BadArguments(const std::string& message, std::vector<FieldViolation> violations) {
  return Error{.code = StatusCode::kInvalidArgument,
               .message = message,
               .violations = std::move(violations),
               .retry_after = {},
               .connected = false};
}

}  // namespace

class ProtoClient::Connection {
 public:
  explicit Connection(ClientOptions options)
      : options_(std::move(options)),
        channel_(OpenChannel(options_)),
        camel_up_(v1::CamelUpService::NewStub(channel_)),
        life_(v1::LifeService::NewStub(channel_)),
        server_(v1::ServerService::NewStub(channel_)) {}

  // The calls touch the stubs, so they have to be over before any member goes.
  ~Connection() {
    calls_.Cancel();
    calls_.AwaitEmpty();
  }

  CallTerms Terms(const CallOptions& options) const {
    // Longer than any call can wish for, and far from overflowing a clock.
    constexpr nanoseconds kLongest = std::chrono::hours(24 * 365);
    const nanoseconds timeout = std::min(options.timeout.value_or(options_.timeout), kLongest);
    return CallTerms{.channel = channel_.get(),
                     .server = options_.server,
                     .timeout = timeout,
                     .wait_when_full = options_.wait_when_full,
                     .cancellation = options.cancellation.value_or(Cancellation()),
                     .end = std::chrono::steady_clock::now() + timeout};
  }

  template <class Request, class Response, class Service>
  Result<Response> Wait(Service& stub,
                        grpc::Status (Service::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
                        const Request& request, const CallOptions& options) {
    if (auto violations = StringsNotUtf8(request); !violations.empty())
      return tl::unexpected(BadArguments("the request is bad", std::move(violations)));
    return CallAndWait<Response>(Terms(options),
                                 [&](grpc::ClientContext* context, Response* response) {
                                   return (stub.*method)(context, request, response);
                                 });
  }

  // `method(context, request, response, reactor)`
  template <class Response, class Request, class Method>
  void Start(Request request, Method method, std::function<void(Result<Response>)> done,
             const CallOptions& options) {
    std::make_shared<AsyncCall<Request, Response>>(Terms(options), calls_, std::move(request),
                                                   std::move(method), std::move(done))
        ->Start();
  }

  const std::string& address() const { return options_.server; }
  v1::CamelUpService::StubInterface& camel_up() { return *camel_up_; }
  v1::LifeService::StubInterface& life() { return *life_; }
  v1::ServerService::StubInterface& server() { return *server_; }

 private:
  const ClientOptions options_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::CamelUpService::StubInterface> camel_up_;
  const std::unique_ptr<v1::LifeService::StubInterface> life_;
  const std::unique_ptr<v1::ServerService::StubInterface> server_;
  CancellationState calls_;
};

Result<std::unique_ptr<ProtoClient>> ProtoClient::Create(ClientOptions options) {
  options.server = ResolveServer(options.server);
  std::vector<FieldViolation> violations = Check(options);
  if (!violations.empty()) {
    return tl::unexpected(BadArguments("the client's options are bad", std::move(violations)));
  }
  return std::unique_ptr<ProtoClient>(
      new ProtoClient(std::make_unique<Connection>(std::move(options))));
}

ProtoClient::ProtoClient(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

ProtoClient::~ProtoClient() = default;

const std::string& ProtoClient::server() const { return connection_->address(); }

Result<v1::GetOddsResponse> ProtoClient::GetOdds(const v1::GetOddsRequest& request,
                                                 const CallOptions& options) {
  return connection_->Wait(connection_->camel_up(), &v1::CamelUpService::StubInterface::GetOdds,
                           request, options);
}

Result<v1::StepResponse> ProtoClient::Step(const v1::StepRequest& request,
                                           const CallOptions& options) {
  return connection_->Wait(connection_->life(), &v1::LifeService::StubInterface::Step, request,
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

void ProtoClient::StepAsync(v1::StepRequest request,
                            std::function<void(Result<v1::StepResponse>)> done,
                            const CallOptions& options) {
  auto method = [&stub = connection_->life()](auto* context, auto* sent, auto* response,
                                              auto* reactor) {
    stub.async()->Step(context, sent, response, reactor);
  };
  connection_->Start<v1::StepResponse>(std::move(request), method, std::move(done), options);
}

}  // namespace gpusim
