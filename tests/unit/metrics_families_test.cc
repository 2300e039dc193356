// What Prometheus reads, from counters that are made up.
#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "server/metrics/families.h"
#include "server/metrics/process_use.h"

namespace gpusim::metrics {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const Snapshot& snapshot) {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, FamiliesOf(snapshot));
  return text.str();
}

// The lines of one metric, in their order.
std::string LinesOf(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const bool about =
        line.starts_with("# HELP " + name + " ") || line.starts_with("# TYPE " + name + " ");
    const bool sample = line.starts_with(name) && line.find_first_of(" {") != std::string::npos;
    if (about || sample) found += line + "\n";
  }
  return found;
}

Snapshot SmallSnapshot() {
  Snapshot now;
  now.version = "1.2.3";
  now.backend = "cuda";
  now.devices = {{"NVIDIA H200", milliseconds(1500)}, {"other \"one\"", milliseconds(0)}};
  batching::KindCounters counters;
  counters.accepted = 20;
  counters.answered = 10;
  counters.failed = 1;
  counters.cancelled = 2;
  counters.expired = 3;
  counters.drained = 4;
  counters.refused_queue_full = 5;
  counters.refused_bytes_full = 6;
  counters.refused_draining = 7;
  for (const std::uint64_t wait : {4'000u, 10'000u, 30'000u, 3'000'000u}) {
    counters.queue_times.Record(wait);
    counters.queue_ns += wait;
  }
  counters.queue_times.Record(20'000'000'000u);
  counters.queue_ns += 20'000'000'000u;
  for (const std::uint64_t size : {1u, 1u, 3u, 4096u, 5000u}) {
    counters.batch_sizes.Record(size);
    counters.batched += size;
    ++counters.batches;
  }
  counters.run_ns = 2'500'000'000;
  counters.queued = 8;
  counters.running = 9;
  counters.bytes = 1'048'576;
  counters.accepted_bulk = 3;
  counters.refused_work_full = 23;
  counters.queued_work_ns = 250'000'000;
  now.kinds = {{"life", counters}};
  now.max_queued_calls = 4096;
  now.max_queued_bytes = 1u << 30;
  now.max_queued_work = std::chrono::seconds(10);
  now.odds_cache = {.hits = 11, .misses = 12, .entries = 13, .bytes = 14, .max_bytes = 15};
  now.race_tables[0].state = server::RaceTableState::kReady;
  now.race_tables[0].bytes = 16;
  now.race_tables[1].state = server::RaceTableState::kSolving;
  now.race_tables[1].fraction = 0.25;
  now.conversions_waiting = 17;
  now.conversions_refused = 18;
  now.calls_under_way = 19;
  now.open_streams = 21;
  now.draining = true;
  now.process = {.start_time_seconds = 1.5,
                 .cpu_seconds = 2.5,
                 .resident_bytes = 4096,
                 .open_fds = 22,
                 .max_fds = 1024};
  return now;
}

constexpr std::string_view kBeforeTheHistograms =
    R"(# HELP gpusim_build_info 1; the labels are the version and the backend in use.
# TYPE gpusim_build_info gauge
gpusim_build_info{version="1.2.3",backend="cuda"} 1
# HELP gpusim_draining 1 while the server finishes what it accepted before it stops.
# TYPE gpusim_draining gauge
gpusim_draining 1
# HELP gpusim_calls Calls under way, streams included.
# TYPE gpusim_calls gauge
gpusim_calls 19
# HELP gpusim_open_streams Streams that are open.
# TYPE gpusim_open_streams gauge
gpusim_open_streams 21
# HELP gpusim_device_info 1; the labels are the index of a device and its name.
# TYPE gpusim_device_info gauge
gpusim_device_info{device="0",name="NVIDIA H200"} 1
gpusim_device_info{device="1",name="other \"one\""} 1
# HELP gpusim_device_busy_seconds_total Time in which at least one batch ran on the device.
# TYPE gpusim_device_busy_seconds_total counter
gpusim_device_busy_seconds_total{device="0"} 1.5
gpusim_device_busy_seconds_total{device="1"} 0
# HELP gpusim_requests_accepted_total Requests that were queued.
# TYPE gpusim_requests_accepted_total counter
gpusim_requests_accepted_total{kind="life"} 20
# HELP gpusim_bulk_requests_accepted_total Those of them that were queued as bulk; the others are interactive.
# TYPE gpusim_bulk_requests_accepted_total counter
gpusim_bulk_requests_accepted_total{kind="life"} 3
# HELP gpusim_requests_total Requests that ended, by what became of them.
# TYPE gpusim_requests_total counter
gpusim_requests_total{kind="life",outcome="answered"} 10
gpusim_requests_total{kind="life",outcome="failed"} 1
gpusim_requests_total{kind="life",outcome="cancelled"} 2
gpusim_requests_total{kind="life",outcome="expired"} 3
gpusim_requests_total{kind="life",outcome="drained"} 4
# HELP gpusim_requests_refused_total Requests that were not queued, by the reason.
# TYPE gpusim_requests_refused_total counter
gpusim_requests_refused_total{kind="life",reason="queue_full"} 5
gpusim_requests_refused_total{kind="life",reason="bytes_full"} 6
gpusim_requests_refused_total{kind="life",reason="work_full"} 23
gpusim_requests_refused_total{kind="life",reason="draining"} 7
# HELP gpusim_queued_requests Requests that wait for a slot.
# TYPE gpusim_queued_requests gauge
gpusim_queued_requests{kind="life"} 8
# HELP gpusim_running_requests Requests that are in a batch that runs.
# TYPE gpusim_running_requests gauge
gpusim_running_requests{kind="life"} 9
# HELP gpusim_queued_bytes Bytes of the queued and running requests' boards.
# TYPE gpusim_queued_bytes gauge
gpusim_queued_bytes{kind="life"} 1048576
# HELP gpusim_queued_work_seconds What the waiting requests' next chunks will take, at the pace of late.
# TYPE gpusim_queued_work_seconds gauge
gpusim_queued_work_seconds{kind="life"} 0.25
# HELP gpusim_max_queued_requests Limit of a kind's queued and running requests.
# TYPE gpusim_max_queued_requests gauge
gpusim_max_queued_requests 4096
# HELP gpusim_max_queued_bytes Limit of a kind's gpusim_queued_bytes.
# TYPE gpusim_max_queued_bytes gauge
gpusim_max_queued_bytes 1073741824
# HELP gpusim_max_queued_work_seconds Limit of a kind's gpusim_queued_work_seconds.
# TYPE gpusim_max_queued_work_seconds gauge
gpusim_max_queued_work_seconds 10
)";

// 4 us and 10 us are at most 10 us, 30 us at most 50, 3 ms at most 5, and 20 s above all.
constexpr std::string_view kHistograms =
    R"(# HELP gpusim_queue_seconds From a request's acceptance to the first batch that takes it.
# TYPE gpusim_queue_seconds histogram
gpusim_queue_seconds_count{kind="life"} 5
gpusim_queue_seconds_sum{kind="life"} 20.003044
gpusim_queue_seconds_bucket{kind="life",le="1e-05"} 2
gpusim_queue_seconds_bucket{kind="life",le="2.5e-05"} 2
gpusim_queue_seconds_bucket{kind="life",le="5e-05"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.0001"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.00025"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.0005"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.001"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.0025"} 3
gpusim_queue_seconds_bucket{kind="life",le="0.005"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.01"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.025"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.05"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.1"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.25"} 4
gpusim_queue_seconds_bucket{kind="life",le="0.5"} 4
gpusim_queue_seconds_bucket{kind="life",le="1"} 4
gpusim_queue_seconds_bucket{kind="life",le="2.5"} 4
gpusim_queue_seconds_bucket{kind="life",le="5"} 4
gpusim_queue_seconds_bucket{kind="life",le="10"} 4
gpusim_queue_seconds_bucket{kind="life",le="+Inf"} 5
# HELP gpusim_batch_requests Requests in a batch; its count is that of batches.
# TYPE gpusim_batch_requests histogram
gpusim_batch_requests_count{kind="life"} 5
gpusim_batch_requests_sum{kind="life"} 9101
gpusim_batch_requests_bucket{kind="life",le="1"} 2
gpusim_batch_requests_bucket{kind="life",le="2"} 2
gpusim_batch_requests_bucket{kind="life",le="4"} 3
gpusim_batch_requests_bucket{kind="life",le="8"} 3
gpusim_batch_requests_bucket{kind="life",le="16"} 3
gpusim_batch_requests_bucket{kind="life",le="32"} 3
gpusim_batch_requests_bucket{kind="life",le="64"} 3
gpusim_batch_requests_bucket{kind="life",le="128"} 3
gpusim_batch_requests_bucket{kind="life",le="256"} 3
gpusim_batch_requests_bucket{kind="life",le="512"} 3
gpusim_batch_requests_bucket{kind="life",le="1024"} 3
gpusim_batch_requests_bucket{kind="life",le="2048"} 3
gpusim_batch_requests_bucket{kind="life",le="4096"} 4
gpusim_batch_requests_bucket{kind="life",le="+Inf"} 5
)";

constexpr std::string_view kAfterTheHistograms =
    R"(# HELP gpusim_compute_seconds_total Time of batches in the backend with the copies, summed over the slots.
# TYPE gpusim_compute_seconds_total counter
gpusim_compute_seconds_total{kind="life"} 2.5
# HELP gpusim_conversions_waiting Large messages that wait for a thread to read or write them.
# TYPE gpusim_conversions_waiting gauge
gpusim_conversions_waiting 17
# HELP gpusim_conversions_refused_total Requests refused because too many waited for their conversion.
# TYPE gpusim_conversions_refused_total counter
gpusim_conversions_refused_total 18
# HELP gpusim_odds_cache_hits_total Exact questions answered from the cache.
# TYPE gpusim_odds_cache_hits_total counter
gpusim_odds_cache_hits_total 11
# HELP gpusim_odds_cache_misses_total Exact questions that had to be worked out.
# TYPE gpusim_odds_cache_misses_total counter
gpusim_odds_cache_misses_total 12
# HELP gpusim_odds_cache_entries Answers in the cache.
# TYPE gpusim_odds_cache_entries gauge
gpusim_odds_cache_entries 13
# HELP gpusim_odds_cache_bytes Memory of the cache in use.
# TYPE gpusim_odds_cache_bytes gauge
gpusim_odds_cache_bytes 14
# HELP gpusim_odds_cache_max_bytes Limit of gpusim_odds_cache_bytes; 0: no cache.
# TYPE gpusim_odds_cache_max_bytes gauge
gpusim_odds_cache_max_bytes 15
# HELP gpusim_race_table_state 1 for the state that the edition's race table is in.
# TYPE gpusim_race_table_state gauge
gpusim_race_table_state{edition="1",state="ready"} 1
gpusim_race_table_state{edition="1",state="solving"} 0
gpusim_race_table_state{edition="1",state="off"} 0
gpusim_race_table_state{edition="2",state="ready"} 0
gpusim_race_table_state{edition="2",state="solving"} 1
gpusim_race_table_state{edition="2",state="off"} 0
# HELP gpusim_race_table_progress_ratio Of the solving of a race table, 0 to 1.
# TYPE gpusim_race_table_progress_ratio gauge
gpusim_race_table_progress_ratio{edition="1"} 0
gpusim_race_table_progress_ratio{edition="2"} 0.25
# HELP gpusim_race_table_bytes Memory of a race table that is ready.
# TYPE gpusim_race_table_bytes gauge
gpusim_race_table_bytes{edition="1"} 16
gpusim_race_table_bytes{edition="2"} 0
# HELP process_start_time_seconds Start of the process, in seconds since 1970.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 1.5
# HELP process_cpu_seconds_total CPU time of the process, user and system.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 2.5
# HELP process_resident_memory_bytes Resident memory of the process.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 4096
# HELP process_open_fds Open file descriptors.
# TYPE process_open_fds gauge
process_open_fds 22
# HELP process_max_fds Limit of process_open_fds.
# TYPE process_max_fds gauge
process_max_fds 1024
)";

// Without the lines of a family that has a series for every method and status.
std::string WithoutCallsEnded(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("gpusim_calls_ended_total") == std::string::npos) rest += line + '\n';
  }
  return rest;
}

