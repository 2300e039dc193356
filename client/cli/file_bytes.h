// Bytes of files; what is written to one: output_file.h.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gpusim::cli {

// '-' is stdin. The error is a line for people: "cannot read glider.rle: No such file or
// directory".
tl::expected<std::string, std::string> ReadFile(const std::string& path);

// To an open descriptor such as stdout; false, with errno set, when not all of it could be written.
bool WriteAll(int descriptor, std::string_view bytes);

}  // namespace gpusim::cli
