// TLS of the listening addresses, from files that may be replaced while the server runs.
#pragma once

#include <memory>
#include <string>

#include <grpcpp/security/server_credentials.h>
#include <tl/expected.hpp>

namespace gpusim::access {

struct TlsFiles {
  std::string certificate;  // PEM, the server's first, then those between it and the root
  std::string key;          // PEM, without a passphrase
  std::string client_ca;    // PEM; empty: clients need no certificate

  bool on() const { return !certificate.empty(); }
};

// Reads the files once to see that they fit together, which blocks; from then on gRPC looks at them every second. The error is
// one line that names the flag, the file and what is wrong.
tl::expected<std::shared_ptr<grpc::ServerCredentials>, std::string> MakeTlsCredentials(
    const TlsFiles& files);

}  // namespace gpusim::access
