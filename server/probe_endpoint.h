// A port that answers grpc.health.v1 and nothing else, in plaintext and without tokens: for those who look after the process and
// have no certificate, where the others are TLS.
#pragma once

#include <memory>
#include <string>

#include <grpcpp/server.h>
#include <tl/expected.hpp>

#include "server/health/health_service.h"

namespace gpusim::server {

class ProbeEndpoint {
 public:
  // `address` is HOST:PORT, and port 0 takes a free one. The state outlives the endpoint. The error is one line.
  static tl::expected<std::unique_ptr<ProbeEndpoint>, std::string> Listen(
      const std::string& address, HealthState& state);
  // Ends the calls under way.
  ~ProbeEndpoint();
  ProbeEndpoint(const ProbeEndpoint&) = delete;
  ProbeEndpoint& operator=(const ProbeEndpoint&) = delete;

  // With the port that was got.
  const std::string& address() const { return address_; }

 private:
  explicit ProbeEndpoint(HealthState& state) : health_(state) {}

  HealthService health_;
  std::unique_ptr<grpc::Server> grpc_;
  std::string address_;
};

}  // namespace gpusim::server
