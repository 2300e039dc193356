// The server's log: lines on stderr, as text or as JSON objects.
#pragma once

#include <memory>

#include <spdlog/logger.h>

#include "server/config/server_options.h"

namespace gpusim::server {

// Thread-safe; writes at once.
std::shared_ptr<spdlog::logger> MakeLogger(LogLevel level, LogFormat format);

// Lets gRPC's and protobuf's own messages through to this logger: their errors as warnings, the
// rest as debug. For the whole process; the logger lives for ever from now on.
void TakeLibraryLogs(std::shared_ptr<spdlog::logger> logger);

}  // namespace gpusim::server
