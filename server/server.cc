#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include <grpc/grpc.h>
#include <grpcpp/server_builder.h>
#include <spdlog/spdlog.h>

#include "server/batching/kind_report.h"
#include "server/call_log.h"
#include "server/config/listen_address.h"
#include "server/grpc_setup.h"
#include "server/kinds/kinds.h"
#include "server/kinds/warm_up.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// While draining: long enough for a call that came in just before to be seen by its handler.
constexpr milliseconds kTick{100};
// Who watches the health has so long to go elsewhere before calls are refused.
constexpr milliseconds kNotice{500};

kinds::BatchSizes SizesFor(const ServerOptions& options, const Backend& backend) {
  return kinds::BatchSizesFor(backend, options.max_step_cells / life::kCellsPerWord);
}

// A CPU does not hang, but takes a minute for all facts of a board of many GiB on one thread.
milliseconds DeviceTimeout(const ServerOptions& options, const Backend& backend) {
  if (options.device_timeout != milliseconds(0)) return options.device_timeout;
  return backend.kind() == BackendKind::kCuda ? std::chrono::seconds(30) : std::chrono::minutes(5);
}

int ConversionThreads() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 4u));
}

// Requests that wait for their conversion are held whole.
std::size_t MaxWaitingConversions(const ServerOptions& options) {
  constexpr std::uint64_t kLeast = 16;
  return std::max(kLeast, options.max_queued_bytes / options.max_request_bytes);
}

// The device of each slot: they are in the order of their devices, equally many each.
std::vector<std::size_t> DevicesOf(std::size_t slots, std::size_t devices) {
  std::vector<std::size_t> device_of(slots);
  for (std::size_t i = 0; i < slots; ++i) device_of[i] = i * devices / slots;
  return device_of;
}

std::vector<batching::SlotRunners> RunnersOf(const std::vector<std::unique_ptr<Slot>>& slots,
                                             std::size_t devices, DeviceWatch& watch) {
  const std::vector<std::size_t> device_of = DevicesOf(slots.size(), devices);
  std::vector<batching::SlotRunners> runners;
  runners.reserve(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i)
    runners.push_back(
        watch.Watch(kinds::RunnersOf(*slots[i], device_of[i], devices), device_of[i]));
  return runners;
}

v1::Provenance ProvenanceOf(const Backend& backend) {
  v1::Provenance provenance;
  provenance.set_backend(backend.kind() == BackendKind::kCuda ? v1::BACKEND_CUDA : v1::BACKEND_CPU);
  provenance.set_device(backend.devices().front().name);
  provenance.set_method(v1::METHOD_EXACT);
  return provenance;
}

std::vector<FlagLimit> LimitsOf(const ServerOptions& options) {
  return {
      {"max-queued-calls", options.max_queued_calls},
      {"max-queued-bytes", options.max_queued_bytes},
      {"max-queued-work", static_cast<std::uint64_t>(options.max_queued_work.count())},
      {"max-step-cells", options.max_step_cells},
      {"max-call-cells", options.max_call_cells},
      {"max-reply-bytes", options.max_reply_bytes},
      {"max-columns-reply-bytes", options.max_columns_reply_bytes},
      {"max-request-bytes", options.max_request_bytes},
      {"max-call-simulations", options.max_call_simulations},
      {"max-stream-items", options.max_stream_items},
      {"max-cache-bytes", options.max_cache_bytes},
      {"max-concurrent-streams", options.max_concurrent_streams},
      {"max-calls-per-caller", options.max_calls_per_caller},
      {"max-grpc-bytes", options.max_grpc_bytes},
      {"max-boards", options.max_boards},
      {"max-state-bytes", options.max_state_bytes},
      {"default-deadline", static_cast<std::uint64_t>(options.default_deadline.count())},
  };
}

