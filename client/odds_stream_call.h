// The call behind an OddsStream.
//
// A thread of its own reads; senders write one at a time. What counts as under way is bounded by
// what the server announces first:
//
//   sent ---- under way ----> read by the thread ---- waits in received_ ----> taken by Next
//                             (with a callback it ends here)
//
// Invariants: 1. under_way_ <= max_in_flight_. 2. Nobody writes before the announcement. 3. After
// end_ is set, nothing touches the connection.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <gpusim/client_proto.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include "client/cancellation_state.h"
#include "client/unary_call.h"
#include "gpusim/v1/camel_up.grpc.pb.h"

namespace gpusim {

class ProtoOddsStream::Call {
 public:
  // `connection_calls` lives at least until the call is over, for its owner cancels and awaits it.
  Call(std::shared_ptr<grpc::Channel> channel, CallTerms terms,
       std::chrono::nanoseconds item_timeout, CancellationState& connection_calls,
       Priority priority, std::function<void(v1::StreamItem)> on_item);
  ~Call();

  // False: not sent, since it would have to wait and may not.
  Result<bool> Send(v1::StreamOddsRequest request, bool may_wait);
  std::optional<v1::StreamItem> Next();
  void Close();
  Result<void> Finish();
  std::uint32_t MaxInFlight();

 private:
  void ReadAll();
  void Deliver(v1::StreamItem item);
  // Takes a place among those under way.
  Result<bool> Enter(bool may_wait);
  // Gives it back, under the lock.
  void Leave();

  const std::shared_ptr<grpc::Channel> channel_;
  const CallTerms terms_;
  const std::uint32_t item_timeout_ms_;
  CancellationState& connection_calls_;
  const Priority priority_;
  const std::function<void(v1::StreamItem)> on_item_;
  const std::shared_ptr<grpc::ClientContext> context_;
  const std::unique_ptr<v1::CamelUpService::StubInterface> stub_;
  CancellationState::Id connection_id_ = 0;
  CancellationState::Id caller_id_ = 0;
  // Behind the context that it is made from.
  std::unique_ptr<grpc::ClientReaderWriterInterface<v1::StreamOddsRequest, v1::StreamOddsResponse>>
      stream_;

  std::mutex write_mutex_;  // held while writing; taken before mutex_
  bool writes_done_ = false;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::optional<std::uint32_t> max_in_flight_;
  std::uint32_t under_way_ = 0;
  bool closed_ = false;
  std::deque<v1::StreamItem> received_;
  std::optional<Result<void>> end_;

  std::thread reader_;
};

}  // namespace gpusim
