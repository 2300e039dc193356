// The calls with their protobuf messages, for those who want the messages themselves, as protobuf
// JSON for example. Everything that <gpusim/client.h> says about blocking, threads and callbacks
// holds here too.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gpusim/client.h>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/life.pb.h"
#include "gpusim/v1/server.pb.h"

namespace gpusim {

class ProtoClient {
 public:
  static Result<std::unique_ptr<ProtoClient>> Create(ClientOptions options = {});
  ~ProtoClient();
  ProtoClient(const ProtoClient&) = delete;
  ProtoClient& operator=(const ProtoClient&) = delete;

  Result<v1::GetOddsResponse> GetOdds(const v1::GetOddsRequest& request,
                                      const CallOptions& options = {});
  Result<v1::StepResponse> Step(const v1::StepRequest& request, const CallOptions& options = {});
  Result<v1::GetInfoResponse> GetInfo(const v1::GetInfoRequest& request,
                                      const CallOptions& options = {});
  Result<v1::GetStatisticsResponse> GetStatistics(const v1::GetStatisticsRequest& request,
                                                  const CallOptions& options = {});
  Result<v1::PingResponse> Ping(const v1::PingRequest& request, const CallOptions& options = {});

  void GetOddsAsync(v1::GetOddsRequest request,
                    std::function<void(Result<v1::GetOddsResponse>)> done,
                    const CallOptions& options = {});
  void StepAsync(v1::StepRequest request, std::function<void(Result<v1::StepResponse>)> done,
                 const CallOptions& options = {});

  // The address in use.
  const std::string& server() const;

 private:
  class Connection;
  explicit ProtoClient(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
};

}  // namespace gpusim
