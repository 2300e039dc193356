// Callers' bytes, made fit for a message, a log line and a protobuf string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpusim::server {

// `text` cut to at most `max_bytes` at a UTF-8 boundary ("..." follows if something was cut), with
// control bytes and bytes that are not UTF-8 as \xNN. The result is valid UTF-8.
std::string Printable(std::string_view text, std::size_t max_bytes);

}  // namespace gpusim::server
