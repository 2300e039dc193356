#include "server/access/tls_credentials.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace gpusim::access {
namespace {

constexpr unsigned kLookEverySeconds = 1;

// What OpenSSL says last is what went wrong; clears all that it has said.
std::string OpensslReason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "it is not what it should be" : reason;
}

tl::unexpected<std::string> Fault(const std::string& flag, const std::string& file,
                                  const std::string& what) {
  return tl::unexpected("--" + flag + " " + file + ": " + what);
}

tl::expected<void, std::string> Readable(const std::string& flag, const std::string& file) {
  errno = 0;
  if (std::ifstream(file).get() != std::ifstream::traits_type::eof()) return {};
  return Fault(flag, file, errno == 0 ? "it is empty" : std::strerror(errno));
}

tl::expected<void, std::string> Check(const TlsFiles& files) {
  for (const auto& [flag, file] :
       {std::pair("tls-certificate", files.certificate), std::pair("tls-key", files.key),
        std::pair("tls-client-ca", files.client_ca)}) {
    if (file.empty()) continue;
    if (auto readable = Readable(flag, file); !readable) return readable;
  }
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  SSL_CTX_free);
  ERR_clear_error();
  // A key with a passphrase would ask for it at the terminal.
  SSL_CTX_set_default_passwd_cb(context.get(), [](char*, int, int, void*) { return 0; });
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
    return Fault("tls-certificate", files.certificate, "no PEM certificate: " + OpensslReason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return Fault("tls-key", files.key,
                 "no PEM key of " + files.certificate + ": " + OpensslReason());
  if (!files.client_ca.empty() &&
      SSL_CTX_load_verify_locations(context.get(), files.client_ca.c_str(), nullptr) != 1)
    return Fault("tls-client-ca", files.client_ca, "no PEM certificates: " + OpensslReason());
  return {};
}

}  // namespace

tl::expected<std::shared_ptr<grpc::ServerCredentials>, std::string> MakeTlsCredentials(
    const TlsFiles& files) {
  namespace tls = grpc::experimental;
  if (auto checked = Check(files); !checked) return tl::unexpected(std::move(checked.error()));
  tls::TlsServerCredentialsOptions options(std::make_shared<tls::FileWatcherCertificateProvider>(
      files.key, files.certificate, files.client_ca, kLookEverySeconds));
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

}  // namespace gpusim::access
