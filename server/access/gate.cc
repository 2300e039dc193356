#include "server/access/gate.h"

#include <algorithm>
#include <utility>

namespace gpusim::access {
namespace {

constexpr std::string_view kScheme = "bearer ";

// Empty where there is none.
std::string_view TokenOf(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (!std::equal(scheme.begin(), scheme.end(), kScheme.begin(), kScheme.end(),
                  [&](char a, char b) { return lower(a) == b; }))
    return {};
  return authorization.substr(kScheme.size());
}

tl::unexpected<Denial> Denied(Denial::Reason reason, std::string message) {
  return tl::unexpected(Denial{reason, std::move(message)});
}

}  // namespace

Gate::Gate(std::unique_ptr<TokenFile> tokens, std::uint64_t max_calls_per_caller,
           std::function<bool()> device_is_lost)
    : tokens_(std::move(tokens)),
      quota_(max_calls_per_caller),
      device_is_lost_(std::move(device_is_lost)) {}

tl::expected<Identity, Denial> Gate::Identify(std::optional<std::string_view> authorization,
                                              const std::string& address, Role needed) const {
  if (tokens_ == nullptr) return Identity{.name = address, .role = Role::kAdmin};
  const std::string_view token = TokenOf(authorization.value_or(""));
  if (token.empty())
    return Denied(Denial::Reason::kUnauthenticated,
                  "this server asks for a token, as metadata 'authorization: Bearer TOKEN'");
  auto identity = tokens_->Find(token);
  if (!identity)
    return Denied(Denial::Reason::kUnauthenticated, "the token is not known to this server");
  if (identity->role < needed)
    return Denied(Denial::Reason::kForbidden,
                  "this call needs the role " + std::string(NameOf(needed)) + ", and that of '" +
                      identity->name + "' is " + std::string(NameOf(identity->role)));
  return *std::move(identity);
}

tl::expected<Admission, Denial> Gate::Admit(std::optional<std::string_view> authorization,
                                            const std::string& address, Role needed) {
  if (device_is_lost_())
    return Denied(Denial::Reason::kDeviceLost, "a device is lost, and the server ends");
  auto identity = Identify(authorization, address, needed);
  if (!identity) return tl::unexpected(std::move(identity.error()));
  auto share = quota_.Take(identity->name);
  if (!share)
    return Denied(Denial::Reason::kTooManyCalls,
                  "max-calls-per-caller is " + std::to_string(quota_.max_calls()) +
                      ", and as many of '" + identity->name + "' are under way");
  return Admission{*std::move(identity), *std::move(share)};
}

}  // namespace gpusim::access
