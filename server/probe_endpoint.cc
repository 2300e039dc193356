#include "server/probe_endpoint.h"

#include <chrono>

#include <grpc/grpc.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include "server/config/listen_address.h"
#include "server/grpc_setup.h"

namespace gpusim::server {
namespace {

// A watch or two of each who looks; what they send is a name.
constexpr int kMaxConcurrentStreams = 16;
constexpr int kMaxRequestBytes = 4096;

}  // namespace

tl::expected<std::unique_ptr<ProbeEndpoint>, std::string> ProbeEndpoint::Listen(
    const std::string& address, HealthState& state) {
  std::unique_ptr<ProbeEndpoint> endpoint(new ProbeEndpoint(state));
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxConcurrentStreams);
  builder.SetMaxReceiveMessageSize(kMaxRequestBytes);
  builder.SetOption(NoReflection());
  builder.RegisterService(&endpoint->health_);
  int port = 0;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port);
  endpoint->grpc_ = builder.BuildAndStart();
  const ListenAddress parsed = *ParseListenAddress(address);
  if (endpoint->grpc_ == nullptr) {
    const std::string why = WhyNotListen(parsed);
    return tl::unexpected("cannot answer probes on " + address + ": " +
                          (why.empty() ? "gRPC could not bind it" : why));
  }
  endpoint->address_ = FormatListenAddress(parsed, port);
  return endpoint;
}

ProbeEndpoint::~ProbeEndpoint() {
  if (grpc_ != nullptr) grpc_->Shutdown(std::chrono::system_clock::now());
}

}  // namespace gpusim::server
