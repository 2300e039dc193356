// All that the metrics say, at one moment. Names and labels are the server's own: no text of a client is in it, so that the
// number of series is fixed for as long as the server runs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/batching/kind_report.h"
#include "server/boards/board_types.h"
#include "server/cache/odds_cache.h"
#include "server/calls/call_book.h"
#include "server/race/race_tables.h"

namespace gpusim::metrics {

struct DeviceUse {
  std::string name;
  std::chrono::nanoseconds busy{};
};

// What a drain has to write.
struct UnsavedBoards {
  std::uint64_t bytes = 0;            // of boards that changed since they were written
  double write_bytes_per_second = 0;  // as measured; 0: not known
};

struct BoardsUse {
  boards::StoreUse store;
  std::optional<UnsavedBoards> unsaved;  // none: nobody counts it
};

// Of the process, as the operating system counts it.
struct ProcessUse {
  double start_time_seconds = 0;  // since 1970
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
};

struct Snapshot {
  std::string version;
  std::string backend;             // "cuda" or "cpu"
  std::vector<DeviceUse> devices;  // by index

  std::vector<batching::KindReport> kinds;
  std::uint64_t max_queued_calls = 0;  // of each kind
  std::uint64_t max_queued_bytes = 0;
  std::chrono::nanoseconds max_queued_work{};

  server::OddsCacheStatistics odds_cache;
  std::array<server::RaceTableReport, 2> race_tables;  // of the first and second edition
  std::optional<BoardsUse> boards;                     // none: the server has no boards

  std::uint64_t conversions_waiting = 0;
  std::uint64_t conversions_refused = 0;
  std::uint64_t calls_under_way = 0;
  server::CallCounts calls_ended{};
  std::uint64_t open_streams = 0;
  bool draining = false;

  ProcessUse process;
};

using ReadSnapshot = std::function<Snapshot()>;

}  // namespace gpusim::metrics
