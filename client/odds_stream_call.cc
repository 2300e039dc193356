#include "client/odds_stream_call.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "client/connection.h"
#include "client/request_priority.h"
#include "client/utf8_check.h"

namespace gpusim {
namespace {

std::uint32_t ToTimeoutMs(std::chrono::nanoseconds timeout) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  // 0 would be the server's default.
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(ms, 1, std::numeric_limits<std::uint32_t>::max()));
}

Error Closed() {
  return Error{.code = StatusCode::kFailedPrecondition, .message = "the stream is closed"};
}

}  // namespace

ProtoOddsStream::Call::Call(std::shared_ptr<grpc::Channel> channel, CallTerms terms,
                            std::chrono::nanoseconds item_timeout,
                            CancellationState& connection_calls, Priority priority,
                            std::function<void(v1::StreamItem)> on_item)
    : channel_(std::move(channel)),
      terms_(std::move(terms)),
      item_timeout_ms_(ToTimeoutMs(item_timeout)),
      connection_calls_(connection_calls),
      priority_(priority),
      on_item_(std::move(on_item)),
      context_(terms_.NewContext()),
      stub_(v1::CamelUpService::NewStub(channel_)) {
  const auto stop = [context = context_] { context->TryCancel(); };
  connection_id_ = connection_calls_.Add(stop);
  caller_id_ = terms_.cancellation.state().Add(stop);
  stream_ = stub_->StreamOdds(context_.get());
  reader_ = std::thread([this] { ReadAll(); });
}

ProtoOddsStream::Call::~Call() {
  context_->TryCancel();
  reader_.join();
}

void ProtoOddsStream::Call::ReadAll() {
  v1::StreamOddsResponse response;
  while (stream_->Read(&response)) {
    if (response.has_item()) {
      Deliver(std::move(*response.mutable_item()));
    } else if (response.has_opened()) {
      const std::lock_guard lock(mutex_);
      max_in_flight_ = std::max<std::uint32_t>(response.opened().max_in_flight(), 1);
      changed_.notify_all();
    }
  }
  grpc::Status status;
  {
    const std::lock_guard lock(write_mutex_);
    writes_done_ = true;
    status = stream_->Finish();
  }
  Result<void> end;
  if (!status.ok()) end = tl::unexpected(terms_.ToError(status));
  terms_.cancellation.state().Remove(caller_id_);
  connection_calls_.Remove(connection_id_);
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
  changed_.notify_all();
}

void ProtoOddsStream::Call::Deliver(v1::StreamItem item) {
  std::unique_lock lock(mutex_);
  if (!on_item_) {
    received_.push_back(std::move(item));
    changed_.notify_all();
    return;
  }
  Leave();
  lock.unlock();
  on_item_(std::move(item));
}

void ProtoOddsStream::Call::Leave() {
  // A server that answers what nobody asked makes no room for more questions.
  if (under_way_ > 0) --under_way_;
  changed_.notify_all();
}

Result<bool> ProtoOddsStream::Call::Enter(bool may_wait) {
  std::unique_lock lock(mutex_);
  const auto over = [&] { return closed_ || end_; };
  changed_.wait(lock, [&] { return over() || max_in_flight_; });
  if (may_wait) changed_.wait(lock, [&] { return over() || under_way_ < *max_in_flight_; });
  if (end_ && !*end_) return tl::unexpected(end_->error());
  if (over()) return tl::unexpected(Closed());
  if (under_way_ >= *max_in_flight_) return false;
  ++under_way_;
  return true;
}

Result<bool> ProtoOddsStream::Call::Send(v1::StreamOddsRequest request, bool may_wait) {
  // On the stream, such a text would be the end of all.
  if (auto violations = StringsNotUtf8(request); !violations.empty())
    return tl::unexpected(BadArguments("the question is bad", std::move(violations)));
  if (request.timeout_ms() == 0) request.set_timeout_ms(item_timeout_ms_);
  if (request.has_odds()) {
    if (auto odds = WithPriority(request.odds(), priority_))
      *request.mutable_odds() = *std::move(odds);
  } else if (request.has_moves()) {
    if (auto moves = WithPriority(request.moves(), priority_))
      *request.mutable_moves() = *std::move(moves);
  }
  auto entered = Enter(may_wait);
  if (!entered || !*entered) return entered;
  {
    const std::lock_guard lock(write_mutex_);
    if (!writes_done_ && stream_->Write(request)) return true;
  }
  // The reader is about to learn why, unless Close came in between.
  std::unique_lock lock(mutex_);
  Leave();
  changed_.wait(lock, [&] { return closed_ || end_; });
  return tl::unexpected(end_ && !*end_ ? end_->error() : Closed());
}

std::optional<v1::StreamItem> ProtoOddsStream::Call::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !received_.empty() || end_; });
  if (received_.empty()) return std::nullopt;
  v1::StreamItem item = std::move(received_.front());
  received_.pop_front();
  Leave();
  return item;
}

void ProtoOddsStream::Call::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  const std::lock_guard lock(write_mutex_);
  if (!std::exchange(writes_done_, true)) stream_->WritesDone();
}

Result<void> ProtoOddsStream::Call::Finish() {
  Close();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return end_.has_value(); });
  return *end_;
}

std::uint32_t ProtoOddsStream::Call::MaxInFlight() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return max_in_flight_ || end_; });
  return max_in_flight_.value_or(0);
}

ProtoOddsStream::ProtoOddsStream(std::unique_ptr<Call> call) : call_(std::move(call)) {}
ProtoOddsStream::~ProtoOddsStream() = default;

Result<void> ProtoOddsStream::Send(v1::StreamOddsRequest request) {
  return call_->Send(std::move(request), /*may_wait=*/true).map([](bool) {});
}

Result<bool> ProtoOddsStream::TrySend(v1::StreamOddsRequest request) {
  return call_->Send(std::move(request), /*may_wait=*/false);
}

std::optional<v1::StreamItem> ProtoOddsStream::Next() { return call_->Next(); }
void ProtoOddsStream::Close() { call_->Close(); }
Result<void> ProtoOddsStream::Finish() { return call_->Finish(); }
std::uint32_t ProtoOddsStream::max_in_flight() { return call_->MaxInFlight(); }

}  // namespace gpusim
