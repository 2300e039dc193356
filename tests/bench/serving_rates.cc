// What the service costs on top of gRPC: calls a second and round trips on loopback, ours beside a bare echo server in the same
// run, on the same client.
//
//   serving_rates [--backend cpu|cuda] [--seconds N] [--threads N] [--in-flight N] [--rounds N]
//
// The echo server answers the same empty message: by gRPC's callback API, as ours does, and by its completion queues, four of them
// with a thread each. Every line of the table is the median of the rounds, which go through all lines in turn, so that what
// else happens on the machine meets all of them. GetOdds asks for another position every time, and the cache is off.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/call_loop.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/load_questions.h"

namespace gpusim::bench {
namespace {

using testing::EmptyPings;
using testing::LoopResult;
using testing::Quantile;
using testing::RandomOdds;

using std::chrono::duration;

struct Settings {
  std::string backend = "cpu";
  double seconds = 2;
  int threads = 2;  // of the client, each with a connection and a completion queue
  int in_flight = 128;
  int rounds = 3;
};

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

class CallbackEcho final : public v1::ServerService::CallbackService {
 public:
  CallbackEcho() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::ServerUnaryReactor* Ping(grpc::CallbackServerContext* call, const v1::PingRequest*,
                                 v1::PingResponse*) override {
    auto* reactor = call->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

class QueueEcho {
 public:
  QueueEcho() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    for (int i = 0; i < kQueues; ++i) queues_.push_back(builder.AddCompletionQueue());
    server_ = builder.BuildAndStart();
    for (const auto& queue : queues_) {
      for (int i = 0; i < kWaiting; ++i) new Call(service_, *queue);
      threads_.emplace_back([&queue = *queue] { Serve(queue); });
    }
  }
  ~QueueEcho() {
    server_->Shutdown(std::chrono::system_clock::now());
    for (const auto& queue : queues_) queue->Shutdown();
    for (std::thread& thread : threads_) thread.join();
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  static constexpr int kQueues = 4;
  static constexpr int kWaiting = 64;

  // Waits for a call, answers it, is gone.
  class Call {
   public:
    Call(v1::ServerService::AsyncService& service, grpc::ServerCompletionQueue& queue)
        : service_(service), queue_(queue) {
      service_.RequestPing(&context_, &request_, &responder_, &queue_, &queue_, this);
    }
    void Go(bool ok) {
      if (!ok || answered_) {
        delete this;
        return;
      }
      new Call(service_, queue_);
      answered_ = true;
      responder_.Finish(response_, grpc::Status::OK, this);
    }

   private:
    v1::ServerService::AsyncService& service_;
    grpc::ServerCompletionQueue& queue_;
    grpc::ServerContext context_;
    v1::PingRequest request_;
    v1::PingResponse response_;
    grpc::ServerAsyncResponseWriter<v1::PingResponse> responder_{&context_};
    bool answered_ = false;
  };

  static void Serve(grpc::ServerCompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) static_cast<Call*>(tag)->Go(ok);
  }

  int port_ = 0;
  v1::ServerService::AsyncService service_;
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::thread> threads_;
};

// One line of the table.
struct Line {
  std::string name;
  std::function<LoopResult()> measure;
  std::vector<LoopResult> rounds;
};

double MedianRate(const Line& line) {
  std::vector<double> rates;
  for (const LoopResult& round : line.rounds) rates.push_back(round.calls_per_second);
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

double MedianQuantile(const Line& line, double q) {
  std::vector<double> values;
  for (const LoopResult& round : line.rounds) values.push_back(Quantile(round.round_trips_us, q));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Print(const std::vector<Line>& lines) {
  std::printf("%-34s %12s %10s %10s %10s\n", "", "calls/s", "p50 us", "p90 us", "p99 us");
  for (const Line& line : lines)
    std::printf("%-34s %12.0f %10.1f %10.1f %10.1f\n", line.name.c_str(), MedianRate(line),
                MedianQuantile(line, 0.5), MedianQuantile(line, 0.9), MedianQuantile(line, 0.99));
}

// Where the server says that the time went, since it started.
void PrintSplit(testing::InProcessServer& server) {
  for (const char* kind : {"ping", "camel_up"}) {
    const v1::KindStatistics statistics = server.Statistics(kind);
    const auto mean = [](std::uint64_t sum, std::uint64_t count) {
      return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
    };
    std::printf(
        "server: %s: requests %llu, mean batch %.1f, mean queue %.1f us, mean compute of a batch "
        "%.1f us\n",
        kind, static_cast<unsigned long long>(statistics.requests()),
        mean(statistics.batched(), statistics.batches()),
        mean(statistics.queue_ns(), statistics.requests()) / 1000,
        mean(statistics.compute_ns(), statistics.batches()) / 1000);
  }
}

void Run(const Settings& settings) {
  setenv("GPUSIM_TEST_BACKEND", settings.backend.c_str(), 1);
  server::ServerOptions options = testing::TestOptions();
  options.max_cache_bytes = 0;
  testing::InProcessServer server(options);
  const CallbackEcho callback_echo;
  const QueueEcho queue_echo;
  const std::string address = server.address();

  const auto load = [&](const std::string& at, const auto& question) {
    return testing::RunLoops([&] { return Connect(at); }, question, settings.threads,
                             settings.in_flight, duration<double>(settings.seconds));
  };
  const auto alone = [&](const std::string& at, const auto& question) {
    return testing::RunLoops([&] { return Connect(at); }, question, 1, 1,
                             duration<double>(settings.seconds));
  };
  std::vector<Line> lines{
      {"echo, completion queues", [&] { return load(queue_echo.address(), EmptyPings()); }, {}},
      {"echo, callbacks", [&] { return load(callback_echo.address(), EmptyPings()); }, {}},
      {"Ping", [&] { return load(address, EmptyPings()); }, {}},
      {"GetOdds, first edition", [&] { return load(address, RandomOdds(v1::EDITION_FIRST)); }, {}},
      {"GetOdds, second edition",
       [&] { return load(address, RandomOdds(v1::EDITION_SECOND)); },
       {}},
      {"alone: echo, callbacks", [&] { return alone(callback_echo.address(), EmptyPings()); }, {}},
      {"alone: Ping", [&] { return alone(address, EmptyPings()); }, {}},
      {"alone: GetOdds, first edition",
       [&] { return alone(address, RandomOdds(v1::EDITION_FIRST)); },
       {}},
      {"alone: GetOdds, second edition",
       [&] { return alone(address, RandomOdds(v1::EDITION_SECOND)); },
       {}},
  };
  for (int round = 0; round < settings.rounds; ++round)
    for (Line& line : lines) line.rounds.push_back(line.measure());

  std::printf(
      "%s, %u cores; %d calls in flight on %d connections, medians of %d rounds of %.1f s\n",
      server.info().devices(0).name().c_str(), std::thread::hardware_concurrency(),
      settings.in_flight, settings.threads, settings.rounds, settings.seconds);
  Print(lines);
  std::printf(
      "Ping over the best echo: %.2f; GetOdds, first edition, over Ping: %.2f; a lone Ping over a "
      "lone echo: +%.1f us\n",
      MedianRate(lines[2]) / std::max(MedianRate(lines[0]), MedianRate(lines[1])),
      MedianRate(lines[3]) / MedianRate(lines[2]),
      MedianQuantile(lines[6], 0.5) - MedianQuantile(lines[5], 0.5));
  PrintSplit(server);
}

Settings Parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    const char* value = argv[i + 1];
    if (flag == "--backend") {
      settings.backend = value;
    } else if (flag == "--seconds") {
      settings.seconds = std::atof(value);
    } else if (flag == "--threads") {
      settings.threads = std::max(1, std::atoi(value));
    } else if (flag == "--in-flight") {
      settings.in_flight = std::max(1, std::atoi(value));
    } else if (flag == "--rounds") {
      settings.rounds = std::max(1, std::atoi(value));
    } else {
      throw std::runtime_error("unknown flag " + std::string(flag));
    }
  }
  return settings;
}

}  // namespace
}  // namespace gpusim::bench

int main(int argc, char** argv) {
  try {
    gpusim::bench::Run(gpusim::bench::Parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "serving_rates: %s\n", error.what());
    return 1;
  }
  return 0;
}
