// A running gpusim-server as a process of its own, on the CPU backend and a free port of loopback, whose memory and end can be looked
// at. For test programs with GPUSIM_SERVER_PROGRAM.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/process.h"

namespace gpusim::testing {

class ServerProgram {
 public:
  // `flags` besides those for the backend and the address.
  explicit ServerProgram(std::vector<std::string> flags = {})
      : process_(CommandOf(std::move(flags))) {
    const std::string start = "listening on ";
    const auto line = process_.WaitForLine(start);
    EXPECT_TRUE(line.has_value());
    if (line) address_ = line->substr(start.size());
  }

  Process& process() { return process_; }
  const std::string& address() const { return address_; }

  // A channel of its own, which shares no connection with others.
  std::shared_ptr<grpc::Channel> NewChannel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments);
  }

  v1::GetStatisticsResponse Statistics() const {
    const auto stub = v1::ServerService::NewStub(NewChannel());
    grpc::ClientContext context;
    v1::GetStatisticsResponse response;
    const grpc::Status status = stub->GetStatistics(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  v1::KindStatistics Statistics(const std::string& kind) const {
    const v1::GetStatisticsResponse all = Statistics();
    for (const v1::KindStatistics& statistics : all.kinds()) {
      if (statistics.kind() == kind) return statistics;
    }
    ADD_FAILURE() << "no kind " << kind;
    return {};
  }

  // Kilobytes of a line of /proc/PID/status.
  std::uint64_t StatusKilobytes(const std::string& name) const {
    std::ifstream status("/proc/" + std::to_string(process_.pid()) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1));
    }
    ADD_FAILURE() << "no " << name;
    return 0;
  }

 private:
  static Command CommandOf(std::vector<std::string> flags) {
    std::vector<std::string> arguments = {
        GPUSIM_SERVER_PROGRAM,  "--backend", "cpu", "--listen", "127.0.0.1:0",
        "--race-table-solving", "off"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return {.arguments = std::move(arguments), .environment = {}, .input = {}};
  }

  Process process_;
  std::string address_;
};

}  // namespace gpusim::testing
