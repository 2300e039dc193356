// CamelUpService.StreamOdds: questions and answers as they come, on one stream.
//
//   gRPC's thread    read an item --> Convert, Submit --> read the next
//   scheduler                         queue --> slot --> the item's task runs, in batches with everything else
//   slot's thread                                          Take, Fill --> outgoing queue
//   any of them      write the front of the outgoing queue, when no write is under way
//
// What becomes of an item:
//
//   read --> in flight: in the scheduler, then in the outgoing queue --> being written --> written
//        \-> refused, as max_in_flight are: in the outgoing queue ---/
//
// An item leaves flight when its write begins, since the caller may know its answer from then on and send
// the next. Memory is bounded for a caller that does not read: with max_in_flight items in flight and
// kMostRefusals refusals unwritten the stream reads no more.
//
// Invariants:
//   1. One read and one write at a time, and one Finish, when nothing is in flight or unwritten any more.
//      All three are started under the lock, so that none comes after Finish.
//   2. Every item that was read while the stream was open gets one answer, unless the caller has gone.
//   3. An item lives until its task has ended and Submit has returned, whichever is later.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "gpusim/v1/camel_up.pb.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

using StreamOddsReactor = grpc::ServerBidiReactor<v1::StreamOddsRequest, v1::StreamOddsResponse>;

// The trailer of a stream that ends because the server does: the rest may be asked on a new one.
inline constexpr char kReopenTrailer[] = "gpusim-reopen";

// The reactor deletes itself. The context outlives it, the call lives until it is done.
StreamOddsReactor* StartStreamOdds(const ServingContext& context,
                                   grpc::CallbackServerContext& call);

}  // namespace gpusim::server
