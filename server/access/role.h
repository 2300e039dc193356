// What a caller may do. A role includes those before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusim::access {

enum class Role : std::uint8_t { kRead, kUse, kAdmin };

std::string_view NameOf(Role role);
std::optional<Role> ParseRole(std::string_view text);

// Whom a token stands for. Several tokens may stand for one name, so that they can be changed one after another.
struct Identity {
  std::string name;
  Role role = Role::kRead;
};

}  // namespace gpusim::access
