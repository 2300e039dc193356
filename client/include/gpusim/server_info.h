// The server about itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gpusim/provenance.h>

namespace gpusim {

struct ServerDevice {
  std::uint32_t index = 0;
  std::string name = {};
  std::uint32_t slots = 0;         // batches that it works on at the same time
  std::uint64_t memory_bytes = 0;  // of a GPU; 0 for the CPU
  std::uint32_t threads = 0;       // of the CPU; 0 for a GPU
};

struct ServerLimit {
  std::string flag = {};  // "max-queued-calls"
  std::uint64_t value = 0;
  std::uint64_t used = 0;
};

enum class RaceTableState {
  kUnspecified = 0,
  kReady = 1,    // exact race odds are answered
  kSolving = 2,  // they get kUnavailable until then
  kOff = 3,      // they get kFailedPrecondition
};

enum class TableMemory { kUnspecified = 0, kHost = 1, kDevice = 2 };

// What exact race odds of an edition are read from.
struct RaceTable {
  std::uint32_t edition = 0;  // 1 or 2
  RaceTableState state = RaceTableState::kUnspecified;
  double progress = 0;                     // 0 to 1, of the solving
  std::chrono::milliseconds remaining{0};  // of the solving, predicted
  std::uint64_t bytes = 0;
  TableMemory memory = TableMemory::kUnspecified;
  std::string file = {};    // that it was read from or written to
  std::string reason = {};  // why it is off
};

// Of resident boards.
struct BoardsInfo {
  bool on = false;
  std::string owner = {};
  std::string address = {};
  std::uint64_t boards = 0;
  std::uint64_t running = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_memory_bytes = 0;
  std::uint64_t state_bytes = 0;  // of the files
  std::uint64_t max_state_bytes = 0;
  std::chrono::milliseconds next_lease_ends{0};  // from now; 0: no lease
};

struct ServerInfo {
  std::string version = {};
  AnsweredBy backend = AnsweredBy::kUnspecified;
  std::vector<ServerDevice> devices = {};
  std::vector<ServerLimit> limits = {};
  std::chrono::milliseconds uptime{0};
  std::vector<RaceTable> race_tables = {};  // one an edition
  // What unseeded simulations draw from; offset: where the next one begins.
  std::optional<RandomStream> warm_stream = {};
  BoardsInfo boards = {};
};

// Counters since the server's start.
struct KindStatistics {
  std::string kind = {};  // "camel_up", "life", "ping"
  std::uint64_t requests = 0;
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t expired = 0;
  std::uint64_t refused_queue_full = 0;
  std::uint64_t refused_draining = 0;
  std::uint64_t batches = 0;
  std::uint64_t batched = 0;  // requests in batches; mean batch = batched / batches
  std::uint64_t largest_batch = 0;
  std::chrono::nanoseconds queue{0};    // sum over requests
  std::chrono::nanoseconds compute{0};  // sum over batches
  std::uint64_t refused_work_full = 0;
  std::uint64_t bulk_requests = 0;  // of `requests`; the others are interactive
};

// Of exact Camel Up answers. Hit rate = hits / (hits + misses).
struct CacheStatistics {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes = 0;  // 0: off
};

// Calls of a method that ended with a status.
struct CallStatistics {
  std::string method = {};  // "GetOdds"
  std::uint32_t code = 0;   // as gRPC numbers them; 0: OK
  std::uint64_t count = 0;
};

struct ServerStatistics {
  std::vector<KindStatistics> kinds = {};
  CacheStatistics cache = {};
  std::vector<CallStatistics> calls = {};  // pairs that occurred
  std::vector<std::chrono::nanoseconds> device_busy =
      {};                             // by device: time with at least one batch on it
  std::uint64_t calls_under_way = 0;  // with the call that asks
  std::uint64_t open_streams = 0;
  std::uint64_t conversions_waiting = 0;  // large messages that wait for a thread
  std::uint64_t conversions_refused = 0;  // calls refused because too many did
};

}  // namespace gpusim