// What boards may take of each device, whatever is asked for at the same time from the host.
std::vector<std::uint64_t> BoardBudgets(const ServerOptions& options, const Backend& backend) {
  std::vector<std::uint64_t> budgets;
  for (std::size_t device = 0; device < backend.devices().size(); ++device) {
    const std::uint64_t free = backend.FreeMemory(device);
    const std::uint64_t share = backend.kind() == BackendKind::kCuda ? free / 5 * 4 : free / 2;
    budgets.push_back(options.device_memory != 0 ? options.device_memory : share);
  }
  return budgets;
}

boards::StoreOptions StoreOptionsOf(const ServerOptions& options, const Backend& backend,
                                    const DeviceWatch& watch) {
  return {.on = options.boards,
          .owner = options.server_id.empty() ? HostId() : options.server_id,
          .address = options.advertise_address,
          .state_dir = options.state_dir,
          .max_boards = options.max_boards,
          .max_state_bytes = options.max_state_bytes,
          .device_memory = BoardBudgets(options, backend),
          .drain_time = options.drain_time,
          .write_bytes_per_second = 0,
          .first_kind = kinds::kBoards,
          .device_is_lost = [&watch] { return watch.lost(); }};
}

// A stream that begins with its connection ends before that is asked to close, at 90% of its age at the earliest.
milliseconds StreamAge(const ServerOptions& options) { return options.max_connection_age * 8 / 10; }

std::vector<std::string> ServiceNames() {
  return {v1::CamelUpService::service_full_name(), v1::LifeService::service_full_name(),
          v1::ServerService::service_full_name()};
}

}  // namespace

tl::expected<std::unique_ptr<Backend>, std::string> MakeBackend(const ServerOptions& options,
                                                                spdlog::logger& log) {
  if (options.backend == BackendChoice::kCpu) {
    log.info("backend cpu: asked for");
    return MakeCpuBackend(options.cpu_threads);
  }
  auto cuda = MakeCudaBackend();
  if (cuda) {
    log.info("backend cuda: {} device(s), the first is {}", (*cuda)->devices().size(),
             (*cuda)->devices().front().name);
    return *std::move(cuda);
  }
  if (options.backend == BackendChoice::kCuda)
    return tl::unexpected("--backend cuda: " + cuda.error().what);
  log.info("backend cpu: no GPU to use ({})", cuda.error().what);
  return MakeCpuBackend(options.cpu_threads);
}

tl::expected<std::unique_ptr<Server>, std::string> Server::Start(
    const ServerOptions& options, std::unique_ptr<Backend> backend,
    std::shared_ptr<spdlog::logger> log, std::function<void(const DeviceLoss&)> on_device_lost) {
  auto tokens = OpenTokens(options, log);
  if (!tokens) return tl::unexpected(std::move(tokens.error()));
  Parts parts;
  parts.tokens = *std::move(tokens);
  parts.backend = std::move(backend);
  parts.health = std::make_unique<HealthState>(ServiceNames());
  if (options.inject_fault)
    parts.fault_injection = std::make_unique<FaultInjection>(*options.inject_fault);
  parts.device_watch = std::make_unique<DeviceWatch>(
      *parts.backend, DeviceTimeout(options, *parts.backend),
      [&health = *parts.health, log, tell = std::move(on_device_lost)](const DeviceLoss& loss) {
        health.LoseDevice();
        tell(loss);
        log->critical("a device is lost: {}", loss.what);
      });
  parts.warm_streams = std::make_unique<kinds::WarmStreams>(
      options.rng_seed != 0 ? options.rng_seed : kinds::RandomSeed(),
      parts.backend->devices().size());
  parts.race_tables = std::make_unique<RaceTables>(options, *parts.backend, log);
  if (auto tables = parts.race_tables->Start(); !tables)
    return tl::unexpected(std::move(tables.error()));
  auto slots = MakeSlots(options, parts);
  if (!slots) return tl::unexpected(std::move(slots.error()));
  parts.slots = *std::move(slots);
  parts.health->SetWarm();
  std::unique_ptr<Server> server(new Server(options, std::move(parts), std::move(log)));
  if (auto boards = server->boards_.Start(); !boards)
    return tl::unexpected(std::move(boards.error()));
  if (auto listening = server->ListenForMetrics(options); !listening)
    return tl::unexpected(std::move(listening.error()));
  if (auto listening = server->Listen(options); !listening)
    return tl::unexpected(std::move(listening.error()));
  return server;
}

