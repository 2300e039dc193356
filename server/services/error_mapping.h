// The one place that makes gRPC statuses. Every status but OK carries its details as a
// google.rpc.Status in the trailing metadata (grpc-status-details-bin), where it has any.
//
// All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include <grpcpp/support/status.h>

#include "google/rpc/status.pb.h"
#include "kernels/rules/camel_up_board.h"
#include "kernels/violation.h"
#include "server/access/gate.h"
#include "server/batching/scheduler.h"
#include "server/boards/board_types.h"
#include "server/race/race_tables.h"

namespace gpusim::server {

// INVALID_ARGUMENT. The message is one short line that names the first fault and how many more
// there are; the details are a google.rpc.BadRequest. At most 32 faults travel, values are cut
// to 64 bytes, and what is not printable in them is escaped: trailers have to stay below 8 KiB.
// Precondition: there is at least one violation.
grpc::Status BadInput(const Violations& violations);

// RESOURCE_EXHAUSTED with a google.rpc.RetryInfo when the queue is full, UNAVAILABLE when the
// server drains or a device is lost.
grpc::Status Refused(const batching::Refusal& refusal, std::string_view kind);

// RESOURCE_EXHAUSTED with a google.rpc.RetryInfo: an item of a stream that has `max_items` in flight.
grpc::Status StreamFull(std::uint64_t max_items);

// Of an exact race question whose table is not in use: UNAVAILABLE with a google.rpc.RetryInfo while it
// is being solved, else FAILED_PRECONDITION. Precondition: the report says that it is not ready.
grpc::Status RaceTableMissing(camel_up::Edition edition, const RaceTableReport& report);

// UNAUTHENTICATED, PERMISSION_DENIED, or for a caller with too many calls RESOURCE_EXHAUSTED with a google.rpc.RetryInfo.
grpc::Status Denied(const access::Denial& denial);

// For a task that ended without an answer. `fault` is what the device said, for kFailed.
// Precondition: the outcome is not kAnswered.
grpc::Status NotAnswered(batching::Outcome outcome, std::string_view fault);

// Of a call about boards, by the list at the head of life.proto.
grpc::Status BoardFailed(const boards::BoardError& error);

// The status with its details as a message, for an item or a row that fails while its call goes on.
google::rpc::Status RpcStatusOf(const grpc::Status& status);

}  // namespace gpusim::server
