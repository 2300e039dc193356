#include "server/config/option_table.h"

#include <algorithm>
#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "server/config/listen_address.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;

template <class Enum>
struct Choice {
  std::string_view name;
  Enum value;
};

constexpr Choice<BackendChoice> kBackends[] = {
    {"auto", BackendChoice::kAuto}, {"cuda", BackendChoice::kCuda}, {"cpu", BackendChoice::kCpu}};
constexpr Choice<RaceTableSolving> kRaceTableSolving[] = {{"auto", RaceTableSolving::kAuto},
                                                          {"on", RaceTableSolving::kOn},
                                                          {"off", RaceTableSolving::kOff}};
constexpr Choice<RaceTableMemory> kRaceTableMemory[] = {{"device", RaceTableMemory::kDevice},
                                                        {"host", RaceTableMemory::kHost}};
constexpr Choice<bool> kOnOff[] = {{"on", true}, {"off", false}};
constexpr Choice<LogLevel> kLogLevels[] = {{"debug", LogLevel::kDebug},
                                           {"info", LogLevel::kInfo},
                                           {"warning", LogLevel::kWarning},
                                           {"error", LogLevel::kError}};
constexpr Choice<LogCalls> kLogCalls[] = {
    {"none", LogCalls::kNone}, {"failed", LogCalls::kFailed}, {"all", LogCalls::kAll}};
constexpr Choice<LogFormat> kLogFormats[] = {{"text", LogFormat::kText},
                                             {"json", LogFormat::kJson}};

template <std::integral Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <std::integral Number>
OptionEntry NumberEntry(const std::string& flag, Number& target, std::type_identity_t<Number> min,
                        std::type_identity_t<Number> max, const std::string& help) {
  return {.flag = flag,
          .help = help,
          .rule = "a whole number from " + std::to_string(min) + " to " + std::to_string(max),
          .take =
              [&target, min, max](std::string_view text) {
                const auto number = ParseNumber<Number>(text);
                if (!number || *number < min || *number > max) return false;
                target = *number;
                return true;
              },
          .print = [&target] { return std::to_string(target); }};
}

OptionEntry DurationEntry(const std::string& flag, milliseconds& target, milliseconds min,
                          milliseconds max, const std::string& help) {
  return {.flag = flag,
          .help = help,
          .rule = "a duration with its unit (ms, s, m, h), such as 500ms, from " +
                  FormatDuration(min) + " to " + FormatDuration(max),
          .take =
              [&target, min, max](std::string_view text) {
                const auto duration = ParseDuration(text);
                if (!duration || *duration < min || *duration > max) return false;
                target = *duration;
                return true;
              },
          .print = [&target] { return FormatDuration(target); }};
}

template <class Enum, std::size_t kCount>
OptionEntry ChoiceEntry(const std::string& flag, Enum& target,
                        const Choice<Enum> (&choices)[kCount], const std::string& help) {
  const std::span<const Choice<Enum>> all = choices;
  std::string rule = "one of";
  for (const Choice<Enum>& choice : all) rule += " " + std::string(choice.name);
  return {.flag = flag,
          .help = help,
          .rule = std::move(rule),
          .take =
              [&target, all](std::string_view text) {
                const auto found = std::find_if(all.begin(), all.end(),
                                                [&](const auto& c) { return c.name == text; });
                if (found == all.end()) return false;
                target = found->value;
                return true;
              },
          .print =
              [&target, all] {
                const auto found = std::find_if(all.begin(), all.end(),
                                                [&](const auto& c) { return c.value == target; });
                return std::string(found->name);
              }};
}

OptionEntry FaultEntry(const std::string& flag, std::optional<InjectedFault>& target) {
  return {.flag = flag,
          .help = "A fault for tests",
          .rule = "KIND@N or KIND@N:DEVICE, with KIND one of sticky recoverable hang slow",
          .take =
              [&target](std::string_view text) {
                target = ParseInjectedFault(text);
                return target.has_value();
              },
          .print = [&target] { return target ? FormatInjectedFault(*target) : std::string(); },
          .hidden = true};
}

OptionEntry ListenEntry(std::vector<std::string>& target) {
  return {.flag = "listen",
          .kind = OptionEntry::Kind::kList,
          .help =
              "Address to listen on, HOST:PORT or unix:PATH; may be repeated. "
              "Port 0 takes a free one",
          .rule = "HOST:PORT, [IPV6]:PORT or unix:PATH, with a port from 0 to 65535",
          .take =
              [&target](std::string_view text) {
                if (!ParseListenAddress(text)) return false;
                target.emplace_back(text);
                return true;
              },
          .print =
              [&target] {
                std::string joined;
                for (const std::string& address : target)
                  joined += (joined.empty() ? "" : ",") + address;
                return joined;
              }};
}

