#include <utility>

#include <gpusim/client.h>
#include <gpusim/client_proto.h>

#include "client/messages.h"

namespace gpusim {
namespace {

template <class Message>
auto ToTyped(Result<Message> reply) {
  return std::move(reply).map([](Message&& message) { return FromMessage(std::move(message)); });
}

// A callback that fulfils a promise; the promise is shared because std::function has to be
// copyable.
template <class T>
std::pair<std::function<void(Result<T>)>, std::future<Result<T>>> PromiseCallback() {
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  return {[promise](Result<T> result) { promise->set_value(std::move(result)); },
          std::move(future)};
}

}  // namespace

Result<Client> Client::Create(ClientOptions options) {
  auto proto = ProtoClient::Create(std::move(options));
  if (!proto) return tl::unexpected(std::move(proto.error()));
  return Client(std::move(*proto));
}

Client::Client(std::unique_ptr<ProtoClient> proto) : proto_(std::move(proto)) {}
Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

Result<Odds> Client::GetOdds(const OddsRequest& request, const CallOptions& options) {
  return ToTyped(proto_->GetOdds(ToMessage(request), options));
}

Result<StepResult> Client::Step(const StepRequest& request, const CallOptions& options) {
  return ToTyped(proto_->Step(ToMessage(request), options));
}

Result<ServerInfo> Client::GetInfo(const CallOptions& options) {
  return ToTyped(proto_->GetInfo({}, options));
}

Result<ServerStatistics> Client::GetStatistics(const CallOptions& options) {
  return ToTyped(proto_->GetStatistics({}, options));
}

Result<void> Client::Ping(const CallOptions& options) {
  return proto_->Ping({}, options).map([](const v1::PingResponse&) {});
}

void Client::GetOddsAsync(const OddsRequest& request, std::function<void(Result<Odds>)> done,
                          const CallOptions& options) {
  proto_->GetOddsAsync(
      ToMessage(request),
      [done = std::move(done)](Result<v1::GetOddsResponse> reply) {
        done(ToTyped(std::move(reply)));
      },
      options);
}

void Client::StepAsync(const StepRequest& request, std::function<void(Result<StepResult>)> done,
                       const CallOptions& options) {
  proto_->StepAsync(
      ToMessage(request),
      [done = std::move(done)](Result<v1::StepResponse> reply) { done(ToTyped(std::move(reply))); },
      options);
}

std::future<Result<Odds>> Client::GetOddsFuture(const OddsRequest& request,
                                                const CallOptions& options) {
  auto [callback, future] = PromiseCallback<Odds>();
  GetOddsAsync(request, std::move(callback), options);
  return std::move(future);
}

std::future<Result<StepResult>> Client::StepFuture(const StepRequest& request,
                                                   const CallOptions& options) {
  auto [callback, future] = PromiseCallback<StepResult>();
  StepAsync(request, std::move(callback), options);
  return std::move(future);
}

}  // namespace gpusim
