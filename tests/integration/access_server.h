// A server whose callers are asked who they are, in the test's own process, with what it logs.
#pragma once

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include <grpcpp/create_channel.h>
#include <spdlog/sinks/base_sink.h>

#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {

class LogText final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    text_.append(message.payload.data(), message.payload.size()).append("\n");
  }
  void flush_() override {}

  std::string text_;
};

class AccessServer {
 public:
  // Throws std::runtime_error if it does not start.
  explicit AccessServer(const server::ServerOptions& options)
      : AccessServer(options, MakeCpuBackend(2)) {}
  AccessServer(const server::ServerOptions& options, std::unique_ptr<Backend> backend) {
    auto log = std::make_shared<spdlog::logger>("test", log_);
    log->set_level(spdlog::level::trace);
    auto started = server::Server::Start(options, std::move(backend), std::move(log));
    if (!started) throw std::runtime_error(started.error());
    server_ = *std::move(started);
  }
  ~AccessServer() { server_.reset(); }

  server::Server& server() { return *server_; }
  const std::string& address(std::size_t i = 0) const { return server_->addresses()[i]; }
  // Ends the server: afterwards nobody writes to the log.
  std::string EndAndTakeLog() {
    server_.reset();
    return log_->text();
  }
  bool LogHolds(const std::string& text) const { return log_->text().find(text) != text.npos; }

  // A channel of its own, which shares no connection with others.
  std::shared_ptr<grpc::Channel> Channel(const std::shared_ptr<grpc::ChannelCredentials>&
                                             credentials = grpc::InsecureChannelCredentials(),
                                         std::size_t address_index = 0) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address(address_index), credentials, arguments);
  }

 private:
  const std::shared_ptr<LogText> log_ = std::make_shared<LogText>();
  std::unique_ptr<server::Server> server_;
};

// One Ping over the channel, with that token if it is not empty.
inline grpc::Status PingOver(const std::shared_ptr<grpc::Channel>& channel,
                             const std::string& token = "") {
  grpc::ClientContext context;
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  v1::PingResponse response;
  return v1::ServerService::NewStub(channel)->Ping(&context, {}, &response);
}

}  // namespace gpusim::testing
