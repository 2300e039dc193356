#include "server/services/server_service.h"

#include <algorithm>
#include <memory>

#include "server/batching/kind_report.h"
#include "server/calls/call_entry.h"
#include "server/kinds/kinds.h"
#include "server/kinds/ping_kind.h"
#include "server/services/board_owner.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

class PingMethod {
 public:
  using Request = v1::PingRequest;
  using Response = v1::PingResponse;
  using Task = kinds::PingTask;
  static constexpr CallMethod kMethod = CallMethod::kPing;
  static constexpr batching::KindIndex kKind = kinds::kPing;

  explicit PingMethod(const ServingContext& /*context*/) {}

  static bool ConvertIsLight(const Request& /*request*/) { return true; }
  static tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(
      const Request& /*request*/, batching::TimePoint deadline, kinds::Listener<Task>& listener) {
    return std::make_unique<Task>(deadline, listener);
  }
  static void Take(const Task& /*task*/) {}
  static bool FillIsLight() { return true; }
  static tl::expected<void, Violations> Fill(Response& /*response*/) { return {}; }
};

// gRPC's own reactor for a call that is answered on the spot: nothing is under way that a
// cancellation could meet.
grpc::ServerUnaryReactor* Answered(grpc::CallbackServerContext* call, CallEntry& entry,
                                   const grpc::Status& status = grpc::Status::OK) {
  grpc::ServerUnaryReactor* reactor = call->DefaultReactor();
  entry.End(status);
  reactor->Finish(status);
  return reactor;
}

template <class Histogram>
void FillBuckets(const Histogram& histogram,
                 google::protobuf::RepeatedPtrField<v1::HistogramBucket>& buckets) {
  for (const std::uint64_t count : histogram.counts()) {
    const auto place = static_cast<std::size_t>(buckets.size());
    v1::HistogramBucket& bucket = *buckets.Add();
    if (place < histogram.bounds().size()) bucket.set_upper_bound(histogram.bounds()[place]);
    bucket.set_count(count);
  }
}

void FillKind(const batching::KindCounters& counters, v1::KindStatistics& kind) {
  kind.set_requests(counters.accepted);
  kind.set_answered(counters.answered);
  // Callers see both as UNAVAILABLE, and neither as their own doing.
  kind.set_failed(counters.failed + counters.drained);
  kind.set_cancelled(counters.cancelled);
  kind.set_expired(counters.expired);
  kind.set_refused_queue_full(counters.refused_queue_full + counters.refused_bytes_full);
  kind.set_refused_draining(counters.refused_draining);
  kind.set_batches(counters.batches);
  kind.set_batched(counters.batched);
  kind.set_largest_batch(counters.largest_batch);
  kind.set_queue_ns(counters.queue_ns);
  kind.set_compute_ns(counters.run_ns);
  FillBuckets(counters.queue_times, *kind.mutable_queue_ns_buckets());
  FillBuckets(counters.batch_sizes, *kind.mutable_batch_size_buckets());
}

v1::RaceTableState StateOf(RaceTableState state) {
  switch (state) {
    case RaceTableState::kReady:
      return v1::RACE_TABLE_STATE_READY;
    case RaceTableState::kSolving:
      return v1::RACE_TABLE_STATE_SOLVING;
    case RaceTableState::kOff:
      return v1::RACE_TABLE_STATE_OFF;
  }
  return v1::RACE_TABLE_STATE_UNSPECIFIED;
}

void FillRaceTable(camel_up::Edition edition, const RaceTableReport& report, v1::RaceTable& table) {
  table.set_edition(static_cast<std::uint32_t>(edition));
  table.set_state(StateOf(report.state));
  table.set_progress(report.fraction);
  table.set_remaining_ms(static_cast<std::uint64_t>(report.remaining.count()));
  table.set_bytes(report.bytes);
  if (report.state == RaceTableState::kReady)
    table.set_memory(report.memory == TableMemory::kDevice ? v1::TABLE_MEMORY_DEVICE
                                                           : v1::TABLE_MEMORY_HOST);
  table.set_file(report.file);
  table.set_reason(report.reason);
}

void FillStream(const kinds::WarmStreams::Blocks& next, v1::RandomStream& stream) {
  stream.set_seed(next.base.seed);
  stream.set_subsequence(next.base.subsequence);
  stream.set_offset(next.offset);
  stream.set_stream_version(camel_up::kStreamVersion);
}

void FillBoards(const ServingContext& context, v1::BoardsInfo& info) {
  const boards::StoreUse use = context.boards.use();
  const BoardOwner owner = OwnerOf(context);
  info.set_on(context.boards.options().on);
  info.set_owner(owner.name);
  info.set_address(owner.address);
  info.set_boards(use.boards);
  info.set_running(use.running);
  info.set_memory_bytes(use.memory_bytes);
  info.set_max_memory_bytes(use.max_memory_bytes);
  info.set_state_bytes(use.state_bytes);
  info.set_max_state_bytes(use.max_state_bytes);
  if (use.next_lease_ends)
    info.set_next_lease_ends_ms(
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, use.next_lease_ends->count())));
}

