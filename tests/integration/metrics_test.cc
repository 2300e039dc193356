// The metrics of a running server, over plain HTTP.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/pending_call.h"
#include "tests/testing/held_backend.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/metrics_client.h"
#include "tests/testing/process.h"

namespace gpusim::testing {
namespace {

using Samples = std::map<std::string, double>;

server::ServerOptions WithMetrics() {
  server::ServerOptions options = TestOptions();
  options.metrics_listen = "127.0.0.1:0";
  return options;
}

class MetricsTest : public ::testing::Test {
 protected:
  std::string address() { return server_.server().metrics_address(); }
  Samples Read() { return SamplesOf(Scrape(address())); }

  grpc::Status Ping(const std::string& request_id = "") {
    grpc::ClientContext context;
    if (!request_id.empty()) context.AddMetadata("x-request-id", request_id);
    v1::PingResponse response;
    return server_.server_service().Ping(&context, {}, &response);
  }
  grpc::Status Step(const std::string& pattern, const std::string& topology = "torus:64x64") {
    grpc::ClientContext context;
    v1::StepRequest request;
    request.set_pattern(pattern);
    request.set_topology(topology);
    request.set_generations(4);
    v1::StepResponse response;
    return server_.life().Step(&context, request, &response);
  }
  grpc::Status Odds() {
    grpc::ClientContext context;
    v1::GetOddsRequest request;
    request.mutable_position()->set_edition(v1::EDITION_FIRST);
    request.mutable_position()->mutable_text()->set_stacks("1:BGOYW");
    v1::GetOddsResponse response;
    return server_.camel_up().GetOdds(&context, request, &response);
  }

  DeviceGate gate_;
  InProcessServer server_{WithMetrics(), MakeHeldBackend(gate_)};
};

// Buckets of Prometheus count all that is at most the bound; those of GetStatistics what is above the one before.
template <class Buckets>
void ExpectBuckets(const Samples& samples, const std::string& name, const std::string& kind,
                   const Buckets& buckets) {
  const std::string start = name + "_bucket{kind=\"" + kind + "\",le=\"";
  std::vector<double> cumulative;
  double sum = 0;
  for (const v1::HistogramBucket& bucket : buckets) cumulative.push_back(sum += bucket.count());
  std::vector<double> scraped;
  for (const auto& [series, value] : samples) {
    if (series.starts_with(start)) scraped.push_back(value);
  }
  std::sort(scraped.begin(), scraped.end());  // as the bounds are, which the map has by their text
  EXPECT_EQ(scraped, cumulative) << name << " of " << kind;
  EXPECT_EQ(samples.at(name + "_count{kind=\"" + kind + "\"}"), sum);
}

TEST_F(MetricsTest, SayWhatGetStatisticsSays) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Ping().ok());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Step("bo$2bo$3o!").ok());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Odds().ok());
  ASSERT_FALSE(Step("bo$2bo$3o!", "no topology").ok()) << "counts nowhere";

  const Samples samples = Read();
  grpc::ClientContext context;
  v1::GetStatisticsResponse statistics;
  ASSERT_TRUE(server_.server_service().GetStatistics(&context, {}, &statistics).ok());
  EXPECT_EQ(statistics.kinds_size(), 4);
  for (const v1::KindStatistics& kind : statistics.kinds()) {
    const auto at = [&](const std::string& name, const std::string& more = "") {
      return samples.at(name + "{kind=\"" + kind.kind() + "\"" + more + "}");
    };
    EXPECT_EQ(at("gpusim_requests_accepted_total"), kind.requests());
    EXPECT_EQ(at("gpusim_requests_total", ",outcome=\"answered\""), kind.answered());
    EXPECT_EQ(at("gpusim_requests_total", ",outcome=\"failed\""), 0);
    EXPECT_EQ(at("gpusim_batch_requests_count"), kind.batches());
    EXPECT_EQ(at("gpusim_batch_requests_sum"), kind.batched());
    EXPECT_NEAR(at("gpusim_queue_seconds_sum"), static_cast<double>(kind.queue_ns()) * 1e-9, 1e-9);
    EXPECT_NEAR(at("gpusim_compute_seconds_total"), static_cast<double>(kind.compute_ns()) * 1e-9,
                1e-9);
    ExpectBuckets(samples, "gpusim_queue_seconds", kind.kind(), kind.queue_ns_buckets());
    ExpectBuckets(samples, "gpusim_batch_requests", kind.kind(), kind.batch_size_buckets());
  }
  EXPECT_EQ(samples.at("gpusim_requests_accepted_total{kind=\"ping\"}"), 3);
  EXPECT_EQ(samples.at("gpusim_requests_accepted_total{kind=\"life\"}"), 2);
  EXPECT_EQ(samples.at("gpusim_requests_accepted_total{kind=\"boards\"}"), 0);
  EXPECT_EQ(samples.at("gpusim_odds_cache_misses_total"), 1);
  EXPECT_EQ(samples.at("gpusim_odds_cache_hits_total"), 1);
  EXPECT_EQ(samples.at("gpusim_odds_cache_entries"), statistics.cache().entries());
  EXPECT_EQ(samples.at("gpusim_odds_cache_bytes"), statistics.cache().bytes());
  EXPECT_EQ(samples.at("gpusim_race_table_state{edition=\"1\",state=\"off\"}"), 1);
  EXPECT_EQ(samples.at("gpusim_max_queued_requests"), 4096);
  EXPECT_EQ(samples.at("gpusim_draining"), 0);
  EXPECT_EQ(samples.at("gpusim_boards"), 0);
  EXPECT_EQ(samples.at("gpusim_boards_max_memory_bytes"),
            server_.info().boards().max_memory_bytes());
  const v1::GetInfoResponse& info = server_.info();
  EXPECT_EQ(samples.at("gpusim_build_info{version=\"" + info.version() + "\",backend=\"" +
                       (info.backend() == v1::BACKEND_CUDA ? "cuda" : "cpu") + "\"}"),
            1);
  EXPECT_EQ(samples.at("gpusim_device_info{device=\"0\",name=\"" + info.devices(0).name() + "\"}"),
            1);
  EXPECT_GT(samples.at("gpusim_device_busy_seconds_total{device=\"0\"}"), 0);
}

