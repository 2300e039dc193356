// grpc.health.v1 over a HealthState: Check at once, Watch without a thread that waits.
#pragma once

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/health/health_state.h"

namespace gpusim::server {

// Thread-safe. Several may speak of one state, each registered with a grpc::Server of its own. The state outlives the
// service, and the service its server.
class HealthService final : public grpc::health::v1::Health::CallbackService {
 public:
  explicit HealthService(HealthState& state) : state_(state) {}

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* call,
                                  const grpc::health::v1::HealthCheckRequest* request,
                                  grpc::health::v1::HealthCheckResponse* response) override;
  grpc::ServerWriteReactor<grpc::health::v1::HealthCheckResponse>* Watch(
      grpc::CallbackServerContext* call,
      const grpc::health::v1::HealthCheckRequest* request) override;

 private:
  HealthState& state_;
};

}  // namespace gpusim::server
