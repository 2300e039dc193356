// Boards and snapshots belong to the name whose token made the board.
//
// All functions are thread-safe and do not wait.
#pragma once

#include <optional>
#include <string>

#include <grpcpp/support/status.h>

#include "server/calls/call_entry.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// As what a board that the caller makes is marked; empty for callers whose names are addresses, which do not last.
inline std::string CreatorNameOf(const Caller& caller) {
  return caller.has_token ? caller.name : std::string();
}

// PERMISSION_DENIED if the caller may not change the board; nullopt if it may, or if there is no such board, as the store then says.
std::optional<grpc::Status> BoardOfAnother(const ServingContext& context, const Caller& caller,
                                           const std::string& board);
// The same of a snapshot.
std::optional<grpc::Status> SnapshotOfAnother(const ServingContext& context, const Caller& caller,
                                              const std::string& snapshot);

}  // namespace gpusim::server
