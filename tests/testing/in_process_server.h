// A whole server in the test's own process, on a port that the system chooses.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <grpcpp/channel.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "kernels/backend.h"
#include "server/server.h"

namespace gpusim::testing {

// Defaults for tests: 127.0.0.1 with port 0, and no race tables, which take a second to solve.
server::ServerOptions TestOptions();
// With those tables that are quick to solve.
server::ServerOptions RaceOptions();

// The CPU backend with two threads; with GPUSIM_TEST_BACKEND=cuda in the environment, as the gpu
// suite sets it, the GPU. Throws std::runtime_error if that is not to be had: nothing is skipped.
std::unique_ptr<Backend> MakeTestBackend();

// Throws std::runtime_error if the server does not start. Logs nothing.
class InProcessServer {
 public:
  explicit InProcessServer(const server::ServerOptions& options = TestOptions(),
                           std::unique_ptr<Backend> backend = MakeTestBackend());

  server::Server& server() { return *server_; }
  const std::string& address() const { return address_; }

  // A channel of its own, which shares no connection with others.
  std::shared_ptr<grpc::Channel> NewChannel() const;

  // On one connection.
  v1::CamelUpService::Stub& camel_up() { return *camel_up_; }
  v1::LifeService::Stub& life() { return *life_; }
  v1::ServerService::Stub& server_service() { return *server_service_; }
  const std::shared_ptr<grpc::Channel>& channel() { return channel_; }

  // What it said of itself when it had started.
  const v1::GetInfoResponse& info() const { return info_; }
  v1::KindStatistics Statistics(const std::string& kind);
  // Asks until the statistics are as wanted; throws std::runtime_error if they are not in 60 s.
  v1::KindStatistics AwaitStatistics(const std::string& kind,
                                     const std::function<bool(const v1::KindStatistics&)>& wanted);

 private:
  std::unique_ptr<server::Server> server_;
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::CamelUpService::Stub> camel_up_;
  std::unique_ptr<v1::LifeService::Stub> life_;
  std::unique_ptr<v1::ServerService::Stub> server_service_;
  v1::GetInfoResponse info_;
};

}  // namespace gpusim::testing
