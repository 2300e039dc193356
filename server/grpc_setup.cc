#include "server/grpc_setup.h"

#include <chrono>
#include <mutex>
#include <vector>

#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/resource_quota.h>

#include "server/access/tls_credentials.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;

// Of all headers of a call together.
constexpr int kMaxMetadataBytes = 16 << 10;

// gRPC's reflection asks nobody for a token, so servers that do go without. It comes by itself where its library is linked.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments* /*arguments*/) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins, [](const auto& plugin) {
      return dynamic_cast<grpc::reflection::ProtoServerReflectionPlugin*>(plugin.get()) != nullptr;
    });
  }
};

void SetLimits(const ServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_request_bytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             static_cast<int>(options.max_concurrent_streams));
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder.SetResourceQuota(
      grpc::ResourceQuota("gpusim").Resize(static_cast<std::size_t>(options.max_grpc_bytes)));
  // There is no limit to how long open calls may go on afterwards: streams end themselves.
  if (options.max_connection_age > milliseconds(0))
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               static_cast<int>(options.max_connection_age.count()));
  // Two servers on one port would each get some of the calls, and both look fine.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Clients keep idle connections alive through balancers; gRPC's own limit of a ping in 5 minutes
  // would close them.
  constexpr int kLeastPingMs = 10'000;
  constexpr int kPingEveryMs = 60'000;
  constexpr int kPingTimeoutMs = 20'000;
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kLeastPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // A client whose machine is gone says no goodbye; ours asks likewise.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

}  // namespace

tl::expected<std::shared_ptr<grpc::ServerCredentials>, std::string> TcpCredentials(
    const ServerOptions& options) {
  const access::TlsFiles files{.certificate = options.tls_certificate,
                               .key = options.tls_key,
                               .client_ca = options.tls_client_ca};
  if (!files.on()) return grpc::InsecureServerCredentials();
  return access::MakeTlsCredentials(files);
}

std::unique_ptr<grpc::ServerBuilderOption> NoReflection() {
  return std::make_unique<WithoutReflection>();
}

void SetUp(const ServerOptions& options, grpc::ServerBuilder& builder) {
  // For all servers of the process, and not thread-safe.
  static std::once_flag once;
  std::call_once(once, [] { grpc::reflection::InitProtoReflectionServerBuilderPlugin(); });
  if (!options.token_file.empty()) builder.SetOption(NoReflection());
  SetLimits(options, builder);
}

}  // namespace gpusim::server
