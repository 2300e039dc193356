// One call with its repeats, in two forms with one policy (call_error.h): blocking, and with a
// callback.
//
// Both know the absolute deadline from the start, so that attempts and waits share it. gRPC repeats
// UNAVAILABLE inside an attempt; this loop repeats only what the server refused for a time, for
// gRPC does not read RetryInfo.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <gpusim/cancellation.h>
#include <gpusim/result.h>
#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include "client/call_error.h"
#include "client/cancellation_state.h"

namespace gpusim {

// What a call needs to know besides its message.
struct CallTerms {
  grpc::Channel* channel;  // the connection's
  std::string server;
  std::string authorization;  // metadata; empty: none
  std::chrono::nanoseconds timeout;
  bool wait_as_told;
  Cancellation cancellation;
  std::chrono::steady_clock::time_point end;
  // Before another attempt. A call without a deadline would else wait for an hour if told so.
  std::chrono::nanoseconds longest_wait;

  std::chrono::nanoseconds TimeLeft() const { return end - std::chrono::steady_clock::now(); }

  std::optional<std::chrono::nanoseconds> WaitBefore(const Error& error) const {
    return WaitBeforeRepeat(error, wait_as_told, std::min(TimeLeft(), longest_wait));
  }

  std::shared_ptr<grpc::ClientContext> NewContext() const {
    auto context = std::make_shared<grpc::ClientContext>();
    context->set_deadline(std::chrono::system_clock::now() + TimeLeft());
    if (!authorization.empty()) context->AddMetadata("authorization", authorization);
    return context;
  }

  Error ToError(const grpc::Status& status) const {
    return ErrorFromStatus(status, server, timeout, channel->GetState(/*try_to_connect=*/false));
  }
};

// `send(context, response)` makes one attempt and blocks.
template <class Response, class Send>
Result<Response> CallAndWait(const CallTerms& terms, Send send) {
  CancellationState& cancellation = terms.cancellation.state();
  for (;;) {
    const auto context = terms.NewContext();
    const auto id = cancellation.Add([context] { context->TryCancel(); });
    Response response;
    const grpc::Status status = send(context.get(), &response);
    cancellation.Remove(id);
    if (status.ok()) return response;

    Error error = terms.ToError(status);
    const auto wait = terms.WaitBefore(error);
    if (!wait) return tl::unexpected(std::move(error));
    if (cancellation.WaitFor(*wait)) return tl::unexpected(terms.ToError(grpc::Status::CANCELLED));
  }
}

// Keeps itself alive from Start until its callback has returned. `connection_calls` is the set of
// everything under way on the connection, which outlives the call because the connection waits for
// the set to become empty.
//
// gRPC hands the call from thread to thread. Each takes mutex_ before it touches anything, which
// also shows the order to ThreadSanitizer, for that does not see into gRPC.
template <class Request, class Response>
class AsyncCall : public grpc::ClientUnaryReactor,
                  public std::enable_shared_from_this<AsyncCall<Request, Response>> {
 public:
  // Binds one attempt to the reactor.
  using Bind = std::function<void(grpc::ClientContext*, const Request*, Response*,
                                  grpc::ClientUnaryReactor*)>;
  using Done = std::function<void(Result<Response>)>;

  AsyncCall(CallTerms terms, CancellationState& connection_calls, Request request, Bind bind,
            Done done)
      : terms_(std::move(terms)),
        connection_calls_(connection_calls),
        request_(std::move(request)),
        bind_(std::move(bind)),
        done_(std::move(done)) {}

  void Start() {
    self_ = this->shared_from_this();
    const auto stop = [self = self_] { self->Cancel(); };
    connection_id_ = connection_calls_.Add(stop);
    caller_id_ = terms_.cancellation.state().Add(stop);
    Attempt();
  }

 private:
  void Attempt() {
    {
      const std::lock_guard lock(mutex_);
      response_.Clear();
      context_ = terms_.NewContext();
      if (cancelled_) context_->TryCancel();
      bind_(context_.get(), &request_, &response_, this);
    }
    StartCall();
  }

  void OnDone(const grpc::Status& status) override {
    Result<Response> result;
    {
      const std::lock_guard lock(mutex_);
      if (status.ok()) {
        result = std::move(response_);
      } else {
        result = tl::unexpected(terms_.ToError(status));
        if (SleepThenAttempt(result.error())) return;
      }
      // Holds the channel, which is to end with the connection and not on this thread.
      context_.reset();
      alarm_.reset();
    }
    Finish(std::move(result));
  }

  // False when there is no point in another attempt. A sleep that is cancelled leads to an attempt
  // that is cancelled before it starts.
  bool SleepThenAttempt(const Error& error) {
    const auto wait = terms_.WaitBefore(error);
    if (!wait || cancelled_) return false;
    alarm_.emplace();
    alarm_->Set(std::chrono::system_clock::now() + *wait, [this](bool) { Attempt(); });
    return true;
  }

  void Cancel() {
    std::shared_ptr<grpc::ClientContext> context;
    {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      context = context_;
      if (alarm_) alarm_->Cancel();
    }
    // Outside the lock: gRPC may end the call on this thread.
    if (context) context->TryCancel();
  }

  void Finish(Result<Response> result) {
    const auto self = std::move(self_);
    done_(std::move(result));
    // Whatever the callback holds is let go before the connection may believe that the call is
    // over.
    done_ = nullptr;
    terms_.cancellation.state().Remove(caller_id_);
    connection_calls_.Remove(connection_id_);
  }

  const CallTerms terms_;
  CancellationState& connection_calls_;
  const Request request_;
  Response response_;
  const Bind bind_;
  Done done_;
  CancellationState::Id connection_id_ = 0;
  CancellationState::Id caller_id_ = 0;
  std::shared_ptr<AsyncCall> self_;

  std::mutex mutex_;  // guards all below
  bool cancelled_ = false;
  std::shared_ptr<grpc::ClientContext> context_;
  std::optional<grpc::Alarm> alarm_;
};

}  // namespace gpusim