TEST(MetricsFamiliesTest, TextIsWhatPrometheusReads) {
  EXPECT_EQ(WithoutCallsEnded(TextOf(SmallSnapshot())), std::string(kBeforeTheHistograms) +
                                                            std::string(kHistograms) +
                                                            std::string(kAfterTheHistograms));
}

TEST(MetricsFamiliesTest, CallsHaveASeriesForEveryMethodAndStatus) {
  Snapshot now = SmallSnapshot();
  now.calls_ended[static_cast<std::size_t>(server::CallMethod::kStep)]
                 [grpc::StatusCode::INVALID_ARGUMENT] = 7;
  const std::string text = TextOf(now);
  EXPECT_THAT(text, HasSubstr("# TYPE gpusim_calls_ended_total counter\n"));
  EXPECT_THAT(text, HasSubstr("gpusim_calls_ended_total{method=\"GetOdds\",code=\"OK\"} 0\n"));
  EXPECT_THAT(text,
              HasSubstr("gpusim_calls_ended_total{method=\"Step\",code=\"INVALID_ARGUMENT\"} 7\n"));
  std::istringstream lines(text);
  std::size_t series = 0;
  for (std::string line; std::getline(lines, line);)
    series += line.starts_with("gpusim_calls_ended_total{") ? 1 : 0;
  EXPECT_EQ(series, server::kCallMethods * server::kStatusCodeNames.size());
}

