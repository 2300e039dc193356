// A closed loop of unary calls on one connection: always so many under way, a new one for every one that ends.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <grpcpp/grpcpp.h>

namespace gpusim::testing {

// What is asked, over and over.
template <class Stub, class Request, class Response>
struct Question {
  using Prepare = std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*)(
      grpc::ClientContext*, const Request&, grpc::CompletionQueue*);
  Prepare prepare;
  std::function<void(std::mt19937&, Request&)> fill;
};

// Throws std::runtime_error at the first call that does not end with OK.
template <class Stub, class Request, class Response>
class CallLoop {
 public:
  using Clock = std::chrono::steady_clock;

  CallLoop(const std::shared_ptr<grpc::Channel>& channel,
           const Question<Stub, Request, Response>& question, int in_flight, unsigned seed)
      : stub_(channel), question_(question), random_(seed) {
    for (int i = 0; i < in_flight; ++i) Send(std::make_unique<Call>());
  }

  // Until `end`, and then what is under way.
  void Run(Clock::time_point end) {
    void* tag = nullptr;
    bool ok = false;
    while (under_way_ > 0 && queue_.Next(&tag, &ok)) {
      std::unique_ptr<Call> call(static_cast<Call*>(tag));
      --under_way_;
      const auto now = Clock::now();
      if (!call->status.ok()) throw std::runtime_error(call->status.error_message());
      if (now >= end) continue;
      round_trips_us_.push_back(
          std::chrono::duration<double, std::micro>(now - call->sent).count());
      Send(std::make_unique<Call>());
    }
  }
  // Of the calls that ended before `end`.
  std::vector<double> TakeRoundTrips() { return std::move(round_trips_us_); }

 private:
  struct Call {
    grpc::ClientContext context;
    Request request;
    Response response;
    grpc::Status status;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader;
    Clock::time_point sent;
  };

  void Send(std::unique_ptr<Call> call) {
    question_.fill(random_, call->request);
    call->sent = Clock::now();
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

struct LoopResult {
  double calls_per_second = 0;
  std::vector<double> round_trips_us;  // sorted
};

// A loop a thread, each on a connection of its own, `in_flight` calls together.
template <class Stub, class Request, class Response, class Connect>
LoopResult RunLoops(const Connect& connect, const Question<Stub, Request, Response>& question,
                    int threads, int in_flight, std::chrono::duration<double> time) {
  using Loop = CallLoop<Stub, Request, Response>;
  std::atomic<unsigned> seed{std::random_device()()};
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(threads));
  const auto end =
      Loop::Clock::now() + std::chrono::duration_cast<typename Loop::Clock::duration>(time);
  std::vector<std::thread> workers;
  for (auto& part : parts) {
    workers.emplace_back([&] {
      Loop loop(connect(), question, std::max(1, in_flight / threads), ++seed);
      loop.Run(end);
      part = loop.TakeRoundTrips();
    });
  }
  for (std::thread& worker : workers) worker.join();
  LoopResult result;
  for (const auto& part : parts)
    result.round_trips_us.insert(result.round_trips_us.end(), part.begin(), part.end());
  std::sort(result.round_trips_us.begin(), result.round_trips_us.end());
  result.calls_per_second = static_cast<double>(result.round_trips_us.size()) / time.count();
  return result;
}

}  // namespace gpusim::testing
