#include "server/services/error_mapping.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/services/printable.h"

namespace gpusim::server {
namespace {

// Peers give up on trailers of more than 8 KiB, base64 counted. These leave room for the message
// and for what else travels there.
constexpr int kMaxViolations = 32;
constexpr std::size_t kMaxDetailBytes = 5000;
constexpr std::size_t kMaxValueBytes = 64;
constexpr std::size_t kMaxRuleBytes = 256;
constexpr std::size_t kMaxMessageBytes = 1024;

std::string Describe(const Violation& violation) {
  return "'" + Printable(violation.value, kMaxValueBytes) +
         "': " + Printable(violation.rule, kMaxRuleBytes);
}

grpc::Status WithDetail(grpc::StatusCode code, const std::string& message,
                        const google::protobuf::Message& detail) {
  google::rpc::Status status;
  status.set_code(code);
  status.set_message(message);
  status.add_details()->PackFrom(detail);
  return {code, message, status.SerializeAsString()};
}

google::rpc::RetryInfo RetryAfter(std::int64_t retry_ms) {
  google::rpc::RetryInfo details;
  details.mutable_retry_delay()->set_seconds(retry_ms / 1000);
  details.mutable_retry_delay()->set_nanos(static_cast<int>(retry_ms % 1000) * 1'000'000);
  return details;
}

std::string WhatIsFull(const batching::Refusal& refusal, const std::string& kind) {
  const std::string limit = " of " + kind + " is " + std::to_string(refusal.limit);
  if (refusal.reason == batching::Refusal::Reason::kBytesFull)
    return "max-queued-bytes" + limit + ", and what is queued or running leaves too few";
  if (refusal.reason == batching::Refusal::Reason::kWorkFull)
    return "max-queued-work" + limit + " ms, and with this call " + std::to_string(refusal.value) +
           " ms of work would be queued";
  return "max-queued-calls" + limit + ", and as many are queued or running";
}

grpc::Status DeviceLost() {
  return {grpc::StatusCode::UNAVAILABLE, "a device is lost, and the server ends"};
}

grpc::Status BoardElsewhere(const std::string& message, const std::string& owner,
                            const std::string& address) {
  google::rpc::ErrorInfo info;
  info.set_reason("BOARD_ELSEWHERE");
  info.set_domain("gpusim");
  (*info.mutable_metadata())["owner"] = Printable(owner, kMaxValueBytes);
  (*info.mutable_metadata())["address"] = Printable(address, kMaxRuleBytes);
  return WithDetail(grpc::StatusCode::FAILED_PRECONDITION, message, info);
}

}  // namespace

grpc::Status BadInput(const Violations& violations) {
  assert(!violations.empty());
  google::rpc::BadRequest details;
  for (const Violation& violation : violations) {
    google::rpc::BadRequest::FieldViolation field;
    field.set_field(violation.field);
    field.set_description(Describe(violation));
    if (details.field_violations_size() == kMaxViolations ||
        details.ByteSizeLong() + field.ByteSizeLong() > kMaxDetailBytes)
      break;
    details.add_field_violations()->Swap(&field);
  }
  std::string message = violations.front().field + " " + Describe(violations.front());
  if (violations.size() > 1) message += " (and " + std::to_string(violations.size() - 1) + " more)";
  return WithDetail(grpc::StatusCode::INVALID_ARGUMENT, message, details);
}

grpc::Status Refused(const batching::Refusal& refusal, std::string_view kind) {
  if (refusal.reason == batching::Refusal::Reason::kDraining)
    return {grpc::StatusCode::UNAVAILABLE, "the server is draining"};
  if (refusal.reason == batching::Refusal::Reason::kDeviceLost) return DeviceLost();
  // 0 would make callers come back at once, all of them.
  const std::int64_t retry_ms = std::max<std::int64_t>(1, refusal.retry_after.count());
  return WithDetail(
      grpc::StatusCode::RESOURCE_EXHAUSTED,
      WhatIsFull(refusal, std::string(kind)) + "; retry after " + std::to_string(retry_ms) + " ms",
      RetryAfter(retry_ms));
}

grpc::Status StreamFull(std::uint64_t max_items) {
  // Several turns of a busy device, each of which answers some of the items.
  constexpr std::int64_t kRetryMs = 10;
  return WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED,
                    "max-stream-items is " + std::to_string(max_items) +
                        ", and as many are in flight on this stream; retry after " +
                        std::to_string(kRetryMs) + " ms",
                    RetryAfter(kRetryMs));
}

