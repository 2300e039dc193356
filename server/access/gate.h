// Whether a call may come in: by its token and role, by how many of its caller are under way, and while the server has a device.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/caller_quota.h"
#include "server/access/role.h"
#include "server/access/token_file.h"

namespace gpusim::access {

struct Denial {
  enum class Reason : std::uint8_t { kUnauthenticated, kForbidden, kTooManyCalls, kDeviceLost };
  Reason reason = Reason::kUnauthenticated;
  std::string message;
};

// A call that has come in.
struct Admission {
  Identity identity;
  CallerQuota::Share share;
};

// Thread-safe.
class Gate {
 public:
  // Without tokens every caller may do everything, under the name of its address. 0 calls: no limit. `device_is_lost` is asked at
  // every call, by several threads at a time: once it says so nobody comes in any more, whatever is asked for.
  Gate(
      std::unique_ptr<TokenFile> tokens, std::uint64_t max_calls_per_caller,
      std::function<bool()> device_is_lost = [] { return false; });

  bool asks_for_tokens() const { return tokens_ != nullptr; }

  // `authorization` is the value of the call's metadata of that name: "Bearer TOKEN", the first word in either case; nullopt
  // if it has none, or several. Never waits.
  tl::expected<Admission, Denial> Admit(std::optional<std::string_view> authorization,
                                        const std::string& address, Role needed);

 private:
  tl::expected<Identity, Denial> Identify(std::optional<std::string_view> authorization,
                                          const std::string& address, Role needed) const;

  const std::unique_ptr<TokenFile> tokens_;
  CallerQuota quota_;
  const std::function<bool()> device_is_lost_;
};

}  // namespace gpusim::access
