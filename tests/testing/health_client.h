// Asks a server for its health.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "grpc/health/v1/health.grpc.pb.h"

namespace gpusim::testing {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ServingStatus = HealthCheckResponse::ServingStatus;

// The status, or what the call failed with.
inline std::string CheckHealth(const std::shared_ptr<grpc::Channel>& channel,
                               const std::string& name) {
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  grpc::ClientContext context;
  HealthCheckRequest request;
  request.set_service(name);
  HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, request, &response);
  if (!status.ok()) return "code " + std::to_string(status.error_code());
  return HealthCheckResponse::ServingStatus_Name(response.status());
}

// One Watch; every call blocks. A test that ends early cancels it.
class HealthWatch {
 public:
  HealthWatch(const std::shared_ptr<grpc::Channel>& channel, const std::string& name)
      : stub_(grpc::health::v1::Health::NewStub(channel)) {
    request_.set_service(name);
    reader_ = stub_->Watch(&context_, request_);
  }
  ~HealthWatch() {
    if (reader_ == nullptr) return;
    context_.TryCancel();
    End();
  }
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  // The next status; nothing when the stream ends.
  std::optional<ServingStatus> Next() {
    HealthCheckResponse response;
    if (!reader_->Read(&response)) return std::nullopt;
    return response.status();
  }
  // What the stream ends with.
  grpc::Status End() {
    while (Next()) {
    }
    grpc::Status status = reader_->Finish();
    reader_.reset();
    return status;
  }

 private:
  const std::unique_ptr<grpc::health::v1::Health::Stub> stub_;
  grpc::ClientContext context_;
  HealthCheckRequest request_;
  std::unique_ptr<grpc::ClientReader<HealthCheckResponse>> reader_;
};

}  // namespace gpusim::testing
