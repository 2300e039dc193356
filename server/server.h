// The server: all of its parts, made in the order in which they need each other, and taken down in
// the other.
//
//   gRPC --> services --> scheduler --> runners, one set a slot --> slots --> backend
//                \--> conversion pool
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/server.h>
#include <spdlog/logger.h>
#include <tl/expected.hpp>

#include "kernels/backend.h"
#include "server/access/gate.h"
#include "server/batching/scheduler.h"
#include "server/boards/board_store.h"
#include "server/cache/odds_cache.h"
#include "server/config/server_options.h"
#include "server/device/device_watch.h"
#include "server/device/fault_injection.h"
#include "server/health/health_service.h"
#include "server/health/health_state.h"
#include "server/kinds/warm_stream.h"
#include "server/metrics/endpoint.h"
#include "server/probe_endpoint.h"
#include "server/race/race_tables.h"
#include "server/services/advertised_address.h"
#include "server/services/camel_up_service.h"
#include "server/services/conversion_pool.h"
#include "server/services/life_service.h"
#include "server/services/open_streams.h"
#include "server/services/request_memory.h"
#include "server/services/server_service.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// Picks the backend as --backend says: `auto` takes a GPU if there is one, else the CPU, and logs
// which and why. The error says why there is none.
tl::expected<std::unique_ptr<Backend>, std::string> MakeBackend(const ServerOptions& options,
                                                                spdlog::logger& log);

class Server {
 public:
  // Blocks until every kernel has run once and all addresses are listened on. The error is one line
  // that names what failed. The options are valid (see ParseServerOptions). `on_device_lost` is told once, on any thread, when
  // the server has to be abandoned; it must not block.
  static tl::expected<std::unique_ptr<Server>, std::string> Start(
      const ServerOptions& options, std::unique_ptr<Backend> backend,
      std::shared_ptr<spdlog::logger> log,
      std::function<void(const DeviceLoss&)> on_device_lost = [](const DeviceLoss&) {});

  // Drains without any time for it, if that has not been done.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // What is listened on, as the options name it, with the ports that were got.
  const std::vector<std::string>& addresses() const { return addresses_; }
  // The ports alone, in the same order; 0 for a Unix socket.
  const std::vector<int>& ports() const { return ports_; }
  // HOST:PORT where health alone is told, with the port that was got; empty if nowhere.
  std::string probe_address() const { return probes_ ? probes_->address() : ""; }
  // HOST:PORT where metrics are served, with the port that was got; empty if nowhere.
  std::string metrics_address() const { return metrics_ ? metrics_->address() : ""; }

  // Health says NOT_SERVING, no new call is let in, and those that were are answered, for as long
  // as `drain_time`; those that take longer end with UNAVAILABLE. Streams and runs of boards are asked to
  // end by themselves, and boards are saved, whatever that takes. Returns when no call is left.
  // Blocks; for one thread; idempotent.
  void Drain(std::chrono::milliseconds drain_time);

  // A device is lost: what is queued and what comes fails with UNAVAILABLE, nothing is saved. Blocks for 0.5 to 2 s, for the
  // answers to leave; what is under way on a device may go on. Then the process has to end without
  // destroying the server. Also while Drain is under way.
  void Abandon();

  // How long saving the boards that are unsaved now takes, as the state directory was measured; 0 where it was not.
  std::chrono::milliseconds PredictSaving() const;

  // What is left to do, for the log of a stop that takes too long.
  std::string DescribeWhatIsLeft() const;

  // For more services on other addresses; says the same as the server's own.
  HealthState& health() { return *health_; }

 private:
  // What exists before the first request.
  struct Parts {
    std::unique_ptr<access::TokenFile> tokens;  // null: none are asked for
    std::unique_ptr<Backend> backend;
    std::unique_ptr<HealthState> health;
    std::unique_ptr<FaultInjection> fault_injection;
    std::unique_ptr<DeviceWatch> device_watch;
    std::unique_ptr<kinds::WarmStreams> warm_streams;
    std::unique_ptr<RaceTables> race_tables;
    std::vector<std::unique_ptr<Slot>> slots;
  };

  Server(const ServerOptions& options, Parts parts, std::shared_ptr<spdlog::logger> log);

  static tl::expected<std::vector<std::unique_ptr<Slot>>, std::string> MakeSlots(
      const ServerOptions& options, const Parts& parts);
  static tl::expected<std::unique_ptr<access::TokenFile>, std::string> OpenTokens(
      const ServerOptions& options, const std::shared_ptr<spdlog::logger>& log);
  tl::expected<void, std::string> Listen(const ServerOptions& options);
  tl::expected<void, std::string> ListenForProbes(const ServerOptions& options);
  tl::expected<void, std::string> ListenForMetrics(const ServerOptions& options);
  metrics::Snapshot ReadMetrics() const;
  void FinishCalls(std::chrono::milliseconds drain_time);
  bool AwaitCalls(const std::future<void>& shutdown,
                  std::chrono::steady_clock::time_point deadline);
  void LogKinds() const;

  // Each uses those above it and is destroyed before them. Whoever may post to the pool or
  // submit to the scheduler is stopped by Drain, before any of it goes.
  const std::shared_ptr<spdlog::logger> log_;
  const std::unique_ptr<Backend> backend_;
  const std::unique_ptr<HealthState> health_;
  const std::unique_ptr<FaultInjection> fault_injection_;  // null without --inject-fault
  const std::unique_ptr<DeviceWatch> device_watch_;
  const std::unique_ptr<kinds::WarmStreams> warm_streams_;
  const std::unique_ptr<RaceTables> race_tables_;
  const std::vector<std::unique_ptr<Slot>> slots_;
  access::Gate gate_;
  CallBook calls_;
  OddsCache odds_cache_;
  OpenStreams open_streams_;
  ConversionPool conversions_;
  batching::Scheduler scheduler_;
  boards::BoardStore boards_;
  RequestMemory request_memory_;
  AdvertisedAddress advertised_address_;
  const ServingContext context_;
  CamelUpServiceImpl camel_up_;
  LifeServiceImpl life_;
  ServerServiceImpl server_;
  HealthService health_service_;
  std::unique_ptr<grpc::Server> grpc_;
  std::unique_ptr<ProbeEndpoint> probes_;
  std::vector<std::string> addresses_;
  std::vector<int> ports_;
  std::atomic<bool> draining_ = false;
  std::unique_ptr<metrics::Endpoint> metrics_;  // reads all of the above
};

}  // namespace gpusim::server
