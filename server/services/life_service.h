// LifeService: thin handlers on the path of unary_call.h.
#pragma once

#include "gpusim/v1/life.grpc.pb.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

class LifeServiceImpl final : public v1::LifeService::CallbackService {
 public:
  explicit LifeServiceImpl(const ServingContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* Step(grpc::CallbackServerContext* call, const v1::StepRequest* request,
                                 v1::StepResponse* response) override;
  grpc::ServerUnaryReactor* StepMany(grpc::CallbackServerContext* call,
                                     const v1::StepManyRequest* request,
                                     v1::StepManyResponse* response) override;

 private:
  const ServingContext& context_;
};

}  // namespace gpusim::server
