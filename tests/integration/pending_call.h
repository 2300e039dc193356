// A unary call under way, and what its status says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/batching/mutex.h"

namespace gpusim::testing {

// Starts with Start and has to stay where it is until the status is there.
template <class Request, class Response>
class PendingCall {
 public:
  // `send` calls the method of a stub's async() interface with what it is given.
  template <class Send>
  void Start(Send send) {
    {
      const batching::MutexLock lock(mutex_);
      status_.reset();
    }
    send(&context, &request, &response,
         std::function<void(grpc::Status)>([this](const grpc::Status& status) { End(status); }));
  }

  // Waits for it.
  grpc::Status Await() {
    const batching::MutexLock lock(mutex_);
    while (!status_) changed_.Wait(mutex_);
    return *status_;
  }

  grpc::ClientContext context;
  Request request;
  Response response;

 private:
  void End(const grpc::Status& status) {
    const batching::MutexLock lock(mutex_);
    status_ = status;
    changed_.NotifyAll();
  }

  batching::Mutex mutex_;
  batching::CondVar changed_;
  std::optional<grpc::Status> status_ GPUSIM_GUARDED_BY(mutex_);
};

// The detail of that type in the status's google.rpc.Status; nullopt if there is none, or if its
// code or message are not those of the status itself.
template <class Detail>
std::optional<Detail> DetailOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  if (details.code() != status.error_code() || details.message() != status.error_message())
    return std::nullopt;
  for (const auto& any : details.details()) {
    Detail detail;
    if (any.UnpackTo(&detail)) return detail;
  }
  return std::nullopt;
}

// "field: description", one a violation.
inline std::vector<std::string> ViolationsOf(const grpc::Status& status) {
  std::vector<std::string> lines;
  if (const auto bad = DetailOf<google::rpc::BadRequest>(status)) {
    for (const auto& violation : bad->field_violations())
      lines.push_back(violation.field() + ": " + violation.description());
  }
  return lines;
}

}  // namespace gpusim::testing
