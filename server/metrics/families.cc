#include "server/metrics/families.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace gpusim::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;
using Seconds = std::chrono::duration<double>;

constexpr double kNanosecondsPerSecond = 1e9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double ToSeconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kNanosecondsPerSecond;
}

// The families of one snapshot, as they come: a family is opened, then gets its series.
class Families {
 public:
  void Counter(std::string name, std::string help) {
    Open(MetricType::Counter, std::move(name), std::move(help));
  }
  void Gauge(std::string name, std::string help) {
    Open(MetricType::Gauge, std::move(name), std::move(help));
  }
  void Histogram(std::string name, std::string help) {
    Open(MetricType::Histogram, std::move(name), std::move(help));
  }

  // Of a counter or a gauge.
  template <class Number>
  void Add(Number value, Labels labels = {}) {
    ClientMetric& metric = NewMetric(std::move(labels));
    const auto number = static_cast<double>(value);
    if (families_.back().type == MetricType::Counter) {
      metric.counter.value = number;
    } else {
      metric.gauge.value = number;
    }
  }

  // `unit` is how many of the counted values make one of the metric's.
  template <class Counts>
  void Add(const Counts& counts, std::uint64_t sum, double unit, Labels labels) {
    ClientMetric::Histogram& histogram = NewMetric(std::move(labels)).histogram;
    std::size_t place = 0;
    for (const std::uint64_t count : counts.counts()) {
      histogram.sample_count += count;
      const double bound = place < counts.bounds().size()
                               ? static_cast<double>(counts.bounds()[place]) / unit
                               : kInfinity;
      histogram.bucket.push_back(
          {.cumulative_count = histogram.sample_count, .upper_bound = bound});
      ++place;
    }
    histogram.sample_sum = static_cast<double>(sum) / unit;
  }

  std::vector<MetricFamily> Take() { return std::move(families_); }

