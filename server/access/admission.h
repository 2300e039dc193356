// Whether a call may go on, by its token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/role.h"
#include "server/access/token_file.h"

namespace gpusim::access {

struct Denial {
  enum class Reason : std::uint8_t { kUnauthenticated, kForbidden };
  Reason reason = Reason::kUnauthenticated;
  std::string message;
};

// The value of a call's metadata `authorization`: "Bearer TOKEN", the first word in either case; nullopt if it has none. Thread-safe.
tl::expected<Identity, Denial> Admit(const TokenFile& tokens,
                                     std::optional<std::string_view> authorization, Role needed);

}  // namespace gpusim::access
