// From gRPC's status to the client's Error, and what the Error means for another attempt.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include <gpusim/result.h>
#include <grpc/impl/codegen/connectivity_state.h>
#include <grpcpp/support/status.h>

namespace gpusim {

// `status` is not OK. The violations and the delay are taken from its details, which may be broken
// or missing.
Error ErrorFromStatus(const grpc::Status& status, const std::string& server,
                      std::chrono::nanoseconds timeout, grpc_connectivity_state connection);

// How long to wait before the call is sent again; nothing: it is not. Only a full queue leads here:
// gRPC itself repeats UNAVAILABLE (connection.cc).
std::optional<std::chrono::nanoseconds> WaitBeforeRepeat(const Error& error, bool wait_when_full,
                                                         std::chrono::nanoseconds time_left);

}  // namespace gpusim