// HOST:PORT with a name or an IPv4 address, or with `v6` also [IPV6]:PORT.
OptionEntry TcpListenEntry(const std::string& flag, std::string& target, bool v6,
                           const std::string& help) {
  return {.flag = flag,
          .help = help,
          .rule = std::string("empty, or HOST:PORT with ") +
                  (v6 ? "" : "a name or an IPv4 address and ") + "a port from 0 to 65535",
          .take =
              [&target, v6](std::string_view text) {
                const auto address = ParseListenAddress(text);
                const bool tcp = address && !address->IsUnix() &&
                                 (v6 || address->host.find(':') == std::string::npos);
                if (!tcp && !text.empty()) return false;
                target = text;
                return true;
              },
          .print = [&target] { return target; }};
}

OptionEntry TextEntry(const std::string& flag, std::string& target, const std::string& rule,
                      const std::string& help) {
  return {.flag = flag,
          .help = help,
          .rule = rule,
          .take =
              [&target](std::string_view text) {
                target = text;
                return true;
              },
          .print = [&target] { return target; }};
}

// A text that is empty or passes `is_legal`.
OptionEntry CheckedTextEntry(const std::string& flag, std::string& target, const std::string& rule,
                             const std::string& help, bool (*is_legal)(std::string_view text)) {
  OptionEntry entry = TextEntry(flag, target, rule, help);
  entry.take = [&target, is_legal](std::string_view text) {
    if (!text.empty() && !is_legal(text)) return false;
    target = text;
    return true;
  };
  return entry;
}

OptionEntry IdEntry(const std::string& flag, std::string& target, const std::string& help) {
  return CheckedTextEntry(flag, target,
                          "1 to 63 letters, digits, '.', '_' or '-', the first a letter or digit",
                          help, IsServerId);
}

OptionEntry AddressEntry(const std::string& flag, std::string& target, const std::string& help) {
  return CheckedTextEntry(flag, target,
                          "HOST:PORT, [IPV6]:PORT or unix:PATH, with a port from 1 to 65535", help,
                          [](std::string_view text) {
                            const auto address = ParseListenAddress(text);
                            return address && (address->IsUnix() || address->port != 0);
                          });
}

OptionEntry SwitchEntry(const std::string& flag, bool& target, const std::string& help) {
  return {.flag = flag,
          .kind = OptionEntry::Kind::kSwitch,
          .help = help,
          .rule = "true or false",
          .take = nullptr,
          .print = [&target] { return std::string(target ? "true" : "false"); },
          .on = &target};
}

}  // namespace

