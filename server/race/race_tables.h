// The race tables of a server: read from a directory, or solved, and then in use by the backend.
//
//   a file is there             it is used; damaged or foreign, it is refused by name and the table is off
//   no file, solving allowed    solved: before the server is ready where that is quick, else behind it
//   no file, not allowed        off
//
// What is solved is written to the directory, if there is one. Quick are the first edition everywhere, and
// the second on a GPU. On a CPU the second takes minutes and 12 GiB, on threads of lowest priority.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <spdlog/logger.h>
#include <tl/expected.hpp>

#include "kernels/backend.h"
#include "server/batching/mutex.h"
#include "server/config/server_options.h"

namespace gpusim::server {

enum class RaceTableState : std::uint8_t { kReady, kSolving, kOff };

struct RaceTableReport {
  RaceTableState state = RaceTableState::kOff;
  double fraction = 0;                    // of the solving
  std::chrono::milliseconds remaining{};  // of the solving, predicted; 0: not known yet
  std::uint64_t bytes = 0;                // of a table that is ready
  TableMemory memory = TableMemory::kHost;
  std::string file;    // read from or written to
  std::string reason;  // why it is off, and how to get it
};

// What a solver's progress says about the time that is left. Its first steps, memory and tables, are at fraction 0 and say
// nothing of its pace, so the clock runs from the first fraction above it.
class SolvePace {
 public:
  // The time left when this much is done; 0 where nothing is known yet.
  std::chrono::milliseconds Left(std::chrono::steady_clock::time_point now, double fraction);

 private:
  std::chrono::steady_clock::time_point first_;
  double first_fraction_ = 0;
};

// Thread-safe.
class RaceTables {
 public:
  // The backend has to outlive it.
  RaceTables(const ServerOptions& options, Backend& backend, std::shared_ptr<spdlog::logger> log);
  // Stops what is being solved behind the server, within about a second.
  ~RaceTables();
  RaceTables(const RaceTables&) = delete;
  RaceTables& operator=(const RaceTables&) = delete;

  // Makes ready what is quick, and begins with the rest. Blocks for the quick part. Once, before any
  // question. The error is a device that can not be used.
  tl::expected<void, std::string> Start();

  RaceTableReport Report(camel_up::Edition edition) const GPUSIM_EXCLUDES(mutex_);
  std::vector<camel_up::Edition> ReadyEditions() const;

 private:
  using Table = std::shared_ptr<const camel_up::RaceTable>;

  std::string FileOf(camel_up::Edition edition) const;
  // The reason why a table that is not there is not solved; empty if it is.
  std::string WhyNotSolved(camel_up::Edition edition) const;
  bool IsQuick(camel_up::Edition edition) const;

  DeviceResult<void> Open(camel_up::Edition edition);
  DeviceResult<void> Solve(camel_up::Edition edition);
  void SolveBehind(camel_up::Edition edition);
  DeviceResult<void> Use(camel_up::Edition edition, Table table, std::string file);
  std::string Keep(camel_up::Edition edition, const camel_up::RaceTable& table);
  void TurnOff(camel_up::Edition edition, std::string reason);

  void Set(camel_up::Edition edition, RaceTableReport report) GPUSIM_EXCLUDES(mutex_);

  static constexpr std::size_t kEditions = 2;

  const ServerOptions options_;
  Backend& backend_;
  const std::shared_ptr<spdlog::logger> log_;
  mutable batching::Mutex mutex_;
  std::array<RaceTableReport, kEditions> reports_ GPUSIM_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_ = false;
  std::thread behind_;  // last: it uses all of the above
};

// gpusim-server --build-race-table: solves the table of the edition and writes it to the directory,
// over a file that is there. Shows its progress on stderr. The error is one line.
tl::expected<void, std::string> BuildRaceTable(camel_up::Edition edition,
                                               const ServerOptions& options, Backend& backend);

}  // namespace gpusim::server