TEST(MetricsFamiliesTest, BoardsHaveMetricsWhereThereAreBoards) {
  Snapshot now = SmallSnapshot();
  EXPECT_THAT(TextOf(now), Not(HasSubstr("gpusim_boards")));
  now.boards = BoardsUse{.store = {.boards = 1,
                                   .running = 2,
                                   .memory_bytes = 3,
                                   .max_memory_bytes = 4,
                                   .state_bytes = 5,
                                   .max_state_bytes = 6,
                                   .next_lease_ends = milliseconds(2500)},
                         .unsaved = UnsavedBoards{3'000'000, 2e6}};
  const std::string text = TextOf(now);
  for (const std::string line :
       {"gpusim_boards 1", "gpusim_boards_running 2", "gpusim_boards_memory_bytes 3",
        "gpusim_boards_max_memory_bytes 4", "gpusim_boards_state_bytes 5",
        "gpusim_boards_max_state_bytes 6", "gpusim_boards_next_lease_end_seconds 2.5",
        "gpusim_boards_unsaved_bytes 3000000", "gpusim_boards_drain_seconds 1.5"})
    EXPECT_THAT(text, HasSubstr("\n" + line + "\n"));
}

TEST(MetricsFamiliesTest, WhatNeverEndsIsInfinite) {
  Snapshot now = SmallSnapshot();
  now.boards = BoardsUse{.store = {}, .unsaved = UnsavedBoards{1, 0}};
  EXPECT_THAT(TextOf(now), HasSubstr("\ngpusim_boards_next_lease_end_seconds +Inf\n"));
  EXPECT_THAT(TextOf(now), HasSubstr("\ngpusim_boards_drain_seconds +Inf\n"));
  now.boards->unsaved->bytes = 0;
  EXPECT_THAT(TextOf(now), HasSubstr("\ngpusim_boards_drain_seconds 0\n"));
  now.boards->unsaved.reset();
  EXPECT_THAT(TextOf(now), Not(HasSubstr("gpusim_boards_drain_seconds")))
      << "better none than wrong";
}

