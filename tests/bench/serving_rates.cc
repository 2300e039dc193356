// What the service costs on top of gRPC: calls a second and round trips on loopback, ours beside a bare echo server in the same
// run, on the same client.
//
//   serving_rates [--backend cpu|cuda] [--seconds N] [--threads N] [--in-flight N] [--rounds N]
//
// The echo server answers the same empty message: by gRPC's callback API, as ours does, and by its completion queues, four of them
// with a thread each. Every line of the table is the median of the rounds, which go through all lines in turn, so that what
// else happens on the machine meets all of them. GetOdds asks for another position every time, and the cache is off.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::bench {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

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

// What is asked, over and over, on one connection.
template <class Stub, class Request, class Response>
struct Question {
  using Prepare = std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*)(
      grpc::ClientContext*, const Request&, grpc::CompletionQueue*);
  Prepare prepare;
  std::function<void(std::mt19937&, Request&)> fill;
};

struct Measured {
  double calls_per_second = 0;
  std::vector<double> round_trips_us;  // sorted
};

double Quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

// One thread of a closed loop: `in_flight` calls, a new one for every one that ends.
template <class Stub, class Request, class Response>
class Loop {
 public:
  Loop(const std::string& address, const Question<Stub, Request, Response>& question, int in_flight,
       unsigned seed)
      : stub_(Connect(address)), question_(question), random_(seed) {
    for (int i = 0; i < in_flight; ++i) Send(std::make_unique<Call>());
  }

  // Until `end`, and then what is under way.
  void Run(steady_clock::time_point end) {
    void* tag = nullptr;
    bool ok = false;
    while (under_way_ > 0 && queue_.Next(&tag, &ok)) {
      std::unique_ptr<Call> call(static_cast<Call*>(tag));
      --under_way_;
      const auto now = steady_clock::now();
      if (!call->status.ok()) throw std::runtime_error(call->status.error_message());
      if (now >= end) continue;
      round_trips_us_.push_back(duration<double, std::micro>(now - call->sent).count());
      Send(std::make_unique<Call>());
    }
  }
  std::vector<double> TakeRoundTrips() { return std::move(round_trips_us_); }

 private:
  struct Call {
    grpc::ClientContext context;
    Request request;
    Response response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader;
    steady_clock::time_point sent;
  };

  void Send(std::unique_ptr<Call> call) {
    question_.fill(random_, call->request);
    call->sent = steady_clock::now();
    call->reader = (stub_.*question_.prepare)(&call->context, call->request, &queue_);
    call->reader->StartCall();
    Call* tag = call.release();
    tag->reader->Finish(&tag->response, &tag->status, tag);
    ++under_way_;
  }

  grpc::CompletionQueue queue_;
  Stub stub_;
  const Question<Stub, Request, Response> question_;
  std::mt19937 random_;
  int under_way_ = 0;
  std::vector<double> round_trips_us_;
};

template <class Stub, class Request, class Response>
Measured Measure(const std::string& address, const Question<Stub, Request, Response>& question,
                 int threads, int in_flight, double seconds) {
  std::atomic<unsigned> seed{std::random_device()()};
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(threads));
  const auto end = steady_clock::now() +
                   std::chrono::duration_cast<steady_clock::duration>(duration<double>(seconds));
  std::vector<std::thread> workers;
  for (auto& part : parts) {
    workers.emplace_back([&] {
      Loop<Stub, Request, Response> loop(address, question, std::max(1, in_flight / threads),
                                         ++seed);
      loop.Run(end);
      part = loop.TakeRoundTrips();
    });
  }
  for (std::thread& worker : workers) worker.join();
  Measured measured;
  for (const auto& part : parts)
    measured.round_trips_us.insert(measured.round_trips_us.end(), part.begin(), part.end());
  std::sort(measured.round_trips_us.begin(), measured.round_trips_us.end());
  measured.calls_per_second = static_cast<double>(measured.round_trips_us.size()) / seconds;
  return measured;
}

using PingQuestion = Question<v1::ServerService::Stub, v1::PingRequest, v1::PingResponse>;
using OddsQuestion = Question<v1::CamelUpService::Stub, v1::GetOddsRequest, v1::GetOddsResponse>;

PingQuestion Pings() {
  return {.prepare = &v1::ServerService::Stub::PrepareAsyncPing, .fill = [](auto&, auto&) {}};
}

// Five camels anywhere on the first twelve spaces, all dice to roll.
std::string RandomStacks(std::mt19937& random, std::string camels) {
  std::shuffle(camels.begin(), camels.end(), random);
  std::map<unsigned, std::string> stacks;
  for (const char camel : camels) stacks[1 + random() % 12] += camel;
  std::string text;
  for (const auto& [space, stack] : stacks)
    text += (text.empty() ? "" : " ") + std::to_string(space) + ":" + stack;
  return text;
}

OddsQuestion Odds(v1::Edition edition) {
  return {.prepare = &v1::CamelUpService::Stub::PrepareAsyncGetOdds,
          .fill = [edition](std::mt19937& random, v1::GetOddsRequest& request) {
            const bool first = edition == v1::EDITION_FIRST;
            request.mutable_position()->set_edition(edition);
            std::string stacks = RandomStacks(random, first ? "BGOYW" : "rgbyp");
            if (!first) stacks += " 15:w 16:k";
            request.mutable_position()->mutable_text()->set_stacks(stacks);
          }};
}

// One line of the table.
struct Line {
  std::string name;
  std::function<Measured()> measure;
  std::vector<Measured> rounds;
};

double MedianRate(const Line& line) {
  std::vector<double> rates;
  for (const Measured& round : line.rounds) rates.push_back(round.calls_per_second);
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

double MedianQuantile(const Line& line, double q) {
  std::vector<double> values;
  for (const Measured& round : line.rounds) values.push_back(Quantile(round.round_trips_us, q));
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
    return Measure(at, question, settings.threads, settings.in_flight, settings.seconds);
  };
  const auto alone = [&](const std::string& at, const auto& question) {
    return Measure(at, question, 1, 1, settings.seconds);
  };
  std::vector<Line> lines{
      {"echo, completion queues", [&] { return load(queue_echo.address(), Pings()); }, {}},
      {"echo, callbacks", [&] { return load(callback_echo.address(), Pings()); }, {}},
      {"Ping", [&] { return load(address, Pings()); }, {}},
      {"GetOdds, first edition", [&] { return load(address, Odds(v1::EDITION_FIRST)); }, {}},
      {"GetOdds, second edition", [&] { return load(address, Odds(v1::EDITION_SECOND)); }, {}},
      {"alone: echo, callbacks", [&] { return alone(callback_echo.address(), Pings()); }, {}},
      {"alone: Ping", [&] { return alone(address, Pings()); }, {}},
      {"alone: GetOdds, first edition",
       [&] { return alone(address, Odds(v1::EDITION_FIRST)); },
       {}},
      {"alone: GetOdds, second edition",
       [&] { return alone(address, Odds(v1::EDITION_SECOND)); },
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
