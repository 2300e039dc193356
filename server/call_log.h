// The log's lines about calls.
#pragma once

#include <spdlog/logger.h>

#include "server/calls/call_book.h"
#include "server/config/server_options.h"

namespace gpusim::server {

// Writes where `log` does, in the same format and from the same level on: what fails for the server's reasons is a warning, the
// rest information. Nobody waits for it: a thread of its own writes, and where it can not follow, the oldest of some thousand
// lines are lost. Those that wait are written before the CallLog and its copies are gone.
CallLog MakeCallLog(LogCalls calls, LogFormat format, const spdlog::logger& log);

}  // namespace gpusim::server
