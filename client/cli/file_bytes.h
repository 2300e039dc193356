// Whole files, in and out.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace gpusim::cli {

// '-' is stdin. The error is a line for people: "cannot read glider.rle: No such file or
// directory".
tl::expected<std::string, std::string> ReadFile(const std::string& path);

// Replaces what was there.
tl::expected<void, std::string> WriteFile(const std::string& path, const std::string& bytes);

// To an open descriptor such as stdout; false, with errno set, when not all of it could be written.
bool WriteAll(int descriptor, const std::string& bytes);

}  // namespace gpusim::cli
