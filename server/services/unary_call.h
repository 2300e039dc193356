// The path of every unary call that does work:
//
//   gRPC's thread      Convert, Submit ---------------+       (a heavy Convert: on the pool)
//   scheduler          queue --> slot --> task runs <-+
//   slot's thread      Take, Fill, Finish                     (a heavy Fill: on the pool)
//   gRPC's thread      OnDone
//
// Invariants:
//   1. Finish is called exactly once: by the step that fails, else by the last one. Every step
//      either ends the call or hands it on.
//   2. Nobody waits. OnCancel only passes the news on; the task's own end finishes the call, also
//      then, so the two cannot meet.
//   3. Whoever works on the call holds it, and the last to let go deletes it: a task may be
//      finished, and gRPC done, while Submit is still on its way back.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "server/batching/scheduler.h"
#include "server/calls/call_entry.h"
#include "server/kinds/listener.h"
#include "server/services/cancel_latch.h"
#include "server/services/error_mapping.h"
#include "server/services/priority.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// When a call has to be answered: its own deadline, TimePoint::max() if it brings none.
batching::TimePoint OwnDeadlineOf(const grpc::CallbackServerContext& call);
// The same, with the default one from now for a call that brings none.
batching::TimePoint DeadlineOf(const grpc::CallbackServerContext& call,
                               std::chrono::milliseconds default_deadline);

// A Method has
//   Request, Response, Task   types
//   kMethod                   of CallMethod
//   kKind                     of the scheduler
//   Method(context)
//   bool ConvertIsLight(request)         microseconds, so gRPC's thread may do it
//   tl::expected<std::unique_ptr<Task>, grpc::Status> Convert(request, terms, listener)
//                                        without a task, the answer is known already: on to Fill
//   void Take(task)                      moves the answer out of the task, at once
//   bool FillIsLight()                   as above, for the scheduler's thread
//   tl::expected<void, Violations> Fill(response)
// and is used by one thread at a time.
template <class Method>
class UnaryCall final : public grpc::ServerUnaryReactor,
                        private kinds::Listener<typename Method::Task> {
 public:
  using Request = typename Method::Request;
  using Response = typename Method::Response;
  using Task = typename Method::Task;

  // The reactor deletes itself.
  static grpc::ServerUnaryReactor* Start(const ServingContext& context,
                                         grpc::CallbackServerContext& call, const Request& request,
                                         Response& response) {
    auto* reactor = new UnaryCall(context, call, request, response);
    reactor->Begin();
    return reactor;
  }

 private:
  UnaryCall(const ServingContext& context, grpc::CallbackServerContext& call,
            const Request& request, Response& response)
      : context_(context),
        entry_(context.calls, Method::kMethod, call),
        deadline_(DeadlineOf(call, context.default_deadline)),
        request_(request),
        response_(response),
        method_(context) {}
  ~UnaryCall() override = default;  // belongs to Release

  void Begin() {
    ++holds_;
    if (const auto& denial = entry_.denial()) {
      End(Denied(*denial));
      Release();
    } else if (method_.ConvertIsLight(request_)) {
      ConvertAndSubmit();
    } else if (!context_.conversions.TryPost([this] { ConvertAndSubmit(); })) {
      RefuseForConversion();
    }
  }

  void ConvertAndSubmit() {
    if (latch_.cancelled()) {
      End(NotAnswered(batching::Outcome::kCancelled, ""));
    } else if (std::chrono::steady_clock::now() >= deadline_) {
      End(NotAnswered(batching::Outcome::kExpired, ""));
    } else if (const auto priority = PriorityOf(request_); !priority) {
      End(BadInput(priority.error()));
    } else if (auto task = method_.Convert(request_, TermsOf(*priority), *this); !task) {
      End(task.error());
    } else if (*task == nullptr) {
      End(Filled());
    } else {
      Submit(std::move(*task));
    }
    Release();
  }

  batching::Terms TermsOf(batching::Priority priority) const {
    return {.deadline = deadline_, .client = entry_.caller().key, .priority = priority};
  }

  void Submit(std::unique_ptr<Task> task) {
    batching::Scheduler& scheduler = context_.scheduler;
    const auto id = scheduler.Submit(Method::kKind, std::move(task));
    if (!id) {
      End(Refused(id.error(), scheduler.options(Method::kKind).name));
    } else if (latch_.SubmittedCancelled(*id)) {
      scheduler.Cancel(*id);
    }
  }

  void RefuseForConversion() {
    const batching::Refusal refusal{.reason = batching::Refusal::Reason::kBytesFull,
                                    .limit = context_.max_queued_bytes,
                                    .retry_after = std::chrono::milliseconds(100)};
    End(Refused(refusal, context_.scheduler.options(Method::kKind).name));
    Release();
  }

  void OnTaskFinished(Task& task, batching::Outcome outcome) override {
    ++holds_;
    if (outcome != batching::Outcome::kAnswered) {
      End(NotAnswered(outcome, FaultOf(task)));
      Release();
      return;
    }
    method_.Take(task);
    if (method_.FillIsLight()) {
      FillAndFinish();
    } else {
      context_.conversions.Post([this] { FillAndFinish(); });
    }
  }

  void FillAndFinish() {
    End(Filled());
    Release();
  }

  grpc::Status Filled() {
    const auto filled = method_.Fill(response_);
    return filled ? grpc::Status::OK : BadInput(filled.error());
  }

  void End(const grpc::Status& status) {
    entry_.End(status);
    this->Finish(status);
  }

  static std::string FaultOf(const Task& task) {
    if constexpr (requires { task.fault(); }) return task.fault();
    return {};
  }

  // gRPC calls this at the caller's deadline too. That case is the scheduler's, which knows the
  // deadline and counts the task as expired; the slack is for the different clocks.
  void OnCancel() override {
    constexpr std::chrono::milliseconds kSlack{5};
    ++holds_;
    if (std::chrono::steady_clock::now() + kSlack < deadline_) {
      if (const auto id = latch_.Cancel()) context_.scheduler.Cancel(*id);
    }
    Release();
  }

  void OnDone() override { Release(); }

  void Release() {
    if (holds_.fetch_sub(1) == 1) delete this;
  }

  const ServingContext& context_;
  CallEntry entry_;
  const batching::TimePoint deadline_;
  const Request& request_;
  Response& response_;
  Method method_;
  CancelLatch latch_;
  std::atomic<int> holds_ = 1;  // gRPC's, which OnDone gives up
};

}  // namespace gpusim::server
