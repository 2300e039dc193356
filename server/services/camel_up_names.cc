#include "server/services/camel_up_names.h"

#include <algorithm>
#include <array>

namespace gpusim::server {
namespace {

using camel_up::Edition;

constexpr std::array<v1::Camel, 5> kFirstCamels{v1::CAMEL_BLUE, v1::CAMEL_GREEN, v1::CAMEL_ORANGE,
                                                v1::CAMEL_YELLOW, v1::CAMEL_WHITE};
constexpr std::array<v1::Camel, 7> kSecondCamels{
    v1::CAMEL_RED,    v1::CAMEL_BLUE,        v1::CAMEL_GREEN,      v1::CAMEL_YELLOW,
    v1::CAMEL_PURPLE, v1::CAMEL_CRAZY_WHITE, v1::CAMEL_CRAZY_BLACK};
constexpr std::array<v1::Die, 5> kFirstDice{v1::DIE_BLUE, v1::DIE_GREEN, v1::DIE_ORANGE,
                                            v1::DIE_YELLOW, v1::DIE_WHITE};
constexpr std::array<v1::Die, 6> kSecondDice{v1::DIE_RED,    v1::DIE_BLUE,   v1::DIE_GREEN,
                                             v1::DIE_YELLOW, v1::DIE_PURPLE, v1::DIE_GREY};

template <class Enum>
std::uint8_t IndexIn(std::span<const Enum> all, int value) {
  const auto found = std::find(all.begin(), all.end(), value);
  return found == all.end() ? kNotOfEdition : static_cast<std::uint8_t>(found - all.begin());
}

}  // namespace

std::span<const v1::Camel> ProtoCamels(Edition edition) {
  if (edition == Edition::kFirst) return kFirstCamels;
  return kSecondCamels;
}

std::span<const v1::Die> ProtoDice(Edition edition) {
  if (edition == Edition::kFirst) return kFirstDice;
  return kSecondDice;
}

camel_up::Camel CamelOf(Edition edition, int camel) { return IndexIn(ProtoCamels(edition), camel); }

camel_up::Die DieOf(Edition edition, int die) { return IndexIn(ProtoDice(edition), die); }

std::string EditionName(Edition edition) {
  return edition == Edition::kFirst ? "the first edition" : "the second edition";
}

std::string Element(const std::string& field, int i) {
  return field + "[" + std::to_string(i) + "]";
}

}  // namespace gpusim::server