tl::expected<std::unique_ptr<access::TokenFile>, std::string> Server::OpenTokens(
    const ServerOptions& options, const std::shared_ptr<spdlog::logger>& log) {
  if (options.token_file.empty()) return nullptr;
  auto tokens = access::TokenFile::Open(
      options.token_file, [log](const std::string& line) { log->info("access: {}", line); });
  if (!tokens) return tl::unexpected("--token-file " + tokens.error());
  return *std::move(tokens);
}

tl::expected<std::vector<std::unique_ptr<Slot>>, std::string> Server::MakeSlots(
    const ServerOptions& options, const Parts& parts) {
  Backend& backend = *parts.backend;
  const std::vector<camel_up::Edition> races = parts.race_tables->ReadyEditions();
  const SlotCapacity capacity = SizesFor(options, backend).capacity;
  std::vector<std::unique_ptr<Slot>> slots;
  for (std::size_t device = 0; device < backend.devices().size(); ++device) {
    for (int i = 0; i < options.slots; ++i) {
      auto made = backend.MakeSlot(device, capacity, parts.warm_streams->BaseOf(device));
      const std::string place = "device " + std::to_string(device) + " (" +
                                backend.devices()[device].name + "), slot " + std::to_string(i);
      if (!made) return tl::unexpected(place + ": " + made.error().what);
      std::unique_ptr<Slot> slot = *std::move(made);
      if (const auto warm = kinds::WarmUp(backend, device, *slot, capacity, races); !warm)
        return tl::unexpected(place + ", warm-up: " + warm.error().what);
      if (parts.fault_injection) slot = parts.fault_injection->Break(std::move(slot), device);
      slots.push_back(parts.device_watch->Watch(std::move(slot), device));
    }
  }
  return slots;
}

Server::Server(const ServerOptions& options, Parts parts, std::shared_ptr<spdlog::logger> log)
    : log_(std::move(log)),
      backend_(std::move(parts.backend)),
      health_(std::move(parts.health)),
      fault_injection_(std::move(parts.fault_injection)),
      device_watch_(std::move(parts.device_watch)),
      warm_streams_(std::move(parts.warm_streams)),
      race_tables_(std::move(parts.race_tables)),
      slots_(std::move(parts.slots)),
      gate_(std::move(parts.tokens), options.max_calls_per_caller,
            [this] { return device_watch_->lost(); }),
      calls_(MakeCallLog(options.log_calls, options.log_format, *log_), gate_),
      odds_cache_(options.max_cache_bytes),
      open_streams_(StreamAge(options)),
      conversions_(ConversionThreads(), MaxWaitingConversions(options)),
      scheduler_(kinds::KindsOf(SizesFor(options, *backend_), backend_->devices().size(),
                                {.max_tasks = options.max_queued_calls,
                                 .max_bytes = options.max_queued_bytes,
                                 .max_queued_time = options.max_queued_work,
                                 .max_batch_delay = options.max_batch_delay}),
                 RunnersOf(slots_, backend_->devices().size(), *device_watch_),
                 batching::SteadyClock(), DevicesOf(slots_.size(), backend_->devices().size())),
      boards_(StoreOptionsOf(options, *backend_, *device_watch_), *backend_, scheduler_,
              [this](const std::string& line) { log_->info("boards: {}", line); }),
      request_memory_(batching::SteadyClock()),
      context_{.scheduler = scheduler_,
               .conversions = conversions_,
               .calls = calls_,
               .open_streams = open_streams_,
               .race_tables = *race_tables_,
               .warm_streams = *warm_streams_,
               .odds_cache = odds_cache_,
               .boards = boards_,
               .request_memory = request_memory_,
               .advertised_address = advertised_address_,
               .default_deadline = options.default_deadline,
               .max_queued_bytes = options.max_queued_bytes,
               .max_step_cells = options.max_step_cells,
               .max_call_cells = options.max_call_cells,
               .max_reply_bytes = options.max_reply_bytes,
               .max_columns_reply_bytes = options.max_columns_reply_bytes,
               .max_call_simulations = options.max_call_simulations,
               .max_stream_items = options.max_stream_items,
               .life_chunk = SizesFor(options, *backend_).life_chunk,
               .camel_up_chunk = SizesFor(options, *backend_).camel_up_chunk,
               .provenance = ProvenanceOf(*backend_)},
      camel_up_(context_),
      life_(context_),
      server_(context_, {.version = std::string(Version()),
                         .backend = *backend_,
                         .slots_per_device = static_cast<std::uint32_t>(options.slots),
                         .limits = LimitsOf(options),
                         .started = steady_clock::now()}),
      health_service_(*health_) {}

