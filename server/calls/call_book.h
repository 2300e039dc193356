// What the server knows of its calls as such: who is let in, how many are under way, how those before them ended, and where that is logged.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <grpcpp/support/status.h>

#include "server/access/gate.h"
#include "server/calls/call_method.h"

namespace gpusim::server {

// gRPC's names of its codes, by number.
inline constexpr std::array<std::string_view, 17> kStatusCodeNames{
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

constexpr std::string_view NameOf(grpc::StatusCode code) {
  return kStatusCodeNames[static_cast<std::size_t>(code)];
}

// Of a call that has ended. The texts are valid during the call of CallLog alone.
struct CallRecord {
  CallMethod method;
  grpc::StatusCode code;
  std::chrono::nanoseconds took;
  std::string_view request_id;   // empty: none
  std::string_view traceparent;  // likewise
  std::string_view caller;
  std::string_view reason;  // empty with OK; may hold text of the client
};

// Called at the end of every call, by several threads at a time, so it must not block. Empty: nothing is logged.
using CallLog = std::function<void(const CallRecord&)>;

// By method and status code: an array, so that nothing that a client sends makes it grow.
using CallCounts = std::array<std::array<std::uint64_t, kStatusCodeNames.size()>, kCallMethods>;

// Thread-safe.
class CallBook {
 public:
  // The gate outlives the book.
  CallBook(CallLog log, access::Gate& gate) : log_(std::move(log)), gate_(gate) {}

  access::Gate& gate() { return gate_; }

  void Begin() { ++under_way_; }
  void Count(const CallRecord& record) {
    ended_[static_cast<std::size_t>(record.method)][static_cast<std::size_t>(record.code)]
        .fetch_add(1, std::memory_order_relaxed);
    if (log_) log_(record);
  }
  void End() { --under_way_; }

  // Begun and not yet ended; streams included.
  std::int64_t under_way() const { return under_way_; }
  CallCounts ended() const {
    CallCounts counts{};
    for (std::size_t method = 0; method < counts.size(); ++method)
      for (std::size_t code = 0; code < counts[method].size(); ++code)
        counts[method][code] = ended_[method][code].load(std::memory_order_relaxed);
    return counts;
  }

 private:
  const CallLog log_;
  access::Gate& gate_;
  std::atomic<std::int64_t> under_way_ = 0;
  std::array<std::array<std::atomic<std::uint64_t>, kStatusCodeNames.size()>, kCallMethods>
      ended_{};
};

}  // namespace gpusim::server
