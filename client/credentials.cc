#include "client/credentials.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace gpusim {
namespace {

constexpr std::string_view kCertificate = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view kKey = "PRIVATE KEY-----";

// For the files of one set of options.
class Reader {
 public:
  // Empty, with a violation, where the file cannot be read.
  std::string Read(const std::string& option, const std::string& path) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file.is_open() || text.str().empty())
      Fault(option, path, errno == 0 ? "it is empty" : std::strerror(errno));
    return text.str();
  }

  std::string ReadPem(const std::string& option, const std::string& path, std::string_view mark) {
    std::string text = Read(option, path);
    if (!text.empty() && text.find(mark) == text.npos)
      Fault(option, path,
            mark == kKey ? "it holds no key in PEM form" : "it holds no certificate in PEM form");
    return text;
  }

  void Fault(const std::string& option, const std::string& value, const std::string& what) {
    violations_.push_back({option, (value.empty() ? "" : "'" + value + "': ") + what});
  }

  std::vector<FieldViolation>& violations() { return violations_; }

 private:
  std::vector<FieldViolation> violations_;
};

std::shared_ptr<grpc::ChannelCredentials> ChannelOf(const ClientOptions& options, Reader& reader) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    reader.Fault(options.tls_key.empty() ? "tls_certificate" : "tls_key", "",
                 "tls_certificate and tls_key go together");
  if (options.tls_ca.empty()) {
    for (const auto& [option, value] : {std::pair("tls_certificate", options.tls_certificate),
                                        std::pair("tls_server_name", options.tls_server_name)}) {
      if (!value.empty()) reader.Fault(option, value, "it needs tls_ca");
    }
    return grpc::InsecureChannelCredentials();
  }
  grpc::SslCredentialsOptions ssl;
  ssl.pem_root_certs = reader.ReadPem("tls_ca", options.tls_ca, kCertificate);
  if (!options.tls_certificate.empty())
    ssl.pem_cert_chain = reader.ReadPem("tls_certificate", options.tls_certificate, kCertificate);
  if (!options.tls_key.empty())
    ssl.pem_private_key = reader.ReadPem("tls_key", options.tls_key, kKey);
  if (!reader.violations().empty()) return nullptr;
  return grpc::SslCredentials(ssl);
}

// Empty: none.
std::string TokenOf(const ClientOptions& options, Reader& reader) {
  std::string token = options.token;
  std::string option = "token";
  if (token.empty() && !options.token_file.empty()) {
    option = "token_file";
    token = reader.Read(option, options.token_file);
    token.erase(token.find_last_not_of(" \t\r\n") + 1);
    if (token.empty() && reader.violations().empty())
      reader.Fault(option, options.token_file, "it is empty");
  } else if (const char* own = std::getenv("GPUSIM_TOKEN"); token.empty() && own != nullptr) {
    option = "GPUSIM_TOKEN";
    token = own;
  }
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; }))
    reader.Fault(option, "", "a token is one word of visible ASCII characters");
  return token;
}

}  // namespace

tl::expected<Credentials, std::vector<FieldViolation>> CredentialsOf(const ClientOptions& options) {
  Reader reader;
  Credentials credentials{.channel = ChannelOf(options, reader), .authorization = {}};
  const std::string token = TokenOf(options, reader);
  if (!token.empty()) credentials.authorization = "Bearer " + token;
  if (!reader.violations().empty()) return tl::unexpected(std::move(reader.violations()));
  return credentials;
}

}  // namespace gpusim
