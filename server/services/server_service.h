// ServerService: what the server says about itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "gpusim/v1/server.grpc.pb.h"
#include "kernels/backend.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

struct FlagLimit {
  std::string flag;
  std::uint64_t value = 0;  // in the flag's unit
};

// What does not change while the server runs. The backend has to outlive it.
struct ServerFacts {
  std::string version;
  const Backend& backend;
  std::uint32_t slots_per_device = 0;
  std::vector<FlagLimit> limits;
  std::chrono::steady_clock::time_point started;
};

class ServerServiceImpl final : public v1::ServerService::CallbackService {
 public:
  ServerServiceImpl(const ServingContext& context, ServerFacts facts)
      : context_(context), facts_(std::move(facts)) {}

  grpc::ServerUnaryReactor* GetInfo(grpc::CallbackServerContext* call,
                                    const v1::GetInfoRequest* request,
                                    v1::GetInfoResponse* response) override;
  grpc::ServerUnaryReactor* GetStatistics(grpc::CallbackServerContext* call,
                                          const v1::GetStatisticsRequest* request,
                                          v1::GetStatisticsResponse* response) override;
  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* call, const v1::PingRequest* request,
                                 v1::PingResponse* response) override;

 private:
  std::uint64_t UsedOf(const std::string& flag) const;

  const ServingContext& context_;
  const ServerFacts facts_;
};

}  // namespace gpusim::server
