// What the server may be told, on the command line or in the environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/config/injected_fault.h"

namespace gpusim::server {

enum class BackendChoice : std::uint8_t { kAuto, kCuda, kCpu };
// Whether a race table that is not in the directory is solved. Auto: what is quick, and in the
// background what is not if there is a directory to keep it and memory to solve it.
enum class RaceTableSolving : std::uint8_t { kAuto, kOn, kOff };
enum class RaceTableMemory : std::uint8_t { kDevice, kHost };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };
enum class LogFormat : std::uint8_t { kText, kJson };
// Which calls get a line at their end.
enum class LogCalls : std::uint8_t { kNone, kFailed, kAll };

// The defaults are the server's. Options that come from ParseServerOptions are valid.
struct ServerOptions {
  // HOST:PORT or unix:PATH, at least one; port 0 takes a free one.
  std::vector<std::string> listen{"127.0.0.1:50051"};
  bool insecure = false;  // needed to listen in plaintext on more than loopback and Unix sockets

  // TLS of all TCP addresses; certificate and key go together.
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_client_ca;  // clients need a certificate of it; empty: none
  std::string probe_listen;   // HOST:PORT of health alone, in plaintext on any address; empty: none
  std::string token_file;     // empty: every caller may do everything

  std::string metrics_listen;  // HOST:PORT of /metrics for Prometheus, on any address; empty: none

  BackendChoice backend = BackendChoice::kAuto;
  int slots = 2;        // batches at a time, a device
  int cpu_threads = 0;  // 0: as many as the process may use

  std::uint64_t max_queued_calls = 4096;              // of a kind, queued and running
  std::uint64_t max_queued_bytes = 1u << 30;          // of the boards of queued and running calls
  std::chrono::milliseconds max_queued_work{10'000};  // of a kind, queued, as predicted
  std::chrono::milliseconds max_batch_delay{0};       // 0: a batch waits for nobody
  std::uint64_t max_step_cells = 1u << 24;            // of one board, rows padded to 64 cells
  std::uint64_t max_call_cells = 1u << 30;            // of all boards of a call, likewise
  std::uint64_t max_reply_bytes = 4u << 20;           // of one message
  std::uint64_t max_columns_reply_bytes = 64u << 20;  // of GetOddsColumns, to callers who allow it
  std::uint64_t max_request_bytes = (4u << 20) + (64u << 10);
  std::uint64_t max_concurrent_streams = 1024;  // calls at a time on one connection
  // After which a connection is asked to close, and streams end before; 0: never.
  std::chrono::milliseconds max_connection_age{30 * 60'000};
  std::uint64_t max_grpc_bytes = std::uint64_t{2} << 30;  // of what gRPC holds itself
  std::uint64_t max_calls_per_caller = 0;                 // under way, of one name; 0: no limit
  std::uint64_t max_call_simulations = 1'000'000'000;     // of one GetOdds call
  std::uint64_t max_stream_items = 256;                   // of one StreamOdds call, in flight
  std::uint64_t max_cache_bytes = 64u << 20;              // of exact answers; 0: no cache
  std::chrono::milliseconds default_deadline{30'000};
  std::chrono::milliseconds drain_time{10'000};
  // A batch that takes longer hangs; 0: 30 s on a GPU, 5 min on the CPU.
  std::chrono::milliseconds device_timeout{0};

  bool boards = true;     // resident boards are kept
  std::string state_dir;  // of boards and snapshots; empty: nothing is kept
  std::uint64_t max_state_bytes = std::uint64_t{64} << 30;
  std::string server_id;            // whose boards they are; empty: the host's name
  std::string advertise_address;    // empty: the first address of `listen`
  std::uint64_t device_memory = 0;  // of boards, a device; 0: by what is free at the start
  std::uint64_t max_boards = 100'000;

  std::string race_table_dir;  // where race tables are kept; empty: nowhere
  int build_race_table = 0;    // 1 or 2: solve and write the edition's table instead of serving
  RaceTableSolving race_table_solving = RaceTableSolving::kAuto;
  RaceTableMemory race_table_memory = RaceTableMemory::kDevice;
  std::uint64_t rng_seed = 0;  // of the warm random streams; 0: from the operating system

  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  LogCalls log_calls = LogCalls::kFailed;

  std::optional<InjectedFault> inject_fault;  // for tests
};

// The process should end now instead of serving: --help, --version, --print-config, or a fault.
struct ParseExit {
  int status = 0;    // 0, or 2 for a fault
  std::string text;  // for stdout, or stderr at status 2; ends with a line end
};

// Reads the command line; where a flag is not there, GPUSIM_FLAG from the environment; and where that is not there either, the
// file that --config names. A fault names the flag, the value and the rule, and the file's line.
tl::expected<ServerOptions, ParseExit> ParseServerOptions(int argc, const char* const* argv);

// Those of the variables "NAME=VALUE" whose names begin with GPUSIM_ and that neither the server nor the client reads, by name:
// a flag that is misspelt, most likely. `environment` ends with a null pointer.
std::vector<std::string> UnknownVariables(const char* const* environment);

// "500ms", "10s", "2m", "1h"; nullopt for anything else, also for a number without a unit.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);
std::string FormatDuration(std::chrono::milliseconds duration);

// 1 to 63 letters, digits, '.', '_' or '-', the first a letter or digit.
bool IsServerId(std::string_view text);
// The machine's name, made a server id.
std::string HostId();

// The options as lines of `flag = value`, in the order of --help.
std::string DescribeOptions(const ServerOptions& options);

std::string_view Version();

}  // namespace gpusim::server
