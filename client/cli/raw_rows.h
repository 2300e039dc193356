// A file of packed rows as the source of a call that streams them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <gpusim/life_boards.h>
#include <tl/expected.hpp>

namespace gpusim::cli {

// '-' is stdin, which can be read once only: a call that would have to be sent again fails. Fails
// with a line for people when the file cannot be read or has not the bytes of that size.
tl::expected<StreamedRows, std::string> OpenRawRows(const std::string& path, std::uint32_t width,
                                                    std::uint32_t height);

}  // namespace gpusim::cli
