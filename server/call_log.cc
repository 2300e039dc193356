#include "server/call_log.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/fmt/fmt.h>

#include "server/logging.h"

namespace gpusim::server {
namespace {

constexpr std::size_t kWaitingLines = 8192;

spdlog::level::level_enum LevelOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DATA_LOSS:
      return spdlog::level::warn;
    default:
      return spdlog::level::info;
  }
}

double MillisecondsOf(const CallRecord& record) {
  return std::chrono::duration<double, std::milli>(record.took).count();
}

// The client's text may hold line ends, which would look like lines of ours.
void AppendOneLine(std::string_view text, spdlog::memory_buf_t& line) {
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line.push_back(control ? ' ' : c);
  }
}

// Ping UNAVAILABLE 1.234 ms, from 127.0.0.1, id 6f..., trace 00-..., the reason
void AppendText(const CallRecord& record, spdlog::memory_buf_t& line) {
  fmt::format_to(std::back_inserter(line), "call {} {} {:.3f} ms, from {}", NameOf(record.method),
                 NameOf(record.code), MillisecondsOf(record), record.caller);
  const auto append = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    fmt::format_to(std::back_inserter(line), ", {} ", name);
    AppendOneLine(text, line);
  };
  append("id", record.request_id);
  append("trace", record.traceparent);
  append("reason", record.reason);
}

void AppendJson(const CallRecord& record, spdlog::memory_buf_t& line) {
  AppendJsonField("message", "call", line);
  const auto append = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    line.push_back(',');
    AppendJsonField(name, text, line);
  };
  append("method", NameOf(record.method));
  append("code", NameOf(record.code));
  fmt::format_to(std::back_inserter(line), R"(,"duration_ms":{:.3f})", MillisecondsOf(record));
  append("caller", record.caller);
  append("request_id", record.request_id);
  append("traceparent", record.traceparent);
  append("reason", record.reason);
}

// The thread goes with the last copy of the CallLog.
struct Writer {
  std::shared_ptr<spdlog::details::thread_pool> thread;
  std::shared_ptr<spdlog::async_logger> logger;
};

}  // namespace

CallLog MakeCallLog(LogCalls calls, LogFormat format, const spdlog::logger& log) {
  if (calls == LogCalls::kNone) return {};
  Writer writer{.thread = std::make_shared<spdlog::details::thread_pool>(kWaitingLines, 1),
                .logger = nullptr};
  writer.logger = std::make_shared<spdlog::async_logger>(
      std::string(kFieldsLogger), log.sinks().begin(), log.sinks().end(), writer.thread,
      spdlog::async_overflow_policy::overrun_oldest);
  writer.logger->set_level(log.level());
  return [writer, calls, format](const CallRecord& record) {
    if (calls == LogCalls::kFailed && record.code == grpc::StatusCode::OK) return;
    const auto level = LevelOf(record.code);
    if (!writer.logger->should_log(level)) return;
    spdlog::memory_buf_t line;
    format == LogFormat::kJson ? AppendJson(record, line) : AppendText(record, line);
    writer.logger->log(level, spdlog::string_view_t(line.data(), line.size()));
  };
}

}  // namespace gpusim::server
