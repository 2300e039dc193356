// What a client holds open, and what is under way on it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gpusim/client_proto.h>
#include <grpcpp/channel.h>

#include "client/cancellation_state.h"
#include "client/credentials.h"
#include "client/request_priority.h"
#include "client/unary_call.h"
#include "client/utf8_check.h"
#include "gpusim/v1/camel_up.grpc.pb.h"
#include "gpusim/v1/life.grpc.pb.h"
#include "gpusim/v1/server.grpc.pb.h"

namespace gpusim {

// Longer than any call can wish for, and far from overflowing a clock.
constexpr std::chrono::nanoseconds kNoTimeout = std::chrono::hours(24 * 365);

// What is refused without asking the server.
Error BadArguments(const std::string& message, std::vector<FieldViolation> violations);

// One for each option that no client can be made with. The address is resolved already.
std::vector<FieldViolation> OptionFaults(const ClientOptions& options);

class ProtoClient::Connection {
 public:
  Connection(ClientOptions options, Credentials credentials);
  // The calls touch the stubs, so they have to be over before any member goes.
  ~Connection();

  // `otherwise`: what a call without a timeout of its own has instead of the client's.
  CallTerms Terms(const CallOptions& options,
                  std::optional<std::chrono::nanoseconds> otherwise = {}) const;

  template <class Request, class Response, class Service>
  Result<Response> Wait(Service& stub,
                        grpc::Status (Service::*method)(grpc::ClientContext*, const Request&,
                                                        Response*),
                        const Request& request, const CallOptions& options) {
    if (auto violations = StringsNotUtf8(request); !violations.empty())
      return tl::unexpected(BadArguments("the request is bad", std::move(violations)));
    const std::optional<Request> prioritised = WithPriority(request, options.priority);
    const Request& sent = prioritised ? *prioritised : request;
    return CallAndWait<Response>(Terms(options),
                                 [&](grpc::ClientContext* context, Response* response) {
                                   return (stub.*method)(context, sent, response);
                                 });
  }

  // `method(context, request, response, reactor)`
  template <class Response, class Request, class Method>
  void Start(Request request, Method method, std::function<void(Result<Response>)> done,
             const CallOptions& options) {
    if (auto prioritised = WithPriority(request, options.priority))
      request = *std::move(prioritised);
    std::make_shared<AsyncCall<Request, Response>>(Terms(options), calls_, std::move(request),
                                                   std::move(method), std::move(done))
        ->Start();
  }

  const ClientOptions& options() const { return options_; }
  const Credentials& credentials() const { return credentials_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  // Everything under way.
  CancellationState& calls() { return calls_; }
  v1::CamelUpService::StubInterface& camel_up() { return *camel_up_; }
  v1::LifeService::StubInterface& life() { return *life_; }
  v1::ServerService::StubInterface& server() { return *server_; }

 private:
  const ClientOptions options_;
  const Credentials credentials_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::CamelUpService::StubInterface> camel_up_;
  const std::unique_ptr<v1::LifeService::StubInterface> life_;
  const std::unique_ptr<v1::ServerService::StubInterface> server_;
  CancellationState calls_;
};

}  // namespace gpusim
