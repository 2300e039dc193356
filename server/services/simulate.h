// CamelUpService.Simulate: one long simulation, with running estimates.
//
//   gRPC's thread    Convert, Submit
//   scheduler        queue --> slot --> chunk --> queue --> slot --> chunk ...      one task
//   slot's thread                         \-> Watch: the newest sum, and whether the run ends here
//   any              write the newest sum that is due, when no write is under way
//   slot's thread    the task's end: the last message with its state, and OK
//
// A caller that reads slowly gets fewer estimates, never old ones: while a write is under way only the newest sum
// waits.
//
// Invariants:
//   1. One write at a time, and one Finish, after which none comes. They are started under the lock.
//   2. Nobody waits. OnCancel only passes the news on; the task's own end finishes the call.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "gpusim/v1/camel_up.pb.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

using SimulateReactor = grpc::ServerWriteReactor<v1::SimulateResponse>;

// The reactor deletes itself. The context outlives it; call and request live until it is done.
SimulateReactor* StartSimulate(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::SimulateRequest& request);

}  // namespace gpusim::server
