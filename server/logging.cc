#include "server/logging.h"

#include <chrono>
#include <string_view>
#include <utility>

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/fmt/chrono.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace gpusim::server {
namespace {

std::string_view View(const spdlog::string_view_t& text) { return {text.data(), text.size()}; }

// {"time":"2024-05-01T12:00:00.123Z","level":"info","message":"..."}, or with the fields of a logger that makes them itself
// instead of the message.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    using std::chrono::duration_cast;
    const auto since_epoch = message.time.time_since_epoch();
    const auto seconds = duration_cast<std::chrono::seconds>(since_epoch);
    const auto rest = duration_cast<std::chrono::milliseconds>(since_epoch - seconds);
    fmt::format_to(std::back_inserter(line), R"({{"time":"{:%Y-%m-%dT%H:%M:%S}.{:03}Z","level":)",
                   fmt::gmtime(static_cast<std::time_t>(seconds.count())), rest.count());
    AppendJsonString(View(spdlog::level::to_string_view(message.level)), line);
    line.push_back(',');
    if (View(message.logger_name) == kFieldsLogger) {
      line.append(message.payload.begin(), message.payload.end());
    } else {
      AppendJsonField("message", View(message.payload), line);
    }
    fmt::format_to(std::back_inserter(line), "}}\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

// Both libraries take a plain function, so the logger is found here.
std::shared_ptr<spdlog::logger>& LibraryLogger() {
  static auto* const logger = new std::shared_ptr<spdlog::logger>;
  return *logger;
}

void LogForGrpc(gpr_log_func_args* args) {
  const auto level =
      args->severity == GPR_LOG_SEVERITY_ERROR ? spdlog::level::warn : spdlog::level::debug;
  LibraryLogger()->log(level, "gRPC: {}", args->message);
}

void LogForProtobuf(google::protobuf::LogLevel level, const char* /*file*/, int /*line*/,
                    const std::string& message) {
  const bool error = level >= google::protobuf::LOGLEVEL_ERROR;
  LibraryLogger()->log(error ? spdlog::level::warn : spdlog::level::debug, "protobuf: {}", message);
}

}  // namespace

void AppendJsonString(std::string_view text, spdlog::memory_buf_t& line) {
  line.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      line.push_back('\\');
      line.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<int>(c));
    } else {
      line.push_back(c);
    }
  }
  line.push_back('"');
}

void AppendJsonField(std::string_view name, std::string_view value, spdlog::memory_buf_t& line) {
  AppendJsonString(name, line);
  line.push_back(':');
  AppendJsonString(value, line);
}

std::shared_ptr<spdlog::logger> MakeLogger(LogLevel level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>("gpusim-server",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(SpdlogLevel(level));
  logger->flush_on(spdlog::level::trace);
  SetFormat(*logger, format);
  return logger;
}

void SetFormat(spdlog::logger& logger, LogFormat format) {
  if (format == LogFormat::kJson) {
    logger.set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger.set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
  }
}

void TakeLibraryLogs(std::shared_ptr<spdlog::logger> logger) {
  LibraryLogger() = std::move(logger);
  gpr_set_log_function(LogForGrpc);
  google::protobuf::SetLogHandler(LogForProtobuf);
}

}  // namespace gpusim::server