// Prometheus stores floating point, which counts exactly up to 2^53; the text has to carry that.
TEST(MetricsFamiliesTest, LargeCountersKeepAllTheirDigits) {
  Snapshot now = SmallSnapshot();
  now.kinds[0].counters.accepted = (std::uint64_t{1} << 53) - 1;
  EXPECT_EQ(LinesOf(TextOf(now), "gpusim_requests_accepted_total"),
            "# HELP gpusim_requests_accepted_total Requests that were queued.\n"
            "# TYPE gpusim_requests_accepted_total counter\n"
            "gpusim_requests_accepted_total{kind=\"life\"} 9007199254740991\n");
}

// https://prometheus.io/docs/practices/naming
TEST(MetricsFamiliesTest, NamesFollowTheConventions) {
  Snapshot now = SmallSnapshot();
  now.boards = BoardsUse{.store = {}, .unsaved = UnsavedBoards{}};
  std::set<std::string> names;
  for (const prometheus::MetricFamily& family : FamiliesOf(now)) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name << " is there twice";
    EXPECT_TRUE(family.name.starts_with("gpusim_") || family.name.starts_with("process_"));
    EXPECT_EQ(family.name.ends_with("_total"), family.type == prometheus::MetricType::Counter)
        << family.name;
    EXPECT_FALSE(family.help.empty()) << family.name;
    EXPECT_TRUE(family.help.ends_with(".")) << family.help;
    EXPECT_FALSE(family.metric.empty()) << family.name << " has no series";
    for (const std::string_view word :
         {"millisecond", "_ms", "_ns", "_us", "_kb", "_mb", "percent"})
      EXPECT_THAT(family.name, Not(HasSubstr(std::string(word))));
  }
}

TEST(ProcessUseTest, IsAboutThisProcess) {
  const ProcessUse use = ReadProcessUse();
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(use.start_time_seconds, now);
  EXPECT_GT(use.start_time_seconds, now - 600) << "the test has a timeout";
  EXPECT_GT(use.resident_bytes, 1u << 20);
  EXPECT_GE(use.open_fds, 3u);
  EXPECT_GT(use.max_fds, use.open_fds);
  double spent = use.cpu_seconds;
  while (spent < use.cpu_seconds + 0.01) spent = ReadProcessUse().cpu_seconds;
  EXPECT_GT(spent, 0);
}

}  // namespace
}  // namespace gpusim::metrics
