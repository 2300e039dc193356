// What a server tells of itself to those who operate it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/config/listen_address.h"
#include "server/kinds/kinds.h"
#include "server/metrics/process_use.h"
#include "server/server.h"

namespace gpusim::server {

tl::expected<void, std::string> Server::ListenForMetrics(const ServerOptions& options) {
  if (options.metrics_listen.empty()) return {};
  auto endpoint = metrics::Endpoint::Listen(*ParseListenAddress(options.metrics_listen),
                                            [this] { return ReadMetrics(); });
  if (!endpoint)
    return tl::unexpected("cannot serve metrics on " + options.metrics_listen + ": " +
                          endpoint.error());
  metrics_ = *std::move(endpoint);
  return {};
}

metrics::Snapshot Server::ReadMetrics() const {
  std::vector<metrics::DeviceUse> devices;
  for (std::size_t i = 0; i < backend_->devices().size(); ++i)
    devices.push_back({backend_->devices()[i].name, scheduler_.busy(i)});
  std::optional<metrics::BoardsUse> boards;
  if (boards_.options().on) {
    boards.emplace().store = boards_.use();
    if (!boards_.options().state_dir.empty())
      boards->unsaved = {boards->store.unsaved_bytes, boards->store.write_bytes_per_second};
  }
  const ConversionPool::Load conversions = conversions_.load();
  return {
      .version = std::string(Version()),
      .backend = backend_->kind() == BackendKind::kCuda ? "cuda" : "cpu",
      .devices = std::move(devices),
      .kinds = batching::ReportKinds(scheduler_),
      .max_queued_calls = scheduler_.options(kinds::kCamelUp).max_tasks,
      .max_queued_bytes = scheduler_.options(kinds::kCamelUp).max_bytes,
      .max_queued_work = scheduler_.options(kinds::kCamelUp).max_queued_time,
      .odds_cache = odds_cache_.statistics(),
      .race_tables = {race_tables_->Report(camel_up::Edition::kFirst),
                      race_tables_->Report(camel_up::Edition::kSecond)},
      .boards = boards,
      .conversions_waiting = conversions.waiting,
      .conversions_refused = conversions.refused,
      .calls_under_way = static_cast<std::uint64_t>(std::max<std::int64_t>(0, calls_.under_way())),
      .calls_ended = calls_.ended(),
      .open_streams = open_streams_.count(),
      .draining = draining_,
      .process = metrics::ReadProcessUse(),
  };
}

}  // namespace gpusim::server