Server::~Server() { Drain(milliseconds(0)); }

tl::expected<void, std::string> Server::Listen(const ServerOptions& options) {
  const auto credentials = TcpCredentials(options);
  if (!credentials) return tl::unexpected(credentials.error());
  grpc::ServerBuilder builder;
  SetUp(options, builder);
  builder.RegisterService(&camel_up_).RegisterService(&life_).RegisterService(&server_);
  builder.RegisterService(&health_service_);

  constexpr int kNotTried = -1;
  ports_.assign(options.listen.size(), kNotTried);
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    const ListenAddress address = *ParseListenAddress(options.listen[i]);
    const std::string why = address.IsUnix() ? WhyNotListen(address) : "";
    if (!why.empty()) return tl::unexpected("cannot listen on " + options.listen[i] + ": " + why);
    builder.AddListeningPort(options.listen[i],
                             address.IsUnix() ? grpc::InsecureServerCredentials() : *credentials,
                             &ports_[i]);
  }
  grpc_ = builder.BuildAndStart();
  if (grpc_ == nullptr) {
    // gRPC tries one after another and gives up at the first that fails.
    const auto failed =
        std::find_if(ports_.begin(), ports_.end(), [](int port) { return port <= 0; });
    const std::string& text =
        options.listen[static_cast<std::size_t>(failed - ports_.begin()) % options.listen.size()];
    const std::string why = WhyNotListen(*ParseListenAddress(text));
    return tl::unexpected("cannot listen on " + text + ": " +
                          (why.empty() ? "gRPC could not bind it" : why));
  }
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    const ListenAddress address = *ParseListenAddress(options.listen[i]);
    if (address.IsUnix()) ports_[i] = 0;
    addresses_.push_back(FormatListenAddress(address, ports_[i]));
  }
  advertised_address_.Set(options.advertise_address.empty() ? addresses_.front()
                                                            : options.advertise_address);
  return ListenForProbes(options);
}

tl::expected<void, std::string> Server::ListenForProbes(const ServerOptions& options) {
  if (options.probe_listen.empty()) return {};
  auto probes = ProbeEndpoint::Listen(options.probe_listen, *health_);
  if (!probes) return tl::unexpected(std::move(probes.error()));
  probes_ = *std::move(probes);
  return {};
}

void Server::Drain(milliseconds drain_time) {
  if (draining_.exchange(true)) return;
  const bool served = grpc_ != nullptr;
  if (served) FinishCalls(drain_time);
  // No call is left, so nobody posts or submits any more. The pool's threads go before the
  // scheduler, which they may still be on their way out of.
  conversions_.Stop();
  scheduler_.Drain(steady_clock::now());
  metrics_.reset();
  if (served) LogKinds();
}

