// The connections of the calls about boards: the client's own, and one for each other server that
// turned out to own a board. The own server is asked first, always, since who owns a board may
// change; one that says BOARD_ELSEWHERE costs a short round trip.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <gpusim/client_proto.h>

#include "client/connection.h"

namespace gpusim {

class ProtoBoards::Owners {
 public:
  // `own` outlives this.
  explicit Owners(ProtoClient::Connection& own) : own_(own) {}

  // `attempt(terms, stub)` makes the call. It is made a second time, within the same deadline,
  // where the first server names the owner.
  template <class Attempt>
  auto Call(const CallOptions& options, std::optional<std::chrono::nanoseconds> otherwise,
            Attempt attempt) {
    CallTerms terms = own_.Terms(options, otherwise);
    auto reply = attempt(terms, own_.life());
    if (reply || reply.error().owner_address.empty()) return reply;
    ProtoClient::Connection* owner = At(reply.error().owner_address);
    if (owner == nullptr) return reply;
    terms.channel = owner->channel().get();
    terms.server = owner->options().server;
    return attempt(terms, owner->life());
  }

  const ClientOptions& options() const { return own_.options(); }

 private:
  // Null for an address that none can be.
  ProtoClient::Connection* At(const std::string& address);

  ProtoClient::Connection& own_;
  std::mutex mutex_;  // guards owners_; its connections are thread-safe and stay
  std::map<std::string, std::unique_ptr<ProtoClient::Connection>> owners_;
};

}  // namespace gpusim
