// Options from a file, as --print-config writes them:
//
//   # a comment
//   max-boards = 100
//   listen = 127.0.0.1:50051,unix:/run/gpusim
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace gpusim::server {

struct ConfigLine {
  std::size_t number = 0;
  std::string flag;
  std::string value;  // without blanks around it; may be empty
};

// Blocks for the reading. The error is one line that names the file, and the line where there is one.
tl::expected<std::vector<ConfigLine>, std::string> ReadConfigFile(const std::string& path);

}  // namespace gpusim::server