// The gauges: a step in front of a closed gate runs, and so is the device busy.
TEST_F(MetricsTest, ShowWhatIsUnderWay) {
  gate_.Close();
  PendingCall<v1::StepRequest, v1::StepResponse> call;
  call.request.set_pattern("bo$2bo$3o!");
  call.request.set_topology("torus:64x64");
  call.request.set_generations(1);
  call.Start([&](auto... with) { server_.life().async()->Step(with...); });
  gate_.AwaitStopped(1);
  const Samples first = Read();
  EXPECT_EQ(first.at("gpusim_running_requests{kind=\"life\"}"), 1);
  EXPECT_EQ(first.at("gpusim_queued_requests{kind=\"life\"}"), 0);
  EXPECT_GT(first.at("gpusim_queued_bytes{kind=\"life\"}"), 0);
  EXPECT_EQ(first.at("gpusim_calls"), 1);
  EXPECT_GT(Read().at("gpusim_device_busy_seconds_total{device=\"0\"}"),
            first.at("gpusim_device_busy_seconds_total{device=\"0\"}"));
  gate_.Open();
  EXPECT_TRUE(call.Await().ok());
  EXPECT_EQ(Read().at("gpusim_running_requests{kind=\"life\"}"), 0);
}

// What a client sends never makes a series: 10,000 of them with a request ID each would fill Prometheus.
TEST_F(MetricsTest, SeriesStayTheSameWhateverClientsSend) {
  const auto names = [](const Samples& samples) {
    std::vector<std::string> names;
    for (const auto& [series, value] : samples) names.push_back(series);
    return names;
  };
  const std::vector<std::string> before = names(Read());
  EXPECT_GT(before.size(), 100u);
  for (int i = 0; i < 100; ++i) {
    Ping("request " + std::to_string(i));
    Step("bo$2bo$3o!", "topology " + std::to_string(i));
  }
  ASSERT_TRUE(Odds().ok());
  for (const std::string path : {"/", "/metrics/x", "/x?y=z", "/metrics?name=value"}) {
    RawConnection other(address());
    other.Send("GET " + path + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    other.ReadAll();
  }
  EXPECT_EQ(names(Read()), before);
}

TEST_F(MetricsTest, CountersNeverFallAndBalanceUnderLoad) {
  std::atomic<bool> done = false;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&, i] {
      while (!done) EXPECT_TRUE((i == 0 ? Step("bo$2bo$3o!") : Ping()).ok());
    });
  }
  Samples before = Read();
  for (int scrape = 0; scrape < 50; ++scrape) {
    const Samples now = Read();
    for (const auto& [series, value] : before) {
      const std::string name = series.substr(0, series.find('{'));
      const bool counts = name.ends_with("_total") || name.ends_with("_bucket") ||
                          name.ends_with("_count") || name.ends_with("_sum");
      if (counts) {
        EXPECT_GE(now.at(series), value) << series;
      }
    }
    for (const std::string kind : {"ping", "life"}) {
      const std::string label = "{kind=\"" + kind + "\"";
      double ended = 0;
      for (const std::string outcome : {"answered", "failed", "cancelled", "expired", "drained"})
        ended += now.at("gpusim_requests_total" + label + ",outcome=\"" + outcome + "\"}");
      EXPECT_EQ(now.at("gpusim_requests_accepted_total" + label + "}"),
                ended + now.at("gpusim_queued_requests" + label + "}") +
                    now.at("gpusim_running_requests" + label + "}"));
    }
    before = now;
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(Read().at("gpusim_requests_accepted_total{kind=\"ping\"}"), 0);
}

