#include "server/access/admission.h"

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

tl::unexpected<Denial> Unauthenticated(std::string message) {
  return tl::unexpected(Denial{Denial::Reason::kUnauthenticated, std::move(message)});
}

}  // namespace

tl::expected<Identity, Denial> Admit(const TokenFile& tokens,
                                     std::optional<std::string_view> authorization, Role needed) {
  const std::string_view token = TokenOf(authorization.value_or(""));
  if (token.empty())
    return Unauthenticated(
        "this server asks for a token, as metadata 'authorization: Bearer TOKEN'");
  auto identity = tokens.Find(token);
  if (!identity) return Unauthenticated("the token is not known to this server");
  if (identity->role < needed)
    return tl::unexpected(Denial{Denial::Reason::kForbidden,
                                 "this call needs the role " + std::string(NameOf(needed)) +
                                     ", and that of '" + identity->name + "' is " +
                                     std::string(NameOf(identity->role))});
  return *std::move(identity);
}

}  // namespace gpusim::access
