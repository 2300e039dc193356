// The server's log: lines on stderr, as text or as JSON objects.
#pragma once

#include <memory>
#include <string_view>

#include <spdlog/common.h>
#include <spdlog/logger.h>

#include "server/config/server_options.h"

namespace gpusim::server {

// Thread-safe; writes at once.
std::shared_ptr<spdlog::logger> MakeLogger(LogLevel level, LogFormat format);

// How the logger's sinks write a line.
void SetFormat(spdlog::logger& logger, LogFormat format);

// A logger of this name writes JSON fields of its own making: its messages go into the object as they are.
inline constexpr std::string_view kFieldsLogger = "fields";

// "text" with its quotes; `"name":"value"`. Bytes that are not UTF-8 go through as they are.
void AppendJsonString(std::string_view text, spdlog::memory_buf_t& line);
void AppendJsonField(std::string_view name, std::string_view value, spdlog::memory_buf_t& line);

// Lets gRPC's and protobuf's own messages through to this logger: their errors as warnings, the
// rest as debug. For the whole process; the logger lives for ever from now on.
void TakeLibraryLogs(std::shared_ptr<spdlog::logger> logger);

}  // namespace gpusim::server