grpc::Status Denied(const access::Denial& denial) {
  // Some of its calls may end by then.
  constexpr std::int64_t kRetryMs = 100;
  switch (denial.reason) {
    case access::Denial::Reason::kUnauthenticated:
      return {grpc::StatusCode::UNAUTHENTICATED, denial.message};
    case access::Denial::Reason::kForbidden:
      return {grpc::StatusCode::PERMISSION_DENIED, denial.message};
    case access::Denial::Reason::kDeviceLost:
      return {grpc::StatusCode::UNAVAILABLE, denial.message};
    case access::Denial::Reason::kTooManyCalls:
      break;
  }
  return WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED,
                    denial.message + "; retry after " + std::to_string(kRetryMs) + " ms",
                    RetryAfter(kRetryMs));
}

grpc::Status RaceTableMissing(camel_up::Edition edition, const RaceTableReport& report) {
  const std::string table = std::string("the race table of the ") +
                            (edition == camel_up::Edition::kFirst ? "first" : "second") +
                            " edition ";
  if (report.state == RaceTableState::kOff)
    return {grpc::StatusCode::FAILED_PRECONDITION, table + "is not there: " + report.reason};
  const std::int64_t retry_ms = std::max<std::int64_t>(100, report.remaining.count());
  return WithDetail(grpc::StatusCode::UNAVAILABLE,
                    table + "is being solved, " +
                        std::to_string(static_cast<int>(report.fraction * 100)) +
                        "% done; retry after " + std::to_string(retry_ms) + " ms",
                    RetryAfter(retry_ms));
}

grpc::Status NotAnswered(batching::Outcome outcome, std::string_view fault) {
  switch (outcome) {
    case batching::Outcome::kCancelled:
      return {grpc::StatusCode::CANCELLED, "cancelled by the caller"};
    case batching::Outcome::kExpired:
      return {grpc::StatusCode::DEADLINE_EXCEEDED,
              "the deadline passed before the answer was there"};
    case batching::Outcome::kDraining:
      return {grpc::StatusCode::UNAVAILABLE, "the server stopped before the answer was there"};
    case batching::Outcome::kDeviceLost:
      return DeviceLost();
    case batching::Outcome::kFailed:
    case batching::Outcome::kAnswered:
      break;
  }
  assert(outcome == batching::Outcome::kFailed);
  return {grpc::StatusCode::UNAVAILABLE, "the device failed: " + Printable(fault, 512)};
}

grpc::Status BoardFailed(const boards::BoardError& error) {
  using Reason = boards::BoardError::Reason;
  const std::string message = Printable(error.message, kMaxMessageBytes);
  switch (error.reason) {
    case Reason::kUnknown:
      return {grpc::StatusCode::NOT_FOUND, message};
    case Reason::kExists:
      return {grpc::StatusCode::ALREADY_EXISTS, message};
    case Reason::kBusy:
    case Reason::kWrongGeneration:
      return {grpc::StatusCode::ABORTED, message};
    case Reason::kNoMemory:
    case Reason::kNoRoom:
      if (!error.retry_after) return {grpc::StatusCode::RESOURCE_EXHAUSTED, message};
      return WithDetail(grpc::StatusCode::RESOURCE_EXHAUSTED, message,
                        RetryAfter(std::max<std::int64_t>(1, error.retry_after->count())));
    case Reason::kElsewhere:
      return BoardElsewhere(message, error.owner, error.address);
    case Reason::kForbidden:
      return {grpc::StatusCode::PERMISSION_DENIED, message};
    case Reason::kOff:
      return {grpc::StatusCode::FAILED_PRECONDITION, message};
    case Reason::kBadInput:
      if (error.violations.empty()) return {grpc::StatusCode::INVALID_ARGUMENT, message};
      return BadInput(error.violations);
    case Reason::kDraining:
      return NotAnswered(batching::Outcome::kDraining, "");
    case Reason::kExpired:
      return NotAnswered(batching::Outcome::kExpired, "");
    case Reason::kCancelled:
      return NotAnswered(batching::Outcome::kCancelled, "");
    case Reason::kDevice:
      break;
  }
  return {grpc::StatusCode::UNAVAILABLE, message};
}

google::rpc::Status RpcStatusOf(const grpc::Status& status) {
  google::rpc::Status message;
  if (!message.ParseFromString(status.error_details())) message.Clear();
  message.set_code(status.error_code());
  message.set_message(status.error_message());
  return message;
}

}  // namespace gpusim::server
