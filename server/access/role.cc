#include "server/access/role.h"

#include <algorithm>
#include <array>

namespace gpusim::access {
namespace {

constexpr std::array<std::string_view, 3> kNames{"read", "use", "admin"};

}  // namespace

std::string_view NameOf(Role role) { return kNames[static_cast<std::size_t>(role)]; }

std::optional<Role> ParseRole(std::string_view text) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Role>(found - kNames.begin());
}

}  // namespace gpusim::access
