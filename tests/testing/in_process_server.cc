#include "tests/testing/in_process_server.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <grpcpp/create_channel.h>
#include <spdlog/sinks/null_sink.h>

namespace gpusim::testing {

server::ServerOptions TestOptions() {
  server::ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  options.race_table_solving = server::RaceTableSolving::kOff;
  return options;
}

server::ServerOptions RaceOptions() {
  server::ServerOptions options = TestOptions();
  options.race_table_solving = server::RaceTableSolving::kAuto;
  return options;
}

std::unique_ptr<Backend> MakeTestBackend() {
  const char* wanted = std::getenv("GPUSIM_TEST_BACKEND");
  if (wanted == nullptr || std::string_view(wanted) != "cuda") return MakeCpuBackend(2);
  auto cuda = MakeCudaBackend();
  if (!cuda) throw std::runtime_error(cuda.error().what);
  return *std::move(cuda);
}

InProcessServer::InProcessServer(const server::ServerOptions& options,
                                 std::unique_ptr<Backend> backend) {
  auto log =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  auto started = server::Server::Start(options, std::move(backend), std::move(log));
  if (!started) throw std::runtime_error(started.error());
  server_ = *std::move(started);
  address_ = server_->addresses().front();
  channel_ = NewChannel();
  camel_up_ = v1::CamelUpService::NewStub(channel_);
  life_ = v1::LifeService::NewStub(channel_);
  server_service_ = v1::ServerService::NewStub(channel_);
  grpc::ClientContext context;
  const grpc::Status status = server_service_->GetInfo(&context, {}, &info_);
  if (!status.ok()) throw std::runtime_error("GetInfo: " + status.error_message());
}

std::shared_ptr<grpc::Channel> InProcessServer::NewChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
}

v1::KindStatistics InProcessServer::Statistics(const std::string& kind) {
  grpc::ClientContext context;
  v1::GetStatisticsResponse response;
  const grpc::Status status = server_service_->GetStatistics(&context, {}, &response);
  if (!status.ok()) throw std::runtime_error("GetStatistics: " + status.error_message());
  for (const v1::KindStatistics& statistics : response.kinds()) {
    if (statistics.kind() == kind) return statistics;
  }
  throw std::runtime_error("GetStatistics knows no kind " + kind);
}

v1::KindStatistics InProcessServer::AwaitStatistics(
    const std::string& kind, const std::function<bool(const v1::KindStatistics&)>& wanted) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (true) {
    v1::KindStatistics statistics = Statistics(kind);
    if (wanted(statistics)) return statistics;
    if (std::chrono::steady_clock::now() >= give_up)
      throw std::runtime_error("waited in vain; the last were " + statistics.ShortDebugString());
  }
}

}  // namespace gpusim::testing
