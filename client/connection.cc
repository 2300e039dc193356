#include "client/connection.h"

#include <algorithm>
#include <limits>
#include <string>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "client/duration_text.h"

namespace gpusim {
namespace {

using std::chrono::nanoseconds;

// UNAVAILABLE is repeated by gRPC, which knows best when a connection is back; only calls that are
// named here. Those of Camel Up and of the server just read; those of Life that change something
// have a request id. A new call that changes something must not be added without one.
std::string ServiceConfig(int max_attempts) {
  std::string config = R"({"loadBalancingConfig": [{"round_robin": {}}])";
  if (max_attempts > 1) {
    config += R"(, "methodConfig": [{"name": [
      {"service": "gpusim.v1.CamelUpService"},
      {"service": "gpusim.v1.LifeService"},
      {"service": "gpusim.v1.ServerService", "method": "GetInfo"},
      {"service": "gpusim.v1.ServerService", "method": "GetStatistics"},
      {"service": "gpusim.v1.ServerService", "method": "Ping"}],
      "retryPolicy": {"maxAttempts": )" +
              std::to_string(max_attempts) + R"(, "initialBackoff": "0.05s", "maxBackoff": "1s",
      "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}])";
  }
  return config + "}";
}

std::shared_ptr<grpc::Channel> OpenChannel(const ClientOptions& options,
                                           const Credentials& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(ServiceConfig(options.max_attempts));
  arguments.SetMaxReceiveMessageSize(static_cast<int>(options.max_reply_bytes));
  // gRPC waits up to two minutes before it tries a lost server again; a bot at the table will not.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
  // A request larger than this is sent only once, for gRPC has to keep it for a repeat. 256 KiB
  // would leave out larger patterns.
  arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, 16 << 20);
  // Finds out that the server's machine is gone; servers allow a ping in 10 seconds.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  if (!options.tls_server_name.empty()) arguments.SetSslTargetNameOverride(options.tls_server_name);
  return grpc::CreateCustomChannel(options.server, credentials.channel, arguments);
}

}  // namespace

Error BadArguments(const std::string& message, std::vector<FieldViolation> violations) {
  return Error{.code = StatusCode::kInvalidArgument,
               .message = message,
               .violations = std::move(violations),
               .retry_after = {},
               .connected = false};
}

std::vector<FieldViolation> OptionFaults(const ClientOptions& options) {
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

ProtoClient::Connection::Connection(ClientOptions options, Credentials credentials)
    : options_(std::move(options)),
      credentials_(std::move(credentials)),
      channel_(OpenChannel(options_, credentials_)),
      camel_up_(v1::CamelUpService::NewStub(channel_)),
      life_(v1::LifeService::NewStub(channel_)),
      server_(v1::ServerService::NewStub(channel_)) {}

ProtoClient::Connection::~Connection() {
  calls_.Cancel();
  calls_.AwaitEmpty();
}

CallTerms ProtoClient::Connection::Terms(const CallOptions& options,
                                         std::optional<nanoseconds> otherwise) const {
  const nanoseconds own = options.timeout.value_or(options_.timeout);
  const nanoseconds timeout = std::min(options.timeout ? own : otherwise.value_or(own), kNoTimeout);
  return CallTerms{.channel = channel_.get(),
                   .server = options_.server,
                   .authorization = credentials_.authorization,
                   .timeout = timeout,
                   .wait_as_told = options_.wait_as_told,
                   .cancellation = options.cancellation.value_or(Cancellation()),
                   .end = std::chrono::steady_clock::now() + timeout,
                   .longest_wait = own};
}

}  // namespace gpusim