void Server::FinishCalls(milliseconds drain_time) {
  log_->info("draining: {} call(s) under way, for {} at most", calls_.under_way(),
             FormatDuration(drain_time));
  health_->BeginDrain();
  const auto deadline = steady_clock::now() + drain_time;
  std::this_thread::sleep_for(std::min(drain_time, kNotice));
  // Waits for the calls. The deadline it takes is when it cancels them, which is for the worst case
  // only: before that, the scheduler ends them with a status that says why.
  constexpr milliseconds kLastResort{5'000};
  auto shutdown = std::async(std::launch::async, [&] {
    grpc_->Shutdown(std::chrono::system_clock::now() + drain_time + kLastResort);
  });
  open_streams_.EndAllSoon();
  // Ends runs, so that their calls do, and saves boards, for which the scheduler has to run still.
  auto boards = std::async(std::launch::async, [&] { boards_.Drain(); });
  const bool in_time = AwaitCalls(shutdown, deadline);
  boards.get();
  if (!in_time) {
    log_->warn("draining: {} call(s) not done in time", calls_.under_way());
    scheduler_.Drain(steady_clock::now());
  }
  // What else is open then are streams of gRPC's own, such as watches of the health, which end
  // at nobody's wish but ours.
  if (shutdown.wait_for(kTick) != std::future_status::ready)
    grpc_server_cancel_all_calls(grpc_->c_server());
  shutdown.get();
}

void Server::Abandon() {
  health_->BeginDrain();  // ends its watches
  open_streams_.EndAllSoon();
  scheduler_.Abandon();
  // The port stays open: gRPC's own shutdown would answer CANCELLED to calls that come in meanwhile. What a hung device keeps
  // is under way for ever.
  constexpr milliseconds kLongest{2'000};
  constexpr milliseconds kLook{10};
  const auto start = steady_clock::now();
  for (auto now = start;
       now < start + kNotice || (calls_.under_way() > 0 && now < start + kLongest);
       now = steady_clock::now())
    std::this_thread::sleep_for(kLook);
}

milliseconds Server::PredictSaving() const {
  const boards::StoreUse use = boards_.use();
  if (use.write_bytes_per_second <= 0) return milliseconds(0);
  const std::chrono::duration<double> seconds(static_cast<double>(use.unsaved_bytes) /
                                              use.write_bytes_per_second);
  return std::chrono::ceil<milliseconds>(seconds);
}

std::string Server::DescribeWhatIsLeft() const {
  const boards::StoreUse boards = boards_.use();
  return std::to_string(calls_.under_way()) + " call(s) under way, " +
         std::to_string(open_streams_.count()) + " open stream(s), " +
         std::to_string(boards.running) + " board(s) running, " +
         std::to_string(boards.unsaved_bytes) + " bytes of boards not saved";
}

bool Server::AwaitCalls(const std::future<void>& shutdown, steady_clock::time_point deadline) {
  while (shutdown.wait_until(std::min(steady_clock::now() + kTick, deadline)) !=
         std::future_status::ready) {
    if (calls_.under_way() == 0) return true;
    if (steady_clock::now() >= deadline) return false;
  }
  return true;
}

void Server::LogKinds() const {
  for (const auto& [name, counters] : batching::ReportKinds(scheduler_)) {
    const double mean_batch = counters.batches == 0 ? 0
                                                    : static_cast<double>(counters.batched) /
                                                          static_cast<double>(counters.batches);
    log_->info(
        "kind {}: requests {}, answered {}, failed {}, cancelled {}, expired {}, drained {}, "
        "batches "
        "{}, mean batch {:.1f}",
        name, counters.accepted, counters.answered, counters.failed, counters.cancelled,
        counters.expired, counters.drained, counters.batches, mean_batch);
  }
}

}  // namespace gpusim::server