std::vector<OptionEntry> OptionTable(ServerOptions& o) {
  constexpr std::uint64_t kMessageMax = 0x7fff'ffff;  // gRPC and protobuf count in int
  return {
      ListenEntry(o.listen),
      SwitchEntry("insecure", o.insecure,
                  "Listen in plaintext on addresses that other machines reach"),
      TextEntry(
          "tls-certificate", o.tls_certificate, "a file",
          "PEM file of the server's certificate and those up to its root: TCP addresses are TLS "
          "then. Files that change are read again"),
      TextEntry("tls-key", o.tls_key, "a file", "PEM file of the key of tls-certificate"),
      TextEntry("tls-client-ca", o.tls_client_ca, "a file",
                "PEM file of the roots that clients need a certificate of; empty: they need none"),
      TextEntry(
          "token-file", o.token_file, "a file",
          "File of lines NAME ROLE TOKEN, roles read, use and admin; empty: no token is asked "
          "for, and everybody may do everything"),
      TcpListenEntry(
          "probe-listen", o.probe_listen, true,
          "Address to answer grpc.health.v1 alone on, HOST:PORT, in plaintext and without "
          "tokens; empty: none. Port 0 takes a free one"),
      TcpListenEntry("metrics-listen", o.metrics_listen, false,
                     "Address to serve Prometheus metrics on, HOST:PORT, over plain HTTP at "
                     "/metrics; empty: none. Port 0 takes a free one"),
      ChoiceEntry("backend", o.backend, kBackends,
                  "auto takes a GPU if there is one; cuda refuses to start without"),
      NumberEntry("slots", o.slots, 1, 16, "Batches that a device works on at a time"),
      NumberEntry("cpu-threads", o.cpu_threads, 0, 1024,
                  "Threads of the CPU backend; 0: as many as the process may use"),
      NumberEntry("max-queued-calls", o.max_queued_calls, 1, 1u << 20,
                  "Calls of a kind, queued and running; more are refused"),
      NumberEntry("max-queued-bytes", o.max_queued_bytes, 1u << 20, std::uint64_t{1} << 40,
                  "Bytes of the boards of queued and running calls; more are refused"),
      DurationEntry("max-queued-work", o.max_queued_work, milliseconds(1), std::chrono::hours(24),
                    "Work of the queued calls of a kind, as predicted; more are refused"),
      DurationEntry("max-batch-delay", o.max_batch_delay, milliseconds(0), std::chrono::seconds(1),
                    "How long a batch that is not full waits for more calls; 0: not at all"),
      NumberEntry("max-step-cells", o.max_step_cells, 64, 1u << 31,
                  "Cells of a stepped board, rows padded to 64"),
      NumberEntry("max-call-cells", o.max_call_cells, 64, std::uint64_t{1} << 36,
                  "Cells of all boards of a StepMany call, rows padded to 64"),
      NumberEntry("max-reply-bytes", o.max_reply_bytes, 4096, kMessageMax, "Bytes of a reply"),
      NumberEntry("max-columns-reply-bytes", o.max_columns_reply_bytes, 4096, kMessageMax,
                  "Bytes of a reply of GetOddsColumns to a caller that allows so many"),
      NumberEntry("max-request-bytes", o.max_request_bytes, 4096, kMessageMax,
                  "Bytes of a request; gRPC itself refuses larger ones"),
      NumberEntry("max-concurrent-streams", o.max_concurrent_streams, 1, 1u << 20,
                  "Calls at a time on one connection; more wait at the client"),
      DurationEntry("max-connection-age", o.max_connection_age, milliseconds(0),
                    std::chrono::hours(24 * 7),
                    "Age at which a connection is asked to close, give or take 10%; streams end "
                    "before; 0ms: never"),
      NumberEntry("max-grpc-bytes", o.max_grpc_bytes, 16u << 20, std::uint64_t{1} << 40,
                  "Bytes that gRPC holds for connections and messages"),
      NumberEntry("max-calls-per-caller", o.max_calls_per_caller, 0, 1u << 20,
                  "Calls under way of one name, or of one address where no tokens are; more are "
                  "refused; 0: no limit"),
      NumberEntry("max-call-simulations", o.max_call_simulations, 1, 1'000'000'000'000,
                  "Simulations of a GetOdds call; Simulate takes more"),
      NumberEntry("max-stream-items", o.max_stream_items, 1, 1u << 16,
                  "Items in flight on one StreamOdds call; more are refused"),
      NumberEntry("max-cache-bytes", o.max_cache_bytes, 0, std::uint64_t{1} << 40,
                  "Bytes of the cache of exact Camel Up answers; 0: none"),
      DurationEntry("default-deadline", o.default_deadline, milliseconds(1), std::chrono::hours(24),
                    "Deadline of calls that bring none"),
      DurationEntry("drain-time", o.drain_time, milliseconds(0), std::chrono::hours(1),
                    "How long accepted calls may go on after SIGTERM"),
      DurationEntry("device-timeout", o.device_timeout, milliseconds(0), std::chrono::hours(1),
                    "A batch that runs for longer counts as a device that hangs: exit status 4. "
                    "0: 30 s on a GPU, 5 min on the CPU"),
      ChoiceEntry("boards", o.boards, kOnOff, "Keep resident boards"),
      TextEntry("state-dir", o.state_dir, "a directory",
                "Directory where boards and snapshots are kept; empty: nowhere"),
      NumberEntry("max-state-bytes", o.max_state_bytes, 1u << 20, std::uint64_t{1} << 50,
                  "Bytes of all files in state-dir"),
      IdEntry("server-id", o.server_id,
              "The name that owns the boards of this server; empty: the host's name"),
      AddressEntry("advertise-address", o.advertise_address,
                   "Where others reach this server; empty: the first address that it listens on"),
      NumberEntry("device-memory", o.device_memory, 0, std::uint64_t{1} << 50,
                  "Bytes of each device for boards; 0: 80% of what a GPU has free at the start, "
                  "half of it on the CPU"),
      NumberEntry("max-boards", o.max_boards, 1, 10'000'000, "Boards at a time; more are refused"),
      TextEntry("race-table-dir", o.race_table_dir, "a directory",
                "Directory where race tables are kept; empty: nowhere"),
      NumberEntry("build-race-table", o.build_race_table, 0, 2,
                  "Solve the race table of this edition, write it to race-table-dir, and exit"),
      ChoiceEntry("race-table-solving", o.race_table_solving, kRaceTableSolving,
                  "Solve race tables that are not there: auto does what is quick, and the rest in "
                  "the background if it can be kept"),
      ChoiceEntry("race-table-memory", o.race_table_memory, kRaceTableMemory,
                  "Where a GPU reads race tables: in its own memory or in the host's"),
      NumberEntry("rng-seed", o.rng_seed, 0, std::numeric_limits<std::uint64_t>::max(),
                  "Seed of the warm random streams; 0: from the operating system"),
      ChoiceEntry("log-level", o.log_level, kLogLevels, "Least level that is logged"),
      ChoiceEntry("log-format", o.log_format, kLogFormats, "Text, or one JSON object a line"),
      ChoiceEntry("log-calls", o.log_calls, kLogCalls,
                  "Calls that get a line at their end; their ids are in it and in the trailers"),
      FaultEntry("inject-fault", o.inject_fault),
  };
}

}  // namespace gpusim::server
