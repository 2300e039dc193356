// What every call has from its first moment to its last: who asks, under which id, and how it ended, counted and logged.
//
//   metadata of the call      x-request-id   1 to 128 visible ASCII characters; anything else counts as none
//                             traceparent    as W3C's Trace Context has it; anything else counts as none
//   trailers of the call      x-request-id   the caller's; else, where the call does not end with OK, one of the server's
//                             traceparent    the caller's
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include "server/batching/task.h"
#include "server/calls/call_book.h"
#include "server/calls/call_method.h"

namespace gpusim::server {

struct Caller {
  std::string name;       // the peer's address without its port; "unix"
  std::uint64_t key = 0;  // of the name, for whom to take turns with; never 0
};

// `peer` as gRPC names it: ipv4:1.2.3.4:5, ipv6:%5B::1%5D:5, unix:PATH.
Caller CallerOf(std::string_view peer);

// For one thread at a time. The book and the call outlive it. As long as it lives the call counts as under way.
class CallEntry {
 public:
  CallEntry(CallBook& book, CallMethod method, grpc::CallbackServerContext& call);
  ~CallEntry();
  CallEntry(const CallEntry&) = delete;
  CallEntry& operator=(const CallEntry&) = delete;

  const Caller& caller() const { return caller_; }

  // What became of a call whose caller has gone: kExpired at its deadline, kCancelled before it.
  batching::Outcome Gone() const;

  // Just before the reactor's Finish with that status, exactly once.
  void End(const grpc::Status& status);

 private:
  CallBook& book_;
  const CallMethod method_;
  grpc::CallbackServerContext& call_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const Caller caller_;
  std::string request_id_;
  std::string traceparent_;
};

}  // namespace gpusim::server
