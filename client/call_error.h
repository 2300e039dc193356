// From gRPC's status to the client's Error, and what the Error means for another attempt.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <gpusim/result.h>
#include <grpc/impl/codegen/connectivity_state.h>
#include <grpcpp/support/status.h>

#include "google/rpc/status.pb.h"

namespace gpusim {

// `status` is not OK. The violations and the delay are taken from its details, which may be broken
// or missing.
Error ErrorFromStatus(const grpc::Status& status, const std::string& server,
                      std::chrono::nanoseconds timeout, grpc_connectivity_state connection);

// Of an item of a call: of a stream, of columns, of several questions. Its code is not OK.
Error ErrorFromStatus(const google::rpc::Status& status);

// How long to wait before the call is sent again; nothing: it is not. Only where the server says
// when to come: its queue is full, or a race table is being solved. Of UNAVAILABLE without such a
// word, gRPC itself repeats what is worth it (connection.cc).
std::optional<std::chrono::nanoseconds> WaitBeforeRepeat(const Error& error, bool wait_as_told,
                                                         std::chrono::nanoseconds time_left);

}  // namespace gpusim
