// What a connection shows of itself and asks of its server, made from the options and the files that they name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gpusim/client.h>
#include <grpcpp/security/credentials.h>
#include <tl/expected.hpp>

namespace gpusim {

struct Credentials {
  std::shared_ptr<grpc::ChannelCredentials> channel;
  std::string authorization;  // metadata of every call; empty: none
};

// Reads the files, which blocks. One violation for each option that is bad; none holds a token.
tl::expected<Credentials, std::vector<FieldViolation>> CredentialsOf(const ClientOptions& options);

}  // namespace gpusim
