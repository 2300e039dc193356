// Certificates for tests, made with the openssl command in a directory of their own.
#pragma once

#include <string>

#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {

std::string ReadFile(const std::string& path);

// Throws std::runtime_error with what openssl said, where it fails.
class Certificates {
 public:
  // Makes the authorities "ca" and "other-ca".
  Certificates();

  std::string Pem(const std::string& name) const { return directory_.path() + "/" + name + ".pem"; }
  std::string Key(const std::string& name) const { return directory_.path() + "/" + name + ".key"; }

  // NAME.pem and NAME.key, for localhost and 127.0.0.1, signed by the authority, valid now or long ago.
  void Sign(const std::string& name, const std::string& authority = "ca", bool expired = false);

 private:
  void MakeAuthority(const std::string& name);

  const TemporaryDirectory directory_;
};

}  // namespace gpusim::testing
