// What gRPC is told of its server: limits, TLS, and whether it reflects.
#pragma once

#include <memory>
#include <string>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <tl/expected.hpp>

#include "server/config/server_options.h"

namespace gpusim::server {

// Of the TCP addresses: TLS, where the options name its files. The error is one line that names flag and file.
tl::expected<std::shared_ptr<grpc::ServerCredentials>, std::string> TcpCredentials(
    const ServerOptions& options);

// gRPC's reflection comes by itself with every server of the process: this leaves it out of one.
std::unique_ptr<grpc::ServerBuilderOption> NoReflection();

// For one thread at a time, of the whole process.
void SetUp(const ServerOptions& options, grpc::ServerBuilder& builder);

}  // namespace gpusim::server
