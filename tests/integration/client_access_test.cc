// gpusim-client at servers that ask for tokens or speak TLS: what it says in one line.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/access_server.h"
#include "tests/testing/certificates.h"
#include "tests/testing/process.h"

namespace gpusim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kToken[] = "token-of-alice-0123";

class ClientAccessTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    files_ = std::make_unique<Certificates>();
    files_->Sign("server");
    files_->Sign("client");
    files_->Sign("old", "ca", /*expired=*/true);
  }
  static void TearDownTestSuite() { files_.reset(); }

  static server::ServerOptions TlsOptions(const std::string& certificate = "server") {
    server::ServerOptions options = TestOptions();
    options.tls_certificate = files_->Pem(certificate);
    options.tls_key = files_->Key(certificate);
    return options;
  }
  server::ServerOptions TokenOptions() {
    server::ServerOptions options = TestOptions();
    options.token_file = Write("server-tokens", std::string("alice use ") + kToken + "\n");
    return options;
  }
  std::string Write(const std::string& name, const std::string& text) const {
    const std::string path = directory_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  static Ending Client(const AccessServer& server, std::vector<std::string> arguments,
                       const std::map<std::string, std::string>& environment = {}) {
    const std::vector<std::string> start{GPUSIM_CLIENT_PROGRAM, "--server", server.address(),
                                         "status"};
    arguments.insert(arguments.begin(), start.begin(), start.end());
    return RunProgram({.arguments = std::move(arguments), .environment = environment, .input = {}});
  }

  static void ExpectLine(const Ending& ending, int status, const std::string& part) {
    EXPECT_EQ(ending.status, status) << ending.err;
    EXPECT_THAT(ending.err, HasSubstr(part));
    EXPECT_EQ(std::count(ending.err.begin(), ending.err.end(), '\n'), 1) << ending.err;
  }

  static inline std::unique_ptr<Certificates> files_;
  const TemporaryDirectory directory_;
};

TEST_F(ClientAccessTest, ShowsItsToken) {
  const AccessServer server(TokenOptions());
  EXPECT_EQ(Client(server, {}, {{"GPUSIM_TOKEN", kToken}}).status, 0);
  const std::string file = Write("token", std::string(kToken) + "\n");
  EXPECT_EQ(Client(server, {"--token-file", file}, {{"GPUSIM_TOKEN", "not-this-one-0123"}}).status,
            0);
  ExpectLine(Client(server, {}), 1, "UNAUTHENTICATED");
  ExpectLine(Client(server, {}, {{"GPUSIM_TOKEN", "of-a-stranger-0123"}}), 1,
             "the token is not known to this server");
}

TEST_F(ClientAccessTest, FilesThatAreNotThereEndItBeforeItConnects) {
  const AccessServer server(TestOptions());
  ExpectLine(Client(server, {"--token-file", "/nowhere/token"}), 2,
             "--token-file '/nowhere/token': No such file or directory");
  ExpectLine(Client(server, {"--tls-ca", "/nowhere/ca.pem"}), 2,
             "--tls-ca '/nowhere/ca.pem': No such file or directory");
  ExpectLine(Client(server, {"--tls-ca", files_->Key("ca")}), 2, "it holds no certificate");
  ExpectLine(Client(server, {"--tls-server-name", "localhost"}), 2, "it needs tls_ca");
  ExpectLine(
      Client(server, {"--tls-ca", files_->Pem("ca"), "--tls-certificate", files_->Pem("client")}),
      2, "tls_certificate and tls_key go together");
  const Ending bad = Client(server, {}, {{"GPUSIM_TOKEN", "two words, of a secret"}});
  ExpectLine(bad, 2, "GPUSIM_TOKEN a token is one word of visible ASCII characters");
  EXPECT_THAT(bad.err, Not(HasSubstr("secret")));
}

TEST_F(ClientAccessTest, TrustsTheAuthorityThatItIsTold) {
  const AccessServer server(TlsOptions());
  EXPECT_EQ(Client(server, {"--tls-ca", files_->Pem("ca")}).status, 0);
  EXPECT_EQ(
      Client(server, {"--tls-ca", files_->Pem("ca"), "--tls-server-name", "localhost"}).status, 0);
  ExpectLine(Client(server, {"--tls-ca", files_->Pem("other-ca")}), 1, "TLS");
  ExpectLine(Client(server, {"--tls-ca", files_->Pem("ca"), "--tls-server-name", "elsewhere"}), 1,
             "TLS");
  ExpectLine(Client(server, {}), 1, "TLS");
}

TEST_F(ClientAccessTest, TrustsNoCertificateThatHasExpired) {
  const AccessServer server(TlsOptions("old"));
  ExpectLine(Client(server, {"--tls-ca", files_->Pem("ca")}), 1, "TLS");
}

TEST_F(ClientAccessTest, ShowsItsCertificateWhereItIsAskedFor) {
  server::ServerOptions options = TlsOptions();
  options.tls_client_ca = files_->Pem("ca");
  const AccessServer server(options);
  EXPECT_EQ(Client(server, {"--tls-ca", files_->Pem("ca"), "--tls-certificate",
                            files_->Pem("client"), "--tls-key", files_->Key("client")})
                .status,
            0);
  ExpectLine(Client(server, {"--tls-ca", files_->Pem("ca")}), 1, "TLS");
}

TEST_F(ClientAccessTest, SaysThatAServerSpeaksNoTls) {
  const AccessServer server(TestOptions());
  ExpectLine(Client(server, {"--tls-ca", files_->Pem("ca")}), 1, "TLS");
}

}  // namespace
}  // namespace gpusim::testing
