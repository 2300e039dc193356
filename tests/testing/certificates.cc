#include "tests/testing/certificates.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/testing/process.h"

namespace gpusim::testing {
namespace {

void Openssl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), GPUSIM_OPENSSL);
  const Ending ending =
      RunProgram({.arguments = std::move(arguments), .environment = {}, .input = {}});
  if (ending.status != 0) throw std::runtime_error("openssl: " + ending.err);
}

std::vector<std::string> operator+(std::vector<std::string> left,
                                   const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const std::vector<std::string> kNewKey = {"-newkey", "ec", "-pkeyopt",
                                          "ec_paramgen_curve:prime256v1", "-nodes"};

// The least that `openssl ca` wants, which alone takes both ends of the validity.
std::string AuthorityConfig(const std::string& directory) {
  return "[ca]\ndefault_ca = d\n[d]\ndatabase = " + directory +
         "/index\nnew_certs_dir = " + directory +
         "\nrand_serial = yes\nunique_subject = no\ndefault_md = sha256\npolicy = p\n"
         "x509_extensions = e\n[p]\ncommonName = supplied\n[e]\n"
         "subjectAltName = DNS:localhost, IP:127.0.0.1\n"
         "[req]\ndistinguished_name = n\n[n]\n";
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Certificates::Certificates() {
  std::ofstream(directory_.path() + "/config") << AuthorityConfig(directory_.path());
  std::ofstream(directory_.path() + "/index").flush();
  MakeAuthority("ca");
  MakeAuthority("other-ca");
}

void Certificates::MakeAuthority(const std::string& name) {
  Openssl(std::vector<std::string>{"req", "-x509"} + kNewKey +
          std::vector<std::string>{"-config", directory_.path() + "/config", "-subj", "/CN=" + name,
                                   "-addext", "basicConstraints=critical,CA:TRUE", "-days", "30",
                                   "-keyout", Key(name), "-out", Pem(name)});
}

void Certificates::Sign(const std::string& name, const std::string& authority, bool expired) {
  const std::string config = directory_.path() + "/config";
  const std::string request = directory_.path() + "/" + name + ".csr";
  Openssl(std::vector<std::string>{"req"} + kNewKey +
          std::vector<std::string>{"-config", config, "-subj", "/CN=" + name, "-keyout", Key(name),
                                   "-out", request});
  std::vector<std::string> sign{"ca",    "-batch",       "-notext",  "-config",      config,
                                "-cert", Pem(authority), "-keyfile", Key(authority), "-in",
                                request, "-out",         Pem(name)};
  const std::vector<std::string> validity =
      expired
          ? std::vector<std::string>{"-startdate", "20200101000000Z", "-enddate", "20200201000000Z"}
          : std::vector<std::string>{"-days", "30"};
  Openssl(std::move(sign) + validity);
}

}  // namespace gpusim::testing
