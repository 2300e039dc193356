// CamelUpService: thin handlers on the path of unary_call.h; streams in files of their own.
#pragma once

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "server/services/serving_context.h"
#include "server/services/simulate.h"
#include "server/services/stream_odds.h"

namespace gpusim::server {

class CamelUpServiceImpl final : public v1::CamelUpService::CallbackService {
 public:
  explicit CamelUpServiceImpl(const ServingContext& context) : context_(context) {}

  grpc::ServerUnaryReactor* GetOdds(grpc::CallbackServerContext* call,
                                    const v1::GetOddsRequest* request,
                                    v1::GetOddsResponse* response) override;
  grpc::ServerUnaryReactor* GetOddsColumns(grpc::CallbackServerContext* call,
                                           const v1::GetOddsColumnsRequest* request,
                                           v1::GetOddsColumnsResponse* response) override;
  StreamOddsReactor* StreamOdds(grpc::CallbackServerContext* call) override;
  grpc::ServerWriteReactor<v1::SimulateResponse>* Simulate(
      grpc::CallbackServerContext* call, const v1::SimulateRequest* request) override;
  grpc::ServerUnaryReactor* EvaluateMoves(grpc::CallbackServerContext* call,
                                          const v1::EvaluateMovesRequest* request,
                                          v1::EvaluateMovesResponse* response) override;
  grpc::ServerUnaryReactor* EvaluateMovesMany(grpc::CallbackServerContext* call,
                                              const v1::EvaluateMovesManyRequest* request,
                                              v1::EvaluateMovesManyResponse* response) override;

 private:
  const ServingContext& context_;
};

}  // namespace gpusim::server
