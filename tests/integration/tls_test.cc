// TLS on the way to a server, and the files that it comes from.
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include "tests/integration/access_server.h"
#include "tests/testing/certificates.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TlsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = std::make_unique<Certificates>();
    files_->Sign("server");
    files_->Sign("client");
    files_->Sign("stranger", "other-ca");
    files_->Sign("old", "ca", /*expired=*/true);
  }
  static void TearDownTestSuite() { files_.reset(); }

  static server::ServerOptions Options(const std::string& certificate = "server",
                                       const std::string& client_ca = "") {
    server::ServerOptions options = TestOptions();
    options.tls_certificate = files_->Pem(certificate);
    options.tls_key = files_->Key(certificate);
    if (!client_ca.empty()) options.tls_client_ca = files_->Pem(client_ca);
    return options;
  }

  static std::shared_ptr<grpc::ChannelCredentials> Credentials(const std::string& authority = "ca",
                                                               const std::string& client = "") {
    grpc::SslCredentialsOptions options{.pem_root_certs = ReadFile(files_->Pem(authority)),
                                        .pem_private_key = {},
                                        .pem_cert_chain = {}};
    if (!client.empty()) {
      options.pem_private_key = ReadFile(files_->Key(client));
      options.pem_cert_chain = ReadFile(files_->Pem(client));
    }
    return grpc::SslCredentials(options);
  }

  static std::string StartFault(const server::ServerOptions& options) {
    try {
      const AccessServer server(options);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "it started";
  }

  static inline std::unique_ptr<Certificates> files_;
};

TEST_F(TlsTest, ThoseWhoTrustTheAuthorityAreServed) {
  const AccessServer server(Options());
  const grpc::Status status = PingOver(server.Channel(Credentials()));
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(PingOver(server.Channel(Credentials("other-ca"))).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(PingOver(server.Channel()).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, AnExpiredCertificateIsNotTrusted) {
  const AccessServer server(Options("old"));
  EXPECT_EQ(PingOver(server.Channel(Credentials())).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, WithAClientAuthorityOnlyItsOwnAreServed) {
  const AccessServer server(Options("server", "ca"));
  const grpc::Status status = PingOver(server.Channel(Credentials("ca", "client")));
  EXPECT_TRUE(status.ok()) << status.error_message();
  for (const char* client : {"", "stranger", "old"})
    EXPECT_EQ(PingOver(server.Channel(Credentials("ca", client))).error_code(),
              grpc::StatusCode::UNAVAILABLE)
        << client;
}

TEST_F(TlsTest, UnixSocketsStayPlaintext) {
  const TemporaryDirectory directory;
  server::ServerOptions options = Options("server", "ca");
  options.listen = {"127.0.0.1:0", "unix:" + directory.path() + "/socket"};
  const AccessServer server(options);
  EXPECT_TRUE(PingOver(server.Channel(grpc::InsecureChannelCredentials(), 1)).ok());
  EXPECT_FALSE(PingOver(server.Channel()).ok());
}

// A certificate has to be renewed while the server runs: those who trust the new authority alone get through in the end, and
// then no longer those of the old one.
TEST_F(TlsTest, FilesThatAreReplacedCountFromThenOn) {
  const TemporaryDirectory directory;
  const std::string certificate = directory.path() + "/tls.crt";
  const std::string key = directory.path() + "/tls.key";
  const auto install = [&](const std::string& name) {
    std::filesystem::copy_file(files_->Key(name), key + ".new");
    std::filesystem::copy_file(files_->Pem(name), certificate + ".new");
    std::filesystem::rename(key + ".new", key);
    std::filesystem::rename(certificate + ".new", certificate);
  };
  install("server");
  server::ServerOptions options = TestOptions();
  options.tls_certificate = certificate;
  options.tls_key = key;
  const AccessServer server(options);
  const auto open = server.Channel(Credentials());
  EXPECT_TRUE(PingOver(open).ok());
  EXPECT_FALSE(PingOver(server.Channel(Credentials("other-ca"))).ok());

  install("stranger");
  while (!PingOver(server.Channel(Credentials("other-ca"))).ok()) std::this_thread::yield();
  EXPECT_FALSE(PingOver(server.Channel(Credentials())).ok());
  EXPECT_TRUE(PingOver(open).ok()) << "a connection that is open stays so";
}

TEST_F(TlsTest, WrongFilesAreOneLineAtTheStart) {
  server::ServerOptions options = Options();
  options.tls_key = files_->Key("client");
  EXPECT_THAT(StartFault(options), AllOf(HasSubstr("--tls-key " + files_->Key("client")),
                                         HasSubstr("key values mismatch")));
  options.tls_key = "/nowhere/tls.key";
  EXPECT_EQ(StartFault(options), "--tls-key /nowhere/tls.key: No such file or directory");
  options = Options();
  options.tls_certificate = files_->Key("server");
  EXPECT_THAT(StartFault(options), HasSubstr("--tls-certificate " + files_->Key("server")));
  options = Options("server", "ca");
  options.tls_client_ca = files_->Key("ca");
  EXPECT_THAT(StartFault(options), HasSubstr("--tls-client-ca " + files_->Key("ca")));
  const TemporaryDirectory directory;
  options.tls_client_ca = directory.path() + "/empty";
  std::ofstream(options.tls_client_ca).flush();
  EXPECT_EQ(StartFault(options), "--tls-client-ca " + options.tls_client_ca + ": it is empty");
}

}  // namespace
}  // namespace gpusim::testing
