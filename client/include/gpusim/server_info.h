// The server about itself.
#pragma once

#include <chrono>
#include <cstdint>
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

struct ServerInfo {
  std::string version = {};
  AnsweredBy backend = AnsweredBy::kUnspecified;
  std::vector<ServerDevice> devices = {};
  std::vector<ServerLimit> limits = {};
  std::chrono::milliseconds uptime{0};
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
};

struct ServerStatistics {
  std::vector<KindStatistics> kinds = {};
};

}  // namespace gpusim
