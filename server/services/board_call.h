// The path of the unary calls about boards:
//
//   gRPC's thread    Start --> [request memory] --> work: asks the store
//   any              the store's `done` --> Finish
//
// Invariants:
//   1. Finish is called exactly once, under the lock: by the answer, or before it by OnCancel. Work whose
//      caller has gone goes on to its end, and its answer is remembered all the same.
//   2. Nobody waits.
//   3. Whoever will work on the call holds it; gRPC's hold ends with OnDone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <grpcpp/support/server_callback.h>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/services/error_mapping.h"
#include "server/services/request_repeat.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

template <class T>
using StatusOr = tl::expected<T, grpc::Status>;

template <class Request, class Response>
class BoardCall final : public grpc::ServerUnaryReactor,
                        public std::enable_shared_from_this<BoardCall<Request, Response>> {
 public:
  using Done = std::function<void(StatusOr<Response>)>;
  // Calls `done` exactly once, on any thread, also within the call. Caller and request live as long as `done`.
  using Work = void (*)(const ServingContext& context, const Caller& caller, const Request& request,
                        Done done);

  // The reactor deletes itself. The context outlives it.
  static grpc::ServerUnaryReactor* Start(const ServingContext& context, CallMethod method,
                                         grpc::CallbackServerContext& call, const Request& request,
                                         Response& response, Work work) {
    std::shared_ptr<BoardCall> reactor(
        new BoardCall(context, method, call, request, response, work));
    reactor->grpcs_hold_ = reactor;
    reactor->Begin();
    return reactor.get();
  }

  ~BoardCall() override = default;

 private:
  BoardCall(const ServingContext& context, CallMethod method, grpc::CallbackServerContext& call,
            const Request& request, Response& response, Work work)
      : context_(context),
        request_(request),
        response_(response),
        work_(work),
        entry_(std::in_place, context.calls, method, call),
        caller_(entry_->caller()) {}

  void Begin() {
    SeeWhatCameBefore();
    if (const auto& denial = entry_->denial()) return Answer(tl::unexpected(Denied(*denial)));
    if constexpr (HasRequestId<Request>) {
      if (auto fault = RequestIdFault(request_)) return Answer(tl::unexpected(*std::move(fault)));
      if (!request_.request_id().empty()) return BeginMutation();
    }
    work_(context_, caller_, request_,
          [self = this->shared_from_this()](StatusOr<Response> answer) {
            self->Answer(std::move(answer));
          });
  }

  void BeginMutation() {
    if (gone()) return;
    auto self = this->shared_from_this();
    const RequestMemory::Earlier earlier = context_.request_memory.Begin(
        KeyOf(request_, caller_), FingerprintOf(request_), [self] { self->BeginMutation(); });
    switch (earlier.seen) {
      case RequestMemory::Seen::kFirst:
        work_(context_, caller_, request_, [self](StatusOr<Response> answer) {
          self->context_.request_memory.End(KeyOf(self->request_, self->caller_),
                                            RememberedOf(answer));
          self->Answer(std::move(answer));
        });
        break;
      case RequestMemory::Seen::kUnderWay:
        break;
      case RequestMemory::Seen::kAnswered:
        Answer(FromMemory<Response>(earlier.answer));
        break;
      case RequestMemory::Seen::kOther:
        Answer(tl::unexpected(OtherContents(request_.request_id())));
    }
  }

  void Answer(StatusOr<Response> answer) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (std::exchange(finished_, true)) return;
    const grpc::Status status = answer ? grpc::Status::OK : answer.error();
    if (answer) response_ = *std::move(answer);
    entry_->End(status);
    this->Finish(status);
  }

  bool gone() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    return finished_;
  }

  // See simulate.cc.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  // At the caller's deadline too.
  void OnCancel() override {
    SeeWhatCameBefore();
    Answer(tl::unexpected(NotAnswered(entry_->Gone(), "")));
  }

  void OnDone() override {
    SeeWhatCameBefore();
    entry_.reset();
    const auto last = std::move(grpcs_hold_);
  }

  const ServingContext& context_;
  const Request request_;
  Response& response_;  // gRPC's, there until OnDone
  const Work work_;
  std::shared_ptr<BoardCall> grpcs_hold_;

  std::optional<CallEntry> entry_;  // until OnDone
  const Caller caller_;

  batching::Mutex mutex_;
  bool finished_ GPUSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace gpusim::server