 private:
  void Open(MetricType type, std::string name, std::string help) {
    families_.push_back(
        {.name = std::move(name), .help = std::move(help), .type = type, .metric = {}});
  }
  ClientMetric& NewMetric(Labels labels) {
    ClientMetric& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  std::vector<MetricFamily> families_;
};

void AddServer(const Snapshot& now, Families& families) {
  families.Gauge("gpusim_build_info", "1; the labels are the version and the backend in use.");
  families.Add(1, {{"version", now.version}, {"backend", now.backend}});
  families.Gauge("gpusim_draining",
                 "1 while the server finishes what it accepted before it stops.");
  families.Add(now.draining);
  families.Gauge("gpusim_calls", "Calls under way, streams included.");
  families.Add(now.calls_under_way);
  families.Counter("gpusim_calls_ended_total", "Calls that have ended, by their status.");
  for (std::size_t method = 0; method < now.calls_ended.size(); ++method)
    for (std::size_t code = 0; code < now.calls_ended[method].size(); ++code)
      families.Add(now.calls_ended[method][code],
                   {{"method", std::string(server::kCallMethodNames[method])},
                    {"code", std::string(server::kStatusCodeNames[code])}});
  families.Gauge("gpusim_open_streams", "Streams that are open.");
  families.Add(now.open_streams);
}

void AddDevices(const Snapshot& now, Families& families) {
  const auto each = [&](auto&& add) {
    for (std::size_t i = 0; i < now.devices.size(); ++i) add(now.devices[i], std::to_string(i));
  };
  families.Gauge("gpusim_device_info", "1; the labels are the index of a device and its name.");
  each([&](const DeviceUse& use, const std::string& device) {
    families.Add(1, {{"device", device}, {"name", use.name}});
  });
  families.Counter("gpusim_device_busy_seconds_total",
                   "Time in which at least one batch ran on the device.");
  each([&](const DeviceUse& use, const std::string& device) {
    families.Add(Seconds(use.busy).count(), {{"device", device}});
  });
}

using batching::KindCounters;
using batching::KindReport;

struct LabelledCounter {
  std::string_view label;
  std::uint64_t KindCounters::*counter;
};

constexpr LabelledCounter kOutcomes[] = {{"answered", &KindCounters::answered},
                                         {"failed", &KindCounters::failed},
                                         {"cancelled", &KindCounters::cancelled},
                                         {"expired", &KindCounters::expired},
                                         {"drained", &KindCounters::drained}};
constexpr LabelledCounter kRefusals[] = {{"queue_full", &KindCounters::refused_queue_full},
                                         {"bytes_full", &KindCounters::refused_bytes_full},
                                         {"work_full", &KindCounters::refused_work_full},
                                         {"draining", &KindCounters::refused_draining}};

void AddRequests(const Snapshot& now, Families& families) {
  const auto each = [&](std::uint64_t KindCounters::*counter) {
    for (const KindReport& kind : now.kinds)
      families.Add(kind.counters.*counter, {{"kind", kind.name}});
  };
  const auto each_of = [&](std::span<const LabelledCounter> counters, const std::string& label) {
    for (const KindReport& kind : now.kinds) {
      for (const LabelledCounter& one : counters)
        families.Add(kind.counters.*one.counter,
                     {{"kind", kind.name}, {label, std::string(one.label)}});
    }
  };
  families.Counter("gpusim_requests_accepted_total", "Requests that were queued.");
  each(&KindCounters::accepted);
  families.Counter("gpusim_bulk_requests_accepted_total",
                   "Those of them that were queued as bulk; the others are interactive.");
  each(&KindCounters::accepted_bulk);
  families.Counter("gpusim_requests_total", "Requests that ended, by what became of them.");
  each_of(kOutcomes, "outcome");
  families.Counter("gpusim_requests_refused_total",
                   "Requests that were not queued, by the reason.");
  each_of(kRefusals, "reason");
  families.Gauge("gpusim_queued_requests", "Requests that wait for a slot.");
  each(&KindCounters::queued);
  families.Gauge("gpusim_running_requests", "Requests that are in a batch that runs.");
  each(&KindCounters::running);
  families.Gauge("gpusim_queued_bytes", "Bytes of the queued and running requests' boards.");
  each(&KindCounters::bytes);
  families.Gauge("gpusim_queued_work_seconds",
                 "What the waiting requests' next chunks will take, at the pace of late.");
  for (const KindReport& kind : now.kinds)
    families.Add(ToSeconds(kind.counters.queued_work_ns), {{"kind", kind.name}});
  families.Gauge("gpusim_max_queued_requests", "Limit of a kind's queued and running requests.");
  families.Add(now.max_queued_calls);
  families.Gauge("gpusim_max_queued_bytes", "Limit of a kind's gpusim_queued_bytes.");
  families.Add(now.max_queued_bytes);
  families.Gauge("gpusim_max_queued_work_seconds", "Limit of a kind's gpusim_queued_work_seconds.");
  families.Add(Seconds(now.max_queued_work).count());
}

void AddWork(const Snapshot& now, Families& families) {
  families.Histogram("gpusim_queue_seconds",
                     "From a request's acceptance to the first batch that takes it.");
  for (const KindReport& kind : now.kinds)
    families.Add(kind.counters.queue_times, kind.counters.queue_ns, kNanosecondsPerSecond,
                 {{"kind", kind.name}});
  families.Histogram("gpusim_batch_requests", "Requests in a batch; its count is that of batches.");
  for (const KindReport& kind : now.kinds)
    families.Add(kind.counters.batch_sizes, kind.counters.batched, 1, {{"kind", kind.name}});
  families.Counter("gpusim_compute_seconds_total",
                   "Time of batches in the backend with the copies, summed over the slots.");
  for (const KindReport& kind : now.kinds)
    families.Add(ToSeconds(kind.counters.run_ns), {{"kind", kind.name}});
}

void AddConversions(const Snapshot& now, Families& families) {
  families.Gauge("gpusim_conversions_waiting",
                 "Large messages that wait for a thread to read or write them.");
  families.Add(now.conversions_waiting);
  families.Counter("gpusim_conversions_refused_total",
                   "Requests refused because too many waited for their conversion.");
  families.Add(now.conversions_refused);
}

void AddOddsCache(const server::OddsCacheStatistics& cache, Families& families) {
  families.Counter("gpusim_odds_cache_hits_total", "Exact questions answered from the cache.");
  families.Add(cache.hits);
  families.Counter("gpusim_odds_cache_misses_total", "Exact questions that had to be worked out.");
  families.Add(cache.misses);
  families.Gauge("gpusim_odds_cache_entries", "Answers in the cache.");
  families.Add(cache.entries);
  families.Gauge("gpusim_odds_cache_bytes", "Memory of the cache in use.");
  families.Add(cache.bytes);
  families.Gauge("gpusim_odds_cache_max_bytes", "Limit of gpusim_odds_cache_bytes; 0: no cache.");
  families.Add(cache.max_bytes);
}

void AddRaceTables(const Snapshot& now, Families& families) {
  using server::RaceTableReport;
  using server::RaceTableState;
  const auto each = [&](auto&& add) {
    for (std::size_t i = 0; i < now.race_tables.size(); ++i)
      add(now.race_tables[i], std::to_string(i + 1));
  };
  constexpr std::pair<std::string_view, RaceTableState> kStates[] = {
      {"ready", RaceTableState::kReady},
      {"solving", RaceTableState::kSolving},
      {"off", RaceTableState::kOff}};
  families.Gauge("gpusim_race_table_state", "1 for the state that the edition's race table is in.");
  each([&](const RaceTableReport& table, const std::string& edition) {
    for (const auto& [name, state] : kStates)
      families.Add(table.state == state, {{"edition", edition}, {"state", std::string(name)}});
  });
  families.Gauge("gpusim_race_table_progress_ratio", "Of the solving of a race table, 0 to 1.");
  each([&](const RaceTableReport& table, const std::string& edition) {
    families.Add(table.fraction, {{"edition", edition}});
  });
  families.Gauge("gpusim_race_table_bytes", "Memory of a race table that is ready.");
  each([&](const RaceTableReport& table, const std::string& edition) {
    families.Add(table.bytes, {{"edition", edition}});
  });
}

double DrainSeconds(const UnsavedBoards& unsaved) {
  if (unsaved.bytes == 0) return 0;
  if (unsaved.write_bytes_per_second <= 0) return kInfinity;
  return static_cast<double>(unsaved.bytes) / unsaved.write_bytes_per_second;
}

void AddBoards(const BoardsUse& use, Families& families) {
  families.Gauge("gpusim_boards", "Resident boards.");
  families.Add(use.store.boards);
  families.Gauge("gpusim_boards_running", "Resident boards with a run under way.");
  families.Add(use.store.running);
  families.Gauge("gpusim_boards_memory_bytes", "Device memory that boards hold.");
  families.Add(use.store.memory_bytes);
  families.Gauge("gpusim_boards_max_memory_bytes", "Limit of gpusim_boards_memory_bytes.");
  families.Add(use.store.max_memory_bytes);
  families.Gauge("gpusim_boards_state_bytes", "Files in the state directory.");
  families.Add(use.store.state_bytes);
  families.Gauge("gpusim_boards_max_state_bytes", "Limit of gpusim_boards_state_bytes.");
  families.Add(use.store.max_state_bytes);
  families.Gauge("gpusim_boards_next_lease_end_seconds",
                 "Until the next lease ends; +Inf: there is none.");
  families.Add(use.store.next_lease_ends ? Seconds(*use.store.next_lease_ends).count() : kInfinity);
  if (!use.unsaved) return;
  families.Gauge("gpusim_boards_unsaved_bytes", "Boards that changed since they were written.");
  families.Add(use.unsaved->bytes);
  families.Gauge("gpusim_boards_drain_seconds",
                 "Time to write the unsaved boards at the measured rate; +Inf: not measured.");
  families.Add(DrainSeconds(*use.unsaved));
}

// Names as every Prometheus client library has them.
void AddProcess(const ProcessUse& use, Families& families) {
  families.Gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.");
  families.Add(use.start_time_seconds);
  families.Counter("process_cpu_seconds_total", "CPU time of the process, user and system.");
  families.Add(use.cpu_seconds);
  families.Gauge("process_resident_memory_bytes", "Resident memory of the process.");
  families.Add(use.resident_bytes);
  families.Gauge("process_open_fds", "Open file descriptors.");
  families.Add(use.open_fds);
  families.Gauge("process_max_fds", "Limit of process_open_fds.");
  families.Add(use.max_fds);
}

}  // namespace

std::vector<MetricFamily> FamiliesOf(const Snapshot& snapshot) {
  Families families;
  AddServer(snapshot, families);
  AddDevices(snapshot, families);
  AddRequests(snapshot, families);
  AddWork(snapshot, families);
  AddConversions(snapshot, families);
  AddOddsCache(snapshot.odds_cache, families);
  AddRaceTables(snapshot, families);
  if (snapshot.boards) AddBoards(*snapshot.boards, families);
  AddProcess(snapshot.process, families);
  return families.Take();
}

}  // namespace gpusim::metrics
