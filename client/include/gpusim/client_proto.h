// The calls with their protobuf messages, for those who want the messages themselves, as protobuf
// JSON for example. Everything that <gpusim/client.h> says about blocking, threads and callbacks
// holds here too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gpusim/boards_proto.h>
#include <gpusim/client.h>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/life.pb.h"
#include "gpusim/v1/server.pb.h"

namespace gpusim {

// What <gpusim/odds_stream.h> says of OddsStream holds here too.
class ProtoOddsStream {
 public:
  ~ProtoOddsStream();
  ProtoOddsStream(const ProtoOddsStream&) = delete;
  ProtoOddsStream& operator=(const ProtoOddsStream&) = delete;

  Result<void> Send(v1::StreamOddsRequest request);
  Result<bool> TrySend(v1::StreamOddsRequest request);
  std::optional<v1::StreamItem> Next();
  void Close();
  Result<void> Finish();
  std::uint32_t max_in_flight();

 private:
  friend class ProtoClient;
  class Call;
  explicit ProtoOddsStream(std::unique_ptr<Call> call);

  std::unique_ptr<Call> call_;
};

class ProtoClient {
 public:
  static Result<std::unique_ptr<ProtoClient>> Create(ClientOptions options = {});
  ~ProtoClient();
  ProtoClient(const ProtoClient&) = delete;
  ProtoClient& operator=(const ProtoClient&) = delete;

  Result<v1::GetOddsResponse> GetOdds(const v1::GetOddsRequest& request,
                                      const CallOptions& options = {});
  Result<v1::GetOddsColumnsResponse> GetOddsColumns(const v1::GetOddsColumnsRequest& request,
                                                    const CallOptions& options = {});
  Result<v1::EvaluateMovesResponse> EvaluateMoves(const v1::EvaluateMovesRequest& request,
                                                  const CallOptions& options = {});
  Result<v1::EvaluateMovesManyResponse> EvaluateMovesMany(
      const v1::EvaluateMovesManyRequest& request, const CallOptions& options = {});
  Result<v1::SimulateResponse> Simulate(
      const v1::SimulateRequest& request,
      const std::function<bool(const v1::SimulateResponse&)>& on_update,
      const CallOptions& options = {});
  Result<v1::StepResponse> Step(const v1::StepRequest& request, const CallOptions& options = {});
  Result<v1::StepManyResponse> StepMany(const v1::StepManyRequest& request,
                                        const CallOptions& options = {});
  Result<v1::GetInfoResponse> GetInfo(const v1::GetInfoRequest& request,
                                      const CallOptions& options = {});
  Result<v1::GetStatisticsResponse> GetStatistics(const v1::GetStatisticsRequest& request,
                                                  const CallOptions& options = {});
  Result<v1::PingResponse> Ping(const v1::PingRequest& request, const CallOptions& options = {});

  void GetOddsAsync(v1::GetOddsRequest request,
                    std::function<void(Result<v1::GetOddsResponse>)> done,
                    const CallOptions& options = {});
  void GetOddsColumnsAsync(v1::GetOddsColumnsRequest request,
                           std::function<void(Result<v1::GetOddsColumnsResponse>)> done,
                           const CallOptions& options = {});
  void EvaluateMovesAsync(v1::EvaluateMovesRequest request,
                          std::function<void(Result<v1::EvaluateMovesResponse>)> done,
                          const CallOptions& options = {});
  void StepAsync(v1::StepRequest request, std::function<void(Result<v1::StepResponse>)> done,
                 const CallOptions& options = {});

  // Without a callback, the answers wait for ProtoOddsStream::Next.
  std::unique_ptr<ProtoOddsStream> StreamOdds(std::function<void(v1::StreamItem)> on_item,
                                              const CallOptions& options = {});

  // The calls about resident boards. Lives as long as this client.
  ProtoBoards& boards() { return *boards_; }

  // The address in use.
  const std::string& server() const;

 private:
  friend class ProtoBoards;
  class Connection;
  explicit ProtoClient(std::unique_ptr<Connection> connection);

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<ProtoBoards> boards_;  // calls by the connection, so it goes first
};

}  // namespace gpusim