// More connections than the port has threads and room for in its queue, silent or talking nonsense, and one that
// never reads what it asked for. The service does not notice, and the port is itself again when they are gone.
TEST_F(MetricsTest, BadClientsOfThePortDisturbNobody) {
  {
    std::vector<RawConnection> connections;
    for (int i = 0; i < 100; ++i) connections.emplace_back(address());
    for (int i = 0; i < 20; ++i) connections[i].Send("\x16\x03\x01 no HTTP at all\r\n\r\n");
    connections[20].Send("GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n");
    connections[21].Send(std::string(1 << 20, 'x'));
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(Ping().ok());
  }
  EXPECT_EQ(Read().at("gpusim_requests_total{kind=\"ping\",outcome=\"answered\"}"), 100);
}

TEST_F(MetricsTest, AreThereWhileTheServerDrainsAndGoWithIt) {
  const std::string address = this->address();
  gate_.Close();
  PendingCall<v1::StepRequest, v1::StepResponse> call;
  call.request.set_pattern("bo$2bo$3o!");
  call.request.set_topology("torus:64x64");
  call.request.set_generations(1);
  call.Start([&](auto... with) { server_.life().async()->Step(with...); });
  gate_.AwaitStopped(1);
  auto drained =
      std::async(std::launch::async, [&] { server_.server().Drain(std::chrono::minutes(5)); });
  while (Read().at("gpusim_draining") == 0) {
  }
  EXPECT_EQ(Read().at("gpusim_running_requests{kind=\"life\"}"), 1);
  gate_.Open();
  drained.get();
  EXPECT_TRUE(call.Await().ok());
  EXPECT_THROW(Scrape(address), std::runtime_error);
}

TEST_F(MetricsTest, PortThatIsTakenIsNamed) {
  server::ServerOptions options = TestOptions();
  options.metrics_listen = address();
  try {
    const InProcessServer second(options);
    FAIL() << "two servers on one port";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot serve metrics on " + address() + ": Address already in use");
  }
  EXPECT_TRUE(Ping().ok());
}

// Prometheus's own opinion of the text.
TEST_F(MetricsTest, PromtoolFindsNothing) {
  if (std::string(GPUSIM_PROMTOOL).empty())
    GTEST_SKIP() << "no promtool was found when the tests were configured";
  const Ending ending = RunProgram({.arguments = {GPUSIM_PROMTOOL, "check", "metrics"},
                                    .environment = {},
                                    .input = Scrape(address())});
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_EQ(ending.out + ending.err, "");
}

TEST(NoMetricsTest, NothingIsListenedOnUnlessAskedFor) {
  InProcessServer server;
  EXPECT_EQ(server.server().metrics_address(), "");
}

}  // namespace
}  // namespace gpusim::testing
