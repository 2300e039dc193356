#include "server/health/health_service.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/batching/mutex.h"

namespace gpusim::server {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;
using ServingStatus = HealthCheckResponse::ServingStatus;

ServingStatus StatusOf(const HealthState& state, const std::string& name) {
  const std::optional<bool> serving = state.serving(name);
  if (!serving) return HealthCheckResponse::SERVICE_UNKNOWN;
  return *serving ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING;
}

// One Watch. Writes and Finish are started under the lock: one write at a time, and one Finish, after which none comes.
class WatchCall final : public grpc::ServerWriteReactor<HealthCheckResponse>,
                        public HealthState::Listener,
                        public std::enable_shared_from_this<WatchCall> {
 public:
  static grpc::ServerWriteReactor<HealthCheckResponse>* Start(HealthState& state,
                                                              const std::string& name) {
    const auto call = std::make_shared<WatchCall>(state, name);
    {
      const batching::MutexLock lock(call->mutex_);
      call->grpcs_hold_ = call;
    }
    state.Add(call);
    call->OnHealthChanged();
    return call.get();
  }

  WatchCall(HealthState& state, std::string name) : state_(state), name_(std::move(name)) {}

  void OnHealthChanged() override {
    const batching::MutexLock lock(mutex_);
    Advance();
  }

 private:
  // Tells what has changed since the last write; at a drain that is the end.
  void Advance() GPUSIM_REQUIRES(mutex_) {
    if (writing_ || finished_) return;
    const bool draining = state_.draining();  // before the status, which is then the last one
    const ServingStatus now = StatusOf(state_, name_);
    if (!cancelled_ && now != told_) {
      told_ = now;
      response_.set_status(now);
      writing_ = true;
      StartWrite(&response_);
    } else if (cancelled_ || draining) {
      finished_ = true;
      Finish(cancelled_ ? grpc::Status(grpc::StatusCode::CANCELLED, "cancelled by the caller")
                        : grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server is draining"));
    }
  }

  void OnWriteDone(bool ok) override {
    const batching::MutexLock lock(mutex_);
    writing_ = false;
    cancelled_ = cancelled_ || !ok;
    Advance();
  }

  void OnCancel() override {
    const batching::MutexLock lock(mutex_);
    cancelled_ = true;
    Advance();
  }

  void OnDone() override {
    std::shared_ptr<WatchCall> last;
    {
      const batching::MutexLock lock(mutex_);
      last = std::move(grpcs_hold_);
    }
    state_.Remove(*this);
  }

  HealthState& state_;
  const std::string name_;
  batching::Mutex mutex_;
  std::shared_ptr<WatchCall> grpcs_hold_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<ServingStatus> told_ GPUSIM_GUARDED_BY(mutex_);
  bool writing_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool cancelled_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool finished_ GPUSIM_GUARDED_BY(mutex_) = false;
  HealthCheckResponse response_;  // gRPC's while a write is under way
};

}  // namespace

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* call,
                                               const HealthCheckRequest* request,
                                               HealthCheckResponse* response) {
  const ServingStatus status = StatusOf(state_, request->service());
  grpc::ServerUnaryReactor* const reactor = call->DefaultReactor();
  if (status == HealthCheckResponse::SERVICE_UNKNOWN) {
    reactor->Finish({grpc::StatusCode::NOT_FOUND, "no health is kept under that name"});
  } else {
    response->set_status(status);
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

grpc::ServerWriteReactor<HealthCheckResponse>* HealthService::Watch(
    grpc::CallbackServerContext* /*call*/, const HealthCheckRequest* request) {
  return WatchCall::Start(state_, request->service());
}

}  // namespace gpusim::server
