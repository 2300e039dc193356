// The race tables of a server: read from a directory, or solved, and then in use by the backend.
//
//   a file is there             it is used; damaged or foreign, it is refused by name, and the table is off
//   no file, solving allowed    solved: before the server is ready where that is quick, else in the background
//   no file, not allowed        off
//
// What is solved is written to the directory, if there is one. Quick are the first edition everywhere, and
// the second on a GPU. On a CPU the second takes minutes and 12 GiB, on threads of lowest priority.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

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
  std::chrono::milliseconds remaining{};  // of the solving, predicted
  std::uint64_t bytes = 0;                // of a table that is ready
  TableMemory memory = TableMemory::kHost;
  std::string file;    // read from or written to
  std::string reason;  // why it is off, and how to get it
};

// Thread-safe.
class RaceTables {
 public:
  // The backend has to outlive it.
  RaceTables(const ServerOptions& options, Backend& backend, std::shared_ptr<spdlog::logger> log);
  // Stops what is being solved in the background; waits for it, for a second at most.
  ~RaceTables();

  // Makes ready what is quick, and begins with the rest. Blocks for the quick part. Once, before any
  // question. The error is a fault of the device.
  tl::expected<void, std::string> Start();

  RaceTableReport Report(camel_up::Edition edition) const GPUSIM_EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kEditions = 2;

  const ServerOptions options_;
  Backend& backend_;
  const std::shared_ptr<spdlog::logger> log_;
  mutable batching::Mutex mutex_;
  std::array<RaceTableReport, kEditions> reports_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::server
