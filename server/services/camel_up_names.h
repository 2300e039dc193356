// Camels, dice and editions as the messages of CamelUpService name them, and as the domain numbers them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/rules/camel_up_board.h"

namespace gpusim::server {

// In the order of the edition's letters, which is the domain's numbering.
std::span<const v1::Camel> ProtoCamels(camel_up::Edition edition);
std::span<const v1::Die> ProtoDice(camel_up::Edition edition);

// What no camel and no die is: Validate finds it a fault, and the reader's own message about it stands.
inline constexpr std::uint8_t kNotOfEdition = 0xff;

// The domain's number, or kNotOfEdition.
camel_up::Camel CamelOf(camel_up::Edition edition, int camel);
camel_up::Die DieOf(camel_up::Edition edition, int die);

// "the first edition"
std::string EditionName(camel_up::Edition edition);

// An enumerator's name, or the number that has none.
template <class Enum>
std::string NameOf(int value, const std::string& (*name)(Enum)) {
  const std::string& known = name(static_cast<Enum>(value));
  return known.empty() ? std::to_string(value) : known;
}

// "field[i]"
std::string Element(const std::string& field, int i);

}  // namespace gpusim::server