void FillCalls(const ServingContext& context, v1::GetStatisticsResponse& response) {
  const CallCounts ended = context.calls.ended();
  for (std::size_t method = 0; method < ended.size(); ++method) {
    for (std::size_t code = 0; code < ended[method].size(); ++code) {
      if (ended[method][code] == 0) continue;
      v1::CallStatistics& calls = *response.add_calls();
      calls.set_method(std::string(kCallMethodNames[method]));
      calls.set_code(static_cast<std::uint32_t>(code));
      calls.set_count(ended[method][code]);
    }
  }
  response.set_calls_under_way(static_cast<std::uint64_t>(context.calls.under_way()));
  response.set_open_streams(context.open_streams.count());
  const ConversionPool::Load conversions = context.conversions.load();
  response.set_conversions_waiting(conversions.waiting);
  response.set_conversions_refused(conversions.refused);
}

void FillCache(const OddsCacheStatistics& statistics, v1::CacheStatistics& cache) {
  cache.set_hits(statistics.hits);
  cache.set_misses(statistics.misses);
  cache.set_entries(statistics.entries);
  cache.set_bytes(statistics.bytes);
  cache.set_max_bytes(statistics.max_bytes);
}

}  // namespace

std::uint64_t ServerServiceImpl::UsedOf(const std::string& flag) const {
  if (flag == "max-boards") return context_.boards.use().boards;
  if (flag == "max-state-bytes") return context_.boards.use().state_bytes;
  if (flag == "max-cache-bytes") return context_.odds_cache.statistics().bytes;
  const bool bytes = flag == "max-queued-bytes";
  if (!bytes && flag != "max-queued-calls") return 0;
  // The limit is each kind's own, so the fullest one counts.
  std::uint64_t used = 0;
  for (batching::KindIndex kind = 0; kind < context_.scheduler.kinds(); ++kind) {
    const batching::KindCounters counters = context_.scheduler.counters(kind);
    used = std::max(used, bytes ? counters.bytes : counters.queued + counters.running);
  }
  return used;
}

grpc::ServerUnaryReactor* ServerServiceImpl::GetInfo(grpc::CallbackServerContext* call,
                                                     const v1::GetInfoRequest* /*request*/,
                                                     v1::GetInfoResponse* response) {
  CallEntry entry(context_.calls, CallMethod::kGetInfo, *call);
  if (const auto& denial = entry.denial()) return Answered(call, entry, Denied(*denial));
  response->set_version(facts_.version);
  response->set_backend(context_.provenance.backend());
  std::uint32_t index = 0;
  for (const DeviceInfo& info : facts_.backend.devices()) {
    v1::Device& device = *response->add_devices();
    device.set_index(index++);
    device.set_name(info.name);
    device.set_slots(facts_.slots_per_device);
    device.set_memory_bytes(info.memory_bytes);
    device.set_threads(info.threads);
  }
  for (const FlagLimit& limit : facts_.limits) {
    v1::Limit& entry = *response->add_limits();
    entry.set_flag(limit.flag);
    entry.set_value(limit.value);
    entry.set_used(UsedOf(limit.flag));
  }
  for (const auto edition : {camel_up::Edition::kFirst, camel_up::Edition::kSecond})
    FillRaceTable(edition, context_.race_tables.Report(edition), *response->add_race_tables());
  FillBoards(context_, *response->mutable_boards());
  FillStream(context_.warm_streams.next(), *response->mutable_warm_stream());
  const auto uptime = std::chrono::steady_clock::now() - facts_.started;
  response->set_uptime_ms(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(uptime).count()));
  return Answered(call, entry);
}

grpc::ServerUnaryReactor* ServerServiceImpl::GetStatistics(
    grpc::CallbackServerContext* call, const v1::GetStatisticsRequest* /*request*/,
    v1::GetStatisticsResponse* response) {
  CallEntry entry(context_.calls, CallMethod::kGetStatistics, *call);
  if (const auto& denial = entry.denial()) return Answered(call, entry, Denied(*denial));
  for (const batching::KindReport& report : batching::ReportKinds(context_.scheduler)) {
    v1::KindStatistics& statistics = *response->add_kinds();
    statistics.set_kind(report.name);
    FillKind(report.counters, statistics);
  }
  FillCache(context_.odds_cache.statistics(), *response->mutable_cache());
  FillCalls(context_, *response);
  for (std::size_t device = 0; device < facts_.backend.devices().size(); ++device) {
    v1::DeviceStatistics& statistics = *response->add_devices();
    statistics.set_index(static_cast<std::uint32_t>(device));
    statistics.set_busy_ns(static_cast<std::uint64_t>(context_.scheduler.busy(device).count()));
  }
  return Answered(call, entry);
}

grpc::ServerUnaryReactor* ServerServiceImpl::Ping(grpc::CallbackServerContext* call,
                                                  const v1::PingRequest* request,
                                                  v1::PingResponse* response) {
  return UnaryCall<PingMethod>::Start(context_, *call, *request, *response);
}

}  // namespace gpusim::server
