#include "server/race/race_tables.h"

#include <utility>

namespace gpusim::server {

RaceTables::RaceTables(const ServerOptions& options, Backend& backend,
                       std::shared_ptr<spdlog::logger> log)
    : options_(options), backend_(backend), log_(std::move(log)) {}

RaceTables::~RaceTables() = default;

tl::expected<void, std::string> RaceTables::Start() { return {}; }

RaceTableReport RaceTables::Report(camel_up::Edition edition) const {
  const batching::MutexLock lock(mutex_);
  return reports_[static_cast<std::size_t>(edition) - 1];
}

}  // namespace gpusim::server
